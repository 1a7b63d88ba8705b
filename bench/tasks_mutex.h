// SPDX-License-Identifier: Apache-2.0
// Suite tasks: what a mutex costs that nobody else wants (tasks_mutex.c).
#ifndef TWB_TASKS_MUTEX_H
#define TWB_TASKS_MUTEX_H

#include "harness.h"

// Goal `mutex_uncontended`: tw_mutex over pthread_mutex, a lock and an unlock each.
void twb_section_mutex(struct twb_bench *bench);

#endif
