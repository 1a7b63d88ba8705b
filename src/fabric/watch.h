// SPDX-License-Identifier: Apache-2.0
// Whether the processes of a host's places are still there.
//
// A launcher ends all places when one dies, unless it was told not to; then a message to the dead
// is lost without a word, and who waits for its answer would wait for ever. So places that share
// memory watch each other's process, by a descriptor that the system makes readable when it ends:
// one look at all of them is one call. Where the system has no such descriptors nobody is watched.
#ifndef TWI_WATCH_H
#define TWI_WATCH_H

#include <stdint.h>

#include "page.h"

#define TWI_NOBODY UINT32_MAX

struct pollfd;

struct twi_watch {
    struct pollfd *ends; // of those that are watched ...
    uint32_t *places;    // ... who they are
    uint32_t count;
};

// Writes who we are into a page of ours.
void twi_watch_introduce(struct twi_page *page);
// pages: of each place, NULL of those with which no memory is shared. All have introduced
// themselves. -1: no memory.
int twi_watch_open(struct twi_watch *watch, uint32_t place, uint32_t places,
                   struct twi_page *const *pages);
// A place that is gone, or TWI_NOBODY.
uint32_t twi_watch_look(struct twi_watch *watch);
void twi_watch_close(struct twi_watch *watch);

#endif
