// SPDX-License-Identifier: Apache-2.0
// The sections of the suite forkjoin.
#ifndef TWB_FORKJOIN_H
#define TWB_FORKJOIN_H

#include "lanes.h"

// forkjoin_work.c
void twb_section_fib(struct twb_bench *bench);
void twb_section_nqueens(struct twb_bench *bench);
void twb_section_uts(struct twb_bench *bench);
// forkjoin_latency.c
void twb_section_steal(struct twb_bench *bench);
void twb_section_wake(struct twb_bench *bench);
void twb_section_hidden(struct twb_bench *bench);
// forkjoin_cost.c
void twb_section_idle(struct twb_bench *bench);
void twb_section_startup(struct twb_bench *bench);
void twb_section_memory(struct twb_bench *bench);
void twb_section_instructions(struct twb_bench *bench);

// Spawned tasks of fib(n): its calls that are not leaves.
double twb_fib_forks(long n);

#endif
