// SPDX-License-Identifier: Apache-2.0
// tw_run at this place alone; src/place/run.c decides whether others take part.
#ifndef TWI_RUN_H
#define TWI_RUN_H

#include <twill/runtime.h>

int twi_run_here(const struct tw_options *options, const struct tw_task_type *type,
                 const void *args);

#endif
