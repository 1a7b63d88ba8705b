// SPDX-License-Identifier: Apache-2.0
// The sections of the suite collections.
#ifndef TWB_COLLECTIONS_H
#define TWB_COLLECTIONS_H

#include "lanes.h"

void twb_section_auto(struct twb_bench *bench);        // collections_auto.c
void twb_section_queue_owner(struct twb_bench *bench); // collections_queue.c
void twb_section_queue_steal(struct twb_bench *bench); // collections_queue.c
void twb_section_tree_time(struct twb_bench *bench);   // collections_balance.c
void twb_section_integral(struct twb_bench *bench);    // collections_hf.c
void twb_section_hf(struct twb_bench *bench);          // collections_hf.c
void twb_section_retention(struct twb_bench *bench);   // collections_retention.c

#endif
