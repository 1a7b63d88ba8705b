// SPDX-License-Identifier: Apache-2.0
// Collections under a launcher: every task runs once in each iteration wherever it began, seeds
// alone are restored, notes find their seeds at other places, errors reach all places. Says "all is
// well" at place 0.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "require.h"

enum { TASKS = 600 };

static _Atomic uint64_t ran[TASKS];
static _Atomic uint64_t here; // tasks that this place ran

static void burn(unsigned us)
{
    uint64_t until = tw_now_ns() + (uint64_t)us * 1000;
    while (tw_now_ns() < until)
        ;
}

// Each ran so often, over all places.
static void require_runs(uint64_t times)
{
    uint64_t runs[TASKS];
    for (int i = 0; i < TASKS; i++)
        runs[i] = ran[i];
    REQUIRE(tw_places_sum(runs, TASKS) == 0);
    for (int i = 0; i < TASKS; i++)
        if (runs[i] != times) {
            fprintf(stderr, "place %u: task %d ran %u times, not %u\n", tw_here(), i,
                    (unsigned)runs[i], (unsigned)times);
            wrong++;
            break;
        }
}

static void clear_runs(void)
{
    for (int i = 0; i < TASKS; i++)
        ran[i] = 0;
    here = 0;
}

static uint64_t count_of(struct tw_collection *c)
{
    uint64_t count = tw_collection_count(c);
    REQUIRE(tw_places_sum(&count, 1) == 0);
    return count;
}

static struct tw_collection *created(enum tw_balance balance)
{
    struct tw_collection *c;
    REQUIRE(tw_collection_create(
                &c, &(struct tw_collection_options){.task_size = 16, .balance = balance}) == 0);
    return c;
}

// ---- all balances ----

TW_TASK(count_me, { int number, us; })
{
    ran[self.number]++;
    here++;
    burn((unsigned)self.us);
}

// All seeds at one place, some at each, or none at all.
static void seed(struct tw_collection *c, int only)
{
    for (int i = 0; i < TASKS; i++)
        if (only >= 0 ? (int)tw_here() == only : i % (int)tw_places() == (int)tw_here())
            REQUIRE(tw_collection_add(c, count_me, .number = i, .us = i % 50) == 0);
}

static void iterate(enum tw_balance balance, int only)
{
    struct tw_collection *c = created(balance);
    clear_runs();
    seed(c, only);
    for (uint64_t i = 1; i <= 4; i++) {
        REQUIRE(count_of(c) == TASKS);
        REQUIRE(tw_collection_process(c) == 0);
        require_runs(i);
        const struct tw_collection_stats *stats = tw_collection_stats(c);
        REQUIRE(stats->tasks == TASKS && stats->seeds == TASKS && stats->iteration == i);
        REQUIRE(stats->workers == tw_places() * tw_workers());
        REQUIRE(tw_collection_restore(c) == 0);
    }
    tw_collection_free(c);
}

// ---- seeds, notes, nulls ----

TW_TASK(split, { int low, high; })
{
    int middle = (self.low + self.high) / 2;
    struct tw_collection *c = tw_collection_current();
    if (self.high - self.low == 1) {
        ran[self.low]++;
        burn(20);
        return;
    }
    REQUIRE(tw_collection_add(c, split, .low = self.low, .high = middle) == 0);
    REQUIRE(tw_collection_add(c, split, .low = middle, .high = self.high) == 0);
}

static void restore_seeds(enum tw_balance balance)
{
    struct tw_collection *c = created(balance);
    clear_runs();
    if (tw_here() == tw_places() - 1)
        REQUIRE(tw_collection_add(c, split, .low = 0, .high = TASKS) == 0);
    for (uint64_t i = 1; i <= 3; i++) {
        REQUIRE(tw_collection_process(c) == 0);
        require_runs(i);
        REQUIRE(tw_collection_stats(c)->seeds == 1);
        REQUIRE(tw_collection_stats(c)->created == 2 * TASKS - 2);
        REQUIRE(tw_collection_restore(c) == 0);
        REQUIRE(count_of(c) == 1);
    }
    tw_collection_free(c);
}

TW_TASK(maybe_null, { int number; })
{
    ran[self.number]++;
    burn(10);
    if (self.number % 3)
        tw_collection_null();
}

static void drop_nulls(enum tw_balance balance, uint64_t then)
{
    struct tw_collection *c = created(balance);
    for (int i = 0; tw_here() == 0 && i < TASKS; i++)
        REQUIRE(tw_collection_add(c, maybe_null, .number = i) == 0);
    for (int i = 0; i < 3; i++) {
        REQUIRE(tw_collection_process(c) == 0);
        REQUIRE(tw_collection_restore(c) == 0);
        REQUIRE(count_of(c) == then);
    }
    tw_collection_free(c);
}

// ---- moves ----

struct plan {
    struct tw_move moves[TASKS + 1];
    size_t count;
};

// To the next place, whatever it is.
static void plan_move(const struct tw_record *record, void *argument)
{
    struct plan *plan = argument;
    plan->moves[plan->count++] = (struct tw_move){.worker = record->worker,
                                                  .index = record->index,
                                                  .to_place = (tw_here() + 1) % tw_places()};
}

