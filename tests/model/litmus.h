// SPDX-License-Identifier: Apache-2.0
// What the litmus programs share: memory, ways to show an outcome, and the comparison with what was
// expected.
#ifndef LITMUS_H
#define LITMUS_H

#include <stdio.h>
#include <string.h>

#include <twill/atomic.h>

#define RLX TWI_RELAXED
#define ACQ TWI_ACQUIRE
#define REL TWI_RELEASE
#define SC TWI_SEQ_CST

static uint32_t x, y, z;
static uint32_t r[4];
static uint64_t wide;
static uint32_t plain;
static uint32_t lock;

static inline void setup(void)
{
    x = y = z = plain = lock = 0;
    wide = 0;
    memset(r, 0, sizeof r);
    model_name(&x, "x");
    model_name(&y, "y");
    model_name(&z, "z");
    model_name(&plain, "plain");
    model_name(&lock, "lock");
    model_name(&wide, "wide");
}

static inline void show2(void)
{
    model_outcome("%u %u", r[0], r[1]);
}

static inline void show3(void)
{
    model_outcome("%u %u %u", r[0], r[1], r[2]);
}

static inline void show4(void)
{
    model_outcome("%u %u %u %u", r[0], r[1], r[2], r[3]);
}

static inline void show_xy(void)
{
    model_outcome("%u %u", x, y);
}

static inline void show_x(void)
{
    model_outcome("%u", x);
}

struct litmus {
    struct model_program program;
    const char *outcomes; // all of them, sorted
    enum model_verdict verdict;
    const char *message; // a part of it
};

#define TWO .threads = 2, .setup = setup
#define THREE .threads = 3, .setup = setup
#define FOUR .threads = 4, .setup = setup

static inline int run(const struct litmus *l)
{
    static struct model_result result;
    char found[MODEL_OUTCOMES * MODEL_OUTCOME_SIZE] = "";
    enum model_verdict verdict = model_run(&l->program, &result, l->verdict == MODEL_PASS);
    for (int i = 0; i < result.outcomes; i++) {
        strcat(found, i ? "|" : "");
        strcat(found, result.outcome[i]);
    }
    int good = verdict == l->verdict && (verdict != MODEL_PASS || !strcmp(found, l->outcomes)) &&
               (!l->message || strstr(result.message, l->message));
    printf("%s %s: %s%s, %llu states, %llu executions\n", good ? "ok  " : "FAIL", l->program.name,
           found, result.message, (unsigned long long)result.states,
           (unsigned long long)result.executions);
    if (!good)
        printf("     expected %s%s\n", l->outcomes, l->message ? l->message : "");
    return good;
}

static inline int run_all(const struct litmus *litmus, size_t count, int argc, char **argv)
{
    int passed = 0;
    int failed = 0;
    for (size_t i = 0; i < count; i++) {
        if (argc > 1 && strcmp(argv[1], litmus[i].program.name) != 0)
            continue;
        if (run(&litmus[i]))
            passed++;
        else
            failed++;
    }
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}

#endif
