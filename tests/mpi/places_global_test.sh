#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# ctest: timeout=300 release-only alone
# Global memory at several places (tests/mpi/global.c), under the launchers of the MPIs that are
# here: through memory, by messages, and both; and what mistakes are told.
set -u
. "$TEST_SOURCE/tests/mpi/common.sh"

check_mpi() {
    for how in shared messages; do
        for places in 1 2 3 8; do
            is_well "$1" $places "$programs/global" $how
        done
        TWILL_WORKERS=2 is_well "$1" 2 "$programs/global" $how
    done
    is_well "$1" 5 "$programs/global" mixed
    is_well "$1" 2 "$programs/global_speed" shared 1
    is_well "$1" 2 "$programs/global_speed" messages 1
    launch "$1" 3 "$TEST_BUILD/examples/global" && grep -q '^3 places.* worst error 0' log ||
        complain "$1: the example failed"
    for how in shared messages; do
        ends_with 'element 99999 on: an array has 100000' "$1" 2 "$programs/global" $how index
        ends_with 'a global array was used that is freed' "$1" 2 "$programs/global" $how freed
        ends_with 'used outside a task' "$1" 2 "$programs/global" $how outside
    done
    ends_with 'place 2 is not there: there are 2' "$1" 2 "$programs/global" shared place
    ends_with 'tile (7, 0) of a matrix that has 7 x 9 tiles' "$1" 2 "$programs/global" shared tile
}

check_each
[ $failures -eq 0 ]
