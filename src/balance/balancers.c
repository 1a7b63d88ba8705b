// SPDX-License-Identifier: Apache-2.0
// The table of balancers.
#include "balance/balancer.h"

const struct twi_balancer *const twi_balancers[] = {
    &twi_persist_central, // Algorithm 1 of the paper
    &twi_persist_tree,    // Algorithm 2
    NULL,
};
