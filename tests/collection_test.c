// SPDX-License-Identifier: Apache-2.0
// Collections at one place: what is run, what is restored, and what is refused.
#include "support.h"

#include <math.h>
#include <string.h>

enum { TASKS = 500 };

static int ran[TASKS]; // how often each

TW_TASK(count_me, { int number; })
{
    __atomic_fetch_add(&ran[self.number], 1, __ATOMIC_RELAXED);
}

TW_TASK(count_slowly, { int number; })
{
    __atomic_fetch_add(&ran[self.number], 1, __ATOMIC_RELAXED);
    for (volatile int i = 0; i < 2000 * (self.number % 7); i++)
        ;
}

static struct tw_collection *created(const struct tw_collection_options *options)
{
    struct tw_collection *c;
    assert_int_equal(tw_collection_create(&c, options), 0);
    return c;
}

static struct tw_collection *plain(enum tw_balance balance)
{
    return created(&(struct tw_collection_options){.task_size = 32, .balance = balance});
}

static void seed(struct tw_collection *c, int count)
{
    for (int i = 0; i < count; i++)
        assert_int_equal(tw_collection_add(c, count_slowly, .number = i), 0);
}

static void assert_ran(int from, int to, int times)
{
    for (int i = from; i < to; i++)
        if (ran[i] != times)
            fail_msg("task %d ran %d times, not %d", i, ran[i], times);
}

static int clear(void **state)
{
    (void)state;
    memset(ran, 0, sizeof ran);
    return 0;
}

// ---- every balance ----

static void iterate(enum tw_balance balance)
{
    struct tw_collection *c = plain(balance);
    (void)clear(NULL);
    seed(c, TASKS);
    for (int i = 1; i <= 5; i++) {
        assert_int_equal(tw_collection_count(c), TASKS);
        assert_int_equal(tw_collection_process(c), 0);
        assert_ran(0, TASKS, i);
        const struct tw_collection_stats *stats = tw_collection_stats(c);
        assert_int_equal(stats->iteration, i);
        assert_int_equal(stats->tasks, TASKS);
        assert_int_equal(stats->seeds, TASKS);
        assert_int_equal(stats->created, 0);
        assert_true(stats->efficiency > 0 && stats->efficiency <= 1.01);
        assert_true(stats->imbalance >= 0.99);
        if (balance == TW_BALANCE_NONE)
            assert_true(stats->attempted.mean == 0);
        assert_int_equal(tw_collection_count(c), 0);
        assert_int_equal(tw_collection_restore(c), 0);
    }
    tw_collection_free(c);
}

static void test_collection_runs_all_again_and_again(void **state)
{
    (void)state;
    iterate(TW_BALANCE_RETENTIVE);
    iterate(TW_BALANCE_STEAL);
    iterate(TW_BALANCE_STEAL_ALL);
    iterate(TW_BALANCE_NONE);
}

static void test_collection_balances_have_names(void **state)
{
    (void)state;
    enum tw_balance balance;
    for (int i = TW_BALANCE_RETENTIVE; i <= TW_BALANCE_AUTO; i++) {
        assert_int_equal(tw_balance_find(tw_balance_name((enum tw_balance)i), &balance), 0);
        assert_int_equal(balance, i);
    }
    assert_int_equal(tw_balance_find("best", &balance), TW_ENOENT);
}

// Everything begins with one of four workers, and stays there when nobody steals. Tasks that sleep
// let the others come by, whatever the machine has else to do: with retention the last process, in
// which again nobody steals, begins with several.
enum { FEW = 60 };

TW_TASK(doze, { int number; })
{
    __atomic_fetch_add(&ran[self.number], 1, __ATOMIC_RELAXED);
    (void)tw_sleep(500000);
}

