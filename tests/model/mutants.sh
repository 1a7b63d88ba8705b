#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# ctest: timeout=900
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
separator=' | '
passed=0
failed=0
checked=

scratch=$(mktemp -d)
trap 'rm -rf "$scratch"' EXIT
tree=$scratch/tree

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

failure() {
    failed=$((failed + 1))
    printf 'FAIL %s: %s\n' "$1" "$2"
}

# The program must pass on the sources as they are. Once for each.
check_unchanged() {
    case $checked in *"<$1>"*) return 0 ;; esac
    checked="$checked<$1>"
    fresh_tree
    if run_program "$1"; then
        passed=$((passed + 1))
        printf 'ok   %s, unchanged: %s\n' "$1" "$(grep -m 1 '^ok' "$report")"
    else
        failure "$1, unchanged" "$(head -n 1 "$report")"
    fi
}

# Replaces the one occurrence of $2 in file $1 by $3.
replace_once() {
    text=$(cat "$1" && echo x)
    before=${text%%"$2"*}
    if [ "$before" = "$text" ]; then
        echo "the text does not occur in the source"
        return 1
    fi
    after=${text#*"$2"}
    case $after in *"$2"*)
        echo "the text occurs more than once in the source"
        return 1
        ;;
    esac
    printf '%s%s%s' "$before" "$3" "${after%x}" >"$1"
}

# check_mutant <name> <program> <source> <text> <replacement>
check_mutant() {
    fresh_tree
    if ! why=$(replace_once "$tree/$3" "$4" "$5"); then
        failure "$1" "$why"
        return
    fi
    code=0
    run_program "$2" || code=$?
    case $code in
    1)
        passed=$((passed + 1))
        printf 'ok   %s: %s\n' "$1" "$(grep -m 1 '^FAIL' "$report" | cut -c 6-)"
        ;;
    0) failure "$1" "not found" ;;
    *) failure "$1" "did not run: $(head -n 1 "$report")" ;;
    esac
}

# Cuts the first field off $rest into $field.
next_field() {
    field=${rest%%"$separator"*}
    [ "$field" = "$rest" ] && rest= || rest=${rest#*"$separator"}
}

build_engine
while IFS= read -r rest; do
    case $rest in '' | '#'*) continue ;; esac
    next_field && mutant=$field
    case $mutant in *"$only"*) ;; *) continue ;; esac
    next_field && program=$field
    next_field && source=$field
    next_field && text=$(printf '%b' "$field")
    check_unchanged "$program"
    check_mutant "$mutant" "$program" "$source" "$text" "$(printf '%b' "$rest")"
done <"$list"

printf '%d passed, %d failed\n' "$passed" "$failed"
[ "$failed" -eq 0 ] && [ "$passed" -gt 0 ]
