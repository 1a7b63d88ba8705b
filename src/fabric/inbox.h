// SPDX-License-Identifier: Apache-2.0
// What a place has for itself, until its next progress: packets that it sent to itself, answers
// that were there at once. One thread at a time.
#ifndef TWI_INBOX_H
#define TWI_INBOX_H

#include "fabric/fabric.h"

struct twi_inbox_item;

struct twi_inbox {
    struct twi_inbox_item *first, **end;
};

void twi_inbox_init(struct twi_inbox *inbox);
void twi_inbox_destroy(struct twi_inbox *inbox);

static inline int twi_inbox_is_empty(const struct twi_inbox *inbox)
{
    return !inbox->first;
}

void twi_inbox_packet(struct twi_inbox *inbox, const struct twi_packet *packet, const void *bytes);
// The answers to a read and to a lock.
void twi_inbox_read(struct twi_inbox *inbox, uint32_t of, uint32_t load);
void twi_inbox_locked(struct twi_inbox *inbox, uint32_t of, int is_ours);

// Calls the sink for all of it; what comes of that waits for the next time. Returns how many.
unsigned twi_inbox_hand_over(struct twi_inbox *inbox, struct twi_fabric *fabric);

#endif
