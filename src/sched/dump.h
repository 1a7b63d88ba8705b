// SPDX-License-Identifier: Apache-2.0
// Listing the tasks that wait.
#ifndef TWI_DUMP_H
#define TWI_DUMP_H

#include <stddef.h>

struct twi_pool;

// Pools that a listing has, from their first worker to their last.
void twi_dump_add(struct twi_pool *pool);
void twi_dump_remove(struct twi_pool *pool);

// SIGUSR1 lists, from the first call of begin to the last of end. 0, or TW_EAGAIN.
int twi_dump_begin(void);
void twi_dump_end(void);

// Around a fork(): nobody is in the middle of a listing.
void twi_dump_hold(void);
void twi_dump_release(void);

// The deepest stack of the pool so far, in bytes, to the page.
size_t twi_stack_peak(struct twi_pool *pool);

#endif
