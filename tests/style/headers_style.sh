#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Each public header compiles alone, without a warning: as C11 and as C++17, by gcc and by clang,
# and as the sequential elision. A compiler that is not installed is left out.
set -eu
. "$(dirname "$0")/common.sh"
warnings="-Wall -Wextra -Wpedantic -Wstrict-aliasing -Werror"

# compile <root> <header> <compiler> <language> <standard> [flag...]
compile() {
    root=$1
    header=$2
    compiler=$3
    language=$4
    standard=$5
    shift 5
    command -v "$compiler" >/dev/null 2>&1 || return 0
    printf '#include <twill/%s>\nint main(void);\nint main(void)\n{\n    return 0;\n}\n' "$header" |
        "$compiler" -x "$language" -std="$standard" $warnings "$@" -fsyntax-only -I"$root/include" - &&
        return 0
    echo "$header: does not compile as $standard by $compiler $*"
    return 1
}

check() {
    status=0
    for path in "$1"/include/twill/*.h; do
        header=${path##*/}
        for compiler in gcc clang; do
            compile "$1" "$header" $compiler c c11 -Wstrict-prototypes || status=1
            compile "$1" "$header" $compiler c gnu11 -DTWILL_SERIAL || status=1
        done
        for compiler in g++ clang++; do
            compile "$1" "$header" $compiler c++ c++17 || status=1
        done
    done
    return $status
}

self_test() {
    printf '#include <stddef.h>\nstatic inline size_t f(size_t a)\n{\n    return a;\n}\n' |
        put include/twill/a.h
    expect_clean "a tree in order"
    echo 'size_t f(void);' | put include/twill/a.h
    expect_report "a header that leans on another" "a.h: does not compile as c11"
    echo 'static inline int f(int a) { return 0; }' | put include/twill/a.h
    expect_report "a header with a warning" "a.h: does not compile as c11"
    if command -v g++ >/dev/null 2>&1; then
        echo 'static inline int *f(void *class) { return class; }' | put include/twill/a.h
        expect_report "a header that is not C++" "a.h: does not compile as c++17"
    fi
    printf '#ifdef TWILL_SERIAL\n#include "none.h"\n#endif\n' | put include/twill/a.h
    expect_report "a broken elision" "TWILL_SERIAL"
}

run_style_test "$@"
