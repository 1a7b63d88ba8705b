// SPDX-License-Identifier: Apache-2.0
// The suite collections: iterative programs whose next iteration profits from the last.
#include "collections.h"

#include "bench.h"

static const char *const peers[] = {NULL};

static const struct twb_goal goals[] = {
    {.name = "auto",
     .sense = TWB_AT_MOST,
     .limit = 1.02,
     .what = "drift by `auto` from iteration 3 on, over the best other balance, the worst load"},
    {.name = "auto_adapts",
     .sense = TWB_AT_MOST,
     .limit = 2,
     .what = "iterations from a jump of the load on until `auto` is in balance again"},
    {.name = "queue_owner",
     .sense = TWB_AT_MOST,
     .limit = 2,
     .what = "adding and taking a task of 64 bytes by the owner of a split queue, over an array"},
    {.name = "queue_steal",
     .sense = TWB_AT_LEAST,
     .limit = 0.5,
     .what = "bandwidth of a steal of 5,000 tasks of 64 bytes, over memcpy's"},
    {.name = "retention_steals",
     .sense = TWB_AT_LEAST,
     .limit = 5,
     .what = "successful steals in iteration 1 of Hartree-Fock at 2 places, over those in 5"},
    {.name = "retention_tasks",
     .sense = TWB_AT_LEAST,
     .limit = 5,
     .what = "tasks stolen in iteration 1, over those in 5"},
    {.name = "retention_time",
     .sense = TWB_AT_MOST,
     .limit = 1,
     .what = "time of its iterations 3 to 5 by retentive, over steal"},
    {.name = "retention_efficiency",
     .sense = TWB_AT_LEAST,
     .limit = 0.97,
     .what = "time in tasks over time of workers, the least of its iterations from 3 on"},
    {.name = "integral",
     .sense = TWB_AT_MOST,
     .limit = 0.4,
     .what = "a repulsion integral by precomputed pairs, over one by the straight formula"},
    {.name = "integral_portable",
     .sense = TWB_AT_MOST,
     .limit = 0.4,
     .what = "the same without AVX2"},
    {.name = "hf_overhead",
     .sense = TWB_AT_MOST,
     .limit = 1.02,
     .what = "a Fock build of Be8 by tasks on 1 worker, over a plain loop with the same kernels"},
    {.name = "hf_two",
     .sense = TWB_AT_LEAST,
     .limit = 1.9,
     .what = "speed-up of that build from 1 worker to 2"},
    {.name = "tree_time",
     .sense = TWB_AT_MOST,
     .limit = 1,
     .what = "persist-tree, 10^6 tasks on 163,840 cores, over qsort of their durations, twice"},
    {.name = NULL},
};

static const struct twb_section sections[] = {
    {"auto", "`auto` beside the other balances: loads that stay, drift, jump", twb_section_auto},
    {"queue_owner", "the split queue beside a plain array", twb_section_queue_owner},
    {"queue_steal", "half of 10,000 tasks stolen, beside memcpy", twb_section_queue_steal},
    {"retention", "Hartree-Fock at two places, with memory and without", twb_section_retention},
    {"integral", "integrals of Hartree-Fock beside the straight formula", twb_section_integral},
    {"hf", "a Fock build beside a plain loop, and on two workers", twb_section_hf},
    {"tree_time", "a tree rebalances a million tasks, beside qsort", twb_section_tree_time},
    {NULL, NULL, NULL},
};

const struct twb_suite twb_collections = {
    .name = "collections",
    .help = "task collections: their queue, balancers and Hartree-Fock",
    .peers = peers,
    .goals = goals,
    .sections = sections,
};
