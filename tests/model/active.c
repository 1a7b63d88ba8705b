// SPDX-License-Identifier: Apache-2.0
// How seats find out that nothing is left (src/collection/active.h): they take what they have, rob
// each other and count themselves out. Whoever is the last finds every task done, and sees what it
// did; and somebody is.
#include <stdint.h>
#include <string.h>

#include "model.h"

#include "collection/active.h"

enum { SEATS = 3, TASKS = 3, SLOTS = 4 };

static struct twi_split queues[SEATS];
static uint64_t rings[SEATS][SLOTS];
static uint32_t active;
static uint64_t results[TASKS]; // what tasks did
static struct {
    uint32_t had[TASKS], added, ends;
} ghost;

static void put(int seat, int more)
{
    struct twi_split *q = &queues[seat];
    for (int i = 0; i < more; i++) {
        *(uint64_t *)twi_split_next(q) = ++ghost.added;
        twi_split_add(q, 1);
    }
}

static void start(uint32_t seats)
{
    memset(queues, 0, sizeof queues);
    memset(rings, 0, sizeof rings);
    memset(results, 0, sizeof results);
    active = seats;
    model_name(&active, "active");
    for (int i = 0; i < SEATS; i++) {
        queues[i] = (struct twi_split){.word = twi_split_word(0, 0, 2),
                                       .task_size = sizeof(uint64_t),
                                       .last = SLOTS - 1,
                                       .slot = (unsigned char *)rings[i]};
        queues[i].ring[2] = queues[i].slot;
        model_name(&queues[i].word, "word %d", i);
    }
}

static void setup_two(void)
{
    start(2);
    put(0, 3);
    twi_split_share(&queues[0], 2);
}

static void setup_three(void)
{
    start(3);
    put(0, 2);
    twi_split_share(&queues[0], 2);
}

// All is done, and what it did is seen.
static void end(void)
{
    ghost.ends++;
    for (uint32_t i = 0; i < ghost.added; i++) {
        model_assert(ghost.had[i] == 1, "the end, and task %u was had %u times", i, ghost.had[i]);
        model_assert(TWI_READ(results[i]) == 1, "the end, and task %u did nothing", i);
    }
}

static void run_all(int seat)
{
    uint64_t *slot;
    while ((slot = twi_split_take(&queues[seat]))) {
        uint64_t task = TWI_READ(*slot) - 1;
        ghost.had[task]++;
        TWI_WRITE(results[task], TWI_READ(results[task]) + 1);
        twi_split_offer(&queues[seat], 1);
    }
    if (twi_active_leave(&active))
        end();
}

// So many looks at another; what it gets it runs.
static void search(int seat, int victim, int looks)
{
    for (int i = 0; i < looks; i++) {
        int last;
        if (twi_active_rob(&active, &queues[victim], &queues[seat], &last))
            run_all(seat);
        else if (last)
            end();
    }
}

static void two(int id)
{
    run_all(id);
    search(id, !id, 2);
}

static void three(int id)
{
    run_all(id);
    if (id == 1)
        search(1, 0, 1);
    if (id == 2)
        search(2, 1, 1);
}

static void check(void)
{
    model_assert(active == 0, "%u still count", active);
    model_assert(ghost.ends >= 1, "nobody was the last");
}

#define PROGRAM(test, count, first)                                                                \
    {                                                                                              \
        .name = #test, .threads = count, .setup = first, .thread = test, .check = check,           \
        .ghost = &ghost, .ghost_size = sizeof ghost,                                               \
    }

static const struct model_program programs[] = {
    PROGRAM(two, 2, setup_two),
    PROGRAM(three, 3, setup_three),
};

int main(int argc, char **argv)
{
    return model_main(programs, sizeof programs / sizeof *programs, argc, argv);
}