TW_TASK(retain, { double *most; })
{
    struct tw_collection *c;
    struct tw_collection_options options = {
        .task_size = 16, .workers = 4, .balance = TW_BALANCE_NONE};
    if (tw_collection_create(&c, &options) != 0)
        return;
    for (int i = 0; i < FEW; i++)
        (void)tw_collection_add_near(c, 2, doze, .number = i);
    (void)tw_collection_process(c);
    self.most[0] = tw_collection_stats(c)->run.most;
    tw_collection_set_balance(c, TW_BALANCE_RETENTIVE);
    for (int i = 0; i < 2; i++) {
        (void)tw_collection_restore(c);
        if (i == 1)
            tw_collection_set_balance(c, TW_BALANCE_NONE);
        (void)tw_collection_process(c);
        self.most[1 + i] = tw_collection_stats(c)->run.most;
    }
    tw_collection_free(c);
}

static void test_collection_retains_who_ran_what(void **state)
{
    (void)state;
    double most[3] = {0, 0, 0};
    assert_int_equal(tw_run(retain, .most = most), 0);
    assert_ran(0, FEW, 3);
    assert_int_equal((int)most[0], FEW);
    assert_true(most[1] < FEW);
    assert_int_equal((int)most[2], (int)most[1]);
}

static void test_collection_tells_means_and_deviations(void **state)
{
    (void)state;
    struct tw_collection *c = created(
        &(struct tw_collection_options){.task_size = 4, .workers = 4, .balance = TW_BALANCE_NONE});
    const struct tw_collection_stats *stats = tw_collection_stats(c);
    for (int i = 0; i < 4; i++) {
        struct tw_args_count_slowly *args = tw_collection_slot_hinted(c, i / 3, 0, count_slowly);
        assert_non_null(args);
        args->number = 6;
        tw_collection_commit(c);
    }
    assert_int_equal(tw_collection_process(c), 0);
    assert_int_equal(stats->workers, 4);
    assert_true(stats->run.mean == 1 && stats->run.most == 3);
    assert_true(fabs(stats->run.deviation - sqrt(1.5)) < 1e-9); // of 3, 1, 0, 0
    assert_true(stats->work.deviation > 0 && stats->work.most > stats->work.mean);
    assert_true(stats->stole.mean == 0 && stats->stole.deviation == 0);
    tw_collection_free(c);
}

// ---- tasks that create tasks ----

TW_TASK(split, { int low, high; })
{
    struct tw_collection *c = tw_collection_current();
    if (self.high - self.low == 1) {
        __atomic_fetch_add(&ran[self.low], 1, __ATOMIC_RELAXED);
        return;
    }
    int middle = (self.low + self.high) / 2;
    if (tw_collection_add(c, split, .low = self.low, .high = middle) != 0 ||
        tw_collection_add(c, split, .low = middle, .high = self.high) != 0)
        tw_fail(TW_EINVAL);
}

static void test_collection_restores_seeds_only(void **state)
{
    (void)state;
    struct tw_collection *c = plain(TW_BALANCE_RETENTIVE);
    assert_int_equal(tw_collection_add(c, split, .low = 0, .high = 100), 0);
    assert_int_equal(tw_collection_add(c, split, .low = 100, .high = TASKS), 0);
    for (int i = 1; i <= 4; i++) {
        assert_int_equal(tw_collection_process(c), 0);
        assert_ran(0, TASKS, i);
        assert_int_equal(tw_collection_stats(c)->seeds, 2);
        assert_int_equal(tw_collection_stats(c)->created, 2 * TASKS - 4);
        assert_int_equal(tw_collection_restore(c), 0);
        assert_int_equal(tw_collection_count(c), 2);
    }
    tw_collection_free(c);
}

// What a created task costs counts for its seed: all that was spent in tasks is in the records.
TW_TASK(create_slow, { int seed, more; })
{
    uint64_t until = tw_now_ns() + 20000;
    while (tw_now_ns() < until)
        ;
    if (self.more && tw_collection_add(tw_collection_current(), create_slow, .seed = self.seed,
                                       .more = self.more - 1) != 0)
        tw_fail(TW_EINVAL);
}

struct costs {
    int seeds;
    uint64_t sum;
};

