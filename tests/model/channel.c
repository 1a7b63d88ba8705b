// SPDX-License-Identifier: Apache-2.0
// Channels and select (the real src/channel/): whatever two or three tasks do at the same time
// comes out as it could one after the other (channel_sequel.h). Nobody waits for ever, no message
// is lost or comes twice, and a channel is not touched once it may be destroyed.
#include "waits.h"

#include "channel/channel.c"
#include "channel/select.c"

#include "channel_sequel.h"

enum { FREED = 77, DEADLINE = 2 };

static union {
    struct tw_channel channel;
    unsigned char memory[sizeof(struct tw_channel) + RING * sizeof(uint64_t)];
} channels[CHANNELS];

static const struct script *script;
static struct results results; // ghost
static uint64_t seed_of[2];    // makes a select of two begin with the first, the second

// ---- set-up ----

static void channel_reset(int i, unsigned capacity)
{
    static const char *const names[] = {"a", "b"};
    struct tw_channel *c = &channels[i].channel;
    memset(&channels[i], 0, sizeof channels[i]);
    *c = (struct tw_channel){.name = names[i], .size = sizeof(uint64_t), .capacity = capacity};
    model_name(&c->receivers.guard, "%s.guard", names[i]);
    model_name(&c->receivers.first, "%s.receivers.first", names[i]);
    model_name(&c->receivers.last, "%s.receivers.last", names[i]);
    model_name(&c->senders.first, "%s.senders.first", names[i]);
    model_name(&c->senders.last, "%s.senders.last", names[i]);
    model_name(&c->head, "%s.head", names[i]);
    model_name(&c->count, "%s.count", names[i]);
    model_name(&c->closed, "%s.closed", names[i]);
    for (int k = 0; k < RING; k++)
        model_name(c->ring + (size_t)k * sizeof(uint64_t), "%s.ring[%d]", names[i], k);
}

static void script_reset(const struct script *next)
{
    waits_reset();
    script = next;
    for (int i = 0; i < CHANNELS; i++)
        channel_reset(i, next->capacity[i]);
    struct tw_channel *c = &channels[0].channel;
    c->count = next->filled;
    for (unsigned i = 0; i < next->filled; i++)
        ((uint64_t *)c->ring)[i] = 8 + i;
}

static void find_seeds(void)
{
    for (uint64_t seed = 1; !seed_of[0] || !seed_of[1]; seed++) {
        struct twi_rng rng = {seed};
        seed_of[twi_rng_below(&rng, 2)] = seed;
    }
}

// ---- the tasks ----

static int code_of(int error, uint64_t received)
{
    switch (error) {
    case 0:
        return (int)received;
    case TW_EPIPE:
        return CLOSED;
    case TW_ETIMEDOUT:
        return LATE;
    case TW_ECANCELED:
        return CANCELLED;
    case TW_EALREADY:
        return ALREADY;
    default:
        model_assert(0, "the error is %d", error);
        return -1;
    }
}

static int do_send(const struct step *step, struct tw_channel *c)
{
    uint64_t message;
    TWI_WRITE(message, (uint64_t)step->part[0].value);
    int error = step->tries   ? tw_channel_try_send(c, &message)
                : step->timed ? tw_channel_send_until(c, &message, DEADLINE)
                              : tw_channel_send(c, &message);
    return code_of(error, 0);
}

static int do_receive(const struct step *step, struct tw_channel *c)
{
    uint64_t message = 0;
    int error = step->tries   ? tw_channel_try_receive(c, &message)
                : step->timed ? tw_channel_receive_until(c, &message, DEADLINE)
                              : tw_channel_receive(c, &message);
    return code_of(error, error ? 0 : TWI_READ(message));
}

static int do_select(const struct step *step, int id)
{
    uint64_t message[2];
    struct tw_case cases[2];
    for (int i = 0; i < 2; i++) {
        TWI_WRITE(message[i], (uint64_t)step->part[i].value);
        cases[i] = (struct tw_case){&channels[step->part[i].channel].channel, &message[i],
                                    step->part[i].value != 0, 0};
    }
    workers[id].rng.counter = seed_of[model_choose(2)];
    int which = step->tries ? tw_select_try(cases, 2)
                            : tw_select(cases, 2, step->timed ? DEADLINE : TW_NEVER);
    if (which < 0)
        return code_of(which, 0);
    uint64_t received = cases[which].sends || cases[which].error ? 0 : TWI_READ(message[which]);
    return which << 4 | code_of(cases[which].error, received);
}

