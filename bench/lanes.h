// SPDX-License-Identifier: Apache-2.0
// What the sections of all suites share: peers and numbers of workers.
#ifndef TWB_LANES_H
#define TWB_LANES_H

#include "harness.h"

extern const char *const twb_peers[]; // ends with NULL

// The numbers of workers to measure: 1, 2 and all, as far as they are there and differ.
#define TWB_COUNTS_MAX 3
size_t twb_worker_counts(const struct twb_bench *bench, unsigned counts[TWB_COUNTS_MAX]);

// Are there two processors? If not, a remark says that the section is left out.
bool twb_needs_two(struct twb_bench *bench, const char *section);

// Adds `lane` for one runtime; program NULL: served by this command.
size_t twb_add_lane(struct twb_group *group, struct twb_lane lane, const char *runtime,
                    const char *program, const char *serve);

// Adds `lane` for each peer that is wanted: runtime and program become the peer's. The served case
// and the size stay.
void twb_add_peers(struct twb_group *group, struct twb_lane lane);

// The goal that a peer is a part of; "openmp" stands for all named openmp-...
struct twb_peer_goal {
    const char *peer; // NULL ends a table
    const char *goal;
};

// The same, with claims on the peer's lane over `base`; `goals` may be NULL.
void twb_claim_peers(struct twb_group *group, struct twb_lane lane, size_t base,
                     const struct twb_peer_goal *goals);

// Sets TWB_LOOPS for all that is started from now on (leaves.h).
void twb_set_loops(void);

// Claims a goal about Twill's lane and a peer's: whichever of the two ratios the goal limits.
void twb_claim_beside(struct twb_group *group, const char *goal, size_t twill, size_t peer);

#endif
