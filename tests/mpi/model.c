// SPDX-License-Identifier: Apache-2.0
// The programming model of places, under a launcher: tasks at every place, functions whose value
// comes back, errors and cancellation that travel, reducers and gatherings. Says "all is well" at
// place 0. With an argument it does what is forbidden, for the test that expects it to die.
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "require.h"

static _Atomic uint64_t visits;

static uint64_t sum_of(_Atomic uint64_t *counter)
{
    uint64_t sum = *counter;
    REQUIRE(tw_places_sum(&sum, 1) == 0);
    *counter = 0;
    return sum;
}

// ---- functions whose value comes back ----

TW_FUTURE(uint64_t, answer)
TW_FUNCTION(uint64_t, square_there, { uint32_t place, number; })
{
    REQUIRE(tw_here() == self.place);
    return (uint64_t)self.number * self.number;
}

struct page {
    unsigned char bytes[3000];
};

TW_FUTURE(struct page, page)
TW_FUNCTION(struct page, fill, {
    struct page page;
    uint32_t more;
})
{
    struct page page = self.page;
    for (size_t i = 0; i < sizeof page.bytes; i++)
        page.bytes[i] = (unsigned char)(page.bytes[i] + self.more);
    return page;
}

TW_TASK(ask_all, { uint32_t each; })
{
    enum { MOST = 64 };
    tw_future(answer) answers[MOST];
    for (uint32_t i = 0; i < self.each; i++)
        answers[i] = (tw_future(answer))TW_FUTURE_INIT;
    for (uint32_t i = 0; i < self.each; i++) // nobody cancels: the futures outlive the calls
        REQUIRE(tw_promise_at(i % tw_places(), answer, &answers[i], square_there,
                              .place = i % tw_places(), .number = i) == 0);
    REQUIRE(tw_promise_at(0, answer, &answers[0], square_there, .place = 0) == TW_EALREADY);
    for (uint32_t i = 0; i < self.each; i++)
        REQUIRE(tw_await(answer, &answers[i]) == (uint64_t)i * i);
    tw_future(page) page = TW_FUTURE_INIT;
    REQUIRE(tw_promise_at(tw_places() - 1, page, &page, fill, .page = {{1, 2, 3}}, .more = 7) == 0);
    struct page got = tw_await(page, &page);
    REQUIRE(got.bytes[0] == 8 && got.bytes[2] == 10 && got.bytes[2999] == 7);
}

// ---- errors and cancellation ----

TW_TASK(fail_there, { int error; })
{
    tw_fail(self.error);
}

TW_TASK(sleep_long, { int unused; })
{
    visits++;
    (void)tw_sleep(UINT64_C(60000000000));
}

TW_TASK(go_far, { uint32_t steps; })
{
    tw_finish {
        if (self.steps)
            tw_async_at((tw_here() + 1) % tw_places(), go_far, .steps = self.steps - 1);
        else
            tw_async(fail_there, .error = TW_ERANGE);
    }
}

// A wait that ends early, everywhere, or the test takes too long.
TW_TASK(try_errors, { int unused; })
{
    struct tw_outcome outcome;
    unsigned last = tw_places() - 1;
    tw_attempt(&outcome)
    {
        tw_async_at(last, fail_there, .error = TW_EPIPE);
    }
    REQUIRE(outcome.error == TW_EPIPE);
    REQUIRE(strcmp(outcome.task, "fail_there") == 0);
    REQUIRE(outcome.place == last && outcome.spawn_line > 0);
    // Far away, and all around it is cancelled.
    tw_attempt(&outcome)
    {
        for (unsigned place = 0; place < tw_places(); place++)
            tw_async_at(place, sleep_long, .unused = 0);
        tw_async_at(last, go_far, .steps = 2 * tw_places());
    }
    REQUIRE(outcome.error == TW_ERANGE);
    // Cancelled from here.
    tw_attempt(&outcome, .timeout_ns = 50000000)
    {
        for (unsigned place = 0; place < tw_places(); place++)
            tw_async_at(place, sleep_long, .unused = 0);
    }
    REQUIRE(outcome.error == TW_ETIMEDOUT);
    // An attempt inside keeps its error to itself.
    tw_attempt(&outcome)
    {
        tw_async_at(last, go_far, .steps = 0);
    }
    REQUIRE(outcome.error == TW_ERANGE);
    tw_attempt(&outcome)
    {
        tw_async_at(last, sleep_long, .unused = 0);
        tw_cancel();
    }
    REQUIRE(outcome.error == TW_ECANCELED);
}

TW_TASK(fail_run, { int unused; })
{
    tw_async_at(tw_places() - 1, sleep_long, .unused = 0);
    tw_async_at(tw_places() - 1, fail_there, .error = TW_EDEADLK);
    (void)tw_sleep(UINT64_C(60000000000));
}

