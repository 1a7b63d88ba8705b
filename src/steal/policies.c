// SPDX-License-Identifier: Apache-2.0
// The table of steal policies.
#include "steal/policies.h"

const struct twi_machine *const twi_policies[] = {
    &twi_policy_adaptive,             // the default
    &twi_policy_success_only,         // the paper's
    &twi_policy_success_only_acyclic, // likewise
    &twi_policy_baseline,             // likewise
    &twi_policy_lifeline,             // of X10
    &twi_policy_random,               // of the persistence paper
    NULL,
};
