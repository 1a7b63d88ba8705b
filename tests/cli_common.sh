#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# What the tests of the command share. $twill is the command.
scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
failures=0
given=

# with NAME=VALUE COMMAND...: runs and refusals inside see the variable.
with() {
    given=$1
    shift
    "$@"
    given=
}

complain() {
    echo "$*: $what" >&2
    sed 's/^/    /' "$scratch/out" "$scratch/err" >&2
    failures=$((failures + 1))
}

# run STATUS WORD...: what it printed is in $scratch/out and $scratch/err.
run() {
    expected=$1
    shift
    what="$given twill $*"
    env ${given:+"$given"} "$twill" "$@" >"$scratch/out" 2>"$scratch/err"
    status=$?
    [ "$status" -eq "$expected" ] || complain "exit code $status instead of $expected"
}

out() {
    grep -q -e "$1" "$scratch/out" || complain "stdout lacks '$1'"
}

err() {
    grep -q -e "$1" "$scratch/err" || complain "stderr lacks '$1'"
}

quiet() {
    [ ! -s "$scratch/err" ] || complain "stderr is not empty"
}

# refused MESSAGE WORD...: a usage error that says so, and nothing on stdout.
refused() {
    message=$1
    shift
    run 2 "$@"
    err "$message"
    [ ! -s "$scratch/out" ] || complain "stdout is not empty"
}

# Braces and brackets close, and only once at the end.
one_object() {
    tr -d '\n' <"$scratch/out" | awk '
        { for (i = 1; i <= length($0); i++) {
            c = substr($0, i, 1)
            if (c == "\"") quoted = !quoted
            if (quoted) continue
            if (c == "{" || c == "[") depth++
            if ((c == "}" || c == "]") && --depth == 0) objects++ } }
        END { exit !(objects == 1 && depth == 0 && $0 ~ /^\{.*\}$/) }' ||
        complain "not one JSON object"
}
