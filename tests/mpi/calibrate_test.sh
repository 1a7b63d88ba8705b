#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# ctest: timeout=300 release-only alone
# `twill sim calibrate` and `twill sim validate` with the MPIs that are here: what is measured is of
# the right order, what is written is read again, and all is told.
set -u
. "$TEST_SOURCE/tests/mpi/common.sh"
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
cd "$scratch" || exit 1

# limits KEY LEAST MOST: nanoseconds in the machine file, with plenty of room on both sides.
limits() {
    awk -v key="$1" -v least="$2" -v most="$3" '
        BEGIN { scale["ns"] = 1; scale["us"] = 1e3; scale["ms"] = 1e6; scale["s"] = 1e9
                scale["ps/B"] = 1; scale["ns/B"] = 1e3; scale[""] = 1 }
        $1 == key { unit = $2; sub(/^[0-9.]*/, "", unit); value = ($2 + 0) * scale[unit]; seen = 1 }
        END { exit !(seen && value >= least && value <= most) }' machine ||
        complain "$mpi: $1 is not within $2 to $3: $(grep "^$1 " machine)"
}

check_file() {
    limits places 2 2
    limits cores 1 4096
    limits node 1 100000
    limits task 0 100000
    limits wake 100 1000000000
    limits latency 1 100000000
    limits overhead 1 100000000
    limits gap 1 100000000
    limits gap-per-byte 1 1000000
    limits read 1 100000000
    limits notice 1 1000000000
    limits notice-busy 1 1000000000
    limits start 0 1000000000
    for measure in node task wake hand-over way-0 way-65536 send receive burst read asleep \
        asleep-busy used used-busy start-1 start-8; do
        grep -q "^# $measure .*\[.*\]" machine || complain "$mpi: $measure is not told"
    done
}

check_mpi() {
    mpi=$1
    timeout -k 5 100 "$TWILL" sim calibrate --quick --mpi "$mpi" --output machine >log 2>&1 ||
        complain "$mpi: calibrate failed"
    cmp -s machine log || complain "$mpi: the file is not what is shown"
    check_file
    "$TWILL" sim nqueens --n 8 --machine ./machine --places 1,2,8 --policy all --csv >log 2>&1 ||
        complain "$mpi: the machine is refused"
    timeout -k 5 100 "$TWILL" sim validate --quick --machine ./machine --mpi "$mpi" --json \
        >log 2>&1 || complain "$mpi: validate failed"
    for key in mpi quick rounds machine works nodes node_ns sequential cells work places policy \
        real simulated error median_s least_s most_s samples_s goals sim_error sim_order verdict; do
        grep -q "\"$key\"" log || complain "$mpi: validate tells no $key"
    done
    [ "$(grep -c '"error":' log)" -eq 14 ] || complain "$mpi: not as many cells as there are"
    check_gone "$TWILL" "$mpi"
}

check_each
[ $failures -eq 0 ]
