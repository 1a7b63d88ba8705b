// SPDX-License-Identifier: Apache-2.0
// See scatter.h.
#include "scatter.h"

#include <stdio.h>
#include <stdlib.h>

#include "leaves.h"

struct twb_scatter twb_scatter_read(const char *parameters, long rounds)
{
    long tasks, work_ns;
    int length = 0;
    if (sscanf(parameters, "%ld:%ld%n", &tasks, &work_ns, &length) != 2 ||
        parameters[length] != '\0' || tasks < 1 || work_ns < 0) {
        fprintf(stderr, "serve: not tasks and work in ns: '%s'\n", parameters);
        exit(2);
    }
    return (struct twb_scatter){tasks, rounds, twb_loops_of(work_ns)};
}

void twb_scatter_name(char *name, size_t room, long tasks, long work_ns)
{
    snprintf(name, room, "scatter:%ld:%ld", tasks, work_ns);
}

uint64_t twb_scatter_sum(const struct twb_scatter *scatter)
{
    struct twb_tree once = {.leaves = scatter->tasks, .rounds = scatter->loops};
    return (uint64_t)scatter->rounds * twb_leaves_sum(&once);
}