static void add_cost(const struct tw_record *record, void *argument)
{
    struct costs *costs = argument;
    const struct tw_args_create_slow *args = record->args;
    assert_string_equal(record->task, "create_slow");
    assert_int_equal(record->size, sizeof *args);
    assert_true(record->cost_ns >= 20000u * (unsigned)(args->seed + 1));
    costs->seeds++;
    costs->sum += record->cost_ns;
}

static void test_collection_costs_count_for_seeds(void **state)
{
    (void)state;
    struct tw_collection *c = plain(TW_BALANCE_RETENTIVE);
    for (int i = 0; i < 10; i++)
        assert_int_equal(tw_collection_add_hinted(c, i, 1000, create_slow, .seed = i, .more = i),
                         0);
    for (int i = 0; i < 2; i++) {
        struct costs costs = {0, 0};
        assert_int_equal(tw_collection_process(c), 0);
        tw_collection_visit(c, add_cost, &costs);
        const struct tw_collection_stats *stats = tw_collection_stats(c);
        assert_int_equal(costs.seeds, 10);
        double spent = stats->work.mean * stats->workers;
        assert_true(fabs(1e-9 * (double)costs.sum - spent) < 1e-6);
        assert_int_equal(tw_collection_restore(c), 0);
    }
    tw_collection_free(c);
}

// A balancer of the program's own: all seeds to worker 1, from where nobody steals them.
struct plan {
    struct tw_move moves[TASKS];
    size_t count;
};

static void plan_move(const struct tw_record *record, void *argument)
{
    struct plan *plan = argument;
    plan->moves[plan->count++] =
        (struct tw_move){.worker = record->worker, .index = record->index, .to_worker = 1};
}

static void test_collection_moves_seeds(void **state)
{
    (void)state;
    struct tw_collection *c =
        created(&(struct tw_collection_options){.task_size = 8, .workers = 3});
    struct plan plan = {.count = 0};
    struct tw_move bad = {.worker = 3};
    seed(c, 100);
    assert_int_equal(tw_collection_move(c, NULL, 0), TW_EINVAL); // not yet
    assert_int_equal(tw_collection_process(c), 0);
    tw_collection_visit(c, plan_move, &plan);
    assert_int_equal(plan.count, 100);
    assert_int_equal(tw_collection_move(c, &bad, 1), TW_EINVAL);
    bad = (struct tw_move){.worker = plan.moves[0].worker, .to_place = 1};
    assert_int_equal(tw_collection_move(c, &bad, 1), TW_EINVAL);
    bad = (struct tw_move){.worker = plan.moves[0].worker, .to_worker = 3};
    assert_int_equal(tw_collection_move(c, &bad, 1), TW_EINVAL);
    plan.moves[100] = plan.moves[7];
    assert_int_equal(tw_collection_move(c, plan.moves, 101), TW_EINVAL); // twice
    assert_int_equal(tw_collection_move(c, plan.moves, 100), 0);
    assert_int_equal(tw_collection_restore(c), 0);
    tw_collection_set_balance(c, TW_BALANCE_NONE);
    assert_int_equal(tw_collection_process(c), 0);
    assert_ran(0, 100, 2);
    assert_int_equal((int)tw_collection_stats(c)->run.most, 100);
    plan.count = 0;
    tw_collection_visit(c, plan_move, &plan);
    for (size_t i = 0; i < plan.count; i++)
        assert_int_equal(plan.moves[i].worker, 1);
    tw_collection_free(c);
}

// By asyncs, on other workers than the task's, and while it waits.
TW_TASK(add_later, { int number; })
{
    tw_yield();
    if (tw_collection_add(tw_collection_current(), count_me, .number = self.number) != 0)
        tw_fail(TW_EINVAL);
}

TW_TASK(spawn, { int first, count; })
{
    for (int i = 0; i < self.count; i++)
        tw_async(add_later, .number = self.first + i);
    (void)tw_sleep(1000);
}