static void move_round(void)
{
    struct tw_collection *c = created(TW_BALANCE_NONE);
    static struct plan plan;
    clear_runs();
    seed(c, 0);
    for (uint64_t i = 1; i <= tw_places() + 1; i++) {
        here = 0;
        REQUIRE(tw_collection_process(c) == 0);
        require_runs(i);
        REQUIRE(here == (tw_here() == (i - 1) % tw_places() ? TASKS : 0));
        plan.count = 0;
        tw_collection_visit(c, plan_move, &plan);
        REQUIRE(plan.count == here);
        plan.moves[plan.count] = (struct tw_move){.worker = 1000};
        REQUIRE(tw_collection_move(c, plan.moves, plan.count + (tw_here() == 0)) == TW_EINVAL);
        REQUIRE(tw_collection_move(c, plan.moves, plan.count) == 0);
        tw_collection_set_balance(c, TW_BALANCE_RETENTIVE);
        REQUIRE(tw_collection_restore(c) == 0);
        tw_collection_set_balance(c, TW_BALANCE_NONE);
    }
    tw_collection_free(c);
}

// ---- nothing, errors ----

static void process_nothing(void)
{
    struct tw_collection *c = created(TW_BALANCE_STEAL);
    for (unsigned i = 1; i <= 3; i++) {
        REQUIRE(tw_collection_process(c) == 0);
        REQUIRE(tw_collection_stats(c)->tasks == 0);
        REQUIRE(tw_collection_restore(c) == 0);
    }
    tw_collection_free(c);
}

TW_TASK(fail_at, { int number, bad; })
{
    burn(10);
    if (self.number == self.bad)
        tw_fail(-777);
}

static void fail_everywhere(void)
{
    struct tw_collection *c = created(TW_BALANCE_RETENTIVE);
    for (int i = 0; i < TASKS; i++)
        if (i % (int)tw_places() == (int)tw_here())
            REQUIRE(tw_collection_add(c, fail_at, .number = i, .bad = TASKS / 2) == 0);
    REQUIRE(tw_collection_process(c) == -777);
    REQUIRE(count_of(c) == 0);
    clear_runs();
    seed(c, -1);
    REQUIRE(tw_collection_process(c) == 0);
    require_runs(1);
    tw_collection_free(c);
}

TW_TASK(everywhere, { int rounds; })
{
    for (int i = 0; i < self.rounds; i++) {
        int last = (int)tw_places() - 1;
        for (int balance = TW_BALANCE_RETENTIVE; balance <= TW_BALANCE_AUTO; balance++) {
            iterate((enum tw_balance)balance, -1);
            iterate((enum tw_balance)balance, 0);
            iterate((enum tw_balance)balance, last);
        }
        restore_seeds(TW_BALANCE_RETENTIVE);
        restore_seeds(TW_BALANCE_STEAL);
        drop_nulls(TW_BALANCE_RETENTIVE, TASKS / 3);
        drop_nulls(TW_BALANCE_STEAL, TASKS / 3);
        drop_nulls(TW_BALANCE_STEAL_ALL, TASKS);
        move_round();
        process_nothing();
        fail_everywhere();
    }
}

// A place that fails instead of taking part: the others do not wait for it.
TW_TASK(desert, {
    struct tw_collection *kept;
    int bad;
})
{
    struct tw_collection *c;
    int error = tw_collection_create(&c, &(struct tw_collection_options){.task_size = 8});
    REQUIRE(error == 0 || error == TW_ECANCELED);
    if ((int)tw_here() == self.bad)
        tw_fail(-778);
    else
        REQUIRE(tw_collection_process(self.kept) == TW_ECANCELED);
    tw_collection_free(c);
}

// What was not freed can be used again, though places have come to different ends.
static void fail_around(void)
{
    struct tw_collection *kept;
    if (tw_places() == 1)
        return;
    clear_runs();
    REQUIRE(tw_collection_create(&kept, &(struct tw_collection_options){.task_size = 8}) == 0);
    REQUIRE(tw_run_spmd(desert, .kept = kept, .bad = 0) == -778);
    REQUIRE(tw_run_spmd(desert, .kept = kept, .bad = (int)tw_places() - 1) == -778);
    seed(kept, -1);
    REQUIRE(tw_collection_process(kept) == 0);
    require_runs(1);
    tw_collection_free(kept);
}

// Outside tasks each process is a run of its own.
static void outside(void)
{
    struct tw_collection *c;
    clear_runs();
    REQUIRE(tw_collection_create(&c, &(struct tw_collection_options){.task_size = 8}) == 0);
    seed(c, 0);
    for (uint64_t i = 1; i <= 3; i++) {
        REQUIRE(tw_collection_process(c) == 0);
        require_runs(i);
        REQUIRE(tw_collection_restore(c) == 0);
    }
    tw_collection_free(c);
}

int main(int argc, char **argv)
{
    REQUIRE(tw_run_spmd(everywhere, .rounds = argc > 1 ? atoi(argv[1]) : 1) == 0);
    fail_around();
    outside();
    uint64_t all = wrong;
    REQUIRE(tw_places_sum(&all, 1) == 0);
    if (tw_here() == 0)
        printf(all ? "%u things are wrong\n" : "all is well\n", (unsigned)all);
    return all != 0;
}
