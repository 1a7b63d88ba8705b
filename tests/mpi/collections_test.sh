#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# ctest: timeout=300 release-only alone
# Collections at 1 to 8 places, under the launchers of the MPIs that are here:
# tests/mpi/collections.c.
set -u
. "$TEST_SOURCE/tests/mpi/common.sh"

check_mpi() {
    for places in 1 2 3 4 5 6 7 8; do
        TWILL_WORKERS=1 is_well "$1" $places "$programs/collections"
    done
    TWILL_WORKERS=2 is_well "$1" 2 "$programs/collections"
    TWILL_WORKERS=3 TWILL_DETECTOR=waves is_well "$1" 3 "$programs/collections"
    for comm in dedicated shared; do
        TWILL_COMM=$comm is_well "$1" 2 "$programs/collections"
    done
}

check_each
[ $failures -eq 0 ]
