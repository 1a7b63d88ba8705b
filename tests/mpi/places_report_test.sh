#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# ctest: timeout=120 release-only alone
# What `twill run` tells of several places: what each did adds up to what all did, and the matrix of
# steals to the tasks that were stolen.
set -u
. "$TEST_SOURCE/tests/mpi/common.sh"

# adds_up <words>: of the JSON in log, whose arrays of numbers are lines.
adds_up() {
    awk '
        function number() { match($0, /-?[0-9]+,?$/); return substr($0, RSTART) + 0 }
        /"all_places": \{/ { where = "all" }
        /"place": \[/ { where = "each" }
        /"steal_matrix": \[/ { where = "stolen" }
        where == "all" && /"(tasks|tasks_stolen|tasks_given|workers|messages)":/ {
            split($0, word, "\""); all[word[2]] = number() }
        where == "each" && /"(tasks|tasks_stolen|tasks_given|workers|messages)":/ {
            split($0, word, "\""); sum[word[2]] += number() }
        where == "each" && /"tasks":/ { places++ }
        where == "stolen" {
            gsub(/[^0-9]+/, " ")
            for (i = 1; i <= NF; i++) matrix += $i }
        END {
            for (name in all) if (all[name] != sum[name]) { print name ": " sum[name]; bad = 1 }
            if (matrix == 0 || matrix != all["tasks_stolen"]) { print "matrix: " matrix; bad = 1 }
            if (all["tasks_stolen"] != all["tasks_given"]) { print "given"; bad = 1 }
            if (all["workers"] != places) { print "workers"; bad = 1 }
            exit bad }' log >>sums || complain "$*: does not add up: $(cat sums)"
    rm -f sums
}

check_mpi() {
    for policy in adaptive success-only lifeline; do
        all_run 4 "$1, $policy" \
            launch "$1" 4 "$TWILL" run uts --workers 1 --policy $policy --check table --json
        adds_up "$1, $policy"
    done
    launch "$1" 3 "$TWILL" run nqueens --n 13 --workers 1 || complain "$1: nqueens failed"
    for words in 'place workers' 'tasks that a place took' 'all places' 'messages'; do
        grep -q "$words" log || complain "$1: the text lacks '$words'"
    done
    [ "$(grep -c '^nqueens' log)" = 1 ] || complain "$1: not told once"
    # Where nobody is denied requests that wait are told of, even if there are none.
    for policy in adaptive success-only success-only-acyclic; do
        launch "$1" 2 "$TWILL" run nqueens --n 11 --workers 1 --policy $policy
        for words in 'requests left unanswered' 'how long they waited, ns'; do
            grep -q "^  $words  *[0-9]" log || complain "$1, $policy: the text lacks '$words'"
        done
    done
    # The launcher is started by the command itself.
    timeout -k 5 60 "$TWILL" run uts --mpi "$1" --places 2 --workers 1 --check none >log 2>&1 ||
        complain "$1: --places failed"
    grep -q '^ *1  *1  *[1-9]' log || complain "$1: --places tells nothing of place 1"
    [ "$1" = openmpi ] || return 0 # the other takes 20 s to start that many
    timeout -k 5 60 "$TWILL" run uts --mpi "$1" --places 66 --depth 4 --workers 1 >log 2>&1 ||
        complain "$1: 66 places failed"
    ! grep -q 'tasks that a place took' log || complain "$1: a matrix of 66 places"
}

# What `twill info` tells of the MPIs that are here, both in one process.
check_info() {
    for mpi in openmpi mpich; do
        [ -e "$libraries/libtwill-mpi-$mpi.so" ] || continue
        "$TWILL" info >log 2>&1
        grep -q "^  $mpi .*[0-9]\.[0-9].*, started by mpirun" log ||
            complain "info: no version and launcher of $mpi"
        [ $mpi = openmpi ] || continue
        grep -q 'OMPI_MCA_osc=^rdma,ucx' log || complain "info: no cure"
        OMPI_MCA_osc=sm "$TWILL" info >log 2>&1
        grep -q "you have set it to 'sm'" log || complain "info: not as the user has set it"
    done
}

check_info
check_each
[ $failures -eq 0 ]
