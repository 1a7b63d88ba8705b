// SPDX-License-Identifier: Apache-2.0
// Shared reducers: a reducer that tasks at every place contribute to (tw_shared_open).
#ifndef TWI_SHARED_H
#define TWI_SHARED_H

#include "place/place.h"

// Of the kinds COLLECT and VIEWS.
void twi_shared_mail(struct twi_place *place, const struct twi_packet *packet, const void *bytes);
// The run is over: all of them are closed.
void twi_shared_forget(struct twi_place *place);

#endif
