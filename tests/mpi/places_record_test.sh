#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# ctest: timeout=120 release-only alone
# Runs of every policy are recorded at each place; told the same again, the policies do the same.
set -u
. "$TEST_SOURCE/tests/mpi/common.sh"
recording=$PWD/recording
files="$recording.0 $recording.1 $recording.2"

# replay <status> <words> <file...>
replay() {
    expected=$1
    words=$2
    shift 2
    "$TWILL" sim replay "$@" >log 2>&1
    [ $? -eq "$expected" ] || complain "replay $*: not the exit code $expected"
    grep -q "$words" log || complain "replay $*: does not say '$words'"
}

check_mpi() {
    for policy in adaptive success-only success-only-acyclic baseline lifeline random; do
        rm -f $files
        detector=scopes
        [ $policy != baseline ] || detector=waves
        launch "$1" 3 "$TWILL" run uts --depth 8 --workers 1 --policy $policy \
            --detector $detector --record "$recording" --check table ||
            complain "$1, $policy: the run failed"
        replay 0 'events of 3 places: every action is the same' $files
        grep -q "place 2 of 3, $policy, $detector" log || complain "$1, $policy: not so called"
    done
    # What an older run of more places has left.
    launch "$1" 2 "$TWILL" run uts --depth 8 --workers 1 --record "$recording" --check table ||
        complain "$1: the run of two places failed"
    replay 0 "note: $recording.2 is of another run" $files
    # One byte of one file; one file that ends too soon.
    sed '30s/0/1/' "$recording.1" >changed
    replay 1 'changed was changed' "$recording.0" changed
    sed '$d' "$recording.2" >short
    replay 1 'short is not complete' short
    TWILL_RECORD=/none/recording launch "$1" 2 "$TWILL" run uts --depth 8 &&
        complain "$1: a recording that cannot be written was no error"
    grep -q "TWILL_RECORD: cannot write '/none/recording.0'" log ||
        complain "$1: does not say what cannot be written"
}

check_each
"$TWILL" run fib --n 10 --record "$recording" >log 2>&1
grep -q 'nothing is recorded' log || complain "one place: does not say that nothing is recorded"
[ $failures -eq 0 ]