static int do_step(const struct step *step, int id)
{
    struct tw_channel *c = &channels[step->part[0].channel].channel;
    switch (step->verb) {
    case SEND:
        return do_send(step, c);
    case RECEIVE:
        return do_receive(step, c);
    case SELECT:
        return do_select(step, id);
    case CLOSE:
        return code_of(tw_channel_close(c), 0);
    case CANCEL:
        cancel_all_waits();
        return 0;
    case RING_ALARM:
        ring_first_wait();
        return 0;
    case END:
        break;
    }
    return 0;
}

static void await_parked(int id)
{
    while (twi_waits_state(TWI_LOAD(&fibers[id].fiber.waits, TWI_ACQUIRE)) < TWI_WAITING ||
           TWI_LOAD(&channels[0].channel.receivers.guard, TWI_ACQUIRE) ||
           TWI_LOAD(&channels[1].channel.receivers.guard, TWI_ACQUIRE))
        TWI_PAUSE();
    model_forget(PARKED);
}

static void run_script(int id)
{
    if (id > 0 && script->parked)
        await_parked(script->parked < id ? script->parked - 1 : id - 1);
    for (int k = 0; k < STEPS_MAX && script->steps[id][k].verb != END; k++) {
        results.of[id][k] = (unsigned char)do_step(&script->steps[id][k], id);
        model_forget((uint64_t)k + 1);
    }
}

// ---- scripts ----

#define TO(c, v)                                                                                   \
    {                                                                                              \
        .verb = SEND, .part = { {c, v} }                                                           \
    }
#define FROM(c)                                                                                    \
    {                                                                                              \
        .verb = RECEIVE, .part = { {c, 0} }                                                        \
    }
#define TRY_TO(c, v)                                                                               \
    {                                                                                              \
        .verb = SEND, .tries = 1, .part = { {c, v} }                                               \
    }
#define TRY_FROM(c)                                                                                \
    {                                                                                              \
        .verb = RECEIVE, .tries = 1, .part = { {c, 0} }                                            \
    }
#define TIMED_TO(c, v)                                                                             \
    {                                                                                              \
        .verb = SEND, .timed = 1, .part = { {c, v} }                                               \
    }
#define TIMED_FROM(c)                                                                              \
    {                                                                                              \
        .verb = RECEIVE, .timed = 1, .part = { {c, 0} }                                            \
    }
#define SHUT(c)                                                                                    \
    {                                                                                              \
        .verb = CLOSE, .part = { {c, 0} }                                                          \
    }
#define EITHER(...)                                                                                \
    {                                                                                              \
        .verb = SELECT, .part = { __VA_ARGS__ }                                                    \
    }
#define TRY_EITHER(...)                                                                            \
    {                                                                                              \
        .verb = SELECT, .tries = 1, .part = { __VA_ARGS__ }                                        \
    }
#define TIMED_EITHER(...)                                                                          \
    {                                                                                              \
        .verb = SELECT, .timed = 1, .part = { __VA_ARGS__ }                                        \
    }
#define STOP_ALL                                                                                   \
    {                                                                                              \
        .verb = CANCEL                                                                             \
    }
#define TIME_IS_UP                                                                                 \
    {                                                                                              \
        .verb = RING_ALARM                                                                         \
    }

