#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# ctest: timeout=120 release-only
# The policies, detectors and balancers of places are the object code that runs in the simulator:
# each file of src/steal/ and src/balance/ is compiled once, no other file takes it in, both users
# reach policies and detectors by the same tables, and all functions are in `twill`, which holds
# both users, as they are in the library.
set -u
command -v nm >/dev/null || exit 77
archive=$(dirname "$TEST_LIBRARY")/libtwill.a
simulator=$TEST_BUILD/parts/libtwill_sim.a
failures=0

complain() {
    echo "steal_object_test: $*" >&2
    failures=$((failures + 1))
}

# functions <object or program> [member]: name and size of each, sorted.
functions() {
    nm -S "$1" 2>/dev/null | awk -v member="${2:-}" '
        /^[^ ]+:$/ { inside = $1 == member ":" }
        (member == "" || inside) && NF == 4 && $3 ~ /^[tT]$/ { print $4, $2 }' | sort
}

# lacking <members> <program>: functions of the first that the second does not have alike.
lacking() {
    comm -23 "$1" "$2"
}

# uses <archive> <symbol>: one of its members takes it from elsewhere, and none has its own.
uses() {
    nm "$1" 2>/dev/null | awk -v symbol="$2" '
        $NF == symbol && $(NF - 1) == "U" { taken = 1 }
        $NF == symbol && $(NF - 1) != "U" { own = 1 }
        END { exit !taken || own }'
}

: >in_members
functions "$TWILL" >in_twill
functions "$TEST_LIBRARY" >in_library
for source in "$TEST_SOURCE"/src/steal/*.c "$TEST_SOURCE"/src/balance/*.c; do
    name=$(basename "$source")
    times=$(grep -c "\"file\": \"$source\"" "$TEST_BUILD/compile_commands.json")
    [ "$times" -eq 1 ] || complain "$name is compiled $times times"
    functions "$archive" "$name.o" >in_member
    cat in_member >>in_members
    for program in in_twill in_library; do
        lacking in_member $program >lack
        [ ! -s lack ] || complain "$name: $program has other code: $(tr '\n' ' ' <lack)"
    done
done
[ "$(wc -l <in_members)" -gt 50 ] || complain "the library has few functions of src/steal"
taken=$(cd "$TEST_SOURCE" &&
    grep -rnE '#include "(.*/)?(steal|balance)/[a-z_]+\.c"' src sim cli apps bench)
[ -z "$taken" ] || complain "taken in: $taken"

for table in twi_policies twi_detectors; do
    uses "$simulator" $table || complain "the simulator does not use $table"
    nm "$archive" 2>/dev/null | awk -v table=$table '
        /:$/ { member = $1 }
        $NF == table && $1 == "U" && member == "open.c.o:" { found = 1 }
        END { exit !found }' || complain "places do not use $table"
    count=$(nm "$TWILL" | grep -c " $table\$")
    [ "$count" -eq 1 ] || complain "$table is in twill $count times"
done

# Would another build of a policy be noticed?
"$CC" -std=gnu11 -O0 -D_GNU_SOURCE= -I"$TEST_SOURCE/src" -I"$TEST_SOURCE/include" \
    -c "$TEST_SOURCE/src/steal/random.c" -o random.o || complain "random.c does not compile"
functions random.o >other
lacking other in_twill >lack
[ -s lack ] || complain "other code of random.c was not noticed"
[ $failures -eq 0 ]
