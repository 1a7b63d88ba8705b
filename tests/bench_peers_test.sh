#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# ctest: timeout=300 release-only
# The peers that have been built (make peers) serve scatter-gather, or simulated messages, with
# right answers, run after run, and end when they are told to. Nothing is built here: where there
# are none, or they are older than their sources, it is skipped.
set -u
peers=$(dirname "$TWILL")/../peers
rounds=20
failures=0
found=0
export TWB_LOOPS=540

complain() {
    echo "bench_peers_test: $*" >&2
    failures=$((failures + 1))
}

# answers PEER CASE WORKERS: those of two runs, one line when they agree and it ends as it should.
answers() {
    {
        printf 'go\ngo\n' | timeout 60 "$peers/$1" "$2" "$3" $rounds
        echo "status: $?"
    } | awk '
        $1 == "status:" { status = $2; next }
        $1 > 0 && NF == 2 { print $2; runs++ }
        END { if (status != 0 || runs != 2) print "and ends with " status " after " runs " runs" }
    ' | sort -u
}

# check PEER CASE WORKERS EXPECTED
check() {
    given=$(answers "$1" "$2" "$3")
    [ "$given" = "$4" ] || complain "$1 $2 on $3 workers answers" $given "instead of $4"
}

# scatters PEER NAME: without work the answer is known; with work, that of threads is asked for.
scatters() {
    for tasks in 1 16 50 250; do
        idle=$((rounds * tasks * (tasks + 1) / 2))
        busy=$(answers threads "scatter:$tasks:1000" 1)
        for workers in 1 2; do
            check "$1" "$2:$tasks:0" $workers $idle
            check "$1" "$2:$tasks:1000" $workers "$busy"
        done
    done
}

# simulates PEER CASE: the rounds that are measured are 1 to $rounds.
simulates() {
    for shape in 1:1 16:1 31:31 512:2; do
        actors=$((${shape%:*} * ${shape#*:}))
        sum=$((rounds * actors * (actors + 1) / 2 + actors * rounds * (rounds + 1) / 2))
        check "$1" "$2:$shape" 1 $sum
    done
}

# refuses PEER CASE
refuses() {
    echo go | timeout 60 "$peers/$1" "$2" 1 1 >/dev/null 2>&1 && complain "$1 takes $2"
}

# searches MPI: the plain program counts the nodes of T1 and T3, on one rank and on several.
searches() {
    oversubscribe=
    [ "$1" != openmpi ] || oversubscribe=--oversubscribe
    for ranks in 1 2 5; do
        for words in T1 T3 'T1 --half' 'T3 --half'; do
            OMPI_ALLOW_RUN_AS_ROOT=1 OMPI_ALLOW_RUN_AS_ROOT_CONFIRM=1 timeout -k 5 60 \
                mpirun."$1" $oversubscribe -n $ranks "$peers/uts-$1" --tree $words 2>&1 |
                grep -q '"verified": true' || complain "uts-$1 --tree $words on $ranks ranks"
        done
    done
    for words in '' --tree '--tree T9' '--tree T1 half'; do
        "$peers/uts-$1" $words >/dev/null 2>&1 && complain "uts-$1 takes '$words'"
    done
}

[ -x "$peers/threads" ] || exit 77
bench=$TEST_SOURCE/bench
newer=$(find "$bench/peers" "$bench/scatter.c" "$bench/messages.c" "$bench/serve.c" -type f \
    -newer "$peers/threads")
[ -z "$newer" ] || exit 77
for peer in threads boost go tokio; do
    [ -x "$peers/$peer" ] || continue
    found=$((found + 1))
    scatters $peer scatter
    refuses $peer scatter
    refuses $peer scatter:some:work
    refuses $peer scatter:0:0
    refuses $peer scatter:16:0x
    refuses $peer scatters:1:0
done
[ ! -x "$peers/tokio" ] || scatters tokio scatter_unbounded
if [ -x "$peers/simgrid" ]; then
    found=$((found + 1))
    for name in messages messages_constant messages_bytes; do
        simulates simgrid $name
    done
    refuses simgrid messages
    refuses simgrid messages:0:1
    refuses simgrid messages:16
    refuses simgrid messages:16:2x
fi
for mpi in openmpi mpich; do
    if [ -x "$peers/uts-$mpi" ] && command -v mpirun.$mpi >/dev/null; then
        found=$((found + 1))
        searches $mpi
    fi
done
echo "bench_peers_test: $found peers"
[ "$failures" -eq 0 ]
