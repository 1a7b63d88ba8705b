// SPDX-License-Identifier: Apache-2.0
// The suite collections: iterative programs whose next iteration profits from the last.
#include "collections.h"

#include "bench.h"

static const char *const peers[] = {NULL};

static const struct twb_goal goals[] = {
    {.name = "queue_owner",
     .sense = TWB_AT_MOST,
     .limit = 2,
     .what = "adding and taking a task of 64 bytes by the owner of a split queue, over an array"},
    {.name = "queue_steal",
     .sense = TWB_AT_LEAST,
     .limit = 0.5,
     .what = "bandwidth of a steal of 5,000 tasks of 64 bytes, over memcpy's"},
    {.name = NULL},
};

static const struct twb_section sections[] = {
    {"queue_owner", "the split queue beside a plain array", twb_section_queue_owner},
    {"queue_steal", "half of 10,000 tasks stolen, beside memcpy", twb_section_queue_steal},
    {NULL, NULL, NULL},
};

const struct twb_suite twb_collections = {
    .name = "collections",
    .help = "task collections: their queue",
    .peers = peers,
    .goals = goals,
    .sections = sections,
};
