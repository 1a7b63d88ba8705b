#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# ctest: timeout=300 release-only
# `twill bench` from outside: the form of its report and what it refuses. Figures are not judged.
set -u
twill=$TWILL
unset TWILL_SOURCE TWILL_BUILD TWILL_LIBRARY TWILL_WORKERS TWILL
out=$(mktemp)
trap 'rm -f "$out"' EXIT
failures=0

complain() {
    echo "bench_test: $*" >&2
    failures=$((failures + 1))
}

# has TEXT...: each is in the report.
has() {
    for text in "$@"; do
        grep -qF -e "$text" "$out" || complain "the report lacks $text"
    done
}

refused() {
    "$twill" bench "$@" >"$out" 2>/dev/null
    [ $? -eq 2 ] || complain "not refused: $*"
    [ ! -s "$out" ] || complain "refused, but with output: $*"
}

"$twill" bench forkjoin --quick --only fib,idle --against none --json >"$out" 2>/dev/null ||
    complain "exit code $? of a measurement"
has '"suite": "forkjoin"' '"quick": true' '"verified": true' '"rows"' '"case": "fib"' \
    '"runtime": "calls"' '"workers": 1' '"median"' '"spread"' '"unit": "ns/task"' '"goals"' \
    '"limit": 0.7' '"holds"' '"name": "idle_cpu"'
for goal in fib_fork fib_fork_clang fib_finish fib_scaling fib_vs_rayon fib_vs_tbb fib_vs_openmp \
    uts_one uts_two uts_memory steal_hot wake_cold idle_cpu never_hidden fork_instructions; do
    has "\"name\": \"$goal\""
done
# What was not measured says so, and does not hold.
grep -A 10 '"name": "uts_memory"' "$out" >"$out.goal"
mv "$out.goal" "$out"
has '"value": null' '"holds": false' '"verdict": "not measured"'

"$twill" bench tasks --quick --only loop,reducer,matmul --against none --json >"$out" 2>/dev/null ||
    complain "exit code $? of the suite tasks"
has '"suite": "tasks"' '"case": "loop-saxpy"' '"case": "reducer"' '"case": "matmul"' \
    '"size": "triangular"' '"runtime": "plain"' '"runtime": "sequential"' '"unit": "ns/update"'
for goal in loop_overhead loop_two loop_vs_openmp reducer_cost matmul_two matmul_vs_tbb \
    matmul_vs_rayon stencil_two stencil_vs_tbb stencil_vs_rayon sort_two sort_vs_tbb sort_vs_rayon \
    skynet mutex_uncontended; do
    has "\"name\": \"$goal\""
done

"$twill" bench waiting --quick --only timer,tcp,yield,handover,parking,parked,live,bound \
    --against none --json >"$out" 2>/dev/null || complain "exit code $? of the suite waiting"
has '"suite": "waiting"' '"case": "mapreduce_timer"' '"case": "mapreduce_tcp"' \
    '"runtime": "bound"' '"case": "bare_fiber"' '"case": "await_bytes"' '"case": "bound_U"' \
    '"size": "50 ms"' '"unit": "ns/task"'
for goal in mapreduce_timer_50 mapreduce_timer_5_vs_peers mapreduce_work mapreduce_tcp_vs_go \
    mapreduce_tcp_vs_tokio switch yield_vs_switch yield_vs_go handover_vs_go \
    spawn_parking_vs_bare parked_bytes await_bytes live_fibers; do
    has "\"name\": \"$goal\""
done

"$twill" bench networks --quick --against none --json >"$out" 2>/dev/null ||
    complain "exit code $? of the suite networks"
has '"suite": "networks"' '"verified": true' '"case": "message_cost"' '"unit": "ns/message"' \
    '"case": "speedup_1us"' '"unit": "times"' '"runtime": "twill-lhws"' '"size": "250/10us"' \
    '"unit": "attempts/s"' '"case": "harm_uts"'
for goal in message_cost_16_vs_go message_cost_1000_vs_boost two_workers_50 speedup_1us_250 \
    speedup_10us speedup_100us auto_regret steal_rate rule_of_thumb no_harm_forkjoin \
    no_harm_waiting; do
    has "\"name\": \"$goal\""
