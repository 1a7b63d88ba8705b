// SPDX-License-Identifier: Apache-2.0
// Sections of the suite tasks that measure whole applications.
#ifndef TWB_TASKS_SECTIONS_H
#define TWB_TASKS_SECTIONS_H

#include "harness.h"

// tasks_sort.c
void twb_section_sort(struct twb_bench *bench);
void twb_section_skynet(struct twb_bench *bench);
void twb_section_fft(struct twb_bench *bench);

#endif
