// SPDX-License-Identifier: Apache-2.0
// The sections of the suite waiting.
#ifndef TWB_WAITING_H
#define TWB_WAITING_H

#include "lanes.h"

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

#endif
