#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# ctest: timeout=900 parts=4
# Seeds the mistakes of mutants.txt, one at a time, into a copy of the sources, and requires that
# the model program named beside it finds each, and finds nothing in the sources as they are. A
# mutant that does not compile, or makes its program too large, is not found.
#
#   sh tests/model/mutants.sh [part of a name]      only the mutants with this in their name
#
# Environment: CC; TWILL_MODEL_LIBRARY, the engine as a static library (built here when not given);
# TWILL_MUTANTS, another list.
set -eu

model=$(cd "$(dirname "$0")" && pwd)
root=$(cd "$model/../.." && pwd)
cc=${CC:-cc}
only=${1:-}
list=${TWILL_MUTANTS:-$model/mutants.txt}
flags="-std=gnu11 -O2 -g -w -UNDEBUG -DTWI_MODEL -D_GNU_SOURCE="

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
tree=$scratch/tree
. "$root/tests/support/mutants.sh"

build_engine() {
    library=${TWILL_MODEL_LIBRARY:-}
    [ -z "$library" ] || return 0
    library=$scratch/libmodel.a
    for source in "$model"/engine/*.c; do
        $cc $flags -I"$model/engine" -c "$source" -o "$scratch/$(basename "$source" .c).o"
    done
    ar rcs "$library" "$scratch"/*.o
}

fresh_tree() {
    rm -rf "$tree"
    mkdir -p "$tree/tests"
    cp -R "$root/include" "$root/src" "$tree"
    mkdir "$tree/tests/model"
    cp "$model"/*.[ch] "$tree/tests/model"
}

# Compiles and runs program $1 (perhaps only its case) from the tree; its output is in $report.
run_program() {
    name=${1%%:*}
    part=${1#"$name"}
    report=$scratch/report
    if ! $cc $flags -I"$model/engine" -I"$tree/tests/model" -I"$tree/include" -I"$tree/src" \
        -fmacro-prefix-map="$tree/=" "$tree/tests/model/$name.c" "$library" \
        -o "$scratch/program" >"$report" 2>&1; then
        return 3
    fi
    "$scratch/program" ${part:+"${part#:}"} >"$report" 2>&1
}

check_unchanged() {
    fresh_tree
    if run_program "$1"; then
        success "$1, unchanged" "$(grep -m 1 '^ok' "$report")"
    else
        failure "$1, unchanged" "$(head -n 1 "$report")"
    fi
}

check_mutant() {
    fresh_tree
    if ! why=$(replace_once "$tree/$3" "$4" "$5"); then
        failure "$1" "$why"
        return
    fi
    code=0
    run_program "$2" || code=$?
    case $code in
    1) success "$1" "$(grep -m 1 '^FAIL' "$report" | cut -c 6-)" ;;
    0) failure "$1" "not found" ;;
    *) failure "$1" "did not run: $(head -n 1 "$report")" ;;
    esac
}

build_engine
check_list "$list" "$only"
