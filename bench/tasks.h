// SPDX-License-Identifier: Apache-2.0
// The sections of the suite tasks.
#ifndef TWB_TASKS_H
#define TWB_TASKS_H

#include "lanes.h"

// tasks_loop.c
void twb_section_loop(struct twb_bench *bench);
void twb_section_reducer(struct twb_bench *bench);
// tasks_kernels.c
void twb_section_matmul(struct twb_bench *bench);
void twb_section_stencil(struct twb_bench *bench);

#endif
