#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# ctest: timeout=300
# The twill command from outside: what it prints, what it refuses, its exit codes.
set -u
twill=$TWILL
unset TWILL_SOURCE TWILL_BUILD TWILL_LIBRARY TWILL_WORKERS TWILL
. "$TEST_SOURCE/tests/cli_common.sh"

check_printing() {
    run 0 version
    out '^twill [0-9]*\.[0-9]*\.[0-9]*$'
    run 0 --version
    run 0 help
    quiet
    for word in run demo bench reproduce info help version TWILL_WORKERS TWILL_STACK_SIZE \
        --workers 'man twill'; do
        out "$word"
    done
    for command in run demo bench reproduce info help version; do
        run 0 help $command
        out "^twill"
    done
    run 0 run --help
    out nqueens
    for app in fib nqueens uts sort skynet fft knapsack matmul stencil mandelbrot \
        sieve fir jpeg mapreduce server scatter-gather hf tce drift; do
        run 0 run $app --help
        out "Options of $app"
        out "--workers"
        # An option of the application hides one of the runtime's that has its name.
        twice=$(awk '/^  --/ { print $1 }' "$scratch/out" | sort | uniq -d)
        [ -z "$twice" ] || complain "options that are there twice: $twice"
        run 0 help run $app
        out "Options of $app"
    done
    run 0 demo --help
    run 2
    err Commands
}

check_info() {
    run 0 info
    quiet
    for word in compiler flags 'context switch' 'affinity mask' quota membarrier 'stack guard'; do
        out "$word"
    done
    out 'TWILL_WORKERS  *auto  *default'
    out '^  openmpi  *\(Open MPI [0-9.]*, \|no plugin\)'
    out '^  mpich  *\(MPICH [0-9.]*, \|no plugin\)'
    run 0 info --mpi /none/plugin.so
    out '^  /none/plugin.so *no plugin'
    run 0 info --json
    one_object
    out '"mpi": '
    out '"quota_from": '
    run 0 info --workers 3
    out 'TWILL_WORKERS  *3  *option'
    out '3, by the option'
    with TWILL_WORKERS=5 run 0 info
    out 'TWILL_WORKERS  *5  *environment'
    with TWILL_WORKERS=5 run 0 info --workers 3
    out 'TWILL_WORKERS  *3  *option'
    with TWILL_WORKERS=x run 2 info
    err "TWILL_WORKERS: 'x'"
    if command -v taskset >/dev/null && taskset -c 0 true 2>/dev/null; then
        taskset -c 0 "$twill" info >"$scratch/out"
        out '1 in the affinity mask'
        out '1, by '
    fi
}

# check_json WORKERS WORD...: a run that must verify itself.
check_json() {
    workers=$1
    shift
    run 0 run "$@" --workers "$workers" --json
    one_object
    quiet
    out '"verified": true'
    out "\"workers\": $workers,"
    out '"places": 1'
    out '"seconds": [0-9]'
    # An application's table may have such names too.
    sed -n '/"stats": {/,$p' "$scratch/out" >"$scratch/stats"
    for key in tasks stolen steals_tried steals nudges_tried nudges parks sleeps wakes stacks \
        shares overflows dropped traced trace_lost; do
        [ "$(grep -c "\"$key\": " "$scratch/stats")" -eq $((workers + 2)) ] ||
            complain "$key is not told for all workers and each"
    done
}

check_runs() {
    for workers in 1 2 8; do
        check_json $workers fib --n 20
        out '"value": 6765'
        check_json $workers fib --n 15 --style async
        out '"value": 610'
        check_json $workers nqueens --n 8
        out '"solutions": 92'
        check_json $workers matmul --n 70
        check_json $workers stencil --n 40 --sweeps 7
        check_json $workers mandelbrot --width 60 --height 40 --iterations 90
        for style in fork async; do
            check_json $workers uts --depth 7 --style $style
            out '"nodes": 63914'
        done
        check_json $workers sort --n 100000
        check_json $workers skynet --leaves 10000
        out '"sum": 49995000'
        check_json $workers fft --log2n 15
        check_json $workers knapsack --items 24
        check_json $workers mapreduce --n 30 --latency 1ms
        for source in tcp file; do
            check_json $workers mapreduce --n 30 --latency 1ms --source $source
        done
        check_json $workers server --self 40
        out '"answered": 40'
    done
    run 0 run fib --n 10
    out 'verified  *yes'
    run 0 run uts --depth 7 --sequential --json
    one_object
    out '"verified": false'
    out '"check": "none"'
    run 0 run nqueens --n 8 --sequential --json
    out '"check": "table"'
    out '"verified": true'
    run 0 run nqueens --n 8 --check none
    out 'verified  *no'
    run 0 run mandelbrot --width 30 --height 20 --output "$scratch/set.pgm"
    [ "$(wc -c <"$scratch/set.pgm")" -eq 613 ] || complain "a picture of another size"
    run 1 run mandelbrot --width 30 --height 20 --output "$scratch/none/set.pgm"
    err "--output: '.*none/set.pgm' cannot be written: No such file"
    run 1 run mandelbrot --width 30 --height 20 --output /dev/full
    err "--output: '/dev/full' cannot be written: No space left"
}