static void run_errors(void)
{
    struct tw_options options;
    struct tw_outcome outcome;
    REQUIRE(tw_run(try_errors, .unused = 0) == 0);
    REQUIRE(tw_options_init(&options, NULL, 0) == 0);
    options.outcome = &outcome;
    REQUIRE(tw_run_with(&options, fail_run, .unused = 0) == TW_EDEADLK);
    REQUIRE(strcmp(outcome.task, "fail_there") == 0 && outcome.place == tw_places() - 1);
    visits = 0;
}

// ---- all of it at random: it has to end, with an error that somebody gave ----

static uint64_t draw(uint64_t *seed)
{
    *seed = *seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return *seed >> 33;
}

TW_TASK_DECLARE(storm, {
    uint64_t seed;
    uint32_t depth;
});

TW_TASK_DECLARE(storm_call, {
    uint64_t seed;
    uint32_t depth;
});

static void spawn_some(uint64_t *seed, uint32_t depth)
{
    for (uint64_t i = draw(seed) % 5; i > 0 && depth > 0; i--) {
        uint64_t kind = draw(seed) % 4, inner = draw(seed);
        if (kind == 0)
            tw_async(storm, .seed = inner, .depth = depth - 1);
        else if (kind == 1)
            tw_async_any(storm, .seed = inner, .depth = depth - 1);
        else if (kind == 2)
            tw_async_at((unsigned)(inner % tw_places()), storm, .seed = inner, .depth = depth - 1);
        else
            tw_async_any(storm_call, .seed = inner, .depth = depth - 1);
    }
}

TW_FUNCTION(uint64_t, storm_there, {
    uint64_t seed;
    uint32_t depth;
})
{
    uint64_t seed = self.seed;
    tw_finish {
        spawn_some(&seed, self.depth);
    }
    return self.seed + 1;
}

TW_TASK_DEFINE(storm_call)
{
    uint64_t seed = self.seed, value = 0;
    unsigned there = (unsigned)(draw(&seed) % tw_places());
    tw_future(answer) answer = TW_FUTURE_INIT;
    tw_finish {
        REQUIRE(tw_promise_at(there, answer, &answer, storm_there, .seed = seed,
                              .depth = self.depth) == 0);
        int error = tw_await_until(answer, &answer, TW_NEVER, &value);
        REQUIRE(error == TW_ECANCELED || (error == 0 && value == seed + 1));
    }
    REQUIRE(tw_future_ready(&answer.event));
}

TW_TASK_DEFINE(storm)
{
    uint64_t seed = self.seed, kind = draw(&seed) % 16;
    struct tw_outcome outcome = {0};
    visits++;
    if (kind < 3) {
        tw_attempt(&outcome, .timeout_ns = kind == 0 ? 2000000 : 0)
        {
            spawn_some(&seed, self.depth);
            if (kind == 0)
                (void)tw_sleep(UINT64_C(60000000000));
        }
        REQUIRE(outcome.error == 0 || outcome.error == TW_ETIMEDOUT ||
                outcome.error == TW_ECANCELED || outcome.error == TW_EPIPE);
        REQUIRE(outcome.error != TW_EPIPE || strcmp(outcome.task, "storm") == 0);
        REQUIRE(outcome.place < tw_places());
    } else {
        spawn_some(&seed, self.depth);
    }
    if (kind == 3 && self.depth < 4)
        tw_fail(TW_EPIPE);
    if (kind == 4 && self.depth < 3)
        tw_cancel();
}

static void run_storms(void)
{
    for (uint64_t seed = 1; seed <= 60; seed++) {
        int error = tw_run(storm, .seed = seed, .depth = 8);
        REQUIRE(error == 0 || error == TW_EPIPE || error == TW_ECANCELED);
    }
    visits = 0;
}

// ---- a task at each place ----

TW_TASK(visit, { uint32_t left; })
{
    visits++;
    if (self.left)
        tw_async_any(visit, .left = self.left - 1);
}

TW_MAX(uint64_t, greatest, 0)
TW_SUM(uint64_t, total)

TW_TASK(meet, { uint32_t rounds; })
{
    for (uint32_t round = 1; round <= self.rounds; round++) {
        tw_finish_spmd
        {
            for (uint32_t i = 0; i < 50; i++)
                tw_async_any(visit, .left = round);
            tw_async_at((tw_here() + 1) % tw_places(), visit, .left = 0);
        }
        uint64_t sum = visits;
        REQUIRE(tw_places_sum(&sum, 1) == 0);
        REQUIRE(sum == tw_places() * (50 * ((uint64_t)round + 1) + 1));
        REQUIRE(tw_places_barrier() == 0);
        visits = 0;
        REQUIRE(tw_places_barrier() == 0);
    }
    uint64_t value = 100 + tw_here();
    REQUIRE(tw_places_reduce(greatest, &value) == 0);
    REQUIRE(value == 100 + tw_places() - 1);
    unsigned char large[100000];
    memset(large, tw_here() == tw_places() - 1 ? 77 : 0, sizeof large);
    REQUIRE(tw_places_broadcast(tw_places() - 1, large, sizeof large) == 0);
    REQUIRE(large[0] == 77 && large[99999] == 77);
    REQUIRE(tw_places_broadcast(tw_places(), large, 1) == TW_EINVAL);
}

