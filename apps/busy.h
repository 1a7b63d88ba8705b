// SPDX-License-Identifier: Apache-2.0
// Work that takes a given time and nothing else: a chain of multiplications.
#ifndef APPS_BUSY_H
#define APPS_BUSY_H

#include <stdint.h>

// How many rounds take `ns` here and now. Takes about a millisecond to find out.
uint64_t busy_rounds(uint64_t ns);

// Depends on the value and on the rounds, and on nothing else.
uint64_t busy_work(uint64_t value, uint64_t rounds);

#endif
