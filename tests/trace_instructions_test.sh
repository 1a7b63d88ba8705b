#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# ctest: timeout=300 release-only
# A task that nobody takes is not recorded, so a trace, on or off, adds nothing to its cost. Counted
# by callgrind: the difference of two sizes is free of what starting and ending the process cost.
set -u
[ -x /usr/bin/valgrind ] || exit 77
small=12
large=22
tasks=56848 # calls of fib(22) less those of fib(12)
slack=2000  # the process number, times and addresses have more digits in one run than in another
failures=0

# instructions STYLE N TRACE
instructions() {
    valgrind --tool=callgrind --callgrind-out-file=/dev/null "$TWILL" run fib --workers 1 \
        --style "$1" --n "$2" --trace "$3" 2>&1 >/dev/null |
        sed -n 's/.*Collected : \([0-9]*\).*/\1/p'
}

# grown STYLE TRACE: what the larger run needs more.
grown() {
    from=$(instructions "$1" $small "$2")
    to=$(instructions "$1" $large "$2")
    echo $((to - from))
}

# check STYLE LIMIT: the limit is hundredths of an instruction for each call, with gcc 12 and before
# there were traces.
check() {
    off=$(grown "$1" off)
    on=$(grown "$1" trace.json)
    echo "$1: $((off * 100 / tasks)) hundredths for each call without a trace," \
        "$((on - off)) instructions more for $tasks calls with one"
    if [ "$off" -le 0 ] || [ $((off * 100 / tasks)) -gt "$2" ]; then
        echo "$1: the limit is $2" >&2
        failures=1
    fi
    if [ $((on - off)) -gt $slack ] || [ $((off - on)) -gt $slack ]; then
        echo "$1: a trace changes the cost of tasks" >&2
        failures=1
    fi
}

check fork 1510
check async 4650
[ $failures -eq 0 ]