// One fails while the others wait for it.
TW_TASK(one_fails, { int unused; })
{
    if (tw_here() == tw_places() - 1) {
        tw_fail(TW_EPIPE);
        return;
    }
    if (tw_places() > 1)
        REQUIRE(tw_places_barrier() == TW_ECANCELED);
}

// ---- shared reducers ----

TW_TASK(count, {
    struct tw_shared found;
    uint32_t depth;
})
{
    if (self.depth == 0) {
        *tw_shared_view(total, self.found) += 1;
        for (volatile unsigned i = 0; i < 2000; i++)
            continue;
        return;
    }
    for (int i = 0; i < 4; i++)
        tw_async_any(count, .found = self.found, .depth = self.depth - 1);
}

TW_TASK(count_all, { uint32_t depth; })
{
    for (uint32_t round = 0; round < 10; round++) {
        struct tw_shared a = tw_shared_open(total), b = tw_shared_open(total);
        tw_finish {
            tw_async_any(count, .found = a, .depth = self.depth);
            tw_async_at(tw_places() - 1, count, .found = b, .depth = 1);
        }
        REQUIRE(tw_shared_close(total, a) == (uint64_t)1 << (2 * self.depth));
        REQUIRE(tw_shared_close(total, b) == 4);
    }
}

// ---- workers that are bound ----

enum { PROCESSORS = 64 };

static uint64_t bound[PROCESSORS]; // so many places use it

static void note_processors(uint64_t used[PROCESSORS])
{
    cpu_set_t mask;
    REQUIRE(sched_getaffinity(0, sizeof mask, &mask) == 0);
    for (int i = 0; i < PROCESSORS; i++)
        used[i] = CPU_ISSET(i, &mask) != 0;
}

TW_TASK(note_own, { int unused; })
{
    note_processors(bound);
}

// In all places.
static unsigned used_by_any(uint64_t used[PROCESSORS])
{
    unsigned count = 0;
    REQUIRE(tw_places_sum(used, PROCESSORS) == 0);
    for (int i = 0; i < PROCESSORS; i++)
        count += used[i] > 0;
    return count;
}

// Places of one host do not bind their workers to the same processors while others are free.
static void run_bound(void)
{
    struct tw_options options;
    uint64_t allowed[PROCESSORS];
    REQUIRE(tw_options_init(&options, NULL, 0) == 0);
    options.bind = TW_BIND_ON;
    options.workers = 1;
    note_processors(allowed);
    REQUIRE(tw_run_spmd_with(&options, note_own, .unused = 0) == 0);
    unsigned processors = used_by_any(allowed);
    REQUIRE(used_by_any(bound) == (processors < tw_places() ? processors : tw_places()));
}

// ---- what is forbidden ----

TW_TASK(meets, { int unused; })
{
    tw_finish_spmd
    {
    }
}

TW_TASK(meets_in_task, { int unused; })
{
    tw_finish {
        tw_async(meets, .unused = 0);
    }
}

TW_TASK(meets_in_finish, { int unused; })
{
    tw_finish {
        (void)tw_places_barrier();
    }
}

static int forbidden(const char *what)
{
    if (strcmp(what, "task") == 0)
        return tw_run_spmd(meets_in_task, .unused = 0);
    if (strcmp(what, "finish") == 0)
        return tw_run_spmd(meets_in_finish, .unused = 0);
    return tw_run(meets, .unused = 0);
}

static unsigned here, places;

// Called when the program has left the others.
static void look_back(void)
{
    uint64_t sum = 1;
    if (tw_here() == here && tw_places() == places && (places == 1 || tw_places_sum(&sum, 1) != 0))
        return;
    fprintf(stderr, "place %u of %u is taken for %u of %u at the end\n", here, places, tw_here(),
            tw_places());
    _exit(1);
}

int main(int argc, char **argv)
{
    char message[256];
    if (atexit(look_back) || tw_places_open(NULL, message, sizeof message) != 0) {
        fprintf(stderr, "%s\n", message);
        return 1;
    }
    here = tw_here();
    places = tw_places();
    if (argc > 1)
        return forbidden(argv[1]);
    REQUIRE(tw_run(ask_all, .each = 40) == 0);
    run_errors();
    run_storms();
    REQUIRE(sum_of(&visits) == 0);
    REQUIRE(tw_run_spmd(meet, .rounds = 10) == 0);
    REQUIRE(tw_run_spmd(one_fails, .unused = 0) == TW_EPIPE);
    REQUIRE(tw_run_spmd(meet, .rounds = 2) == 0);
    REQUIRE(tw_run(count_all, .depth = 6) == 0);
    run_bound();
    uint64_t all_wrong = wrong;
    REQUIRE(tw_places_reduce(total, &all_wrong) == 0);
    if (tw_here() == 0 && all_wrong == 0)
        printf("all is well at %u places\n", tw_places());
    return all_wrong != 0;
}
