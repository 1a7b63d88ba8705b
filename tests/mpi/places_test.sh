#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# ctest: timeout=600 release-only alone
# Programs at several places, under the launchers of the MPIs that are here: tests/mpi/places.c and
# model.c, and the trees and boards of `twill run` with every policy and detector.
set -u
. "$TEST_SOURCE/tests/mpi/common.sh"

# counts <mpi> <places> <option...>: UTS gives the known count.
counts() {
    mpi=$1
    places=$2
    shift 2
    if ! launch "$mpi" "$places" "$TWILL" run uts --tree T1 --workers 1 --check table --json "$@" ||
        ! grep -q '"verified": true' log; then
        complain "$mpi, $places places, $*: failed"
    fi
}

check_mpi() {
    for places in 1 2 3 8; do
        is_well "$1" $places "$programs/places"
        is_well "$1" $places "$programs/model"
    done
    TWILL_WORKERS=2 is_well "$1" 2 "$programs/places"
    for policy in adaptive success-only success-only-acyclic baseline lifeline random; do
        TWILL_POLICY=$policy is_well "$1" 4 "$programs/places"
        TWILL_POLICY=$policy is_well "$1" 5 "$programs/model"
        counts "$1" 3 --policy $policy
    done
    TWILL_DETECTOR=waves is_well "$1" 3 "$programs/places"
    TWILL_DETECTOR=waves TWILL_WORKERS=2 is_well "$1" 3 "$programs/model"
    counts "$1" 16 --detector waves
    for what in task finish run; do
        ends_with "only for the top level" "$1" 2 "$programs/model" $what
    done
    for comm in auto dedicated shared; do
        TWILL_COMM=$comm is_well "$1" 2 "$programs/places"
        counts "$1" 3 --comm $comm
    done
    launch "$1" 2 "$TWILL" run uts --comm dedicated --check table --json
    grep -q '"workers": [1-9]' log || complain "$1: a dedicated place has no workers"
    TWILL_POLICY=nonsense launch "$1" 2 "$programs/places" &&
        complain "$1: an unknown policy was taken"
    grep -q "TWILL_POLICY" log || complain "$1: nothing is said of TWILL_POLICY"
    check_gone "$programs/places" "$1"
}

check_each
[ $failures -eq 0 ]
