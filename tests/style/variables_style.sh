#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every TWILL_* variable that the library reads is told to the user: by `twill help` and in the
# documentation.
set -eu
. "$(dirname "$0")/common.sh"
command=${TWILL:-}

# Names in string literals; the same letters elsewhere are include guards and build switches.
read_by_library() {
    sources "$1" src | tr '\n' '\0' | xargs -0 grep -ho '"TWILL_[A-Z0-9_]*"' | tr -d '"' | sort -u
}

documents() {
    for file in "$1"/README.md "$1"/docs/*.md; do
        [ ! -f "$file" ] || cat "$file"
    done
}

check() {
    help=$("$command" help)
    text=$(documents "$1")
    status=0
    for name in $(read_by_library "$1"); do
        if ! printf '%s\n' "$help" | grep -qw "$name"; then
            echo "$name: not in twill help"
            status=1
        fi
        if [ -n "$text" ] && ! printf '%s\n' "$text" | grep -qw "$name"; then
            echo "$name: not in README.md or docs/"
            status=1
        fi
    done
    return $status
}

# A made-up command whose help holds the given words.
say() {
    printf '#!/bin/sh\necho "%s"\n' "$1" | put twill
    chmod +x "$scratch/twill"
    command=$scratch/twill
}

self_test() {
    source='#ifndef TWILL_OS_H
char *a = getenv("TWILL_WORKERS");'
    printf '%s\n' "$source" | put src/base/os.c
    echo '`TWILL_WORKERS`: how many' | put docs/variables.md
    say "  TWILL_WORKERS  how many"
    expect_clean "a tree in order"
    printf '%s\n' "$source" | put src/base/os.c
    say "  TWILL_WORKERS_MAX"
    expect_report "a variable the help leaves out" "TWILL_WORKERS: not in twill help"
    printf '%s\n' "$source" | put src/base/os.c
    echo 'nothing' | put README.md
    say "  TWILL_WORKERS  how many"
    expect_report "a variable the documents leave out" "TWILL_WORKERS: not in README"
}

run_style_test "$@"
