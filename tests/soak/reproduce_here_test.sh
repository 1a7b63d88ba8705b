#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# ctest: timeout=1200 release-only alone
# Figures 5 to 9 of the paper on persistence-based balancing, on this machine: every section prints
# its rows and its claims, also over the 14 iterations that the paper has on two of its machines.
# What the claims come to is the machine's.
set -u
twill=$TWILL
unset TWILL_SOURCE TWILL_BUILD TWILL_LIBRARY TWILL_WORKERS TWILL
. "$TEST_SOURCE/tests/cli_common.sh"

what="twill reproduce"
"$twill" reproduce p3 --only figure5,figure6,figure7,figure8,figure9 --rounds 1 --iterations 14 \
    >"$scratch/out" 2>"$scratch/err"
[ $? -le 1 ] || complain "exit code $?"
for words in '^Figure 5: ' '^Figure 6: ' '^Figure 7: ' '^Figure 8: ' '^Figure 9: ' \
    '^ *HF-Be8 *1 worker ' '^ *HF-Be16 *2 workers ' '^ *TCE *1 worker ' \
    'no worse from iteration 3 on' 'fewer in iteration 5 than in iteration 1'; do
    grep -q "$words" "$scratch/out" || complain "no line with '$words'"
done
[ "$failures" -eq 0 ]
