#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# mutants.sh must notice a mistake that no program finds, a text that is not there or not once, and
# a mutant that does not compile.
set -eu

model=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

cat >"$scratch/list" <<'T'
harmless | sample | tests/model/sample.h | 1u, TWI_RELEASE | 1u, TWI_SEQ_CST
absent | sample | tests/model/sample.h | TWI_FENCE(TWI_SEQ_CST); | ;
twice | sample | tests/model/sample.h | TWI_ACQUIRE | TWI_RELAXED
broken | sample | tests/model/sample.h | TWI_COMPILER_FENCE(); | TWI_COMPILER_FENCE(;
T

if TWILL_MUTANTS=$scratch/list sh "$model/mutants.sh" >"$scratch/report"; then
    echo "mutants.sh is content with a bad list"
    exit 1
fi
cat >"$scratch/expected" <<'T'
FAIL harmless: not found
FAIL absent: the text does not occur in the source
FAIL twice: the text occurs more than once in the source
FAIL broken: did not run
1 passed, 4 failed
T
while IFS= read -r line; do
    if ! grep -qF -e "$line" "$scratch/report"; then
        echo "missing: $line"
        cat "$scratch/report"
        exit 1
    fi
done <"$scratch/expected"
echo "1 passed, 0 failed"
