// SPDX-License-Identifier: Apache-2.0
// ctest: workers=2,8
// Collections whose seeds are rebalanced by what they cost: nothing is lost under any balance, and
// the load is even where it can be.
#include "support.h"

#include <string.h>

#include "base/rng.h"

enum { SEEDS_MOST = 120, GAMES = 150, ITERATIONS = 6, BALANCES = TW_BALANCE_AUTO + 1 };

static uint32_t ran[SEEDS_MOST]; // how often each seed, in this iteration. writers: tasks
static uint32_t bred;            // created tasks, likewise

static void burn(uint64_t ns)
{
    uint64_t until = tw_now_ns() + ns;
    while (tw_now_ns() < until)
        ;
}

static struct tw_collection *created(unsigned workers, enum tw_balance balance)
{
    struct tw_collection *c;
    struct tw_collection_options options = {
        .task_size = 24, .tasks_first = 2, .workers = workers, .balance = balance};
    assert_int_equal(tw_collection_create(&c, &options), 0);
    return c;
}

// ---- nothing is lost ----

TW_TASK(breed, { int more; })
{
    __atomic_fetch_add(&bred, 1, __ATOMIC_RELAXED);
    if (self.more && tw_collection_add(tw_collection_current(), breed, .more = self.more - 1) != 0)
        tw_fail(TW_EINVAL);
}

// Null once its turn has come, unless it breeds.
TW_TASK(live, { int number, us, brood, last; })
{
    int *iteration = tw_collection_local();
    __atomic_fetch_add(&ran[self.number], 1, __ATOMIC_RELAXED);
    burn((uint64_t)self.us * 1000);
    if (self.brood &&
        tw_collection_add(tw_collection_current(), breed, .more = self.brood - 1) != 0)
        tw_fail(TW_EINVAL);
    if (*iteration >= self.last)
        tw_collection_null();
}

struct game {
    int iteration; // the `local` of the collection
    struct tw_collection *c;
    struct twi_rng rng;
    uint32_t seeds;
    int last[SEEDS_MOST], brood[SEEDS_MOST];
    int is_there[SEEDS_MOST];
    uint32_t hinted; // of eight seeds
    enum tw_balance balance;
};

static void add_seed(struct game *game)
{
    struct twi_rng *rng = &game->rng;
    uint32_t i = game->seeds++;
    game->brood[i] = twi_rng_below(rng, 5) ? 0 : 1 + (int)twi_rng_below(rng, 4);
    game->last[i] = twi_rng_below(rng, 3) ? ITERATIONS : (int)twi_rng_below(rng, ITERATIONS);
    game->is_there[i] = 1;
    int near = twi_rng_below(rng, 2) ? 0 : (int)twi_rng_below(rng, 8);
    int us = twi_rng_below(rng, 10) ? (int)twi_rng_below(rng, 5) : (int)twi_rng_below(rng, 60);
    uint64_t hint_ns = twi_rng_below(rng, 8) < game->hinted ? 1 + twi_rng_below(rng, 60000) : 0;
    assert_int_equal(tw_collection_add_hinted(game->c, near, hint_ns, live, .number = (int)i,
                                              .us = us, .brood = game->brood[i],
                                              .last = game->last[i]),
                     0);
}

static void note_record(const struct tw_record *record, void *argument)
{
    const struct tw_args_live *args = record->args;
    int *found = argument;
    found[args->number]++;
}

// Each seed that is to be restored is in one record.
static void check_records(const struct game *game)
{
    int found[SEEDS_MOST] = {0};
    tw_collection_visit(game->c, note_record, found);
    for (uint32_t i = 0; i < game->seeds; i++) {
        int is_null = game->iteration >= game->last[i] && !game->brood[i];
        assert_int_equal(found[i], game->is_there[i] && !is_null);
    }
}

static void step(struct game *game)
{
    uint32_t born = 0;
    memset(ran, 0, sizeof ran);
    bred = 0;
    assert_int_equal(tw_collection_process(game->c), 0);
    for (uint32_t i = 0; i < game->seeds; i++) {
        if (ran[i] != (uint32_t)game->is_there[i])
            fail_msg("%s, iteration %d: seed %u ran %u times", tw_balance_name(game->balance),
                     game->iteration, i, ran[i]);
        born += game->is_there[i] ? (uint32_t)game->brood[i] : 0;
    }
    assert_int_equal(bred, born);
    check_records(game);
    if (twi_rng_below(&game->rng, 4) == 0)
        assert_int_equal(tw_collection_rebalance(game->c, TW_BALANCE_PERSIST_CENTRAL +
                                                              twi_rng_below(&game->rng, 2)),
                         0);
    check_records(game);
    for (uint32_t i = 0; i < game->seeds; i++)
        if (game->iteration >= game->last[i] && !game->brood[i] &&
            game->balance != TW_BALANCE_STEAL_ALL)
            game->is_there[i] = 0;
    assert_int_equal(tw_collection_restore(game->c), 0);
}