# network WORD...: run by check_networks, on so many workers.
network() {
    run 0 run "$@" --workers "$workers" --wake "$wake" --json
    quiet
    out '"verified": true'
}

# The same output on any number of workers, wherever processes go on that waited.
check_networks() {
    for workers in 1 2 8; do
        for wake in auto cur last lhws; do
            network scatter-gather --n 9 --rounds 30 --work 0
            out '"sum": 32080'
            out "\"wake\": \"$wake\""
            out '"rule_of_thumb": "[kb]'
            network sieve --primes 3000
            out '"last_prime": 27449'
            network fir --blocks 9
            grep '"digest"' "$scratch/out" >>"$scratch/digests"
            network jpeg --height 90 --output "$scratch/$workers$wake.jpg"
            cmp "$scratch/1auto.jpg" "$scratch/$workers$wake.jpg" || complain 'another picture'
        done
    done
    [ "$(sort -u "$scratch/digests" | wc -l)" -eq 1 ] || complain 'another spectrum'
    run 1 run jpeg --height 20 --output /dev/full
    err "--output: '/dev/full' cannot be written: No space left"
}

# Runs until it is told to stop, and then tells what it did.
check_server() {
    what='twill run server'
    "$twill" run server --port 0 >"$scratch/served" 2>"$scratch/said" &
    server=$!
    tries=0
    until grep -q 'listening on 127.0.0.1:[1-9]' "$scratch/said" || [ $tries -ge 200 ]; do
        tries=$((tries + 1))
        sleep 0.1
    done
    port=$(sed -n 's/.*127.0.0.1://p' "$scratch/said")
    run 1 run server --port "$port" --workers 1
    err "run server: --address 127.0.0.1, --port $port: cannot listen there: Address already in use"
    kill -TERM $server
    wait $server || complain "exit code $? after SIGTERM"
    cp "$scratch/served" "$scratch/out"
    out 'answered  *0$'
}

check_trees() {
    for tree in T1 T3; do
        run 0 run uts --tree $tree --sha portable --json
        out '"sha": "portable"'
        out '"verified": true'
        tr -d '\n' <"$scratch/out" | grep -o '"nodes.*"leaves": [0-9]*' >"$scratch/portable"
        "$twill" info | grep -q 'SHA instructions  *yes' || continue
        run 0 run uts --tree $tree --sha ni --json
        out '"sha": "ni"'
        tr -d '\n' <"$scratch/out" | grep -o '"nodes.*"leaves": [0-9]*' >"$scratch/ni"
        cmp -s "$scratch/portable" "$scratch/ni" || complain "SHA-NI finds another tree"
    done
    with TWILL_MPI=off run 0 demo
    out 'sequential C'
    out 'Twill, 1 worker'
    out 'left out: no MPI launcher'
    run 0 demo --workers 2
    out 'Speed-up of 2 workers'
    out '2 places, 1 worker \|left out: '
}

check_trace() {
    run 0 run uts --depth 7 --workers 2 --trace "$scratch/trace.json" --json
    quiet
    out '"traced": [1-9]'
    out '"trace_lost": 0'
    run 0 run fib --n 10 --trace "$scratch/trace.json" --trace-events 16
    quiet
    cp "$scratch/trace.json" "$scratch/out"
    one_object
    out '"name":"worker'
    out '"name":"run_forked"'
    with TWILL_TRACE="$scratch/other.json" run 0 run fib --n 10
    [ -s "$scratch/other.json" ] || complain "no trace by the variable"
    run 0 info --trace "$scratch/trace.json"
    out "TWILL_TRACE  *$scratch/trace.json  *option"
    run 1 run fib --n 10 --trace "$scratch/none/trace.json"
    err "run fib: --trace: cannot write '$scratch/none/trace.json': No such file or directory"
    with TWILL_TRACE="$scratch" run 1 run fib --n 10
    err "run fib: TWILL_TRACE: cannot write '$scratch': Is a directory"
    refused "--trace: '' is not accepted; give off, or" run fib --trace ''
    refused "--trace-events: '3' is not accepted" run fib --trace-events 3
    run 1 demo --trace "$scratch/none/trace.json"
    err "demo: --trace: cannot write '$scratch/none/trace.json'"
    [ ! -c /dev/full ] || run 1 run fib --n 10 --trace /dev/full
    [ ! -c /dev/full ] || err "cannot write '/dev/full'"
}

