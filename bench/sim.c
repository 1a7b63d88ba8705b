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
    {.name = NULL},
};

static const struct twb_section sections[] = {
    {"messages", "actors that send each other numbers", twb_section_messages},
    {"growth", "an event where there are more places", twb_section_growth},
    {"memory", "bytes for each simulated core", twb_section_core_bytes},
    {"queue", "the queue of events alone", twb_section_queue},
    {NULL, NULL, NULL},
};

const struct twb_suite twb_sim = {
    .name = "sim",
    .help = "the simulator: messages, events and memory",
    .peers = peers,
    .goals = goals,
    .sections = sections,
};
