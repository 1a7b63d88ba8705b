// SPDX-License-Identifier: Apache-2.0
// The simulator's queue: events by nanosecond, those of one nanosecond in the order they came.
//
// Rows of slots, each for some bits of the time: the lowest for so many that most events stand in
// it at once, the others for eight. An event stands in the row of the highest bit in which its time
// differs from now, in the slot of that row's bits; when now gets there, the slot's events move to
// lower rows, in their order. So most events never move, nothing is compared, and two of the same
// time never change places: into a lower row nothing can come before the slot above has been moved
// there.
#ifndef TWI_SIM_QUEUE_H
#define TWI_SIM_QUEUE_H

#include <stddef.h>
#include <stdint.h>

enum {
    TWI_SIM_LOW_BITS = 14, // 16 us
    TWI_SIM_LOW_SLOTS = 1 << TWI_SIM_LOW_BITS,
    TWI_SIM_ROWS = 7, // above the lowest
    TWI_SIM_SLOTS = 256,
};

struct twi_sim_event {
    uint64_t at_ns;
    uint32_t place;
    uint32_t what;
    uint32_t kind;
    uint32_t next; // index + 1
};

struct twi_sim_slot {
    uint32_t first, last; // index + 1; 0: empty
};

struct twi_sim_queue {
    uint64_t now_ns;
    struct twi_sim_event *events;
    uint32_t free, used, room; // index + 1 of a free one; ever used; allocated
    uint32_t count;
    uint64_t filled_words[TWI_SIM_LOW_SLOTS / 64 / 64]; // those of the next that are not 0
    uint64_t filled_low[TWI_SIM_LOW_SLOTS / 64];
    uint64_t filled[TWI_SIM_ROWS][TWI_SIM_SLOTS / 64];
    struct twi_sim_slot slots[TWI_SIM_ROWS][TWI_SIM_SLOTS];
    struct twi_sim_slot low[TWI_SIM_LOW_SLOTS];
};

void twi_sim_queue_init(struct twi_sim_queue *queue);
void twi_sim_queue_destroy(struct twi_sim_queue *queue);

// Not before now. 0, or -1: no memory.
int twi_sim_queue_put(struct twi_sim_queue *queue, uint64_t at_ns, uint32_t kind, uint32_t place,
                      uint32_t what);
// Takes the next event out; now is its time. 0: there is none.
int twi_sim_queue_take(struct twi_sim_queue *queue, struct twi_sim_event *event);

#endif
