// SPDX-License-Identifier: Apache-2.0
// The table of steal policies.
#include "steal/policies.h"

const struct twi_machine *const twi_policies[] = {
    &twi_policy_adaptive, // the default
    &twi_policy_success_only, &twi_policy_success_only_acyclic,
    &twi_policy_baseline,     &twi_policy_lifeline,
    &twi_policy_random,       NULL,
};
