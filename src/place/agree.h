// SPDX-License-Identifier: Apache-2.0
// What all places have to agree on before they run something together, and the errors of a place,
// which become the errors of all: so all places return the same, and none waits for another that
// has given up.
#ifndef TWI_AGREE_H
#define TWI_AGREE_H

#include "place/place.h"

// What has to be the same everywhere, as numbers that differ, most likely, when it does.
struct twi_terms {
    uint64_t types;    // tasks that travel
    uint64_t build;    // of the program and of this library
    uint64_t policy;   // settings ...
    uint64_t detector; // ... that hosts are made of
    uint64_t call;     // tw_run or tw_run_spmd, and of which task
};

// The policy and detector of options may be NULL.
struct twi_terms twi_terms_of(const struct tw_options *options, const struct tw_task_type *called,
                              int is_spmd);

// Collective. `error` is this place's; terms may be NULL. 0 at all places, or the error of the
// first that has one, or TW_EINVAL where terms differ, which then is the place's error for good:
// places that want different things do not come together again. place->message says why.
int twi_agree(struct twi_place *place, int error, const struct twi_terms *terms);

#endif
