// SPDX-License-Identifier: Apache-2.0
// Arguments of a task that is about to leave: bytes that have to mean the same elsewhere.
#ifndef TWI_ARGUMENTS_H
#define TWI_ARGUMENTS_H

#include <stddef.h>
#include <stdint.h>

#include <twill/inline.h>

// Of the arguments of one task, so that it fits into a message with what stands before it.
#define TWI_ARGUMENTS_MOST ((size_t)INT32_MAX - 4096)

// Ends the program when they are too large for a message, or, in a program that asked for it by
// TWILL_DEBUG, when one of them is an address of memory that only this process has.
void twi_arguments_check(uint32_t place, const struct tw_task_type *type, const void *args);
// The first of the two only.
void twi_arguments_check_size(uint32_t place, const struct tw_task_type *type);

#endif
