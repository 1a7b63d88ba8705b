// SPDX-License-Identifier: Apache-2.0
// Which build of the program this is.
#ifndef TWI_BUILD_H
#define TWI_BUILD_H

#include <stdint.h>

// A number that differs, most likely, when two processes run different builds of the program or of
// this library, by the identification that linkers leave in them; where they leave none, by the
// library's version alone. Any thread.
uint64_t twi_build_sum(void);

#endif
