// SPDX-License-Identifier: Apache-2.0
// Cells of memory for tasks that wait without a stack: three lines of a cache each, with nothing
// around them. (malloc adds half as much again to what is aligned to a line.) A worker keeps some
// that are free; the pool has the rest, and all of them end with it.
#ifndef TWI_CELLS_H
#define TWI_CELLS_H

#include <stddef.h>

#include "base/lock.h"

enum { TWI_CELL_SIZE = 192 };

struct twi_cell {
    struct twi_cell *next; // of the free ones
};

// Of the pool.
struct twi_cell_store {
    struct twi_lock lock;
    struct twi_cell *free;  // under the lock, like the next
    struct twi_slab *slabs; // what they were cut from
};

// Of a worker. Its own.
struct twi_cells {
    struct twi_cell *free;
    unsigned count;
};

// One that is free, or NULL: no memory. By the worker.
void *twi_cell_take(struct twi_cells *cells, struct twi_cell_store *store);
void twi_cell_give(struct twi_cells *cells, struct twi_cell_store *store, void *cell);
void twi_cells_free(struct twi_cell_store *store);

#endif
