#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# ctest: timeout=6000 release-only alone
# Every balance of collections, 1 to 8 places of 1 to 4 workers under each MPI, hundreds of games.
set -u
. "$TEST_SOURCE/tests/mpi/common.sh"

check_mpi() {
    for places in 1 2 3 4 5 6 7 8; do
        for workers in 1 2 4; do
            TWILL_WORKERS=$workers is_well "$1" $places "$programs/balances" 200
        done
    done
}

check_each
[ $failures -eq 0 ]
