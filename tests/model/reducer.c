// SPDX-License-Identifier: Apache-2.0
// Views of a reducer (the real include/twill/reducer.h and src/task/reducer.c): two tasks that need
// the second chunk at once have views of their own, made ready, in the same chunk. The first one,
// of a single view, is there from the start.
#define TWI_VIEWS_NEAR 1
#include "fibers.h"

#include <stdlib.h>

static void *chunk_make(void);
#define aligned_alloc(align, size) chunk_make()
#define free(memory) ((void)(memory))

#include "task/reducer.c"

#include "internal.h" // mc.running: which thread calls

TW_REDUCER(uint32_t, sum, 7, a + b - 7)

static struct tw_reducer_sum reducer;
static struct twi_worker worker;
static uint32_t near[TWI_VIEWS_NEAR][16], chunks[FIBERS][2 * TWI_VIEWS_NEAR][16];
static int is_open;

struct twi_worker *twi_worker_maybe(void)
{
    return &worker;
}

void tw_misuse(const char *what, const char *task)
{
    model_assert_failed("tw_misuse", __FILE__, __LINE__, "%s %s", what, task);
    __builtin_unreachable();
}

// Each thread makes at most one.
static void *chunk_make(void)
{
    return is_open ? chunks[mc.running] : near;
}

static void view_first(void *view)
{
    TWI_WRITE(*(uint32_t *)view, 7);
}

static void setup(void)
{
    static struct twi_pool pool;
    fibers_reset();
    worker.pool = &pool;
    memset(chunks, 0, sizeof chunks);
    is_open = 0;
    tw_views_open(&reducer.views, TWI_VIEW_STRIDE(sizeof(uint32_t)), view_first);
    is_open = 1;
    for (int i = 0; i < FIBERS; i++)
        fibers[i].fiber.deque.index = TWI_VIEWS_NEAR + (uint32_t)i;
    model_name(&reducer.views.chunk[1], "chunk");
}

static void two_updates(int id)
{
    uint32_t *view = twi_view(&reducer.views, &fibers[id].fiber.deque, sizeof near[0]);
    TWI_WRITE(*view, TWI_READ(*view) + 1 + (uint32_t)id);
}

static void check_sum(void)
{
    uint32_t sum = 0;
    tw_views_close(&reducer.views, twi_merge_sum, &sum);
    model_assert(sum == 7 + 1 + 2, "the sum is %u", sum);
}

static const struct model_program programs[] = {
    {
        .name = "two_updates",
        .threads = 2,
        .setup = setup,
        .thread = two_updates,
        .check = check_sum,
        .ghost = &ghost,
        .ghost_size = sizeof ghost,
    },
};

int main(int argc, char **argv)
{
    return model_main(programs, sizeof programs / sizeof *programs, argc, argv);
}
