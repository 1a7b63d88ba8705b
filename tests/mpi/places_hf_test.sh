#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# ctest: timeout=240 release-only alone
# Hartree-Fock at several places: energies as the sequential program's, with every balance.
set -u
. "$TEST_SOURCE/tests/mpi/common.sh"

# agrees <mpi> <places> <option...>: all energies do.
agrees() {
    mpi=$1
    places=$2
    shift 2
    if ! launch "$mpi" "$places" "$TWILL" run hf --check oracle --json "$@" ||
        ! grep -q '"verified": true' log || ! grep -q '"converged": "yes"' log; then
        complain "$mpi, $places places, $*: failed"
    fi
    check_gone "$TWILL run" "$mpi, $places places, $*"
}

check_mpi() {
    for places in 1 2 3; do
        agrees "$1" $places --atoms 2 --tile 4 --workers 1
    done
    agrees "$1" 2 --atoms 4 --workers 2
    agrees "$1" 3 --geometry h2 --screen 0 # fewer tiles than places
    for balance in retentive steal steal-all none persist-central persist-tree auto; do
        agrees "$1" 3 --atoms 2 --tile 5 --workers 1 --start first --balance $balance
        grep -q "\"balance\": \"$balance\"" log || complain "$1: another balance than $balance"
    done
    launch "$1" 2 "$TWILL" run hf --balance luck && complain "$1: luck is no balance"
    grep -q "run hf: --balance does not know 'luck': give retentive," log ||
        complain "$1: what is a balance?"
}

"$TWILL" run hf --geometry h2 --iterations 1 --sequential >log 2>&1
if grep -q 'LAPACK is not installed' log; then
    echo "$test_name: left out: needs LAPACK"
    exit 77
fi
check_each
[ $failures -eq 0 ]
