// SPDX-License-Identifier: Apache-2.0
// What programs for a launcher share: at which place what does not hold, and how often.
#ifndef TEST_MPI_REQUIRE_H
#define TEST_MPI_REQUIRE_H

#include <stdatomic.h>
#include <stdint.h>
#include <stdio.h>

#include <twill/twill.h>

static _Atomic uint64_t wrong;

#define REQUIRE(holds)                                                                             \
    do {                                                                                           \
        if (!(holds)) {                                                                            \
            fprintf(stderr, "place %u, line %d: %s\n", tw_here(), __LINE__, #holds);               \
            wrong++;                                                                               \
        }                                                                                          \
    } while (0)

#endif
