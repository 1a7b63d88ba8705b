#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# ctest: timeout=6000 release-only alone
# Several hosts and networks of several speeds, under each MPI, with every policy and detector.
set -u
. "$TEST_SOURCE/tests/mpi/common.sh"
. "$TEST_SOURCE/tests/mpi/hosts_common.sh"

check_mpi() {
    for delay in 0 50 200 1000; do
        hosts up $name 4 $delay "$programs/delay_switch" || complain "no hosts"
        runs_far "$1" 2 2 places
        runs_far "$1" 4 8 places
        runs_far "$1" 4 8 global
        for policy in adaptive success-only success-only-acyclic baseline lifeline random; do
            for detector in scopes waves; do
                counts_far "$1" 2 4 --policy $policy --detector $detector
                counts_far "$1" 4 4 --policy $policy --detector $detector
            done
        done
        hosts down $name
    done
}

check_each
[ $failures -eq 0 ]