static void play(uint64_t number, int balance)
{
    struct game game = {.rng = {number}};
    unsigned workers = 1 + twi_rng_below(&game.rng, 8);
    struct tw_collection_options options = {
        .task_size = 16, .tasks_first = 2, .workers = workers, .local = &game.iteration};
    assert_int_equal(tw_collection_create(&game.c, &options), 0);
    game.hinted = 4 * twi_rng_below(&game.rng, 3);
    uint32_t seeds = twi_rng_below(&game.rng, SEEDS_MOST / 2);
    for (uint32_t i = 0; i < seeds; i++)
        add_seed(&game);
    for (game.iteration = 0; game.iteration < ITERATIONS; game.iteration++) {
        // One game in eight changes it each time, the others keep to one.
        game.balance = (enum tw_balance)(
            balance < BALANCES ? balance : (int)twi_rng_below(&game.rng, BALANCES));
        tw_collection_set_balance(game.c, game.balance);
        step(&game);
        for (uint32_t i = twi_rng_below(&game.rng, 3); i && game.seeds < SEEDS_MOST; i--)
            add_seed(&game);
    }
    tw_collection_free(game.c);
}

static void test_balance_loses_nothing(void **state)
{
    (void)state;
    for (uint64_t game = 0; game < (uint64_t)test_scaled(GAMES); game++)
        play(game, (int)(game % (BALANCES + 1)));
}

// ---- the load is even ----

TW_TASK(rest, { int us; })
{
    (void)tw_sleep((uint64_t)self.us * 1000);
}

enum { FEW = 48, LONG_US = 400 };

// Everything begins with one of the workers. Tasks that sleep take their time whatever else the
// machine does, and however few its processors are.
static struct tw_collection *uneven(enum tw_balance balance)
{
    struct tw_collection *c = created(4, balance);
    for (int i = 0; i < FEW; i++)
        assert_int_equal(tw_collection_add_near(c, 1, rest, .us = LONG_US), 0);
    return c;
}

struct costs {
    double sum, longest;
};

static void add_cost(const struct tw_record *record, void *argument)
{
    struct costs *costs = argument;
    costs->sum += (double)record->cost_ns;
    costs->longest =
        (double)record->cost_ns > costs->longest ? (double)record->cost_ns : costs->longest;
}

// What both balancers promise (docs/balancers.md), as an imbalance: a task may have taken longer
// than it should, where the machine is busy.
static double promised(const struct tw_collection *c)
{
    struct costs costs = {0, 0};
    tw_collection_visit(c, add_cost, &costs);
    return 1.01 + 2 * costs.longest / (costs.sum / tw_collection_stats(c)->workers);
}

static void check_even(enum tw_balance balance)
{
    struct tw_collection *c = uneven(TW_BALANCE_NONE);
    const struct tw_collection_stats *stats = tw_collection_stats(c);
    assert_int_equal(tw_collection_process(c), 0);
    assert_true(stats->imbalance > 3.9);
    assert_int_equal(stats->rebalance.is_made, 0);
    assert_true(stats->rebalance.seconds == 0);
    assert_int_equal(tw_collection_rebalance(c, balance), 0);
    assert_true(stats->rebalance.is_made && stats->rebalance.seconds > 0);
    assert_true(stats->rebalance.moved >= FEW / 2 && stats->rebalance.moved < FEW);
    assert_true(stats->rebalance.before > 3.9 && stats->rebalance.after < promised(c));
    tw_collection_set_balance(c, balance);
    assert_int_equal(tw_collection_restore(c), 0);
    assert_int_equal(tw_collection_process(c), 0);
    assert_true(stats->attempted.mean == 0); // no one had to
    assert_true(stats->run.most < FEW);      // by how much depends on what each was seen to take
    assert_int_equal(tw_collection_restore(c), 0);
    assert_int_equal(tw_collection_process(c), 0);
    assert_true(stats->attempted.mean == 0);
    tw_collection_free(c);
}

static void test_balance_is_even_after_a_rebalance(void **state)
{
    (void)state;
    check_even(TW_BALANCE_PERSIST_CENTRAL);
    check_even(TW_BALANCE_PERSIST_TREE);
}

