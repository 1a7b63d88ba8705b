// SPDX-License-Identifier: Apache-2.0
// See sim_queue.h.
#include "sim_queue.h"

#include <stdlib.h>
#include <string.h>

enum { ROOM_FIRST = 1024 };

void twi_sim_queue_init(struct twi_sim_queue *queue)
{
    memset(queue, 0, sizeof *queue);
}

void twi_sim_queue_destroy(struct twi_sim_queue *queue)
{
    free(queue->events);
}

// ---- slots ----

static unsigned row_of(uint64_t now_ns, uint64_t at_ns)
{
    uint64_t differ = now_ns ^ at_ns;
    return differ ? (unsigned)(63 - __builtin_clzll(differ)) / 8 : 0;
}

static void append(struct twi_sim_queue *queue, uint32_t index)
{
    struct twi_sim_event *event = &queue->events[index - 1];
    unsigned row = row_of(queue->now_ns, event->at_ns);
    unsigned number = (unsigned)(event->at_ns >> 8 * row) & (TWI_SIM_SLOTS - 1);
    struct twi_sim_slot *slot = &queue->slots[row][number];
    event->next = 0;
    if (slot->last)
        queue->events[slot->last - 1].next = index;
    else
        slot->first = index;
    slot->last = index;
    queue->filled[row][number / 64] |= UINT64_C(1) << number % 64;
}

// The first filled slot of a row, or -1. None before now's own is filled.
static int first_filled(const struct twi_sim_queue *queue, unsigned row)
{
    for (int i = 0; i < TWI_SIM_SLOTS / 64; i++)
        if (queue->filled[row][i])
            return 64 * i + __builtin_ctzll(queue->filled[row][i]);
    return -1;
}

static struct twi_sim_slot empty_slot(struct twi_sim_queue *queue, unsigned row, unsigned number)
{
    struct twi_sim_slot taken = queue->slots[row][number];
    queue->slots[row][number] = (struct twi_sim_slot){0, 0};
    queue->filled[row][number / 64] &= ~(UINT64_C(1) << number % 64);
    return taken;
}

// Now goes to the beginning of a slot's time, and its events to where they belong then.
static void go_to(struct twi_sim_queue *queue, unsigned row, unsigned number)
{
    uint64_t above = row == TWI_SIM_ROWS - 1 ? 0 : queue->now_ns >> 8 * (row + 1) << 8 * (row + 1);
    queue->now_ns = above | (uint64_t)number << 8 * row;
    uint32_t next, index = empty_slot(queue, row, number).first;
    for (; index; index = next) {
        next = queue->events[index - 1].next;
        append(queue, index);
    }
}

// ---- events ----

static int make_room(struct twi_sim_queue *queue)
{
    uint32_t room = queue->room ? 2 * queue->room : ROOM_FIRST;
    struct twi_sim_event *events = realloc(queue->events, room * sizeof *events);
    if (!events)
        return -1;
    queue->events = events;
    queue->room = room;
    return 0;
}

int twi_sim_queue_put(struct twi_sim_queue *queue, uint64_t at_ns, uint32_t kind, uint32_t place,
                      uint32_t what)
{
    uint32_t index = queue->free;
    if (index) {
        queue->free = queue->events[index - 1].next;
    } else {
        if (queue->used == queue->room && make_room(queue) != 0)
            return -1;
        index = ++queue->used;
    }
    queue->events[index - 1] =
        (struct twi_sim_event){.at_ns = at_ns, .place = place, .what = what, .kind = kind};
    append(queue, index);
    queue->count++;
    return 0;
}

int twi_sim_queue_take(struct twi_sim_queue *queue, struct twi_sim_event *event)
{
    if (!queue->count)
        return 0;
    int number = first_filled(queue, 0);
    for (unsigned row = 1; number < 0; row++)
        if ((number = first_filled(queue, row)) >= 0) {
            go_to(queue, row, (unsigned)number);
            number = first_filled(queue, 0);
            row = 0;
        }
    struct twi_sim_slot *slot = &queue->slots[0][number];
    uint32_t index = slot->first;
    struct twi_sim_event *first = &queue->events[index - 1];
    queue->now_ns = first->at_ns;
    *event = *first;
    if (first->next)
        slot->first = first->next;
    else
        (void)empty_slot(queue, 0, (unsigned)number);
    first->next = queue->free;
    queue->free = index;
    queue->count--;
    return 1;
}
