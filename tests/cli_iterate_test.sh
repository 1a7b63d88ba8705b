#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# ctest: timeout=120
# `twill sim iterate` and `twill sim rebalance` from outside.
set -u
twill=$TWILL
unset TWILL_SOURCE TWILL_BUILD TWILL_LIBRARY TWILL_WORKERS TWILL
. "$TEST_SOURCE/tests/cli_common.sh"

schemes='none steal-all steal retentive persist-central persist-tree auto'

check_help() {
    for word in iterate rebalance; do
        run 0 sim $word --help
        quiet
        out "^twill sim $word"
        for option in --costs --cores --keep --fill --fan --start --json; do
            out "$option"
        done
    done
    run 0 sim iterate --help
    for word in $schemes --scheme --iterations --machine --attempt --null --noise --shift --seed; do
        out "$word"
    done
}

check_iterate() {
    run 0 sim iterate --costs spread --tasks 2000 --cores 50,100 --scheme all --iterations 4
    quiet
    for scheme in $schemes; do
        out "^spread, $scheme: 2,000 tasks, with null ones 2,000, on 50 cores$"
    done
    [ "$(grep -c '^ *4 ' "$scratch/out")" -eq 14 ] || complain "not 14 last iterations"
    out ' moved$'
    cp "$scratch/out" "$scratch/first"
    run 0 sim iterate --costs spread --tasks 2000 --cores 50,100 --scheme all --iterations 4
    cmp -s "$scratch/first" "$scratch/out" || complain "another result"
    printf 'all 500\n3 1000000\n90 2000000\n400 500000\n' >"$scratch/costs"
    run 0 sim iterate --costs "$scratch/costs" --cores 2 --scheme steal --attempt 0 --iterations 1
    out 'costs, steal: 3 tasks, with null ones 500, on 2 cores$'
    out '^ *0 '
    run 0 sim iterate --costs "$scratch/costs" --cores 2 --start 2,3 --iterations 1
    [ "$(grep -c '^ *[0-9]' "$scratch/out")" -eq 1 ] || complain "not one iteration"
}

check_json() {
    run 0 sim iterate --costs spread --tasks 500 --cores 20 --scheme persist-tree --json
    one_object
    for key in costs scheme machine cores seed tasks all_tasks iterations iteration stealing \
        time_s last_task_s work_s busiest_s efficiency relative attempts steals mean deviation \
        events rebalance donated moved busiest_before_s busiest_after_s usage_width_s usage; do
        out "\"$key\":"
    done
    run 0 sim rebalance --costs spread --tasks 500 --cores 20 --start 2,4 --json
    one_object
    for key in costs cores n m start_percent percent_over seconds central tree; do
        out "\"$key\":"
    done
}

check_rebalance() {
    run 0 sim rebalance --cores 2400 --start 4,4
    quiet
    out '^hf-be256: 213,144 tasks of 0.5'
    out '^ *4 *4 *2400 .* 0.03 /  0.29,  2.84 / 0.09$'
    run 0 sim rebalance --costs spread --tasks 500 --cores 8,16
    [ "$(grep -c '^ *[1-8] *[1-8] ' "$scratch/out")" -eq 20 ] || complain "not 20 rows"
}

check_refusals() {
    refused "--scheme 'best' is unknown: give all, or some of none, steal-all" \
        sim iterate --scheme best
    refused "--scheme 'steal,,auto' is unknown" sim iterate --scheme steal,,auto
    refused "--cores '0' is no list" sim iterate --cores 0
    refused "--start '4' is no start" sim iterate --start 4
    refused "--start '0,3' is no start" sim rebalance --start 0,3
    refused "--costs is hf-be256, hf-be512, hf-be512-20, spread or a file" \
        sim iterate --costs hf-be255
    refused "there is no machine 'hoper'" sim iterate --machine hoper
    refused '--keep' sim rebalance --keep 0.5
    refused '--fan' sim rebalance --fan 1
    printf '5\nx\n' >"$scratch/wrong"
    refused "wrong:2: 'x' is no cost" sim iterate --costs "$scratch/wrong"
    refused 'unknown .iterat.: give .* did you mean iterate' sim iterat
}

check_help
check_iterate
check_json
check_rebalance
check_refusals
[ "$failures" -eq 0 ]
