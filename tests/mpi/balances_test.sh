#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# ctest: timeout=300 release-only alone
# Every balance of collections at 1 to 8 places, under the launchers of the MPIs that are here:
# tests/mpi/balances.c.
set -u
. "$TEST_SOURCE/tests/mpi/common.sh"

check_mpi() {
    for places in 1 2 3 4 5 6 7 8; do
        TWILL_WORKERS=1 is_well "$1" $places "$programs/balances"
    done
    TWILL_WORKERS=2 is_well "$1" 2 "$programs/balances"
    TWILL_WORKERS=3 is_well "$1" 4 "$programs/balances" 16
}

check_each
[ $failures -eq 0 ]
