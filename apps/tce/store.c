// SPDX-License-Identifier: Apache-2.0
// Where tensors are: the parts of all places.
#include <stdlib.h>

#include <twill/twill.h>

#include "apps/tce/tce.h"

static unsigned parts_of(const struct tce_store *store)
{
    return store->is_plain ? 1 : tw_places();
}

unsigned tce_store_owner(const struct tce_store *store, uint32_t item)
{
    return item / store->stride % parts_of(store);
}

// Gives each item its position. Returns the size of the largest part.
static size_t lay_out(struct tce_store *store, uint32_t items, size_t *used,
                      size_t (*size)(const struct tce_shape *shape, uint32_t item),
                      const struct tce_shape *shape)
{
    size_t most = 1;
    for (uint32_t item = 0; item < items; item++) {
        size_t *end = &used[tce_store_owner(store, item)];
        store->at[item] = *end;
        *end += size(shape, item);
        if (*end > most)
            most = *end;
    }
    return most;
}

static int allocate(struct tce_store *store, size_t elements)
{
    if (store->is_plain) {
        store->mine = calloc(elements, sizeof *store->mine);
        return store->mine ? 0 : TW_ENOMEM;
    }
    int error = tw_global_make(&store->global, TW_DOUBLE, elements);
    if (!error)
        store->mine = tw_global_local(store->global);
    return error;
}

int tce_store_make(struct tce_store *store, uint32_t items, uint32_t stride, bool is_plain,
                   size_t (*size)(const struct tce_shape *shape, uint32_t item),
                   const struct tce_shape *shape)
{
    *store = (struct tce_store){.is_plain = is_plain, .stride = stride};
    size_t *used = calloc(parts_of(store), sizeof *used);
    store->at = malloc(items * sizeof *store->at);
    int error = TW_ENOMEM;
    if (used && store->at)
        error = allocate(store, lay_out(store, items, used, size, shape));
    free(used);
    if (error) {
        free(store->at);
        store->at = NULL;
    }
    return error;
}

const double *tce_store_get(const struct tce_store *store, uint32_t item, size_t size, double *room)
{
    unsigned owner = tce_store_owner(store, item);
    const double *part = store->is_plain ? store->mine : tw_global_reach(store->global, owner);
    if (part)
        return part + store->at[item];
    tw_global_get(store->global, owner, store->at[item], room, size);
    return room;
}

void tce_store_add(const struct tce_store *store, uint32_t item, size_t size, const double *from)
{
    if (!store->is_plain) {
        tw_global_accumulate(store->global, tce_store_owner(store, item), store->at[item], from,
                             size);
        return;
    }
    for (size_t i = 0; i < size; i++)
        store->mine[store->at[item] + i] += from[i];
}

void tce_store_free(struct tce_store *store)
{
    if (!store->at)
        return;
    if (store->is_plain)
        free(store->mine);
    else
        (void)tw_global_free(&store->global); // fails where the run was cancelled: nothing to mend
    free(store->at);
    store->at = NULL;
}
