# SPDX-License-Identifier: Apache-2.0
# Shared by the style tests. Each defines check(), which prints the violations in the tree $1 and
# fails when there are any, and self_test(), which shows on made-up trees that it can.

# Reads a source file of the made-up tree from standard input.
put() {
    mkdir -p "$scratch/$(dirname "$1")"
    cat >"$scratch/$1"
}

# Every made-up tree begins empty.
fresh_tree() {
    rm -rf "$scratch"
    mkdir -p "$scratch"
}

expect_clean() {
    if ! report=$(check "$scratch" 2>&1); then
        printf 'self-test: %s was reported:\n%s\n' "$1" "$report"
        exit 1
    fi
    fresh_tree
}

# expect_report <what is wrong with the tree> <pattern the report must hold>
expect_report() {
    if report=$(check "$scratch" 2>&1); then
        printf 'self-test: %s was not noticed\n' "$1"
        exit 1
    fi
    if ! printf '%s\n' "$report" | grep -q -e "$2"; then
        printf 'self-test: %s gave another report:\n%s\n' "$1" "$report"
        exit 1
    fi
    fresh_tree
}

# Files below the given folders of tree $1, by the remaining find expression; absent ones are fine.
sources() {
    tree=$1
    shift
    for folder in "$@"; do
        [ ! -d "$tree/$folder" ] || find "$tree/$folder" -name '*.[ch]' -type f
    done | sort
}

run_style_test() {
    if [ "$1" = --self-test ]; then
        scratch=$(mktemp -d)
        trap 'rm -rf "$scratch"' EXIT
        fresh_tree
        self_test
        echo "self-test passed"
    elif check "$1"; then
        echo "clean"
    else
        exit 1
    fi
}
