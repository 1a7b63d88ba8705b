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

check_persistence
[ "$failures" -eq 0 ]
