#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The manual page that is installed tells the commands, options and variables that the command
# itself tells, no fewer and no others, and the formatter has nothing to say against it.
set -eu
. "$(dirname "$0")/common.sh"
command=${TWILL:-}
page=${TEST_BUILD:-}/man/twill.1

# Names as they are typed, one a line: --option and TWILL_VARIABLE.
names() {
    grep -oE -e '--[a-z][a-z0-9-]*|TWILL_[A-Z][A-Z0-9_]*' | sort -u
}

commands() {
    "$command" help | awk '/^[^ ]/ { inside = /^Commands/ } inside && /^  [^ ]/ { print $1 }'
}

# Each command's help; and what every command knows.
told() {
    echo --help --version
    "$command" help
    for name in $(commands); do
        "$command" "$name" --help
    done
}

typed() {
    grep -v '^\.\\"' "$page" | sed 's/\\-/-/g'
}

# `--name` stands for any option in the text about how they are written.
compare() {
    work=$(mktemp -d)
    told | names >"$work/told"
    typed | names | grep -vx -e '--name' >"$work/written"
    comm -23 "$work/told" "$work/written" | sed 's/$/: not in the manual page/'
    comm -13 "$work/told" "$work/written" | sed 's/$/: in the manual page only/'
    for name in $(commands); do
        grep -q "^\\\\fB$name\\\\fR" "$page" || echo "$name: a command that is not in the page"
    done
    rm -r "$work"
}

# The program alone may be there without its macros.
has_groff() {
    command -v groff >/dev/null 2>&1 && echo .TH x 1 | groff -man -Tascii -z >/dev/null 2>&1
}

lint() {
    if has_groff; then
        groff -ww -man -Tascii -z "$page" 2>&1
    else
        echo "not formatted: no groff with its man macros" >&2
    fi
}

check() {
    if [ ! -s "$page" ]; then
        echo "$page is not there"
        return 1
    fi
    report=$(compare; lint)
    [ -z "$report" ] || printf '%s\n' "$report"
    [ -z "$report" ]
}

# A made-up command with one option and one variable, and its page.
make_up() {
    put twill <<'T'
#!/bin/sh
[ "$1" != help ] || printf 'twill\n\nCommands\n  run  runs\n\nVariables\n  TWILL_SEED  a seed\n'
[ "$1" != run ] || printf 'twill run\nruns\n\nOptions\n  --fast  runs faster\n'
T
    chmod +x "$scratch/twill"
    command=$scratch/twill
    page=$scratch/twill.1
    put twill.1 <<'T'
.TH TWILL 1
\fBrun\fR
\-\-fast, \-\-help, \-\-version, TWILL_SEED
T
}

self_test() {
    make_up
    expect_clean "a page in order"
    make_up
    sed -i 's/fast/slow/' "$page"
    expect_report "an option left out" "--fast: not in the manual page"
    make_up
    echo 'And \-\-slow.' >>"$page"
    expect_report "an option too many" "--slow: in the manual page only"
    make_up
    sed -i 's/TWILL_SEED/a variable/' "$page"
    expect_report "a variable left out" "TWILL_SEED: not in the manual page"
    make_up
    sed -i '/fBrun/d' "$page"
    expect_report "a command left out" "run: a command that is not"
    make_up
    rm "$page"
    expect_report "no page" "is not there"
    if has_groff; then
        make_up
        echo '.NONE' >>"$page"
        expect_report "a macro that does not exist" "NONE"
    fi
}

run_style_test "$@"
