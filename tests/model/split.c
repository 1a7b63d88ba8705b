// SPDX-License-Identifier: Apache-2.0
// The split queue of a collection (src/collection/split.h): its owner adds, takes and grows without
// a fence while one or two thieves mark tasks and read them where they stand. Each task is had by
// exactly one of them, and no slot is written while it is read: that would be a race.
#include <stdint.h>
#include <string.h>

#include "model.h"

#include "collection/split.h"

enum { TASKS = 8, MARKS = 2 };

static struct twi_split queue;
static uint64_t rings[2][8];
static struct {
    uint32_t added, had[TASKS];
} ghost;

// A queue of 2^order slots whose positions are about to begin anew.
static void start(uint32_t order, uint32_t position)
{
    memset(&queue, 0, sizeof queue);
    memset(rings, 0, sizeof rings);
    queue.word = twi_split_word(position, position, order);
    queue.itail = queue.head = queue.split = queue.ctail = position;
    queue.task_size = sizeof(uint64_t);
    queue.last = (1u << order) - 1;
    queue.slot = queue.ring[order] = (unsigned char *)rings[0];
    model_name(&queue.word, "word");
    model_name(&queue.itail, "itail");
    for (int i = 0; i < 8; i++) {
        model_name(&rings[0][i], "slot %d", i);
        model_name(&rings[1][i], "new slot %d", i);
    }
}

static void setup_two(void)
{
    start(1, TWI_SPLIT_MASK);
}

static void setup_four(void)
{
    start(2, TWI_SPLIT_MASK - 1);
}

static void has(uint64_t task)
{
    model_assert(task >= 1 && task <= ghost.added, "task %d was never added", (int)task);
    ghost.had[task - 1]++;
}

static int fill(uint64_t task)
{
    uint64_t *slot = twi_split_next(&queue);
    if (!slot)
        return 0;
    TWI_WRITE(*slot, task);
    twi_split_add(&queue, 1);
    return 1;
}

// ---- the owner ----

// What finds no room is run at once.
static void add(void)
{
    uint64_t task = ++ghost.added;
    if (fill(task))
        twi_split_offer(&queue, 0);
    else
        has(task);
}

static void add_hidden(void)
{
    uint64_t task = ++ghost.added;
    if (!fill(task))
        has(task);
}

static void take(void)
{
    uint64_t *slot = twi_split_take(&queue);
    if (!slot)
        return;
    has(TWI_READ(*slot));
    twi_split_offer(&queue, 1);
}

// ---- thieves ----

struct mark {
    unsigned char *first;
    uint32_t count;
    uint64_t word;
};

static void mark(struct mark *mark, uint32_t most)
{
    if (twi_split_steal(&queue, most, &mark->first, &mark->count, &mark->word) == TWI_TAKE_GOT)
        model_assert(mark->count > 0, "got nothing");
}

static void send(const struct mark *mark)
{
    for (uint32_t i = 0; i < mark->count; i++)
        has(TWI_READ(((const uint64_t *)mark->first)[i]));
    if (mark->count)
        twi_split_sent(&queue, mark->count);
}

static void steal(void)
{
    struct mark one;
    mark(&one, TASKS);
    send(&one);
}

// One, and one more if that follows.
static void steal_more(void)
{
    struct mark one;
    mark(&one, 1);
    if (one.count)
        one.count += twi_split_steal_more(&queue, 1, &one.word);
    send(&one);
}

// Both are on their way before either arrives, and the later one arrives first.
static void steal_crosswise(void)
{
    struct mark marks[MARKS];
    for (int i = 0; i < MARKS; i++)
        mark(&marks[i], TASKS);
    for (int i = MARKS - 1; i >= 0; i--)
        send(&marks[i]);
}

// ---- programs ----

static void add_take_steal(int id)
{
    if (id == 0) {
        add();
        add();
        add();
        take();
        take();
    } else {
        steal();
        steal();
    }
}

static void two_thieves(int id)
{
    if (id == 0) {
        add();
        add();
        add();
        take();
        add();
        take();
    } else {
        steal();
        steal();
    }
}

