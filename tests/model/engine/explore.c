// SPDX-License-Identifier: Apache-2.0
// The search: depth first over all choices (who goes next, what is read, where a store lands), each
// execution from the start, cut when it reaches a state that was there before.
//
// First come random executions that count for nothing but what they teach about the program's
// memory (location.c), though a failure of theirs is one. When the search itself learns something,
// it begins again, since it may have left out what the new knowledge forbids to leave out.
#include "internal.h"

#include <stdio.h>
#include <time.h>

struct mc_engine mc;

enum { LEARNING_AT_LEAST = 100, LEARNING_AT_MOST = 5000 };

static uint64_t chance;

static unsigned random_below(unsigned count)
{
    chance += UINT64_C(0x9E3779B97F4A7C15);
    return (unsigned)((mc_mix(chance, chance >> 29) >> 32) % count);
}

unsigned mc_choose(unsigned count)
{
    if (count == 1)
        return 0;
    if (mc.depth == MC_CHOICES || count > UINT8_MAX)
        mc_fail(MODEL_BOUND, "too many choices in one execution");
    struct mc_choice *c = &mc.choice[mc.depth];
    uint16_t situation = mc.running == MC_CHECKER ? 0 : (uint16_t)mc_me()->history;
    if (mc.depth++ >= mc.known)
        *c = (struct mc_choice){(uint8_t)(mc.random ? random_below(count) : 0), (uint8_t)count,
                                situation};
    else if (c->count != count || c->situation != situation)
        mc_fail(MODEL_MISUSE, "not repeatable: setup() must reset everything");
    return c->taken;
}

// ---- one execution ----

static void drive(void)
{
    if (mc.program->ghost_size)
        memset(mc.program->ghost, 0, mc.program->ghost_size);
    if (mc.program->setup)
        mc.program->setup();
    mc_location_begin_execution();
    mc_thread_run_all();
}

static void check(void)
{
    mc.program->check();
    mc_end(MC_DONE);
}

static void run_checker(void (*entry)(void))
{
    mc.running = MC_CHECKER;
    mc_coroutine_prepare(&mc.checker, MC_CHECKER, entry);
    mc_coroutine_switch(&mc.explorer, &mc.checker);
}

enum mc_ending mc_execute(void)
{
    mc.depth = 0;
    mc.operations = 0;
    memset(mc.allocated, 0, sizeof mc.allocated);
    run_checker(drive);
    bool complete = mc.ending == MC_DONE && mc.operations <= mc.operations_max;
    if (complete && mc.program->check)
        run_checker(check);
    if (mc.operations > mc.result->longest)
        mc.result->longest = mc.operations;
    mc.result->executions++;
    return mc.ending;
}

// Once more, the same way, for the report. What is too large need not be so when nothing counts as
// seen: then the first message stays.
static void repeat_failure(void)
{
    struct model_result *r = mc.result;
    enum model_verdict verdict = r->verdict;
    uint64_t executions = r->executions;
    char message[sizeof r->message];
    memcpy(message, r->message, sizeof message);
    mc.known = mc.depth;
    mc.recording = true;
    mc_record_clear();
    bool again = mc_execute() == MC_FAILED;
    if (verdict == MODEL_BOUND) {
        r->verdict = verdict;
        memcpy(r->message, message, sizeof message);
    } else if (!again) {
        r->verdict = MODEL_MISUSE;
        snprintf(r->message, sizeof r->message, "setup() must reset everything: not again: %.*s",
                 (int)sizeof message / 2, message);
    }
    r->executions = executions;
    mc.recording = false;
}

// ---- the search ----

static bool learn(void)
{
    unsigned quiet = 0;
    mc.learning = mc.random = true;
    for (int i = 0; i < LEARNING_AT_MOST && quiet < LEARNING_AT_LEAST; i++) {
        unsigned facts = mc.facts;
        mc.known = 0;
        if (mc_execute() == MC_FAILED)
            return false;
        quiet = facts == mc.facts ? quiet + 1 : 0;
    }
    mc.learning = mc.random = false;
    return true;
}

static bool next_branch(void)
{
    while (mc.depth && mc.choice[mc.depth - 1].taken + 1 == mc.choice[mc.depth - 1].count)
        mc.depth--;
    if (!mc.depth)
        return false;
    mc.choice[mc.depth - 1].taken++;
    mc.known = mc.depth;
    return true;
}

static bool search(void)
{
    mc.known = 0;
    for (;;) {
        switch (mc_execute()) {
        case MC_FAILED:
            return false;
        case MC_LEARNT:
            mc_state_forget_all();
            mc.result->executions = 0;
            mc.result->outcomes = 0;
            mc.known = 0;
            continue;
        case MC_DONE:
        case MC_SEEN:
            if (!next_branch())
                return true;
        }
    }
}

static double now(void)
{
    struct timespec t;
    clock_gettime(CLOCK_MONOTONIC, &t);
    return (double)t.tv_sec + (double)t.tv_nsec * 1e-9;
}

static void begin(const struct model_program *program, struct model_result *result)
{
    memset(result, 0, sizeof *result);
    mc.program = program;
    mc.result = result;
    mc.operations_max = program->operations_max ? program->operations_max : 5000;
    mc.states_max = program->states_max ? program->states_max : 50u * 1000 * 1000;
    mc.recording = false;
    mc.launching = false;
    chance = 1;
    mc_location_forget_all();
    mc_state_forget_all();
    mc_name_forget_all();
}

enum model_verdict model_run(const struct model_program *program, struct model_result *result,
                             int report)
{
    double start = now();
    begin(program, result);
    bool passed = program->no_rehearsal || learn();
    if (passed) {
        result->executions = 0;
        result->outcomes = 0;
        result->longest = 0;
        passed = search();
    }
    if (!passed)
        repeat_failure();
    result->states = mc_state_count();
    result->seconds = now() - start;
    mc_state_forget_all();
    if (!passed && report)
        mc_report();
    mc.learning = mc.random = false;
    return result->verdict;
}
