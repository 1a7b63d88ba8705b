// SPDX-License-Identifier: Apache-2.0
// How a model program is written: see sample.h for what it checks, mutants.txt for the mistakes it
// would find, docs/model-checker.md for the rest.
#include "sample.h"

static struct sample_cell cell;
static uint32_t taken; // ghost memory

static void setup(void)
{
    cell = (struct sample_cell){0};
    model_name(&cell.full, "full");
    model_name(&cell.asleep, "asleep");
    model_name(&cell.value, "value");
}

static void thread(int id)
{
    if (id == 0)
        sample_give(&cell, 7);
    else
        taken = sample_take(&cell);
}

static void check(void)
{
    model_assert(taken == 7, "took %u, given was 7", taken);
}

int main(int argc, char **argv)
{
    static const struct model_program programs[] = {
        {"hand_over", 2, setup, thread, check, .ghost = &taken, .ghost_size = sizeof taken},
    };
    return model_main(programs, sizeof programs / sizeof programs[0], argc, argv);
}
