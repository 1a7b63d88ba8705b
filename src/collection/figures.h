// SPDX-License-Identifier: Apache-2.0
// The figures of a process: what the seats counted, over the workers of all places.
#ifndef TWI_FIGURES_H
#define TWI_FIGURES_H

#include "collection/collection.h"

// Fills collection->stats with what the seats of this place counted in `seconds`.
void twi_figures_count(struct tw_collection *collection, double seconds);

#endif
