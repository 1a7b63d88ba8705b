#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# ctest: timeout=300
# `twill sim` from outside: what it prints, what it refuses, its exit codes.
set -u
twill=$TWILL
unset TWILL_SOURCE TWILL_BUILD TWILL_LIBRARY TWILL_WORKERS TWILL
. "$TEST_SOURCE/tests/cli_common.sh"

policies='adaptive success-only success-only-acyclic baseline lifeline random'
machines='edison hopper intrepid titan local'

# rows PATTERN COUNT: so many lines of stdout match.
rows() {
    found=$(grep -c -e "$1" "$scratch/out")
    [ "$found" -eq "$2" ] || complain "$found lines with '$1' instead of $2"
}

check_help() {
    run 0 help
    out '^ *sim '
    run 0 help sim
    quiet
    for word in uts nqueens tasks recorded campaign iterate rebalance machines calibrate \
        validate $policies \
        scopes waves --tree --cutoff --distribution --file --machine --places --policy \
        --detector --seed --threshold --batch --order --hungry --tries \
        --lifelines --node --network --jitter --phases --jobs --json --csv --by-place \
        --trace --quiet --seeds --with --output --rounds --quick --mpi; do
        out "$word"
    done
    run 0 sim --help
    out campaign
    for kind in uts nqueens tasks recorded campaign; do
        run 0 sim $kind --help
        out "^twill sim $kind"
        out --seed
    done
    for word in calibrate validate; do
        run 0 sim $word --help
        out "^twill sim $word"
        out --mpi
    done
}

check_machines() {
    run 0 sim machines
    for name in $machines; do
        out "^$name .* places x"
    done
    for name in $machines; do
        run 0 sim machines "$name"
        cp "$scratch/out" "$scratch/$name.machine"
        run 0 sim tasks --tasks 20 --places 3 --machine "$scratch/$name.machine" --csv
        cp "$scratch/out" "$scratch/first"
        run 0 sim tasks --tasks 20 --places 3 --machine "$name" --csv
        cmp -s "$scratch/first" "$scratch/out" || complain "the printed machine is another"
    done
    refused "there is no machine 'edisn'" sim machines edisn
    refused 'one machine' sim machines edison titan
}

# bad TEXT MESSAGE: a machine file with that in its third line, which is complained of.
bad() {
    printf '# a comment\nname mine\n%s\n' "$1" >"$scratch/bad.machine"
    refused "bad.machine:3: .*$2" sim uts --machine "$scratch/bad.machine"
}

check_machine_files() {
    bad 'latncy 5us' "no key 'latncy'"
    bad 'latency 5parsecs' 'give ns, us, ms or s'
    bad 'places many' "'places': 'many' is no whole number"
    bad 'topology ball' "ball"
    refused 'none.machine: cannot be read: No such file' sim uts --machine ./none.machine
    refused "there is no machine 'edisn': give edison" sim uts --machine edisn
}

check_refusals() {
    refused 'what?' sim
    refused "unknown 'utz': give uts, .* did you mean uts?" sim utz
    refused "unexpected argument 'x'" sim uts x
    refused 'nosuch' sim uts --nosuch
    refused "--policy 'foo' is unknown: give all, or some of adaptive, success-only" \
        sim uts --policy baseline,foo
    refused "--policy '' is unknown" sim uts --policy ''
    refused "--detector 'foo' is unknown: give all, or some of scopes, waves" \
        sim uts --detector foo
    for list in '' 0 x 3..1 1,,2 1.. ..3 1...3 -1 1000001 1..5000 4,x; do
        refused "--places '$list' is no list of numbers" sim uts --places "$list"
    done
    refused "--seed '1..5000' is no list" sim uts --seed 1..5000
    refused "--seed '99999999999999999999' is no list" sim uts --seed 99999999999999999999
    refused 'T9' sim uts --tree T9
    refused '--file is missing' sim recorded
    refused 'none.txt: cannot be read' sim recorded --file ./none.txt
    refused '--order' sim uts --order backwards
    refused '--trace is for one simulation, not for 2' \
        sim tasks --tasks 5 --places 2,3 --trace "$scratch/trace"
    refused "cannot write --trace '/none/trace'" sim tasks --tasks 5 --trace /none/trace
    refused "'x=3' is no change" sim campaign --with x=3
    refused "'places=0' is no change" sim campaign --with 'jitter=0 places=0'
    refused '--seeds' sim campaign --seeds 0
    refused "unknown 'calibrat'.* campaign, .*replay, calibrate or validate; .* calibrate?" \
        sim calibrat
    refused "'sim calibrate --help' lists\|nosuch" sim calibrate --nosuch
    refused '--rounds' sim validate --rounds 0
    for list in '' 0 x 1,,2 65 1,2x; do
        refused "--places '$list' is no list of numbers" sim validate --places "$list"
    done
    refused "there is no machine 'edisn'" sim validate --machine edisn
}

# Where there is no launcher, or one has started them already.
check_launching() {
    run 1 sim calibrate --quick --mpi off
    err 'needs an MPI launcher'
    with OMPI_COMM_WORLD_SIZE=2 run 1 sim calibrate
    err 'without a launcher'
    with OMPI_COMM_WORLD_SIZE=2 run 1 sim validate --machine local
    err 'without a launcher'
}

