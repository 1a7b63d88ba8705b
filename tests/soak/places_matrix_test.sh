#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# ctest: timeout=6000 release-only alone
# Places, 1 to 16, under each MPI, with every policy and detector: trees of which each has some
# (tests/mpi/places.c), UTS and NQueens, exact counts.
set -u
. "$TEST_SOURCE/tests/mpi/common.sh"

check_mpi() {
    for places in 1 2 3 4 5 6 7 8 9 10 11 12 13 14 15 16; do
        tree=T3
        [ $places -le 4 ] || tree=T1L # T3 may be over before the last place has had its turn
        for policy in adaptive success-only success-only-acyclic baseline lifeline random; do
            for detector in scopes waves; do
                TWILL_POLICY=$policy TWILL_DETECTOR=$detector is_well "$1" $places \
                    "$programs/places"
                counts "$1" $places uts --tree $tree --policy $policy --detector $detector
                counts "$1" $places nqueens --n 15 --policy $policy --detector $detector
            done
        done
    done
    for policy in adaptive success-only success-only-acyclic baseline lifeline random; do
        for places in 2 5 16; do # chunks, and several workers a place
            all_run $places "$1, $places places, $policy, chunks" launch "$1" $places "$TWILL" run \
                uts --tree T1L --chunk 8 --policy $policy --workers 2 --check table --json
        done
    done
}

check_each
[ $failures -eq 0 ]
