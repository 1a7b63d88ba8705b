#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# ctest: timeout=400
# Seeds the mistakes of mutants.txt, one at a time, into the balancers, among them those that the
# paper's Algorithm 2 has in print, and requires that a test finds each, and finds nothing in the
# balancers as they are. All of src/balance is compiled with the mistake and linked before the
# library. A crash and a run that does not end count as found; a mutant that does not compile does
# not.
#
#   sh tests/balance/mutants.sh [part of a name]      only the mutants with this in their name
#
# Environment: CC; TWILL_SIM_LIBRARIES, the library and what else is linked (otherwise that of
# build/release); TWILL_MUTANTS, another list.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
. "$root/tests/support/mutants.sh"
begin "$here" "${1:-}"
libraries=${TWILL_SIM_LIBRARIES:-$root/build/lib/libtwill.a}
flags="-std=gnu11 -O1 -w -UNDEBUG -D_GNU_SOURCE="
seconds=60 # for a test

# build <tree> <test>: the test with the balancers of the tree.
build() {
    $cc $flags -I"$1/src" -I"$root/src" -I"$root/include" -I"$root/tests" "$root/tests/$2.c" \
        "$1"/src/balance/*.c $libraries -lcmocka -lm -pthread -o "$scratch/program" >"$report" 2>&1
}

run_test() {
    TWILL_TEST_SCALE=30 timeout $seconds "$scratch/program" >"$report" 2>&1
}

fresh_tree() {
    rm -rf "$scratch/tree"
    mkdir -p "$scratch/tree/src"
    cp -R "$root/src/balance" "$scratch/tree/src"
}

check_unchanged() {
    fresh_tree
    if build "$scratch/tree" "$1" && run_test; then
        success "$1, unchanged" "$(grep -m 1 PASSED "$report")"
    else
        failure "$1, unchanged" "$(head -n 1 "$report")"
    fi
}

check_mutant() {
    fresh_tree
    if ! why=$(replace_once "$scratch/tree/$3" "$4" "$5"); then
        failure "$1" "$why"
        return
    fi
    if ! build "$scratch/tree" "$2"; then
        failure "$1" "did not compile: $(head -n 1 "$report")"
        return
    fi
    code=0
    run_test || code=$?
    case $code in
    0) failure "$1" "not found" ;;
    12[567]) failure "$1" "did not run: $(head -n 1 "$report")" ;;
    124) success "$1" "does not end" ;;
    *) success "$1" "$(grep -m 1 'FAILED\|ERROR' "$report" || echo dies)" ;;
    esac
}

check_list "$list" "$only"