check_one() {
    run 0 sim uts --tree T1 --places 8 --policy success-only
    quiet
    out 'nodes  *4,130,071 (right)'
    for word in makespan efficiency events 'trace hash' memory 'failed steals' 'load probes' \
        'cyclic steals' 'left unanswered' 'time searching' messages 'bytes sent' 'victims asked'; do
        out "$word"
    done
    run 0 sim nqueens --n 8 --places 4 --policy baseline --detector waves --order ring
    out '(right)'
    printf '# costs\n100\n2000\n300\n' >"$scratch/costs"
    run 0 sim recorded --file "$scratch/costs" --places 2 --json
    one_object
    out '"result": 2400,'
    out '"work_s": 0.0000024,\|"work_s": 2.4'
}

check_json() {
    run 0 sim tasks --tasks 500 --places 5 --by-place --phases 2 --json
    quiet
    one_object
    for key in work machine places workers policy detector seed end answer nodes result makespan_s \
        last_task_s work_s efficiency events trace_hash memory; do
        rows "^  \"$key\": " 1
    done
    for key in steals tasks_stolen searches requests failed_steals cyclic_steals load_probes \
        unanswered unanswered_ns searching_ns messages bytes tasks busy_ns victims; do
        rows "\"$key\": " 6
    done
    out '"nodes": 1000,'
    out '"answer": "right"'
    out '"trace_hash": "[0-9a-f]\{16\}"'
    run 0 sim tasks --tasks 50 --places 2,3 --json
    rows '"trace_hash"' 2
    [ "$(head -n 1 "$scratch/out")" = '[' ] || complain "no array"
    run 0 sim campaign --seeds 50 --json
    one_object
    out '"scenarios": 50,'
    out '"failed": false'
}

# The same lines with any number of jobs, and as many values in each as there are names.
check_csv() {
    all='--places 2,4..6 --policy all --detector all --seed 7,9'
    run 0 sim tasks --tasks 300 $all --jobs 1 --csv
    quiet
    rows '^tasks,edison,.*,done,right,' 96
    for key in nodes makespan_s events trace_hash failed_steals load_probes messages; do
        head -n 1 "$scratch/out" | grep -q "[,]$key\(,\|\$\)" || complain "no $key"
    done
    awk -F, 'NR == 1 { names = NF } NF != names { exit 1 }' "$scratch/out" ||
        complain "lines of different lengths"
    cp "$scratch/out" "$scratch/first"
    run 0 sim tasks --tasks 300 $all --jobs 2 --csv
    cmp -s "$scratch/first" "$scratch/out" || complain "two jobs find something else"
    # Where nothing is cyclic, success-only-acyclic is success-only.
    [ "$(cut -d, -f14 "$scratch/out" | sort -u | wc -l)" -ge 80 ] || complain "hashes repeat"
}

check_table() {
    run 0 sim tasks --tasks 300 --places 2,4 --policy all --seed 1..5
    quiet
    out 'policy .*detect .*places .*seeds .*median'
    rows ' 5 .*right$' 12
    for policy in $policies; do
        rows "^$policy  *scopes " 2
    done
}

check_trace() {
    run 0 sim tasks --tasks 8 --places 2 --trace "$scratch/trace" --csv
    rows '^tasks,' 1
    cp "$scratch/out" "$scratch/first"
    cp "$scratch/trace" "$scratch/out"
    one_object
    rows '"name":"task"' 8
    rows '"name":"scopes: over"' 1
    out '^{"traceEvents":\['
    run 0 sim tasks --tasks 8 --places 2 --csv
    cmp -s "$scratch/first" "$scratch/out" || complain "a trace changes what happens"
    run 1 sim tasks --tasks 8 --places 2 --trace /dev/full
    err "cannot write --trace '/dev/full'"
}

# interrupt WORD...: ^C some time after it has begun; what is finished is kept.
interrupt() {
    what="twill $* and ^C"
    "$twill" "$@" >"$scratch/out" 2>"$scratch/err" &
    process=$!
    for pause in 1 0.1 0.2 0.5 1 2 4 8 16 32; do # again, should it not have been ready
        sleep $pause
        grep -q '^State:[[:space:]]*[^Z[:space:]]' /proc/$process/status 2>/dev/null || break
        kill -INT $process
    done
    wait $process
    status=$?
    [ "$status" -eq 1 ] || complain "exit code $status instead of 1"
}

check_interrupt() {
    interrupt sim tasks --tasks 20000 --places 64 --seed 1..4000 --csv
    err 'interrupted'
    rows ',done,right,' "$(grep -c ',done,' "$scratch/out")"
    out ',done,right,'
    out ',stopped,stopped,'
    interrupt sim tasks --tasks 20000 --places 64 --seed 1..4000
    out '^adaptive  *scopes  *64 *[1-9][0-9]* .* stopped$'
    interrupt sim campaign --seeds 100000000
    out '^[1-9][0-9,]* scenarios, .*nothing was wrong'
}

check_campaign() {
    run 0 sim campaign --seeds 300 --seed 5 --jobs 2
    quiet
    out '^300 scenarios, .* events: nothing was wrong$'
    run 0 sim campaign --seeds 20 --with 'places=1 phases=2'
    out '^20 scenarios, '
}

check_help
check_machines
check_machine_files
check_refusals
check_launching
check_one
check_json
check_csv
check_table
check_trace
check_interrupt
check_campaign
[ "$failures" -eq 0 ]
