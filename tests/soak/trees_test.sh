#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# ctest: timeout=3000 workers=1,2,8
# The large trees and boards, every way to search them, against the tables of known results.
set -eu

check() {
    "$TWILL" run "$@" --json >result.json
    grep -q '"verified": true' result.json || {
        echo "not verified: twill run $*"
        cat result.json
        exit 1
    }
}

folder=$(mktemp -d)
trap 'rm -rf "$folder"' EXIT
cd "$folder"
for tree in T1L T2L T3L; do
    for style in fork async; do
        check uts --tree "$tree" --style "$style"
    done
done
check nqueens --n 15
check fib --n 42 --style fork
check fib --n 38 --style async
