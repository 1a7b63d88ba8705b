// SPDX-License-Identifier: Apache-2.0
// The sections of the suite sim.
#ifndef TWB_SIM_H
#define TWB_SIM_H

#include "lanes.h"

void twb_section_messages(struct twb_bench *bench);   // sim_messages.c
void twb_section_growth(struct twb_bench *bench);     // sim_messages.c
void twb_section_core_bytes(struct twb_bench *bench); // sim_messages.c
void twb_section_queue(struct twb_bench *bench);      // sim_queue.c
void twb_section_whole(struct twb_bench *bench);      // sim_protocols.c
void twb_section_paper(struct twb_bench *bench);      // sim_protocols.c
void twb_section_adaptive(struct twb_bench *bench);   // sim_protocols.c

#endif
