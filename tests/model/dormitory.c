// SPDX-License-Identifier: Apache-2.0
// The dormitory alone (src/sched/sleep.h), so that three workers and two pieces of work fit: work
// is a number, and workers do with it what search.c does. sleep.c has the whole with two workers.
//
// A piece of work that is there while all sleep is a deadlock. Who wakes whom is counted: at most
// one for each piece that came up, and one for each worker that found something and goes on.
#include <string.h>

#include "sched/sleep.h"

enum { WORKERS = 2 };

static struct twi_dormitory dormitory;
static struct twi_bed beds[WORKERS];
static uint32_t work;

static struct {
    unsigned char woken, reasons;
} ghost;

static void setup(void)
{
    memset(&dormitory, 0, sizeof dormitory);
    memset(beds, 0, sizeof beds);
    dormitory.beds = beds;
    work = 0;
    model_name(&dormitory.state, "state");
    model_name(&work, "work");
    for (int i = 0; i < WORKERS; i++) {
        model_name(&beds[i].called, "called[%d]", i);
        model_name(&beds[i].next, "below[%d]", i);
    }
}

// The first `sleepers` workers have lain down.
static void setup_asleep(unsigned sleepers)
{
    setup();
    dormitory.state = sleepers;
    for (unsigned i = 0; i < sleepers; i++)
        beds[i].next = i;
}

static void setup_one_asleep(void)
{
    setup_asleep(1);
    work = 1;
}

static void setup_both_asleep(void)
{
    setup_asleep(2);
}

static void count_woken(int woken)
{
    ghost.reasons++;
    ghost.woken = (unsigned char)(ghost.woken + woken);
}

static void make_work(void)
{
    TWI_FETCH_ADD(&work, 1u, TWI_RELAXED);
    TWI_FENCE(TWI_SEQ_CST);
    count_woken(twi_wake_one(&dormitory));
}

static int take_work(void)
{
    uint32_t there = TWI_LOAD(&work, TWI_RELAXED);
    while (there)
        if (TWI_CAS(&work, &there, there - 1, TWI_RELAXED, TWI_RELAXED))
            return 1;
    return 0;
}

// As a searcher.
static void search(unsigned me)
{
    while (!take_work()) {
        model_forget(me);
        twi_lie_down(&dormitory, me, 0);
        TWI_FENCE(TWI_SEQ_CST);
        if (TWI_LOAD(&work, TWI_SEQ_CST))
            count_woken(twi_wake_one(&dormitory));
        twi_sleep(&dormitory, me, -1);
    }
    count_woken(twi_search_found(&dormitory));
}

static void find_work(unsigned me)
{
    twi_search_begin(&dormitory);
    search(me);
}

static void find_work_asleep(unsigned me)
{
    twi_sleep(&dormitory, me, -1);
    search(me);
}

// One piece, one worker.
static void one_each(int id)
{
    if (id == 0)
        make_work();
    else
        find_work(0);
}

// Two pieces by one maker: the second is for whoever still sleeps.
static void two_for_two(int id)
{
    if (id == 0) {
        make_work();
        make_work();
    } else {
        find_work_asleep((unsigned)id - 1);
    }
}

// The stack of sleepers grows while it is taken down.
static void one_asleep(int id)
{
    if (id == 0)
        make_work();
    else if (id == 1)
        find_work_asleep(0);
    else
        find_work(1);
}

static void one_finds_both(int id)
{
    if (id == 0) {
        make_work();
        make_work();
    } else {
        find_work(0);
        find_work(0);
    }
}

// Both come up before the maker looks for sleepers once: who finds one wakes the other.
static void woken_in_turn(int id)
{
    if (id == 0) {
        TWI_FETCH_ADD(&work, 2u, TWI_RELAXED);
        TWI_FENCE(TWI_SEQ_CST);
        count_woken(twi_wake_one(&dormitory));
    } else {
        find_work_asleep((unsigned)id - 1);
    }
}

static void check(void)
{
    model_assert(!twi_sleeper(dormitory.state), "one that is awake stands in the stack");
    model_assert(ghost.woken <= ghost.reasons, "%d woken for %d reasons", ghost.woken,
                 ghost.reasons);
    model_assert(work == 0, "%u pieces of work are left", work);
}

#define PROGRAM(test, count, before)                                                               \
    {                                                                                              \
        .name = #test, .threads = count, .setup = before, .thread = test,                          \
        .check = check, .ghost = &ghost, .ghost_size = sizeof ghost,                               \
    }

static const struct model_program programs[] = {
    PROGRAM(one_each, 2, setup),
    PROGRAM(one_finds_both, 2, setup),
    PROGRAM(two_for_two, 3, setup_both_asleep),
    PROGRAM(woken_in_turn, 3, setup_both_asleep),
    PROGRAM(one_asleep, 3, setup_one_asleep),
};

int main(int argc, char **argv)
{
    return model_main(programs, sizeof programs / sizeof *programs, argc, argv);
}
