#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# ctest: timeout=120 release-only
# A forked task that nobody steals may add only so many instructions to the sequential elision.
# They are counted, not timed, so that a busy machine changes nothing.
set -u
[ -x /usr/bin/valgrind ] || exit 77
report=$("$TWILL" bench forkjoin --only instructions --json) || exit 1
goal=$(echo "$report" | grep -A 10 '"name": "fork_instructions"')
echo "$goal"
echo "$goal" | grep -q '"holds": true'