done

"$twill" bench networks --experiment 2 --quick --scale 0.0001 >"$out" 2>/dev/null ||
    complain "exit code $? of an experiment"
has 'speed-up' 'attempts/s' ' 256      100       1 ' rises_with_n auto_regret
"$twill" bench networks --experiment 4 --quick --scale 0.0001 --json >"$out" 2>/dev/null ||
    complain "exit code $? of an experiment in JSON"
has '"name": "saw_tooth"' '"case": "cell_attempts"' '"size": "17/800us"' '"runtime": "last"'

"$twill" bench sim --quick --against none --json >"$out" 2>/dev/null ||
    complain "exit code $? of the suite sim"
has '"suite": "sim"' '"verified": true' '"case": "messages"' '"size": "512x48"' \
    '"case": "event"' '"size": "7000x24"' '"unit": "ns/event"' '"case": "core_bytes"' \
    '"case": "queue"'
for goal in sim_vs_simgrid event_growth core_bytes; do
    has "\"name\": \"$goal\""
done

"$twill" bench places --quick --rounds 1 --only idle_places --against none --json >"$out" \
    2>/dev/null || complain "exit code $? of the suite places"
has '"suite": "places"' '"quick": true'
for goal in two_places many_places places_32 vs_plain_mpi vs_plain_mpi_T3 \
    vs_plain_mpi_chunks vs_plain_mpi_T3_chunks vs_tuned_mpi steal_trip \
    success_only one_place idle_places comm_auto sim_error sim_order; do
    has "\"name\": \"$goal\""
done
"$twill" bench collections --quick --only queue_owner,queue_steal,integral,hf,tree_time --json \
    >"$out" 2>/dev/null || complain "exit code $? of the suite collections"
has '"suite": "collections"' '"verified": true' '"size": "shallow"' '"runtime": "array"' \
    '"runtime": "portable"' '"unit": "ns/integral"' '"runtime": "persist-tree"'
for goal in queue_owner queue_steal retention_steals retention_tasks retention_time \
    retention_efficiency integral integral_portable hf_overhead hf_two tree_time; do
    has "\"name\": \"$goal\""
done

"$twill" bench collections --quick --rounds 1 --only retention,auto --json >"$out" 2>/dev/null ||
    complain "exit code $? of collections at places"
has '"verified": true' '"name": "auto"' '"name": "auto_adapts"'

placed='placed:none:1:any:seconds:run uts --tree T1 --workers 1 --check table --json:'
[ "$(echo go | "$twill" bench --serve "$placed" 1 1 | cut -d' ' -f2)" = 1 ] ||
    complain "a program at one place is not right"
[ "$(echo go | "$twill" bench --serve placed:none 1 1 | cut -d' ' -f2)" = 0 ] ||
    complain "half a program at places is taken for right"

refused
refused nothing
refused forkjoin --only nothing
refused forkjoin --against nothing
refused forkjoin --nothing
refused tasks --only fib
refused waiting --against rayon
refused waiting --experiment 1
refused networks --experiment 5
refused networks --scale 0.5
refused networks --experiment 2 --scale 0.00001
refused networks --only timer
refused sim --against go
refused sim --experiment 1
refused sim --mpi openmpi
refused places --mpi nothing
refused places --rounds 0
refused places --against rayon
refused collections --against go
refused --at-places nothing
refused --serve nothing 1 1
refused --serve scatter:16:0 1 1 nowhere
[ "$(echo go | "$twill" bench --serve messages:4:4 1 5 | cut -d' ' -f2)" = 920 ] ||
    complain "a wrong answer of simulated messages"
for wake in auto cur last lhws; do
    [ "$(echo go | "$twill" bench --serve scatter:16:0 2 5 $wake | cut -d' ' -f2)" = 680 ] ||
        complain "a wrong answer of scatter-gather under $wake"
done
"$twill" bench --help >"$out" || complain "no help"
has forkjoin tasks waiting networks sim places --against --only --quick --rounds --mpi --json \
    --experiment --scale steal stencil message_cost

exit $((failures > 0))
