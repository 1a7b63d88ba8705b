// SPDX-License-Identifier: Apache-2.0
// See experiments.h. In the paper the work of a message is T / d seconds: T is 1 but in experiments
// 3 and 4, d is the work division, and 10^5 of it means 10 us.
#include "experiments.h"

#define TOTAL_NS 50e9 // of work, where the rounds follow from it

static const long division_tasks[] = {50, 250, 500, 750, 1000, 0};
static const long division_work[] = {10000000, 1000000, 100000, 50000, 33333, 25000, 20000,
                                     16667,    14286,   12500,  11111, 10000, 0};
static const long tasks_tasks[] = {8, 16, 32, 64, 128, 192, 256, 0};
static const long tasks_work[] = {100000, 0};
static const long work_tasks[] = {16, 50, 250, 0};
static const long work_work[] = {25000, 50000, 100000, 200000, 400000, 800000, 0};
static const long tooth_tasks[] = {16, 17, 18, 19, 20, 21, 22, 23, 24, 25, 26, 27,
                                   28, 29, 30, 31, 32, 33, 34, 35, 36, 37, 38, 39,
                                   40, 41, 42, 43, 44, 45, 46, 47, 48, 0};
static const long tooth_work[] = {800000, 0};

static const struct twb_experiment experiments[TWB_EXPERIMENTS] = {
    {"work division", division_tasks, division_work, 0, 0.001},
    {"the number of tasks", tasks_tasks, tasks_work, 12500, 0.003},
    {"work per message", work_tasks, work_work, 12500, 0.0005},
    {"the number of tasks, one by one", tooth_tasks, tooth_work, 12500, 0.00033},
};

const struct twb_policy twb_policies[TWB_POLICIES] = {
    [TWB_CUR] = {"cur", TW_WAKE_CUR},
    [TWB_LAST] = {"last", TW_WAKE_LAST},
    [TWB_AUTO] = {"auto", TW_WAKE_AUTO},
};

const struct twb_experiment *twb_experiment_find(unsigned number)
{
    return &experiments[number - 1];
}

static long rounds_of(const struct twb_experiment *experiment, long tasks, long work_ns)
{
    if (experiment->rounds > 0)
        return experiment->rounds;
    return (long)(TOTAL_NS / ((double)tasks * (double)work_ns));
}

size_t twb_experiment_cells(const struct twb_experiment *experiment, double scale,
                            struct twb_cell cells[TWB_CELLS_MAX])
{
    size_t count = 0;
    for (const long *tasks = experiment->tasks; *tasks; tasks++)
        for (const long *work_ns = experiment->work_ns; *work_ns; work_ns++) {
            long rounds = (long)((double)rounds_of(experiment, *tasks, *work_ns) * scale);
            if (rounds >= 1)
                cells[count++] = (struct twb_cell){*tasks, *work_ns, rounds};
        }
    return count;
}
