#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# mutants.sh must notice a mistake that no seed finds, a text that is not there or not once, a
# mutant that does not compile, and changes of a scenario that there are not.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

cat >"$scratch/list" <<'T'
harmless | 20 policy=5 | src/steal/random.c | self->search.stats.failed++; | ;
absent | 20 policy=5 | src/steal/random.c | TWI_DO_LOCK | TWI_DO_READ
twice | 20 policy=5 | src/steal/random.c | DENY | REQUEST
broken | 20 policy=5 | src/steal/random.c | self->search.stats.failed++; | self->search.
no knob | 20 luck=5 | src/steal/random.c | self->search.stats.failed++; | ;
T

if TWILL_MUTANTS=$scratch/list sh "$here/mutants.sh" >"$scratch/report"; then
    echo "mutants.sh is content with a bad list"
    exit 1
fi
cat >"$scratch/expected" <<'T'
FAIL harmless: not found
FAIL absent: the text does not occur in the source
FAIL twice: the text occurs more than once in the source
FAIL broken: did not compile
FAIL 20 luck=5, unchanged: 'luck=5' is no change of a scenario
FAIL no knob: did not run
1 passed, 6 failed
T
while IFS= read -r line; do
    if ! grep -qF -e "$line" "$scratch/report"; then
        echo "missing: $line"
        cat "$scratch/report"
        exit 1
    fi
done <"$scratch/expected"
echo "1 passed, 0 failed"
