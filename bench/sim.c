// SPDX-License-Identifier: Apache-2.0
// The suite sim: what the simulator costs, beside SimGrid. First the fabric alone, by traffic that
// does nothing but talk; whole simulations have sections of their own after it.
#include "sim.h"

#include "bench.h"

static const char *const peers[] = {"simgrid", NULL};

static const struct twb_goal goals[] = {
    {.name = "sim_vs_simgrid",
     .sense = TWB_AT_LEAST,
     .limit = 25,
     .what = "messages a second at 512 places with 24,576 actors, Twill over SimGrid"},
    {.name = "event_growth",
     .sense = TWB_AT_MOST,
     .limit = 3,
     .what = "an event at 7,000 places of 24 actors over one at 512"},
    {.name = "core_bytes",
     .sense = TWB_AT_MOST,
     .limit = 1024,
     .what = "memory for each simulated core, in bytes, 512 and 7,000 places of 24"},
    {.name = "whole_seconds",
     .sense = TWB_AT_MOST,
     .limit = 60,
     .what = "T1L on 512 places of 24 cores, in seconds here"},
    {.name = "whole_bytes",
     .sense = TWB_AT_MOST,
     .limit = 1024,
     .what = "the same, memory for each simulated core, in bytes"},
    {.name = "success_failed",
     .sense = TWB_AT_MOST,
     .limit = 0,
     .what = "success-only on 512 places: failed steals, any seed"},
    {.name = "success_cyclic",
     .sense = TWB_AT_MOST,
     .limit = 0.2,
     .what = "likewise, percent of steals that are cyclic"},
    {.name = "success_two_victims",
     .sense = TWB_AT_LEAST,
     .limit = 85,
     .what = "likewise, percent of searches that ask two victims or fewer"},
    {.name = "success_vs_baseline",
     .sense = TWB_AT_MOST,
     .limit = 1,
     .what = "simulated time of success-only over that of baseline, 512 places"},
    {.name = "adaptive_regret",
     .sense = TWB_AT_MOST,
     .limit = 1.02,
     .what = "simulated time of adaptive over that of the best other policy, any scene"},
    {.name = NULL},
};

static const struct twb_section sections[] = {
    {"messages", "actors that send each other numbers", twb_section_messages},
    {"growth", "an event where there are more places", twb_section_growth},
    {"memory", "bytes for each simulated core", twb_section_core_bytes},
    {"queue", "the queue of events alone", twb_section_queue},
    {"whole", "a whole simulation: seconds and memory", twb_section_whole},
    {"paper", "what the protocols' paper found, simulated at its size", twb_section_paper},
    {"adaptive", "all policies on different work", twb_section_adaptive},
    {NULL, NULL, NULL},
};

const struct twb_suite twb_sim = {
    .name = "sim",
    .help = "the simulator: messages, events and memory",
    .peers = peers,
    .goals = goals,
    .sections = sections,
};
