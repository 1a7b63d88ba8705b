// SPDX-License-Identifier: Apache-2.0
// Views of reducers (include/twill/reducer.h).
//
// [R1] chunk release/acquire: who finds a chunk there sees its views made ready.
#include <stdlib.h>
#include <string.h>

#include <twill/reducer.h>

#include "sched/sched.h"
#include "task/views.h"

static struct twi_pool *pool_here(void)
{
    struct twi_worker *w = twi_worker_maybe();
    if (!w)
        tw_misuse("a reducer was used outside tw_run", "");
    return w->pool;
}

static size_t chunk_views(unsigned chunk)
{
    return (size_t)TWI_VIEWS_NEAR << chunk;
}

static unsigned char *make_chunk(const struct twi_views *views, unsigned chunk)
{
    size_t count = chunk_views(chunk);
    unsigned char *made = aligned_alloc(TWI_VIEW_LINE, count * views->stride);
    if (!made)
        tw_misuse("no memory is left for the views of a reducer", "");
    for (size_t i = 0; i < count; i++)
        views->first(made + i * views->stride);
    return made;
}

void tw_views_open(struct twi_views *views, size_t stride, void (*first)(void *view))
{
    memset(views, 0, sizeof *views);
    views->stride = stride;
    views->first = first;
    views->pool = pool_here();
    views->chunk[0] = make_chunk(views, 0);
}

// Two may need the same chunk at once; one of them is thrown away.
static unsigned char *grow(struct twi_views *views, unsigned chunk)
{
    unsigned char *made = make_chunk(views, chunk), *there = NULL;
    if (TWI_CAS(&views->chunk[chunk], &there, made, TWI_RELEASE, TWI_ACQUIRE)) // [R1]
        return made;
    free(made);
    return there;
}

void *tw_view_far(struct twi_views *views, uint32_t index)
{
    if (views->pool != pool_here())
        tw_misuse("a reducer was used that is not open: it was closed, or belongs to another run",
                  "");
    // Numbers that begin with the same bit are in the same chunk.
    size_t n = (size_t)index + TWI_VIEWS_NEAR, begin = TWI_VIEWS_NEAR;
    unsigned chunk = 0;
    while (n >= 2 * begin) {
        begin *= 2;
        chunk++;
    }
    unsigned char *first = TWI_LOAD(&views->chunk[chunk], TWI_ACQUIRE); // [R1]
    if (!first)
        first = grow(views, chunk);
    return first + (n - begin) * views->stride;
}

void twi_views_combine(struct twi_views *views, void (*merge)(void *into, const void *from),
                       void *value)
{
    views->first(value);
    for (unsigned k = 0; k < TWI_VIEW_CHUNKS; k++) {
        unsigned char *chunk = TWI_LOAD(&views->chunk[k], TWI_ACQUIRE); // [R1]
        for (size_t i = 0; chunk && i < chunk_views(k); i++)
            merge(value, chunk + i * views->stride);
        free(chunk);
        TWI_STORE(&views->chunk[k], (unsigned char *)NULL, TWI_RELAXED); // relaxed: owner-only
    }
    views->pool = NULL;
}

void tw_views_close(struct twi_views *views, void (*merge)(void *into, const void *from),
                    void *value)
{
    if (views->pool != pool_here())
        tw_misuse("a reducer was closed that is not open", "");
    twi_views_combine(views, merge, value);
}
