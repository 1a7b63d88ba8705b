#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# ctest: timeout=600 release-only alone
# Programs at several places, under the launchers of the MPIs that are here: tests/mpi/places.c and
# model.c, and the trees and boards of `twill run` with every policy and detector.
set -u
. "$TEST_SOURCE/tests/mpi/common.sh"

# With an MPI that the program has started, and finalises.
own_mpi() {
    for level in single funneled serialized multiple; do
        is_well "$1" 2 "$programs/own_run_$1" $level
    done
    is_well "$1" 3 "$programs/own_run_$1" serialized thread
    is_well "$1" 3 "$programs/own_run_$1" serialized later
    for how in thread later; do
        launch "$1" 2 "$programs/own_run_$1" funneled $how
        grep -q refused log || complain "$1: another thread was let in"
    done
    check_gone "$programs/own_run" "$1"
}

# The examples, linked with libtwill as a user's program is. A setting that is refused is named.
examples() {
    launch "$1" 3 "$TEST_BUILD/examples/places" 12 && grep -q '^12 queens: 14200 ways' log ||
        complain "$1: examples/places failed"
    launch "$1" 3 "$TEST_BUILD/examples/spmd" && grep -q '^3 places.* length 1.000000' log ||
        complain "$1: examples/spmd failed"
    for name in places spmd global collection; do
        TWILL_COMM=nonsense ends_with \
            "$name: place [01]: TWILL_COMM: 'nonsense' is not accepted; give auto, dedicated or" \
            "$1" 2 "$TEST_BUILD/examples/$name"
    done
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
        counts "$1" 3 uts --tree T1 --policy $policy
    done
    own_mpi "$1"
    examples "$1"
    TWILL_DETECTOR=waves is_well "$1" 3 "$programs/places"
    TWILL_DETECTOR=waves TWILL_WORKERS=2 is_well "$1" 3 "$programs/model"
    counts "$1" 16 uts --tree T1L --detector waves
    for what in task finish run; do
        ends_with "place [01]: .* is only for the top level" "$1" 2 "$programs/model" $what
    done
    for comm in auto dedicated shared; do
        TWILL_COMM=$comm is_well "$1" 2 "$programs/places"
        counts "$1" 3 uts --tree T1 --comm $comm
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
