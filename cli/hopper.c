// SPDX-License-Identifier: Apache-2.0
#include "cli/hopper.h"

#include <stdio.h>
#include <stdlib.h>

#include "cli/reproduce.h"
#include "sim/machine.h"

const uint32_t hopper_sizes[HOPPER_SIZES] = {2400, 9600, 38400};
const enum sim_scheme hopper_schemes[HOPPER_SCHEMES] = {SIM_SCHEME_STEAL, SIM_SCHEME_RETENTIVE,
                                                        SIM_SCHEME_PERSIST_TREE};

struct run {
    bool is_made;
    struct sim_iteration iteration[HOPPER_ITERATIONS + 1];
};

struct hopper {
    struct sim_costs costs;
    struct twi_sim_machine machine;
    struct run run[SIM_SCHEMES][HOPPER_SIZES];
};

static struct hopper *make(void)
{
    char message[512] = "no memory";
    struct hopper *hopper = calloc(1, sizeof *hopper);
    if (hopper && sim_machine_read("hopper", &hopper->machine, message, sizeof message) == 0 &&
        sim_costs_open(&hopper->costs, "hf-be256", message, sizeof message) == 0)
        return hopper;
    fprintf(stderr, "twill reproduce: %s\n", message);
    free(hopper);
    return NULL;
}

struct hopper *hopper_of(struct reproduction *reproduction)
{
    if (!reproduction->hopper)
        reproduction->hopper = make();
    return reproduction->hopper;
}

void hopper_free(struct hopper *hopper)
{
    if (hopper)
        sim_costs_free(&hopper->costs);
    free(hopper);
}

const struct sim_iteration *hopper_run(struct hopper *hopper, enum sim_scheme scheme, int size)
{
    struct run *run = &hopper->run[scheme][size];
    struct sim_iterate settings;
    if (run->is_made)
        return run->iteration;
    sim_iterate_defaults(&settings);
    settings.costs = &hopper->costs;
    settings.machine = &hopper->machine;
    settings.iterations = HOPPER_ITERATIONS;
    settings.scheme = scheme;
    settings.cores = hopper_sizes[size];
    run->is_made = sim_iterate(&settings, run->iteration) == HOPPER_ITERATIONS + 1;
    if (!run->is_made)
        fprintf(stderr, "twill reproduce: no memory\n");
    return run->is_made ? run->iteration : NULL;
}

const struct sim_costs *hopper_costs(const struct hopper *hopper)
{
    return &hopper->costs;
}

static double all_cores(const struct sim_iteration *iteration, int size)
{
    return (double)iteration->makespan_ns * 1e-9 * hopper_sizes[size];
}

double hopper_best(struct hopper *hopper)
{
    double best = 0;
    for (int scheme = 0; scheme < HOPPER_SCHEMES; scheme++)
        for (int size = 0; size < HOPPER_SIZES; size++) {
            const struct sim_iteration *run = hopper_run(hopper, hopper_schemes[scheme], size);
            if (!run)
                return 0;
            for (int i = 1; i <= HOPPER_ITERATIONS; i++)
                if (best == 0 || all_cores(&run[i], size) < best)
                    best = all_cores(&run[i], size);
        }
    return best;
}

double hopper_efficiency(const struct sim_iteration *iteration, int size, double best)
{
    return best / all_cores(iteration, size);
}