// Seeds that no plan knows are stolen; so are all when they are restored as they began.
static void test_balance_steals_what_is_not_planned(void **state)
{
    (void)state;
    struct tw_collection *c = uneven(TW_BALANCE_PERSIST_TREE);
    const struct tw_collection_stats *stats = tw_collection_stats(c);
    assert_int_equal(tw_collection_process(c), 0);
    assert_true(stats->attempted.mean > 0);
    assert_true(stats->rebalance.is_made);
    assert_int_equal(tw_collection_restore(c), 0);
    assert_int_equal(tw_collection_add(c, rest, .us = 1), 0);
    assert_int_equal(tw_collection_process(c), 0);
    assert_true(stats->attempted.mean > 0);
    tw_collection_set_balance(c, TW_BALANCE_STEAL);
    assert_int_equal(tw_collection_restore(c), 0);
    tw_collection_set_balance(c, TW_BALANCE_PERSIST_TREE);
    assert_int_equal(tw_collection_process(c), 0);
    assert_true(stats->attempted.mean > 0);
    assert_int_equal(tw_collection_restore(c), 0);
    assert_int_equal(tw_collection_process(c), 0);
    assert_true(stats->attempted.mean == 0);
    tw_collection_free(c);
}

// Seeds that all have a hint are planned before they have ever run, and again when others join
// them; a hint that lies is corrected by what the seed took.
static void check_foreseen(enum tw_balance balance)
{
    struct tw_collection *c = created(4, balance);
    const struct tw_collection_stats *stats = tw_collection_stats(c);
    for (int i = 0; i < FEW; i++)
        assert_int_equal(tw_collection_add_hinted(c, 1, 5000000, rest, .us = LONG_US), 0);
    assert_int_equal(tw_collection_process(c), 0);
    assert_true(stats->attempted.mean == 0);
    assert_int_equal(stats->tasks, FEW);
    assert_true(stats->run.most <= 2.0 + FEW / 4); // as promised, of tasks that are alike
    assert_int_equal(tw_collection_restore(c), 0);
    for (int i = 0; i < 4; i++) {
        struct tw_args_rest *args = tw_collection_slot_hinted(c, 2, 100000000, rest);
        assert_non_null(args);
        args->us = LONG_US;
        tw_collection_commit(c);
    }
    assert_int_equal(tw_collection_process(c), 0);
    assert_true(stats->attempted.mean == 0);
    assert_int_equal(stats->tasks, FEW + 4);
    assert_int_equal(tw_collection_restore(c), 0);
    assert_int_equal(tw_collection_add(c, rest, .us = 1), 0); // nobody knows
    assert_int_equal(tw_collection_process(c), 0);
    assert_true(stats->attempted.mean > 0);
    assert_true(stats->rebalance.is_made);
    tw_collection_free(c);
}

static void test_balance_plans_by_hints(void **state)
{
    (void)state;
    check_foreseen(TW_BALANCE_PERSIST_CENTRAL);
    check_foreseen(TW_BALANCE_PERSIST_TREE);
}

// Where the plan puts them shows what is stolen no more: most, if they all began at one.
static void test_balance_auto_plans_by_hints(void **state)
{
    (void)state;
    struct tw_collection *c = created(4, TW_BALANCE_AUTO);
    for (int i = 0; i < FEW; i++)
        assert_int_equal(tw_collection_add_hinted(c, 1, 5000000, rest, .us = 4 * LONG_US), 0);
    assert_int_equal(tw_collection_process(c), 0);
    assert_int_equal(tw_collection_stats(c)->tasks, FEW);
    assert_true(tw_collection_stats(c)->stolen.mean * 4 < FEW / 2);
    tw_collection_free(c);
}

// One long task and nobody to share it with: a plan would help nobody, and none is made.
static void test_balance_auto_leaves_alone_what_it_cannot_mend(void **state)
{
    (void)state;
    struct tw_collection *c = created(3, TW_BALANCE_AUTO);
    assert_int_equal(tw_collection_add(c, rest, .us = 3000), 0);
    for (int i = 0; i < 4; i++) {
        assert_int_equal(tw_collection_process(c), 0);
        assert_int_equal(tw_collection_stats(c)->rebalance.is_made, 0);
        assert_int_equal(tw_collection_restore(c), 0);
    }
    tw_collection_free(c);
}