static void test_collection_tasks_wait_and_spawn(void **state)
{
    (void)state;
    struct tw_collection *c = plain(TW_BALANCE_STEAL);
    for (int i = 0; i < 10; i++)
        assert_int_equal(tw_collection_add(c, spawn, .first = i * 10, .count = 10), 0);
    assert_int_equal(tw_collection_process(c), 0);
    assert_ran(0, 100, 1);
    assert_int_equal(tw_collection_stats(c)->created, 100);
    tw_collection_free(c);
}

TW_TASK(pass_on, { int number; })
{
    struct tw_collection **next = tw_collection_local();
    if (tw_collection_add(*next, count_me, .number = self.number) != 0)
        tw_fail(TW_EINVAL);
}

static void test_collection_tasks_seed_another(void **state)
{
    (void)state;
    struct tw_collection *second = plain(TW_BALANCE_RETENTIVE);
    struct tw_collection *first =
        created(&(struct tw_collection_options){.task_size = 4, .local = &second});
    for (int i = 0; i < TASKS; i++)
        assert_int_equal(tw_collection_add(first, pass_on, .number = i), 0);
    assert_int_equal(tw_collection_process(first), 0);
    assert_ran(0, TASKS, 0);
    assert_int_equal(tw_collection_count(second), TASKS);
    assert_int_equal(tw_collection_process(second), 0);
    assert_ran(0, TASKS, 1);
    assert_int_equal(tw_collection_restore(second), 0);
    assert_int_equal(tw_collection_process(second), 0);
    assert_ran(0, TASKS, 2);
    tw_collection_free(first);
    tw_collection_free(second);
}

// ---- null tasks ----

TW_TASK(maybe_null, { int number; })
{
    __atomic_fetch_add(&ran[self.number], 1, __ATOMIC_RELAXED);
    if (self.number % 5 != 0)
        tw_collection_null();
}

static void drop_nulls(enum tw_balance balance, uint64_t then)
{
    struct tw_collection *c = plain(balance);
    for (int i = 0; i < TASKS; i++)
        assert_int_equal(tw_collection_add(c, maybe_null, .number = i), 0);
    assert_int_equal(tw_collection_process(c), 0);
    assert_int_equal(tw_collection_stats(c)->nulls, TASKS - TASKS / 5);
    for (int i = 0; i < 2; i++) {
        assert_int_equal(tw_collection_restore(c), 0);
        assert_int_equal(tw_collection_count(c), then);
        assert_int_equal(tw_collection_process(c), 0);
        assert_int_equal(tw_collection_stats(c)->tasks, then);
    }
    tw_collection_free(c);
}

static void test_collection_drops_null_tasks(void **state)
{
    (void)state;
    drop_nulls(TW_BALANCE_RETENTIVE, TASKS / 5);
    drop_nulls(TW_BALANCE_STEAL, TASKS / 5);
    drop_nulls(TW_BALANCE_NONE, TASKS / 5);
    drop_nulls(TW_BALANCE_STEAL_ALL, TASKS);
}

// ---- limits and errors ----

TW_TASK(large, { char bytes[200]; })
{
    __atomic_fetch_add(&ran[(unsigned char)self.bytes[199]], 1, __ATOMIC_RELAXED);
}

static void test_collection_takes_tasks_of_any_size_declared(void **state)
{
    (void)state;
    struct tw_collection *c = created(&(struct tw_collection_options){.task_size = 200});
    for (int i = 0; i < 100; i++) {
        struct tw_args_large *args = tw_collection_slot(c, large);
        assert_non_null(args);
        args->bytes[199] = (char)i;
        tw_collection_commit(c);
        assert_int_equal(tw_collection_add(c, count_me, .number = i), 0);
    }
    assert_int_equal(tw_collection_process(c), 0);
    assert_ran(0, 100, 2);
    tw_collection_free(c);
}