static const struct script scripts[] = {
    {"rendezvous", 2, .exact = 1, .steps = {{TO(0, 1), TO(0, 2)}, {FROM(0), FROM(0)}}},
    {"one_place", 2, {1}, .exact = 1, .steps = {{TO(0, 1), TO(0, 2)}, {FROM(0), FROM(0)}}},
    {"two_send", 3, {1}, 1, 1, .exact = 1, .steps = {{TO(0, 1)}, {TO(0, 2)}, {FROM(0), FROM(0)}}},
    {"in_turn", 3, {1}, 1, 2, 1, {{TO(0, 1)}, {TO(0, 2)}, {FROM(0), FROM(0), FROM(0)}}},
    {"two_receive", 3, {1}, 0, 1, 1, {{FROM(0)}, {FROM(0)}, {TO(0, 1), TO(0, 2)}}},
    {"full", 2, {2}, 2, .exact = 1, .steps = {{TO(0, 1), TO(0, 2)}, {FROM(0), FROM(0), FROM(0)}}},
    {"tries",
     2,
     {1},
     .exact = 1,
     .steps = {{TRY_TO(0, 1), TRY_TO(0, 2)}, {TRY_FROM(0), TRY_FROM(0)}}},
    {"try_to_meet", 2, .exact = 1, .steps = {{FROM(0)}, {TRY_TO(0, 1), TRY_TO(0, 2), SHUT(0)}}},
    {"close_drains", 3, {1}, 1, .exact = 1, .steps = {{TO(0, 1)}, {FROM(0)}, {SHUT(0)}}},
    {"close_wakes", 3, {0}, 0, 2, 1, {{FROM(0)}, {FROM(0)}, {SHUT(0), TRY_TO(0, 1)}}},
    {"close_twice", 3, .exact = 1, .steps = {{TO(0, 1)}, {SHUT(0)}, {SHUT(0)}}},
    {"cancel_receive", 2, .steps = {{FROM(0)}, {TRY_TO(0, 1), STOP_ALL, TRY_TO(0, 2)}}},
    {"cancel_send", 3, {1}, 1, 1, .steps = {{TO(0, 1)}, {TRY_FROM(0)}, {STOP_ALL}}},
    {"late_receive", 3, {1}, .steps = {{TIMED_FROM(0)}, {TIME_IS_UP}, {TRY_TO(0, 1), SHUT(0)}}},
    {"late_send", 3, .steps = {{TIMED_TO(0, 1)}, {TIME_IS_UP}, {TRY_FROM(0), SHUT(0)}}},
    {"select_receives",
     2,
     {1, 1},
     .exact = 1,
     .steps = {{EITHER({0, 0}, {1, 0})}, {TO(0, 1), TO(1, 2)}}},
    {"select_from_two", 3, {0, 1}, 0, 1, 1, {{EITHER({0, 0}, {1, 0})}, {TRY_TO(0, 1)}, {TO(1, 2)}}},
    {"select_sends", 3, {0}, 0, 1, 1, {{EITHER({0, 1}, {1, 2})}, {TRY_FROM(0)}, {TRY_FROM(1)}}},
    {"selects_meet", 2, {0}, 0, 0, 1, {{EITHER({0, 1}, {1, 0})}, {EITHER({1, 2}, {0, 0})}}},
    {"selects_on_one", 2, {0}, 0, 0, 1, {{EITHER({0, 1}, {0, 0})}, {EITHER({0, 2}, {0, 0})}}},
    {"select_closed", 2, .exact = 1,
     .steps = {{EITHER({0, 0}, {1, 1}), EITHER({1, 1}, {0, 0})}, {SHUT(0), TRY_FROM(1)}}},
    {"select_tries",
     2,
     {1, 1},
     1,
     .exact = 1,
     .steps = {{TRY_EITHER({0, 0}, {1, 0}), TRY_EITHER({0, 0}, {1, 0})}, {TO(1, 2), TRY_FROM(0)}}},
    {"cancel_select", 2,
     .steps = {{EITHER({0, 0}, {1, 1})}, {TRY_TO(0, 2), STOP_ALL, TRY_FROM(1)}}},
    {"select_late", 3,
     .steps = {{TIMED_EITHER({0, 0}, {1, 1})}, {TIME_IS_UP}, {TRY_TO(0, 2), SHUT(1)}}},
};

enum { SCRIPTS = sizeof scripts / sizeof *scripts };

static struct outcomes allowed[SCRIPTS];
static int has_run[SCRIPTS];

