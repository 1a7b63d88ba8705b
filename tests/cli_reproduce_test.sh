#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# ctest: timeout=300 release-only
# Sections of `twill reproduce` that take seconds. What they say of a paper is known, whether it
# agrees or not.
set -u
twill=$TWILL
unset TWILL_SOURCE TWILL_BUILD TWILL_LIBRARY TWILL_WORKERS TWILL
. "$TEST_SOURCE/tests/cli_common.sh"

check_persistence() {
    run 1 reproduce p3 --only table2,table3
    out '^ *38400 *5 .* 2015 / *715 '
    out '^ *successful steals of iteration 1 within a factor of two (fitted, at 2,400) *agrees$'
    out '^ *attempts within a factor of two *DIFFERS$'
    out '^ *8 *8 *38400 '
    out '^ *the central balancer leaves loads at least as even as the tree *agrees$'
    run 1 reproduce p3 --only table2 --json
    one_object
    out '"paper_steals": 18'
    out '"verdict": "agrees"'
}

# Efficiency and utilisation on a simulated machine, and the plot.
check_figures() {
    run 1 reproduce p3 --only figure7-sim,figure10 --output "$scratch"
    out '^ *2400 persist-tree .* 1\.000 '
    out '^ *retention improves steadily: iterations 1, 2 and 5 *agrees$'
    out '^ *over 90 % in iteration 5 where a core has ten tasks or more *DIFFERS$'
    out '^ *84\.5 % on 9600 cores: '
    out '^ *9600 retentive  *5 .* 82\.6$'
    out '^ *fewer cores are busy in iteration 1 than in iteration 5 *agrees$'
    grep -q '>9600 cores<' "$scratch/figure10.svg" || complain "no plot"
    run 0 reproduce p3 --only figure10 --json
    one_object
    out '"percent_of_tenths": \['
    run 1 reproduce p3 --only figure10 --output "$scratch/nowhere"
    err "cannot write '$scratch/nowhere/figure10.svg': No such file"
}

check_persistence
check_figures
[ "$failures" -eq 0 ]
