// SPDX-License-Identifier: Apache-2.0
// Functions that are called at a place for a future (tw_promise_at).
#ifndef TWI_PLACE_CALL_H
#define TWI_PLACE_CALL_H

#include "core/bag.h"
#include "place/pieces.h"

// A call that came from another place, with its arguments: the task that does it, and sends back
// what comes of it. NULL: no memory.
struct twi_detached *twi_call_arrives(const struct tw_task_type *type, const void *args,
                                      struct twi_arrival *arrival);

#endif
