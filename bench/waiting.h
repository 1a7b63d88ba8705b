// SPDX-License-Identifier: Apache-2.0
// The sections of the suite waiting, and what they share.
#ifndef TWB_WAITING_H
#define TWB_WAITING_H

#include "harness.h"

void twb_section_timer(struct twb_bench *bench);    // waiting_trees.c
void twb_section_work(struct twb_bench *bench);     // waiting_trees.c
void twb_section_tcp(struct twb_bench *bench);      // waiting_trees.c
void twb_section_curves(struct twb_bench *bench);   // waiting_curves.c
void twb_section_bound(struct twb_bench *bench);    // waiting_bound.c
void twb_section_switch(struct twb_bench *bench);   // waiting_cost.c
void twb_section_yield(struct twb_bench *bench);    // waiting_cost.c
void twb_section_handover(struct twb_bench *bench); // waiting_cost.c
void twb_section_parking(struct twb_bench *bench);  // waiting_cost.c
void twb_section_parked(struct twb_bench *bench);   // waiting_cost.c
void twb_section_live(struct twb_bench *bench);     // waiting_cost.c

// Sets TWB_LOOPS for all that is started from now on (leaves.h).
void twb_set_loops(void);

// Claims a goal about Twill's lane and a peer's: whichever of the two ratios the goal limits.
void twb_claim_beside(struct twb_group *group, const char *goal, size_t twill, size_t peer);

#endif