# Hartree-Fock needs LAPACK, and says so where it is absent.
check_hf() {
    "$twill" run hf --atoms 1 --check none >"$scratch/out" 2>"$scratch/err"
    if grep -q 'LAPACK is not installed.*apt-get install' "$scratch/err"; then
        return
    fi
    for workers in 1 2 8; do
        check_json $workers hf --atoms 2 --tile 8
        out '"energy": -[0-9.]*,'
        out '"converged": "yes"'
        out '"seconds": [0-9.e-]*,'
    done
    run 0 run hf --geometry h2 --screen 0 --sequential
    out 'energy  *-1.11671432'
    out '^  iteration  *energy  *error  *seconds  *fock_tasks'
    out '^  1  *-1.11671432'
    run 0 run hf --geometry heh+ --charge 1 --basis sto-3g --iterations 2
    out 'converged  *no'
    out 'iterations  *2'
    printf '2\ntwo of them\nH 0 0 0\nH 0 0 x\n' >"$scratch/two.xyz"
    refused "run hf: .*two.xyz:4: 'x' is no coordinate" run hf --geometry "$scratch/two.xyz"
    printf 'element H\nd\n' >"$scratch/d.basis"
    refused "run hf: .*d.basis:2: 'd' is neither 'element' nor 's'" \
        run hf --geometry h2 --basis "$scratch/d.basis"
    refused 'give one of them' run hf --geometry h2 --atoms 2
    refused 'with charge 1 there are 1 electrons' run hf --geometry h2 --charge 1
    printf '1\n\nH 0 0 0\n' >"$scratch/one.xyz"
    printf 'element H\ns\n1 1\ns\n1 1\n' >"$scratch/twice.basis"
    run 1 run hf --geometry "$scratch/one.xyz" --basis "$scratch/twice.basis" --charge -1
    err 'functions that depend on each other'
}

check_reproduce() {
    run 0 reproduce p3 --only table1
    quiet
    for row in 'HF-Be256  *40  *non-null tasks  *213,144  *213K  *agrees' \
        'HF-Be512  *40  *non-null tasks  *862,488  *862K  *agrees' \
        'HF-Be512  *20  *non-null tasks  *9,103,540  *9.10M  *agrees' \
        'HF-Be512  *20  *total tasks  *21,743,271,936  *21.7B  *agrees' \
        'TCE  *20  *total tasks  *470,357  *470K  *agrees'; do
        out "$row"
    done
    run 0 reproduce p3 --only table1 --json
    one_object
    out '"non_null": 9103540'
    refused 'which paper' reproduce
    refused "unknown paper 'p9': give p3" reproduce p9
    refused "--only does not know 'table9': give table1" reproduce p3 --only table1,table9
}

check_refusals() {
    refused "unknown command 'rum'.*did you mean run" rum
    refused "unknown command 'rum'" help rum
    refused 'which application' run
    refused "unknown application 'utz': give fib, nqueens, uts, .*mandelbrot" run utz
    for value in 0 -3 1000000000 abc '' 1.5 99999999999999999999; do
        refused "run fib: --workers: '$value' is not accepted; give .*1024" \
            run fib --workers "$value"
    done
    refused '--workers needs a value' run fib --workers
    refused 'unknown option --wokers; did you mean --workers' run fib --wokers 2
    refused "unexpected argument '3'" run fib 3
    refused "--json takes no value, not '1'" run fib --json=1
    refused "--n does not accept '94': give a whole number from 0 to 93" run fib --n 94
    refused "--n does not accept '0'" run nqueens --n 0
    refused "--style does not accept 'x': give one of fork, async" run uts --style x
    refused "--tree does not know 'T9': give T1, T2, .*T3WL" run uts --tree T9
    refused 'has no end' run uts --tree T3 --q 0.5
    refused "--latency does not accept '50': give a time from 0 to 60s" run mapreduce --latency 50
    refused "--source does not accept 'x': give one of timer, tcp" run mapreduce --source x
    refused "--address does not accept 'x': give four numbers" run server --address x
    refused "--sequential is not accepted" run server --sequential
    refused "--leaves does not accept '7': give a power of ten" run skynet --leaves 7
    refused "--pattern does not accept 'x': give one of random, sorted" run sort --pattern x
    refused "--scale does not accept '0'" run scatter-gather --scale 0
    refused "--primes does not accept '0': give a whole number from 1" run sieve --primes 0
    refused "--quality does not accept '101': give a whole number from 1 to 100" \
        run jpeg --quality 101
    refused "--stack-size: '7'" run fib --stack-size 7
    refused "unexpected argument 'x'" version x
    refused "unexpected argument 'x'" info x
    refused "unexpected argument 'x'" demo x
    with TWILL_WORKERS=-3 refused "TWILL_WORKERS: '-3' is not accepted" run fib
}

check_environment() {
    with TWILL_WORKER=2 run 0 version
    err 'TWILL_WORKER; did you mean TWILL_WORKERS'
    [ "$(wc -l <"$scratch/err")" -eq 1 ] || complain "more than one warning"
    with TWILL_XYLOPHONE=red run 0 version
    err 'nothing reads the variable TWILL_XYLOPHONE$'
    [ -c /dev/full ] || return
    what='a full disk'
    "$twill" help >/dev/full 2>"$scratch/err" && complain "exit code 0"
    err 'cannot write'
    "$twill" run fib --n 5 --json >/dev/full 2>"$scratch/err" && complain "exit code 0"
}

check_printing
check_info
check_runs
check_networks
check_server
check_trees
check_trace
check_hf
check_reproduce
check_refusals
check_environment
[ "$failures" -eq 0 ]
