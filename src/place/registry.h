// SPDX-License-Identifier: Apache-2.0
// Types of tasks that travel, by number. The numbers are the same at all places that run the same
// program: types are ordered by name, file and line.
#ifndef TWI_REGISTRY_H
#define TWI_REGISTRY_H

#include <stdint.h>

#include <twill/inline.h>

enum { TWI_TYPES_MOST = 4096 };

// UINT32_MAX: it does not travel. After twi_registry_close.
uint32_t twi_registry_number(const struct tw_task_type *type);
// NULL: there is none.
const struct tw_task_type *twi_registry_type(uint32_t number);

// All that will be registered has been: orders them. Once, by one thread.
void twi_registry_close(void);
// A number that differs, most likely, when the types do.
uint64_t twi_registry_sum(void);

#endif
