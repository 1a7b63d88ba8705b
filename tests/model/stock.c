// SPDX-License-Identifier: Apache-2.0
// The deques of waiting fibers (src/core/stock.h): thieves take tasks from them and take an empty
// one off the list, while its fiber goes on and uses its links again.
#include <sched.h>
#define sched_yield() TWI_PAUSE()

#include "fibers.h"

#include "core/stock.h"

static struct twi_stock stock;

// Fiber 0 waits with one task, fiber 1 with two.
static void setup(void)
{
    fibers_reset();
    memset(&stock, 0, sizeof stock);
    model_name(&stock.count, "count");
    model_name(&stock.lock.held, "lock");
    int task = 0;
    for (int i = 0; i < 2; i++) {
        struct tw_fiber *f = &fibers[i].fiber.deque;
        for (int k = 0; k <= i; k++, task++) {
            fibers[i].slots[k].type = &types[task];
            f->head = &fibers[i].slots[k + 1];
        }
        f->word = twi_word(twi_low(fibers[i].slots), twi_low(f->head));
        fibers[i].fiber.stock_next = stock.first;
        if (stock.first)
            stock.first->stock_before = &fibers[i].fiber;
        stock.first = &fibers[i].fiber;
        fibers[i].fiber.stock = &stock;
        stock.count++;
        model_name(&fibers[i].fiber.stock, "stock[%d]", i);
    }
}

static void steal(void)
{
    struct tw_slot *slot = twi_stock_steal(&stock);
    if (slot)
        note_run(TWI_READ(slot->type) - types);
}

// Its links are its own from then on.
static void go_on(int i)
{
    struct twi_fiber *fiber = &fibers[i].fiber;
    twi_stock_remove(fiber);
    TWI_WRITE(fiber->stock_next, (struct twi_fiber *)NULL);
    TWI_WRITE(fiber->stock_before, (struct twi_fiber *)NULL);
}

static void goes_on(int id)
{
    if (id == 0) {
        go_on(0);
    } else {
        for (int i = 0; i < 4; i++) // the last finds it empty, and takes it off the list
            steal();
    }
}

static void both_go_on(int id)
{
    if (id < 2)
        go_on(id);
    else
        steal();
}

static void check(void)
{
    uint32_t listed = 0;
    for (struct twi_fiber *f = stock.first; f && listed < 3; f = f->stock_next)
        listed++;
    model_assert(listed == stock.count, "%u listed, %u counted", listed, stock.count);
}

#define PROGRAM(test, count)                                                                       \
    {                                                                                              \
        .name = #test, .threads = count, .setup = setup, .thread = test, .check = check,           \
        .ghost = &ghost, .ghost_size = sizeof ghost,                                               \
    }

static const struct model_program programs[] = {
    PROGRAM(goes_on, 2),
    PROGRAM(both_go_on, 3),
};

int main(int argc, char **argv)
{
    return model_main(programs, sizeof programs / sizeof *programs, argc, argv);
}
