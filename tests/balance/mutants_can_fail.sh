#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# mutants.sh must notice a mistake that no test finds, a text that is not there, and a mutant that
# does not compile.
set -eu

here=$(cd "$(dirname "$0")" && pwd)
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT

test=balance_database_test
source=src/balance/tree.c
cat >"$scratch/list" <<T
harmless | $test | $source | .summary = "a tree of cores | .summary = "trees of cores
absent | $test | $source | twi_no_such_call(self) | ;
broken | $test | $source | swap_pools(self);\\n    return kept - begun; | swap_pools(
T

if TWILL_MUTANTS=$scratch/list sh "$here/mutants.sh" >"$scratch/report"; then
    echo "mutants.sh is content with a bad list"
    exit 1
fi
for line in 'FAIL harmless: not found' 'FAIL absent: the text does not occur in the source' \
    'FAIL broken: did not compile' '1 passed, 3 failed'; do
    if ! grep -qF -e "$line" "$scratch/report"; then
        echo "missing: $line"
        cat "$scratch/report"
        exit 1
    fi
done
echo "1 passed, 0 failed"