static void check_script(void)
{
    unsigned count[CHANNELS];
    unsigned char ring[CHANNELS][RING];
    char text[OUTCOME_SIZE * 2];
    int number = (int)(script - scripts);
    for (int i = 0; i < CHANNELS; i++) {
        struct tw_channel *c = &channels[i].channel;
        count[i] = c->count;
        for (unsigned k = 0; k < c->count; k++)
            ring[i][k] = (unsigned char)*(uint64_t *)place_in_ring(c, k);
        model_assert(!c->receivers.guard, "the guard of %s is held", c->name);
        model_assert(twi_line_empty(&c->receivers) && twi_line_empty(&c->senders),
                     "someone still stands in a line of %s", c->name);
    }
    describe(text, &results, count, ring);
    int found = find_outcome(&allowed[number], text);
    model_assert(found >= 0, "came out, but could not one after the other: %s", text);
    allowed[number].seen[found] = 1;
    has_run[number] = 1;
}

// ---- who received destroys ----

static void setup_free(void)
{
    static const struct script none = {"received_and_destroyed", 2, {0, 1}, .steps = {{{0}}}};
    script_reset(&none);
}

static void destroy_by_hand(struct tw_channel *c)
{
    TWI_STORE(&c->receivers.guard, (uint32_t)FREED, TWI_RELAXED);
    TWI_WRITE(c->size, 0u);
    TWI_WRITE(c->count, 0u);
    TWI_WRITE(c->senders.first, (struct twi_waiter *)NULL);
    TWI_WRITE(c->receivers.first, (struct twi_waiter *)NULL);
}

static void received_and_destroyed(int id)
{
    for (int i = 0; i < CHANNELS; i++) {
        struct tw_channel *c = &channels[i].channel;
        uint64_t message = 5;
        if (id == 0) {
            TWI_WRITE(message, (uint64_t)5);
            model_assert(tw_channel_send(c, &message) == 0, "it was not sent");
        } else {
            model_assert(tw_channel_receive(c, &message) == 0, "it was not received");
            model_assert(TWI_READ(message) == 5, "another message came");
            destroy_by_hand(c);
        }
        model_forget((uint64_t)i + 1);
    }
}

static void check_freed(void)
{
    for (int i = 0; i < CHANNELS; i++)
        model_assert(channels[i].channel.receivers.guard == FREED,
                     "a channel was touched that had been destroyed");
}

// ---- all of them ----

#define SETUP(n)                                                                                   \
    static void setup_##n(void)                                                                    \
    {                                                                                              \
        script_reset(&scripts[n]);                                                                 \
    }
#define NUMBERS(each)                                                                              \
    each(0) each(1) each(2) each(3) each(4) each(5) each(6) each(7) each(8) each(9) each(10)       \
        each(11) each(12) each(13) each(14) each(15) each(16) each(17) each(18) each(19) each(20)  \
            each(21) each(22) each(23)
#define SETUP_ENTRY(n) setup_##n,
NUMBERS(SETUP)
static void (*const setups[])(void) = {NUMBERS(SETUP_ENTRY)};
_Static_assert(sizeof setups / sizeof *setups == SCRIPTS, "a set-up for each script");

// 1: something that may come out of a script never does.
static int miss_some(int number)
{
    int missed = 0;
    for (int i = 0; i < allowed[number].count; i++)
        if (has_run[number] && scripts[number].exact && !allowed[number].seen[i]) {
            printf("FAIL %s: never came out: %s\n", scripts[number].name, allowed[number].text[i]);
            missed = 1;
        }
    return missed;
}

int main(int argc, char **argv)
{
    static struct model_program programs[SCRIPTS + 1];
    find_seeds();
    for (int i = 0; i < SCRIPTS; i++) {
        sequel_outcomes(&scripts[i], &allowed[i]);
        programs[i] = (struct model_program){.name = scripts[i].name,
                                             .threads = scripts[i].tasks,
                                             .setup = setups[i],
                                             .thread = run_script,
                                             .check = check_script,
                                             .ghost = &results,
                                             .ghost_size = sizeof results};
    }
    programs[SCRIPTS] = (struct model_program){.name = "received_and_destroyed",
                                               .threads = 2,
                                               .setup = setup_free,
                                               .thread = received_and_destroyed,
                                               .check = check_freed};
    int code = model_main(programs, SCRIPTS + 1, argc, argv);
    for (int i = 0; i < SCRIPTS && !code; i++)
        code = miss_some(i);
    return code;
}
