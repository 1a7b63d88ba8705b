#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Each public header compiles alone, without a warning: as C11 and as C++17, by gcc and by clang,
# and as the sequential elision. So do programs that use the macros (user.c beside this file and in
# tests/install/), but for the pedantry: the macros need GNU C. A compiler that is not installed is
# left out.
set -eu
. "$(dirname "$0")/common.sh"
warnings="-Wall -Wextra -Werror -fsyntax-only"

# compile <name for the report> <compiler> <flag...>: the program comes from standard input
compile() {
    name=$1
    compiler=$2
    shift 2
    command -v "$compiler" >/dev/null 2>&1 || return 0
    "$compiler" $warnings "$@" - && return 0
    echo "$name: does not compile by $compiler $*"
    return 1
}

header() {
    printf '#include <twill/%s>\nint main(void);\nint main(void)\n{\n    return 0;\n}\n' "$1"
}

check() {
    status=0
    include=-I$1/include
    c11="-xc -std=c11 -Wpedantic"
    cpp17="-xc++ -std=c++17 -Wpedantic"
    for path in "$1"/include/twill/*.h; do
        name=${path##*/}
        for compiler in gcc clang; do
            header "$name" | compile "$name" $compiler $c11 "$include" || status=1
            header "$name" | compile "$name" $compiler -xc -DTWILL_SERIAL "$include" || status=1
        done
        for compiler in g++ clang++; do
            header "$name" | compile "$name" $compiler $cpp17 "$include" || status=1
        done
    done
    for user in tests/style/user.c tests/install/user.c; do
        [ ! -f "$1/$user" ] || check_user "$user" "$1/$user" "$include" || status=1
    done
    return $status
}

# check_user <name for the report> <file> <include flag>
check_user() {
    bad=0
    for mode in USER TWILL_SERIAL TWILL_DEBUG; do
        for compiler in gcc clang; do
            compile "$1" $compiler -xc -std=gnu11 -O2 -D$mode "$3" <"$2" || bad=1
        done
        for compiler in g++ clang++; do
            compile "$1" $compiler -xc++ -std=c++17 -O2 -D$mode "$3" <"$2" || bad=1
        done
    done
    return $bad
}

self_test() {
    printf '#include <stddef.h>\nstatic inline size_t f(size_t a)\n{\n    return a;\n}\n' |
        put include/twill/a.h
    expect_clean "a tree in order"
    echo 'size_t f(void);' | put include/twill/a.h
    expect_report "a header that leans on another" "a.h: does not compile by .* -std=c11"
    echo 'static inline int f(int a) { return 0; }' | put include/twill/a.h
    expect_report "a header with a warning" "a.h: does not compile by .* -std=c11"
    if command -v g++ >/dev/null 2>&1; then
        echo 'static inline int *f(void *class) { return class; }' | put include/twill/a.h
        expect_report "a header that is not C++" "a.h: does not compile by g++ .* -std=c++17"
    fi
    printf '#ifdef TWILL_SERIAL\n#include "none.h"\n#endif\n' | put include/twill/a.h
    expect_report "a broken elision" "TWILL_SERIAL"
    printf '#define TASK(name) static void name(int hidden)\n' | put include/twill/a.h
    printf '#include <twill/a.h>\nTASK(f)\n{\n}\nint main(void)\n{\n    f(1);\n}\n' |
        put tests/style/user.c
    expect_report "a macro that warns its user" "user.c: does not compile"
    if command -v g++ >/dev/null 2>&1; then
        echo '#define BARE(p) ((void *)(p))' | put include/twill/a.h
        printf '#include <twill/a.h>\nint *f(int *);\nint *f(int *p)\n{\n    return BARE(p);\n}\n' |
            put tests/install/user.c
        expect_report "a macro that is not C++" "install/user.c: does not compile by g++"
    fi
}

run_style_test "$@"
