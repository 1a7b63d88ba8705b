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

static void append_to(struct twi_sim_queue *queue, struct twi_sim_slot *slot, uint32_t index)
{
    queue->events[index - 1].next = 0;
    if (slot->last)
        queue->events[slot->last - 1].next = index;
    else
        slot->first = index;
    slot->last = index;
}

static void append_low(struct twi_sim_queue *queue, uint32_t index, uint64_t at_ns)
{
    unsigned number = (unsigned)at_ns & (TWI_SIM_LOW_SLOTS - 1);
    append_to(queue, &queue->low[number], index);
    queue->filled_low[number / 64] |= UINT64_C(1) << number % 64;
    queue->filled_words[number / 64 / 64] |= UINT64_C(1) << number / 64 % 64;
}

static unsigned shift_of(unsigned row)
{
    return TWI_SIM_LOW_BITS + 8 * row;
}

static void append(struct twi_sim_queue *queue, uint32_t index)
{
    uint64_t at_ns = queue->events[index - 1].at_ns;
    uint64_t differ = (queue->now_ns ^ at_ns) >> TWI_SIM_LOW_BITS;
    if (!differ) {
        append_low(queue, index, at_ns);
        return;
    }
    unsigned row = (unsigned)(63 - __builtin_clzll(differ)) / 8;
    unsigned number = (unsigned)(at_ns >> shift_of(row)) & (TWI_SIM_SLOTS - 1);
    append_to(queue, &queue->slots[row][number], index);
    queue->filled[row][number / 64] |= UINT64_C(1) << number % 64;
}

// The first bit that is set, or -1.
static int first_bit(const uint64_t *words, int count)
{
    for (int i = 0; i < count; i++)
        if (words[i])
            return 64 * i + __builtin_ctzll(words[i]);
    return -1;
}

// The first filled slot of the lowest row, or -1.
static int first_low(const struct twi_sim_queue *queue)
{
    int word = first_bit(queue->filled_words, TWI_SIM_LOW_SLOTS / 64 / 64);
    return word < 0 ? -1 : 64 * word + __builtin_ctzll(queue->filled_low[word]);
}

static void empty_low(struct twi_sim_queue *queue, unsigned number)
{
    queue->low[number] = (struct twi_sim_slot){0, 0};
    queue->filled_low[number / 64] &= ~(UINT64_C(1) << number % 64);
    if (!queue->filled_low[number / 64])
        queue->filled_words[number / 64 / 64] &= ~(UINT64_C(1) << number / 64 % 64);
}

// Now goes to the beginning of a slot's time, and its events to where they belong then.
static void go_to(struct twi_sim_queue *queue, unsigned row, unsigned number)
{
    unsigned shift = shift_of(row);
    uint64_t above = shift + 8 < 64 ? queue->now_ns >> (shift + 8) << (shift + 8) : 0;
    uint32_t next, index = queue->slots[row][number].first;
    queue->now_ns = above | (uint64_t)number << shift;
    queue->slots[row][number] = (struct twi_sim_slot){0, 0};
    queue->filled[row][number / 64] &= ~(UINT64_C(1) << number % 64);
    for (; index; index = next) {
        next = queue->events[index - 1].next;
        append(queue, index);
    }
}

// The lowest row has an event, and the first of it is the next.
static int settle(struct twi_sim_queue *queue)
{
    int number = first_low(queue);
    for (unsigned row = 0; number < 0; row++) {
        int above = first_bit(queue->filled[row], TWI_SIM_SLOTS / 64);
        if (above < 0)
            continue;
        go_to(queue, row, (unsigned)above);
        number = first_low(queue);
        row = (unsigned)-1; // from the lowest again
    }
    return number;
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
    unsigned number = (unsigned)settle(queue);
    struct twi_sim_slot *slot = &queue->low[number];
    uint32_t index = slot->first;
    struct twi_sim_event *first = &queue->events[index - 1];
    queue->now_ns = first->at_ns;
    *event = *first;
    if (first->next)
        slot->first = first->next;
    else
        empty_low(queue, number);
    first->next = queue->free;
    queue->free = index;
    queue->count--;
    return 1;
}
