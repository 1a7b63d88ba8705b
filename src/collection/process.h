// SPDX-License-Identifier: Apache-2.0
// What is left to do when a process is over.
#ifndef TWI_PROCESS_H
#define TWI_PROCESS_H

#include "collection/collection.h"

// Enters a note into the record it is about, which is at this place.
void twi_process_settle(struct tw_collection *collection, const struct twi_note *note);

#endif