// Two slots: every add past the second writes where something stood.
static void full(int id)
{
    if (id == 0) {
        add();
        add();
        add();
        add();
        take();
    } else {
        steal();
        steal();
    }
}

static void full_two_thieves(int id)
{
    if (id == 0) {
        add();
        add();
        add();
        add();
        take();
    } else {
        steal_crosswise();
    }
}

// Nothing is ever shared: the ring is full when head has come round to split.
static void full_hidden(int id)
{
    if (id == 0) {
        add_hidden();
        add_hidden();
        add_hidden();
        take();
        take();
        take();
    } else {
        steal();
    }
}

// Four are shared and on their way by two thieves, up to a whole turn of the ring.
static void share_four(uint32_t position)
{
    start(2, position);
    for (int i = 0; i < 4; i++)
        add_hidden();
    twi_split_share(&queue, 4);
}

static void setup_shared(void)
{
    share_four(TWI_SPLIT_MASK - 3);
}

// The first stands in the last slot.
static void setup_wrapped(void)
{
    share_four(TWI_SPLIT_MASK);
}

static void out_of_order(int id)
{
    if (id == 0) {
        add();
        add();
    } else if (id == 1) {
        steal();
    } else {
        steal_crosswise();
    }
}

static void take_shared(int id)
{
    if (id == 0) {
        take();
        take();
        take();
    } else {
        steal();
    }
}

static void take_shared_more(int id)
{
    if (id == 0) {
        take();
        take();
        add();
        add();
    } else if (id == 1) {
        steal_more();
    } else {
        steal();
    }
}

static void wrapped_more(int id)
{
    if (id == 0) {
        take();
        add();
        add();
    } else {
        steal_more();
    }
}

static void wrapped(int id)
{
    if (id == 0) {
        take();
        add();
        add();
    } else {
        steal();
        steal();
    }
}

static void grow(int id)
{
    if (id == 0) {
        add();
        add();
        twi_split_move(&queue, (unsigned char *)rings[1]);
        add();
        add();
        take();
    } else {
        steal();
        steal();
        steal();
    }
}

static void grow_more(int id)
{
    if (id == 0) {
        take();
        twi_split_move(&queue, (unsigned char *)rings[1]);
        add();
        take();
    } else {
        steal_more();
    }
}

static void grow_two_thieves(int id)
{
    if (id == 0) {
        add();
        add();
        twi_split_move(&queue, (unsigned char *)rings[1]);
        add();
        take();
        add();
    } else {
        steal_crosswise();
    }
}

// What nobody has is still there.
static void check(void)
{
    struct twi_span span = twi_split_span(queue.word);
    uint32_t left = twi_split_count(&queue);
    for (uint32_t i = 1; i <= left; i++)
        has(*(uint64_t *)twi_split_slot(&queue, queue.head - i));
    for (uint32_t i = 0; i < ghost.added; i++)
        model_assert(ghost.had[i] == 1, "task %u was had %u times", i + 1, ghost.had[i]);
    model_assert(twi_split_distance(queue.itail, span.stail) == 0, "something is on its way");
}

#define PROGRAM(test, count, first)                                                                \
    {                                                                                              \
        .name = #test, .threads = count, .setup = first, .thread = test, .check = check,           \
        .ghost = &ghost, .ghost_size = sizeof ghost,                                               \
    }

static const struct model_program programs[] = {
    PROGRAM(add_take_steal, 2, setup_four),
    PROGRAM(two_thieves, 3, setup_four),
    PROGRAM(full, 2, setup_two),
    PROGRAM(full_two_thieves, 3, setup_two),
    PROGRAM(full_hidden, 2, setup_two),
    PROGRAM(out_of_order, 3, setup_shared),
    PROGRAM(take_shared, 3, setup_shared),
    PROGRAM(take_shared_more, 3, setup_shared),
    PROGRAM(wrapped, 3, setup_wrapped),
    PROGRAM(wrapped_more, 2, setup_wrapped),
    PROGRAM(grow, 2, setup_two),
    PROGRAM(grow_two_thieves, 3, setup_two),
    PROGRAM(grow_more, 2, setup_shared),
};

int main(int argc, char **argv)
{
    return model_main(programs, sizeof programs / sizeof *programs, argc, argv);
}
