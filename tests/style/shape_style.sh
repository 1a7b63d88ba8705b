#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The shape of the sources: a licence line in each; no tabs, no lines past 100 columns, no trailing
# blanks, nothing left to do. In the code itself files end before 500 lines, functions before 70,
# opening comments before 25.
set -eu
. "$(dirname "$0")/common.sh"

# Everything that carries a licence line.
written() {
    for name in CMakeLists.txt Makefile; do
        [ ! -f "$1/$name" ] || echo "$1/$name"
    done
    for folder in include src apps sim machines cli bench tests examples cmake tools man .ci; do
        [ ! -d "$1/$folder" ] || find "$1/$folder" -type f \( -name '*.[chS]' -o -name '*.cpp' \
            -o -name '*.rs' -o -name '*.sh' -o -name '*.awk' -o -name '*.cmake' \
            -o -name '*.machine' -o -name '*.basis' -o -path '*/tools/*' -o -path '*/.ci/*' \) \
            ! -path '*/target/*'
    done | sort
}

check() {
    written "$1" | tr '\n' '\0' |
        xargs -0 awk -v root="$1" -f "$(dirname "$0")/shape.awk"
}

lines() {
    awk -v n="$1" 'BEGIN { for (i = 0; i < n; i++) print "    ;" }'
}

self_test() {
    licence='// SPDX-License-Identifier: Apache-2.0'
    { echo "$licence"; printf 'int f(void)\n{\n'; lines 69; printf '}\n'; } | put src/core/a.c
    printf '#!/bin/sh\n# SPDX-License-Identifier: Apache-2.0\n' | put tools/a
    printf '# SPDX-License-Identifier: Apache-2.0\nall:\n\ttrue\n' | put Makefile
    expect_clean "a tree in order"

    echo 'int x;' | put include/twill/a.h
    expect_report "a file without a licence" "a.h:1: no SPDX line"
    printf '#!/bin/sh\ntrue\n' | put tools/a
    expect_report "a script without a licence" "tools/a:1: no SPDX line"
    { echo "$licence"; printf 'int f(void)\n{\n'; lines 71; printf '}\n'; } | put src/core/a.c
    expect_report "a long function" "a function of 71 lines"
    { echo "$licence"; lines 500; } | put cli/a.c
    expect_report "a long file" "a file of 501 lines"
    { echo "$licence"; lines 30 | sed 's|.*|// word|'; } | put src/core/a.c
    expect_report "a long opening" "an opening comment of"
    printf '%s\nint x;\t// y\n' "$licence" | put apps/a.c
    expect_report "a tab" "a.c:2: a tab"
    printf '%s\nint x; \n' "$licence" | put apps/a.c
    expect_report "a trailing blank" "a.c:2: a trailing blank"
    printf '%s\n// TO%s: more\n' "$licence" DO | put tests/a_test.c
    expect_report "something left to do" "a_test.c:2: something left to do"
    { echo "$licence"; printf '// %0120d\n' 7; } | put bench/a.c
    expect_report "a wide line" "a.c:2: a line of 123 columns"
}

run_style_test "$@"
