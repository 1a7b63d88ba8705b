#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# ctest: timeout=300 release-only alone
# Several hosts, that is network namespaces (hosts.sh), whose network is quick or slow: exact counts
# with every policy, and a place that dies at one of them.
set -u
. "$TEST_SOURCE/tests/mpi/common.sh"
. "$TEST_SOURCE/tests/mpi/hosts_common.sh"

# dies_far <mpi>: a place that dies ends all of them. Where the launcher leaves that to them, those
# at other hosts are told.
dies_far() {
    launch_far "$1" 2 4 "$programs/failures" kill && complain "$1: a place died, and nobody cared"
    check_gone "$programs/failures" "$1: a place died"
    [ "$1" = openmpi ] || return 0
    launcher_options=--enable-recovery
    seconds=8 # mpirun itself goes on
    launch_far "$1" 2 4 "$programs/failures" kill
    grep -q 'place [01]: place 3 is gone: its process has ended, says place 2' log ||
        complain "$1: a place died, and nobody was told"
    check_gone "$programs/failures" "$1: a place died alone"
    launcher_options=
    seconds=60
}

# agrees_far <mpi> <hosts> <places>: Hartree-Fock, whose matrices only messages reach; energies are
# the sequential program's. Needs LAPACK.
agrees_far() {
    launch_far "$1" "$2" "$3" "$TWILL" run hf --atoms 2 --workers 2 --check oracle --json
    status=$?
    if grep -q 'LAPACK is not installed' log; then
        echo "$test_name: left out: needs LAPACK"
    elif [ $status -ne 0 ] || ! grep -q '"verified": true' log; then
        complain "$1, $2 hosts: Hartree-Fock failed"
    fi
    check_gone "$TWILL run" "$1, $2 hosts, hf"
}

check_mpi() {
    hosts up $name 4 0 "$programs/delay_switch" || complain "no hosts"
    runs_far "$1" 2 2 places
    runs_far "$1" 2 4 global
    agrees_far "$1" 2 2
    counts_far "$1" 4 4 --policy success-only
    counts_far "$1" 2 4 --policy adaptive --detector waves
    hosts down $name
    hosts up $name 4 200 "$programs/delay_switch" || complain "no hosts"
    runs_far "$1" 4 4 places
    for policy in adaptive success-only-acyclic baseline lifeline random; do
        counts_far "$1" 2 4 --policy $policy
    done
    dies_far "$1"
    hosts down $name
}

check_each
[ $failures -eq 0 ]
