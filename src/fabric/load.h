// SPDX-License-Identifier: Apache-2.0
// Which fabric this process is part of.
#ifndef TWI_FABRIC_LOAD_H
#define TWI_FABRIC_LOAD_H

#include "fabric/fabric.h"

// NULL: `message` says what is wrong.
struct twi_fabric *twi_fabric_load(char *message, size_t size);

#endif
