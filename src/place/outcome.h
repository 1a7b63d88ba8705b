// SPDX-License-Identifier: Apache-2.0
// How an attempt ended, as it travels: names by their text, cut if they are long.
#ifndef TWI_PLACE_OUTCOME_H
#define TWI_PLACE_OUTCOME_H

#include <stdint.h>

#include <twill/attempt.h>

struct twi_sent_outcome {
    int32_t error;
    uint32_t place; // where
    uint32_t spawn_line, failed_line;
    char task[64], spawn_file[128], failed_file[128];
};

// `place`: of an outcome that names no task.
struct twi_sent_outcome twi_outcome_pack(const struct tw_outcome *outcome, unsigned place);
// Names stay valid for ever. By one thread at a time.
struct tw_outcome twi_outcome_unpack(const struct twi_sent_outcome *sent);

// Of two outcomes the one that tells more: an error before a cancellation, then that of the place
// with the lower number.
void twi_outcome_merge(void *into, const void *from);

#endif
