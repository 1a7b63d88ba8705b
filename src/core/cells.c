// SPDX-License-Identifier: Apache-2.0
#include "core/cells.h"

#include <stdlib.h>

enum { KEEP = 256, MOVED = 128, SLAB_CELLS = 511 };

struct twi_slab {
    struct twi_slab *next;
    char cells[SLAB_CELLS][TWI_CELL_SIZE] __attribute__((aligned(64)));
};

static void push(struct twi_cell **list, struct twi_cell *cell)
{
    cell->next = *list;
    *list = cell;
}

static struct twi_cell *pop(struct twi_cell **list)
{
    struct twi_cell *cell = *list;
    if (cell)
        *list = cell->next;
    return cell;
}

// Under the lock.
static void slab_add(struct twi_cell_store *store)
{
    struct twi_slab *slab = aligned_alloc(_Alignof(struct twi_slab), sizeof *slab);
    if (!slab)
        return;
    slab->next = store->slabs;
    store->slabs = slab;
    for (int i = SLAB_CELLS; i-- > 0;)
        push(&store->free, (struct twi_cell *)slab->cells[i]);
}

static void fetch(struct twi_cells *cells, struct twi_cell_store *store)
{
    twi_lock_take(&store->lock);
    if (!store->free)
        slab_add(store);
    for (int i = 0; i < MOVED && store->free; i++, cells->count++)
        push(&cells->free, pop(&store->free));
    twi_lock_drop(&store->lock);
}

void *twi_cell_take(struct twi_cells *cells, struct twi_cell_store *store)
{
    if (!cells->free)
        fetch(cells, store);
    struct twi_cell *cell = pop(&cells->free);
    cells->count -= cell != NULL;
    return cell;
}

void twi_cell_give(struct twi_cells *cells, struct twi_cell_store *store, void *cell)
{
    if (cells->count >= KEEP) {
        twi_lock_take(&store->lock);
        for (int i = 0; i < MOVED; i++, cells->count--)
            push(&store->free, pop(&cells->free));
        twi_lock_drop(&store->lock);
    }
    push(&cells->free, cell);
    cells->count++;
}

void twi_cells_free(struct twi_cell_store *store)
{
    struct twi_slab *slab, *next;
    for (slab = store->slabs; slab; slab = next) {
        next = slab->next;
        free(slab);
    }
}
