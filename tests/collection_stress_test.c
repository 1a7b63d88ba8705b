// SPDX-License-Identifier: Apache-2.0
// ctest: workers=2,8
// Random collections: trees of tasks that create tasks here and in another collection, wait and
// spawn, over several iterations under random balances, with tiny queues that grow. Whatever they
// do, each iteration runs what its seeds make, once.
#include "support.h"

#include <string.h>

#include "base/rng.h"

enum { GAMES = 40, ITERATIONS = 4, SEEDS_MOST = 60, DEPTH_MOST = 4 };

static uint64_t ran, sum; // tasks, and a number of each. writers: tasks
static struct tw_collection *other;

// What a task does follows from its number alone: so the oracle knows it.
struct deed {
    uint32_t children, passes, spins;
    int spawns, sleeps;
};

static struct deed deed_of(uint64_t number, int depth)
{
    struct twi_rng rng = {number};
    struct deed deed = {.children = depth < DEPTH_MOST ? twi_rng_below(&rng, 4) : 0,
                        .passes = twi_rng_below(&rng, 8) == 0,
                        .spins = twi_rng_below(&rng, 2000),
                        .spawns = twi_rng_below(&rng, 6) == 0,
                        .sleeps = twi_rng_below(&rng, 40) == 0};
    return deed;
}

static uint64_t child_of(uint64_t number, uint32_t child)
{
    struct twi_rng rng = {number * 31 + child + 1};
    return twi_rng_next(&rng);
}

static void count(uint64_t number)
{
    __atomic_fetch_add(&ran, 1, __ATOMIC_RELAXED);
    __atomic_fetch_add(&sum, number, __ATOMIC_RELAXED);
}

TW_TASK(passed, { uint64_t number; })
{
    count(self.number);
}

// Declared for those that the tasks below add.
TW_TASK_DECLARE(grow, {
    uint64_t number;
    int depth;
});

TW_TASK(add_child, {
    uint64_t number;
    int depth;
})
{
    if (tw_collection_add(tw_collection_current(), grow, .number = self.number,
                          .depth = self.depth) != 0)
        tw_fail(TW_EINVAL);
}

TW_TASK_DEFINE(grow)
{
    struct deed deed = deed_of(self.number, self.depth);
    count(self.number);
    for (volatile uint32_t i = 0; i < deed.spins; i++)
        ;
    if (deed.sleeps)
        (void)tw_sleep(20000);
    if (deed.passes && tw_collection_add(other, passed, .number = self.number) != 0)
        tw_fail(TW_EINVAL);
    for (uint32_t i = 0; i < deed.children; i++) {
        uint64_t child = child_of(self.number, i);
        if (deed.spawns)
            tw_async(add_child, .number = child, .depth = self.depth + 1);
        else
            tw_call(add_child, .number = child, .depth = self.depth + 1);
    }
}

// ---- the oracle ----

struct totals {
    uint64_t tasks, sum, passed;
};

static void expect(struct totals *totals, uint64_t number, int depth)
{
    struct deed deed = deed_of(number, depth);
    totals->tasks++;
    totals->sum += number;
    totals->passed += deed.passes;
    for (uint32_t i = 0; i < deed.children; i++)
        expect(totals, child_of(number, i), depth + 1);
}

// ---- games ----

static struct totals seed(struct tw_collection *c, struct twi_rng *rng)
{
    struct totals totals = {0, 0, 0};
    uint32_t seeds = twi_rng_below(rng, SEEDS_MOST);
    int near = twi_rng_below(rng, 2) ? -1 : (int)twi_rng_below(rng, 8);
    for (uint32_t i = 0; i < seeds; i++) {
        uint64_t number = twi_rng_next(rng) >> 8;
        assert_int_equal(tw_collection_add_near(c, near, grow, .number = number, .depth = 0), 0);
        expect(&totals, number, 0);
    }
    return totals;
}

static void iterate(struct tw_collection *c, struct twi_rng *rng, const struct totals *totals)
{
    enum tw_balance balance = (enum tw_balance)twi_rng_below(rng, TW_BALANCE_AUTO + 1);
    tw_collection_set_balance(c, balance);
    __atomic_store_n(&ran, 0, __ATOMIC_RELAXED);
    __atomic_store_n(&sum, 0, __ATOMIC_RELAXED);
    assert_int_equal(tw_collection_process(c), 0);
    assert_int_equal(__atomic_load_n(&ran, __ATOMIC_RELAXED), totals->tasks);
    assert_true(__atomic_load_n(&sum, __ATOMIC_RELAXED) == totals->sum);
    assert_int_equal(tw_collection_stats(c)->tasks, totals->tasks);
    assert_int_equal(tw_collection_count(other), totals->passed);
    assert_int_equal(tw_collection_process(other), 0);
    assert_int_equal(tw_collection_stats(other)->tasks, totals->passed);
    assert_int_equal(tw_collection_restore(c), 0);
}

static void play(uint64_t game)
{
    struct twi_rng rng = {game};
    struct tw_collection *c;
    struct tw_collection_options options = {.task_size = 16 + twi_rng_below(&rng, 100),
                                            .tasks_first = 1 + twi_rng_below(&rng, 4)};
    assert_int_equal(tw_collection_create(&c, &options), 0);
    assert_int_equal(tw_collection_create(&other, &options), 0);
    struct totals totals = seed(c, &rng);
    for (int i = 0; i < ITERATIONS; i++)
        iterate(c, &rng, &totals);
    tw_collection_free(c);
    tw_collection_free(other);
}

static void test_collection_stress(void **state)
{
    (void)state;
    for (uint64_t game = 0; game < (uint64_t)test_scaled(GAMES); game++)
        play(game);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_collection_stress),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
