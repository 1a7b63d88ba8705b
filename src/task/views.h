// SPDX-License-Identifier: Apache-2.0
// Views of a reducer, for who closes it without being one of its tasks.
#ifndef TWI_VIEWS_H
#define TWI_VIEWS_H

#include <twill/reducer.h>

// Their combined value, and frees them: no task uses them any more. Any thread.
void twi_views_combine(struct twi_views *views, void (*merge)(void *into, const void *from),
                       void *value);

#endif
