// SPDX-License-Identifier: Apache-2.0
// The tasks of Hartree-Fock on chains of beryllium atoms, by their exact numbers of integrals.
#include <stdint.h>
#include <stdio.h>
#include <string.h>

#include "apps/hf/screen.h"
#include "apps/hf/system.h"
#include "apps/hf/tasks.h"
#include "sim/costs.h"

#define TOLERANCE 1e-6

// From the paper's mean and longest times: a task takes 0.256 s and 1.79 us for each integral.
enum { FIXED_NS = 256000000, INTEGRAL_NS = 1790 };

static const struct chain {
    size_t atoms, tile;
} chains[] = {{256, 40}, {512, 40}, {512, 20}};

const char *const sim_costs_names[] = {"hf-be256", "hf-be512", "hf-be512-20", NULL};

static int make_system(struct hf_system *system, size_t atoms, char *message, size_t size)
{
    struct hf_molecule molecule;
    struct hf_basis basis;
    if (hf_molecule_chain(&molecule, atoms, message, size) != 0)
        return -1;
    int error = hf_basis_open(&basis, "be-chain", message, size);
    if (error == 0) {
        error = hf_system_make(system, &molecule, &basis, 0, message, size);
        hf_basis_free(&basis);
    }
    hf_molecule_free(&molecule);
    return error;
}

static int add_tasks(struct sim_costs *costs, const struct hf_screen *screen)
{
    struct hf_tasks tasks;
    uint64_t tiles = screen->tiles;
    int error = hf_tasks_make(&tasks, screen);
    if (error != 0)
        return -1;
    for (size_t n = 0; n < tasks.count && error == 0; n++) {
        const struct hf_task *task = &tasks.task[n];
        uint64_t index = ((task->i * tiles + task->j) * tiles + task->k) * tiles + task->l;
        error = sim_costs_add(costs, index, FIXED_NS + (uint64_t)INTEGRAL_NS * task->integrals);
    }
    costs->all = tiles * tiles * tiles * tiles;
    hf_tasks_free(&tasks);
    return error;
}

static int make(struct sim_costs *costs, const struct chain *chain, char *message, size_t size)
{
    struct hf_system system;
    struct hf_screen screen;
    if (make_system(&system, chain->atoms, message, size) != 0)
        return -1;
    int error = hf_screen_make(&screen, &system, chain->tile, TOLERANCE);
    if (error == 0) {
        error = add_tasks(costs, &screen);
        hf_screen_free(&screen);
    }
    hf_system_free(&system);
    if (error == 0)
        return 0;
    snprintf(message, size, "%s: no memory", costs->name);
    sim_costs_free(costs);
    return -1;
}

int sim_costs_named(struct sim_costs *costs, const char *name, char *message, size_t size)
{
    for (size_t i = 0; sim_costs_names[i]; i++)
        if (strcmp(sim_costs_names[i], name) == 0) {
            sim_costs_init(costs, sim_costs_names[i]);
            return make(costs, &chains[i], message, size) == 0 ? 1 : -1;
        }
    return 0;
}
