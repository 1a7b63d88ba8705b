#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# ctest: timeout=120 release-only
# The progress line of long runs: when it is shown, and that it is gone at the end.
set -u
twill=$TWILL
. "$TEST_SOURCE/tests/cli_common.sh"
erased=$(printf '\r\033[K')

# Some seconds, on whatever machine: the first second tells how many hashes a node needs.
check_shown() {
    run 0 run uts --depth 8 --style any --granularity "$1" --workers 2 --check none --progress
    err 'uts: 2 s, [0-9,]* nodes, [0-9.]* million/s'
    [ "$(tail -c 4 "$scratch/err")" = "$erased" ] || complain "the line is not erased"
}

granularity=100
while :; do
    run 0 run uts --depth 8 --style any --granularity $granularity --workers 2 --check none --json
    quiet # no terminal
    seconds=$(sed -n 's/.*"seconds": \([0-9]*\)\..*/\1/p' "$scratch/out")
    [ "$seconds" -lt 1 ] || break
    granularity=$((granularity * 2))
done
check_shown $((granularity * 5))
run 0 run uts --depth 7 --progress
quiet # too short
run 0 run fib --n 20 --progress
quiet # does not count
[ $failures -eq 0 ]
