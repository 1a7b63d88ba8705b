// SPDX-License-Identifier: Apache-2.0
// The contract of a fabric: what carries messages between places.
//
// A fabric is a table of functions and what they work on. One thread at a time calls them for a
// place: where there are several, who holds its turn. None blocks but `wait`. What arrives is given
// to the sink's functions, from inside `progress` only (in the simulator: from its main loop), so
// the host is never interrupted in a step.
//
//  - Packets from one place to another arrive once each and in the order in which they were sent;
//    those of different senders in any order.
//  - A read and a lock need no help of the place they go to, where the fabric can: `read` answers
//    with what that place last published.
//  - `bytes` of a packet belong to the caller, and are free again when send returns.
#ifndef TWI_FABRIC_H
#define TWI_FABRIC_H

#include <stddef.h>
#include <stdint.h>

#include "base/lock.h"

struct twi_packet {
    uint32_t epoch;   // of the phase it belongs to
    uint16_t machine; // whom it is for: enum twi_for
    uint16_t message;
    uint32_t count; // tasks in it
    uint32_t size;  // bytes that come with it
    uint64_t word;
};

// What a fabric calls. `host` is what twi_fabric.host is.
struct twi_sink {
    void (*packet)(void *host, uint32_t from, const struct twi_packet *packet, const void *bytes);
    void (*read)(void *host, uint32_t of, uint32_t load);
    void (*locked)(void *host, uint32_t of, int is_ours);
    void (*timer)(void *host);
};

struct twi_fabric;

struct twi_fabric_calls {
    const char *name;
    uint64_t (*now_ns)(struct twi_fabric *fabric);
    void (*send)(struct twi_fabric *fabric, uint32_t to, const struct twi_packet *packet,
                 const void *bytes);
    // Answered by sink.read and sink.locked.
    void (*read)(struct twi_fabric *fabric, uint32_t of);
    void (*lock)(struct twi_fabric *fabric, uint32_t of);
    void (*unlock)(struct twi_fabric *fabric, uint32_t of);
    // What others' reads find from now on.
    void (*publish)(struct twi_fabric *fabric, uint32_t load);
    // sink.timer at `at_ns`, instead of the time set before; 0: never.
    void (*timer)(struct twi_fabric *fabric, uint64_t at_ns);
    // Hands over what has come. Returns how much.
    unsigned (*progress)(struct twi_fabric *fabric);
    // Sleeps until something may have come, until_ns at the latest, or until `wake`, or until the
    // timer is due. The caller's turn is given up meanwhile.
    void (*wait)(struct twi_fabric *fabric, uint64_t until_ns);
    // Ends a wait, or the next one at once. From any thread.
    void (*wake)(struct twi_fabric *fabric);
    // Another thread looks for messages while one waits, from now on or no longer: who sends need
    // not wake the latter. With the turn held.
    void (*attend)(struct twi_fabric *fabric, int on);
    // How many workers here run tasks or look for some, for the places that share memory; and how
    // many the others have. Only where places share memory at all. From any thread.
    void (*tell_active)(struct twi_fabric *fabric, uint32_t workers);
    uint32_t (*others_active)(struct twi_fabric *fabric);
    // For memory that neighbours map (base/memory.h); only where places share memory at all. A
    // place shows a descriptor; who then hears from it can ask for that and its process. 0: the two
    // have no memory in common. From any thread.
    void (*show)(struct twi_fabric *fabric, int descriptor);
    int (*shown)(struct twi_fabric *fabric, uint32_t of, uint32_t *process, int *descriptor);
};

// A place's end of a fabric; what a fabric needs for itself stands behind it.
struct twi_fabric {
    const struct twi_fabric_calls *calls;
    uint32_t place, places;
    const struct twi_sink *sink;
    void *host;
    struct twi_lock turn;
};

// ---- self.c ----
// The fabric of one place: what it sends to itself arrives at its next progress. NULL: no memory.
struct twi_fabric *twi_self_create(void);
void twi_self_destroy(struct twi_fabric *fabric);

#endif
