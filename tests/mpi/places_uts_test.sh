#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# ctest: timeout=120 release-only alone
# UTS at several places with a task for each node and with chunks of nodes: exact counts.
set -u
. "$TEST_SOURCE/tests/mpi/common.sh"

check_mpi() {
    for chunk in 1 8 16; do
        for tree in T1 T3; do
            all_run 3 "$1, $tree in chunks of $chunk" launch "$1" 3 "$TWILL" run uts \
                --tree $tree --chunk $chunk --workers 1 --check table --json
            grep -q '"style": "any"' log || complain "$1: another style than any"
        done
    done
}

check_each
[ $failures -eq 0 ]
