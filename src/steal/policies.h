// SPDX-License-Identifier: Apache-2.0
// The policies by name, for their table and their tests. Each is described in docs/policies.md.
#ifndef TWI_POLICIES_H
#define TWI_POLICIES_H

#include "steal/machine.h"

extern const struct twi_machine twi_policy_adaptive;
extern const struct twi_machine twi_policy_baseline;
extern const struct twi_machine twi_policy_success_only;
extern const struct twi_machine twi_policy_success_only_acyclic;
extern const struct twi_machine twi_policy_lifeline;
extern const struct twi_machine twi_policy_random;

#endif