static void test_collection_refuses_larger_tasks(void **state)
{
    (void)state;
    struct tw_collection *c = plain(TW_BALANCE_RETENTIVE);
    assert_int_equal(tw_collection_add(c, large, .bytes = {0}), TW_EINVAL);
    assert_null(tw_collection_slot(c, large));
    assert_int_equal(tw_collection_count(c), 0);
    tw_collection_free(c);
    assert_int_equal(tw_collection_create(&c, &(struct tw_collection_options){0}), TW_EINVAL);
    assert_null(c);
    assert_int_equal(
        tw_collection_create(&c, &(struct tw_collection_options){.task_size = 1 << 20}), TW_EINVAL);
    assert_int_equal(
        tw_collection_create(
            &c, &(struct tw_collection_options){.task_size = 8, .tasks_first = 9, .tasks_max = 8}),
        TW_EINVAL);
}

static void test_collection_says_when_it_is_full(void **state)
{
    (void)state;
    struct tw_collection *c =
        created(&(struct tw_collection_options){.task_size = 8, .workers = 2, .tasks_max = 5});
    for (int i = 0; i < 10; i++)
        assert_int_equal(tw_collection_add(c, count_me, .number = i), 0);
    assert_int_equal(tw_collection_add(c, count_me, .number = 0), TW_ERANGE);
    assert_null(tw_collection_slot(c, count_me));
    assert_int_equal(tw_collection_process(c), 0);
    assert_ran(0, 10, 1);
    tw_collection_free(c);
}

// What does not fit the task runs itself.
TW_TASK(split_tight, { int low, high; })
{
    struct tw_collection *c = tw_collection_current();
    int middle = (self.low + self.high) / 2;
    if (self.high - self.low == 1) {
        __atomic_fetch_add(&ran[self.low], 1, __ATOMIC_RELAXED);
        return;
    }
    if (tw_collection_add(c, split_tight, .low = self.low, .high = middle) == TW_ERANGE)
        tw_call(split_tight, .low = self.low, .high = middle);
    tw_call(split_tight, .low = middle, .high = self.high);
}

static void test_collection_tasks_meet_a_full_queue(void **state)
{
    (void)state;
    struct tw_collection *c = created(&(struct tw_collection_options){
        .task_size = 8, .tasks_max = 2, .balance = TW_BALANCE_STEAL});
    assert_int_equal(tw_collection_add(c, split_tight, .low = 0, .high = TASKS), 0);
    assert_int_equal(tw_collection_process(c), 0);
    assert_ran(0, TASKS, 1);
    tw_collection_free(c);
}

static void test_collection_restore_needs_a_process(void **state)
{
    (void)state;
    struct tw_collection *c = plain(TW_BALANCE_RETENTIVE);
    seed(c, 3);
    assert_int_equal(tw_collection_restore(c), TW_EINVAL);
    assert_int_equal(tw_collection_count(c), 3);
    assert_int_equal(tw_collection_process(c), 0);
    assert_int_equal(tw_collection_restore(c), 0);
    assert_int_equal(tw_collection_restore(c), TW_EINVAL);
    assert_int_equal(tw_collection_count(c), 3);
    tw_collection_free(c);
}

static void test_collection_processes_nothing(void **state)
{
    (void)state;
    struct tw_collection *c = plain(TW_BALANCE_STEAL);
    for (int i = 1; i <= 3; i++) {
        assert_int_equal(tw_collection_process(c), 0);
        assert_int_equal(tw_collection_stats(c)->tasks, 0);
        assert_int_equal(tw_collection_stats(c)->iteration, i);
        assert_int_equal(tw_collection_restore(c), 0);
    }
    seed(c, 2);
    assert_int_equal(tw_collection_process(c), 0);
    assert_ran(0, 2, 1);
    tw_collection_free(c);
}

TW_TASK(fail_at, { int number, bad; })
{
    if (self.number == self.bad)
        tw_fail(-12345);
    else
        __atomic_fetch_add(&ran[self.number], 1, __ATOMIC_RELAXED);
}

