// SPDX-License-Identifier: Apache-2.0
// A fabric in two parts. The carrier (mpi.c) moves messages and finds who shares memory; what is
// made of that (carried.c) is the fabric: packets, loads, locks, timers and waits. One thread at a
// time calls either, but for the fabric's `wake`.
#ifndef TWI_CARRIER_H
#define TWI_CARRIER_H

#include "fabric/plugin.h"
#include "page.h"

// What a message is. All but packets are questions and answers of fabrics themselves.
enum twi_kind { TWI_PACKET, TWI_READ, TWI_LOAD, TWI_LOCK, TWI_LOCKED, TWI_UNLOCK, TWI_GONE };

// A message that has come; its bytes follow the packet and are aligned for anything.
struct twi_message {
    uint32_t from;
    enum twi_kind kind;
    const struct twi_packet *packet;
    const void *bytes;
};

// ---- mpi.c ----

struct twi_carrier;

// Messages of a pair come in the order in which they were sent; who shares memory is rung. `bytes`
// are free again when it returns.
void twi_carrier_send(struct twi_carrier *carrier, uint32_t to, enum twi_kind kind,
                      const struct twi_packet *packet, const void *bytes);
// The oldest message that has come, NULL: there is none. It stays until it is dropped.
const struct twi_message *twi_carrier_look(struct twi_carrier *carrier);
void twi_carrier_drop(struct twi_carrier *carrier);
// Whether messages are under way that need to be looked after. Looks after them.
int twi_carrier_is_busy(struct twi_carrier *carrier);

// ---- carried.c ----

// pages: of each place, NULL of those with which no memory is shared; stay the caller's. NULL: no
// memory.
struct twi_fabric *twi_carried_create(struct twi_carrier *carrier, uint32_t place, uint32_t places,
                                      struct twi_page **pages,
                                      const struct twi_mpi_settings *settings);
struct twi_carrier *twi_carried_carrier(struct twi_fabric *fabric);
// Still answers what other places ask, but drops their packets; sleeps a little if there is nothing
// to do.
void twi_carried_serve(struct twi_fabric *fabric);
void twi_carried_destroy(struct twi_fabric *fabric);

#endif
