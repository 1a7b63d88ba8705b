#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# ctest: timeout=200 sanitized-only alone
# Several places under AddressSanitizer and UndefinedBehaviorSanitizer, with both launchers: tasks
# that travel, errors, reducers, global memory, collections and their balances. What MPI itself does
# not free is not looked for.
set -u
. "$TEST_SOURCE/tests/mpi/common.sh"
export ASAN_OPTIONS=detect_leaks=0

check_mpi() {
    for name in places model balances; do
        TWILL_WORKERS=1 is_well "$1" 3 "$programs/$name"
    done
    for how in shared messages; do
        TWILL_WORKERS=1 is_well "$1" 3 "$programs/global" $how
    done
    for name in places model collections; do
        TWILL_WORKERS=2 is_well "$1" 2 "$programs/$name"
    done
}

check_each
[ $failures -eq 0 ]
