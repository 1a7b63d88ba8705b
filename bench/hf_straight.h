// SPDX-License-Identifier: Apache-2.0
// A Fock build by the straight formula, as one writes it who knows that functions are single
// Gaussians (those of beryllium chains are): all of a bra outside the loop over its kets, all of a
// ket in it. The oracle of apps/hf takes three times as long, for functions of every kind.
#ifndef TWB_HF_STRAIGHT_H
#define TWB_HF_STRAIGHT_H

#include "apps/hf/fock.h"

// Fills `result`, as the builds of fock.h do. Returns 0.
int twb_hf_straight(const struct hf_fock *fock, const struct hf_tiles *density,
                    struct hf_tiles *result);

#endif