// Worker 0 has too much, and what it would give away comes back to it, as all others have more.
// That a short task would go from worker 2 to worker 1 ends nothing sooner. Nobody finds anything
// to steal: the last task of each worker begins long before another is idle.
static void test_balance_auto_drops_a_plan_that_helps_nobody(void **state)
{
    (void)state;
    struct tw_collection *c = created(3, TW_BALANCE_AUTO);
    const struct tw_rebalance_stats *plan = &tw_collection_stats(c)->rebalance;
    assert_int_equal(tw_collection_add_near(c, 0, rest, .us = 100000), 0);
    assert_int_equal(tw_collection_add_near(c, 0, rest, .us = 100000), 0);
    assert_int_equal(tw_collection_add_near(c, 1, rest, .us = 150000), 0);
    assert_int_equal(tw_collection_add_near(c, 2, rest, .us = 175000), 0);
    assert_int_equal(tw_collection_add_near(c, 2, rest, .us = 15000), 0); // runs first
    assert_int_equal(tw_collection_process(c), 0);
    assert_true(tw_collection_stats(c)->stolen.mean == 0);
    assert_true(plan->seconds > 0); // it was worth a thought
    assert_true(plan->before > 1.05 && plan->after >= plan->before);
    assert_int_equal(plan->is_made, 0);
    assert_int_equal(plan->moved, 0);
    tw_collection_free(c);
}

// A load that is all with one worker, and that stealing would have to spread at length: the first
// process tells, the second begins with the plan, or with what was stolen if that is as good.
static void test_balance_auto_spreads_the_load(void **state)
{
    (void)state;
    struct tw_collection *c = uneven(TW_BALANCE_AUTO);
    for (int i = 0; i < 3; i++) {
        assert_int_equal(tw_collection_process(c), 0);
        const struct tw_rebalance_stats *made = &tw_collection_stats(c)->rebalance;
        assert_true(!made->is_made || made->after < made->before);
        assert_int_equal(tw_collection_restore(c), 0);
    }
    tw_collection_set_balance(c, TW_BALANCE_NONE);
    assert_int_equal(tw_collection_process(c), 0);
    assert_true(tw_collection_stats(c)->run.most < FEW * 3 / 4);
    tw_collection_free(c);
}

// ---- what is refused ----

static void test_balance_rebalance_refuses(void **state)
{
    (void)state;
    struct tw_collection *c = created(2, TW_BALANCE_RETENTIVE);
    assert_int_equal(tw_collection_rebalance(c, TW_BALANCE_PERSIST_TREE), TW_EINVAL); // not yet
    assert_int_equal(tw_collection_add(c, rest, .us = 1), 0);
    assert_int_equal(tw_collection_process(c), 0);
    assert_int_equal(tw_collection_rebalance(c, TW_BALANCE_STEAL), TW_EINVAL);
    assert_int_equal(tw_collection_rebalance(c, TW_BALANCE_AUTO), TW_EINVAL);
    assert_int_equal(tw_collection_rebalance(c, TW_BALANCE_PERSIST_TREE), 0);
    assert_int_equal(tw_collection_rebalance(c, TW_BALANCE_PERSIST_CENTRAL), 0); // again
    assert_int_equal(tw_collection_restore(c), 0);
    assert_int_equal(tw_collection_count(c), 1);
    assert_int_equal(tw_collection_rebalance(c, TW_BALANCE_PERSIST_TREE), TW_EINVAL); // too late
    tw_collection_free(c);
}

TW_TASK(fail_at, { int number, bad; })
{
    if (self.number == self.bad)
        tw_fail(-4321);
}

// A process that fails is not rebalanced, and the next steals again.
static void test_balance_after_a_failure(void **state)
{
    (void)state;
    for (int balance = TW_BALANCE_PERSIST_CENTRAL; balance < BALANCES; balance++) {
        struct tw_collection *c = created(3, (enum tw_balance)balance);
        for (int i = 0; i < FEW; i++)
            assert_int_equal(tw_collection_add(c, fail_at, .number = i, .bad = FEW / 2), 0);
        assert_int_equal(tw_collection_process(c), -4321);
        assert_int_equal(tw_collection_stats(c)->rebalance.is_made, 0);
        assert_int_equal(tw_collection_count(c), 0);
        for (int i = 0; i < FEW; i++)
            assert_int_equal(tw_collection_add(c, fail_at, .number = i, .bad = -1), 0);
        assert_int_equal(tw_collection_process(c), 0);
        assert_int_equal(tw_collection_stats(c)->tasks, FEW);
        tw_collection_free(c);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_balance_loses_nothing),
        cmocka_unit_test(test_balance_is_even_after_a_rebalance),
        cmocka_unit_test(test_balance_steals_what_is_not_planned),
        cmocka_unit_test(test_balance_plans_by_hints),
        cmocka_unit_test(test_balance_auto_plans_by_hints),
        cmocka_unit_test(test_balance_auto_leaves_alone_what_it_cannot_mend),
        cmocka_unit_test(test_balance_auto_drops_a_plan_that_helps_nobody),
        cmocka_unit_test(test_balance_auto_spreads_the_load),
        cmocka_unit_test(test_balance_rebalance_refuses),
        cmocka_unit_test(test_balance_after_a_failure),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
