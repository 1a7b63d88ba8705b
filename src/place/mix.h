// SPDX-License-Identifier: Apache-2.0
// Sums that places compare: they differ, most likely, when what they are made of does.
#ifndef TWI_MIX_H
#define TWI_MIX_H

#include <stdint.h>

static inline uint64_t twi_mix(uint64_t sum, uint64_t number)
{
    sum = (sum ^ number) * UINT64_C(0xd6e8feb86659fd93);
    return sum ^ sum >> 32;
}

static inline uint64_t twi_mix_text(uint64_t sum, const char *text)
{
    for (; *text; text++)
        sum = twi_mix(sum, (unsigned char)*text);
    return twi_mix(sum, 0);
}

#endif
