// SPDX-License-Identifier: Apache-2.0
// Who took how many tasks from whom, and what could join places here:
//
//     ./report
//     mpirun -n 3 ./report
#include <stdio.h>
#include <stdlib.h>
#include <twill/twill.h>

// A tree of tasks that any place may run.
TW_TASK(branch, { unsigned depth; })
{
    if (self.depth == 0) {
        for (volatile unsigned i = 0; i < 3000; i++)
            continue;
        return;
    }
    for (int i = 0; i < 4; i++)
        tw_async_any(branch, .depth = self.depth - 1);
}

TW_TASK(grow, { unsigned depth; })
{
    tw_finish {
        tw_async_any(branch, .depth = self.depth);
    }
}

static void print_report(const struct tw_place_stats *stats, const uint64_t *stolen)
{
    for (unsigned thief = 0; thief < tw_places(); thief++) {
        printf("place %u: %llu messages;", thief, (unsigned long long)stats[thief].messages);
        for (unsigned victim = 0; victim < tw_places(); victim++)
            printf(" %llu tasks from %u", (unsigned long long)stolen[thief * tw_places() + victim],
                   victim);
        printf("\n");
    }
}

static void print_mpi(const char *name)
{
    struct tw_mpi mpi;
    int error = tw_mpi_describe(&mpi, name);
    printf("%s: %s\n", name, error ? "not here" : mpi.version);
    for (const struct tw_mpi_cure *cure = mpi.cures; cure && cure->variable; cure++)
        printf("    %s=%s: %s\n", cure->variable, cure->value, cure->why);
}

int main(void)
{
    struct tw_place_stats *stats = calloc(tw_places(), sizeof *stats);
    uint64_t *stolen = calloc((size_t)tw_places() * tw_places(), sizeof *stolen);
    int error = stats && stolen ? 0 : TW_ENOMEM;
    if (!error)
        error = tw_run(grow, .depth = 8);
    if (!error)
        error = tw_places_stats(stats, stolen);
    if (!error && tw_here() == 0)
        print_report(stats, stolen);
    if (!error && tw_places() == 1) {
        print_mpi("openmpi");
        print_mpi("mpich");
    }
    free(stats);
    free(stolen);
    return error != 0;
}
