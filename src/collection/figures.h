// SPDX-License-Identifier: Apache-2.0
// The figures of a process: what the seats counted, over the workers of all places.
#ifndef TWI_FIGURES_H
#define TWI_FIGURES_H

#include "collection/collection.h"

// Fills collection->stats, and collection->measured, with what the seats of all places counted in
// `seconds`. 0 or TW_E...; may suspend.
int twi_figures_count(struct tw_collection *collection, double seconds);

#endif
