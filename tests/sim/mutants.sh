#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# ctest: timeout=400
# Seeds the mistakes of mutants.txt, one at a time, into the steal protocols, and requires that a
# campaign finds each, and finds nothing in the protocols as they are. What was changed is compiled
# and linked before the libraries, so that it replaces the original there. A crash, a misuse and a
# run that does not end count as found; a mutant that does not compile does not.
#
#   sh tests/sim/mutants.sh [part of a name]      only the mutants with this in their name
#
# Environment: CC; TWILL_SIM_LIBRARIES, the simulator and what it needs, in the order in which they
# are linked (otherwise those of build/release); TWILL_MUTANTS, another list.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$here/../.." && pwd)
. "$root/tests/support/mutants.sh"
begin "$here" "${1:-}"
built="$root/build/release/parts/libtwill_sim.a $root/build/release/parts/libtwill_apps.a
    $root/build/lib/libtwill.a"
libraries=${TWILL_SIM_LIBRARIES:-$built}
flags="-std=gnu11 -O1 -w -UNDEBUG -D_GNU_SOURCE="
seconds=60 # for a campaign

# Links the objects of the folder $1 to $1/campaign.
link() {
    objects=$(ls "$1"/*.o 2>/dev/null || true)
    $cc $objects "$scratch/campaign.o" $libraries -lm -pthread -o "$1/campaign" >"$report" 2>&1
}

# Runs $1/campaign with a field of the list: seeds and changes.
run_campaign() {
    timeout $seconds "$1/campaign" "${2%% *}" "${2#"${2%% *}"}" >"$report" 2>&1
}

check_unchanged() {
    mkdir -p "$scratch/original"
    if link "$scratch/original" && run_campaign "$scratch/original" "$1"; then
        success "$1, unchanged" "$(cut -c 6- "$report")"
    else
        failure "$1, unchanged" "$(head -n 1 "$report")"
    fi
}

# Compiles source $2 of the tree $1, or all that may include it if it is a header. What is not in
# the tree is as it was.
compile() {
    case $2 in *.c) sources=$1/$2 ;; *) sources=$1/${2%/*}/*.c ;; esac
    for file in $sources; do
        $cc $flags -I"$1/src" -I"$root/src" -I"$root/include" -c "$file" \
            -o "$1/$(basename "$file" .c).o" >"$report" 2>&1 || return 1
    done
}

check_mutant() {
    tree=$scratch/tree
    rm -rf "$tree"
    mkdir -p "$tree/src"
    cp -R "$root/src/steal" "$tree/src"
    if ! why=$(replace_once "$tree/$3" "$4" "$5"); then
        failure "$1" "$why"
        return
    fi
    if ! compile "$tree" "$3" || ! link "$tree"; then
        failure "$1" "did not compile: $(head -n 1 "$report")"
        return
    fi
    code=0
    run_campaign "$tree" "$2" || code=$?
    case $code in
    0) failure "$1" "not found" ;;
    1) success "$1" "$(grep -m 1 '^FAIL' "$report" | cut -c 6-)" ;;
    2 | 12[567]) failure "$1" "did not run: $(head -n 1 "$report")" ;;
    124) success "$1" "does not end" ;;
    *) success "$1" "dies: $(head -n 1 "$report")" ;;
    esac
}

$cc $flags -I"$root" -I"$root/src" -I"$root/include" -c "$here/campaign.c" -o "$scratch/campaign.o"
check_list "$list" "$only"