static void test_collection_gives_the_error_of_a_task(void **state)
{
    (void)state;
    struct tw_collection *c = plain(TW_BALANCE_RETENTIVE);
    for (int i = 0; i < TASKS; i++)
        assert_int_equal(tw_collection_add(c, fail_at, .number = i, .bad = TASKS / 2), 0);
    assert_int_equal(tw_collection_process(c), -12345);
    assert_int_equal(ran[TASKS / 2], 0);
    assert_int_equal(tw_collection_count(c), 0);
    memset(ran, 0, sizeof ran);
    seed(c, TASKS);
    assert_int_equal(tw_collection_process(c), 0);
    assert_ran(0, TASKS, 1);
    tw_collection_free(c);
}

TW_TASK(wait_long, { int number; })
{
    if (tw_sleep(60 * UINT64_C(1000000000)) == 0) // ends early when it is cancelled
        __atomic_fetch_add(&ran[self.number], 1, __ATOMIC_RELAXED);
}

TW_TASK(time_out, { int *error; })
{
    struct tw_collection *c;
    struct tw_outcome outcome;
    if (tw_collection_create(&c, &(struct tw_collection_options){.task_size = 4}) != 0)
        return;
    for (int i = 0; i < TASKS; i++)
        (void)tw_collection_add(c, wait_long, .number = i);
    tw_attempt(&outcome, .timeout_ns = 2000000)
    {
        *self.error = tw_collection_process(c);
    }
    tw_collection_free(c);
}

static void test_collection_is_cancelled_with_what_it_is_in(void **state)
{
    (void)state;
    int error = 0;
    assert_int_equal(tw_run(time_out, .error = &error), 0);
    assert_int_equal(error, TW_ECANCELED);
    assert_ran(0, TASKS, 0);
}

// ---- inside a run ----

TW_TASK(many, { int collections; })
{
    for (int i = 0; i < self.collections; i++) {
        struct tw_collection *c;
        if (tw_collection_create(&c, &(struct tw_collection_options){.task_size = 8}) != 0)
            return;
        for (int k = 0; k < TASKS; k++)
            (void)tw_collection_add(c, count_me, .number = k);
        (void)tw_collection_process(c);
        tw_collection_free(c);
    }
}

static void test_collection_inside_a_run(void **state)
{
    (void)state;
    assert_int_equal(tw_run(many, .collections = 20), 0);
    assert_ran(0, TASKS, 20);
    assert_null(tw_collection_current());
    assert_null(tw_collection_local());
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup(test_collection_runs_all_again_and_again, clear),
        cmocka_unit_test_setup(test_collection_balances_have_names, clear),
        cmocka_unit_test_setup(test_collection_retains_who_ran_what, clear),
        cmocka_unit_test_setup(test_collection_tells_means_and_deviations, clear),
        cmocka_unit_test_setup(test_collection_restores_seeds_only, clear),
        cmocka_unit_test_setup(test_collection_costs_count_for_seeds, clear),
        cmocka_unit_test_setup(test_collection_moves_seeds, clear),
        cmocka_unit_test_setup(test_collection_tasks_wait_and_spawn, clear),
        cmocka_unit_test_setup(test_collection_tasks_seed_another, clear),
        cmocka_unit_test_setup(test_collection_drops_null_tasks, clear),
        cmocka_unit_test_setup(test_collection_takes_tasks_of_any_size_declared, clear),
        cmocka_unit_test_setup(test_collection_refuses_larger_tasks, clear),
        cmocka_unit_test_setup(test_collection_says_when_it_is_full, clear),
        cmocka_unit_test_setup(test_collection_tasks_meet_a_full_queue, clear),
        cmocka_unit_test_setup(test_collection_restore_needs_a_process, clear),
        cmocka_unit_test_setup(test_collection_processes_nothing, clear),
        cmocka_unit_test_setup(test_collection_gives_the_error_of_a_task, clear),
        cmocka_unit_test_setup(test_collection_is_cancelled_with_what_it_is_in, clear),
        cmocka_unit_test_setup(test_collection_inside_a_run, clear),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
