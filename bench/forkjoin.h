// SPDX-License-Identifier: Apache-2.0
// The sections of the suite forkjoin, and what they share.
#ifndef TWB_FORKJOIN_H
#define TWB_FORKJOIN_H

#include "harness.h"

extern const char *const twb_forkjoin_peers[]; // ends with NULL

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

// The numbers of workers to measure: 1, 2 and all, as far as they are there and differ.
#define TWB_COUNTS_MAX 3
size_t twb_worker_counts(const struct twb_bench *bench, unsigned counts[TWB_COUNTS_MAX]);

// Adds `lane` for each peer that is wanted: runtime and program become the peer's. The served case
// and the size stay.
void twb_add_peers(struct twb_group *group, struct twb_lane lane);

#endif
