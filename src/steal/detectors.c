// SPDX-License-Identifier: Apache-2.0
// The table of detectors.
#include "steal/tree.h"

const struct twi_machine *const twi_detectors[] = {&twi_scopes, &twi_waves, NULL};
