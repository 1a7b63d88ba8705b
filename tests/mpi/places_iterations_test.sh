#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# ctest: timeout=180 release-only alone
# The applications of collections at several places: exact answers of every balance.
set -u
. "$TEST_SOURCE/tests/mpi/common.sh"

# is_right <mpi> <places> <app and option...>
is_right() {
    mpi=$1
    places=$2
    shift 2
    if ! launch "$mpi" "$places" "$TWILL" run "$@" --workers 1 --json ||
        ! grep -q '"verified": true' log || ! grep -q "\"places\": $places" log; then
        complain "$mpi, $places places, $*: failed"
    fi
    check_gone "$TWILL run" "$mpi, $places places, $*"
}

check_mpi() {
    for places in 2 3; do
        is_right "$1" $places tce --tile 2 --shrink 5 --iterations 3 --balance all --keep
        is_well "$1" $places "$programs/tce"
        is_right "$1" $places tce --tile 2 --shrink 8 --iterations 2 --balance retentive --nulls
        for load in stays drifts jumps; do
            is_right "$1" $places drift --load $load --balance all --tasks 300 --cost 5us
        done
    done
}

check_each
[ $failures -eq 0 ]
