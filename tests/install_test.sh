#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# ctest: timeout=300 release-only
# An installation from outside: what is there, that a program is built and runs with it in each of
# the documented ways, also after the folder was moved, and that uninstalling leaves nothing.
set -u
project=$TEST_SOURCE/tests/install
scratch=$PWD/work
prefix=$scratch/first
manifest=$TEST_BUILD/install_manifest.txt
warnings="-O2 -Wall -Wextra -Werror"
failures=0
unset TWILL_WORKERS DESTDIR PKG_CONFIG_PATH LD_LIBRARY_PATH CFLAGS CXXFLAGS LDFLAGS
rm -rf "$scratch"
mkdir -p "$scratch"

# What somebody has really installed from this build must stay removable.
[ ! -f "$manifest" ] || cp "$manifest" "$scratch/manifest"
restore() {
    [ ! -f "$scratch/manifest" ] || cp "$scratch/manifest" "$manifest"
    rm -rf "$scratch"
}
trap restore EXIT

complain() {
    echo "install_test: $*" >&2
    failures=$((failures + 1))
}

skip() {
    echo "install_test: left out: $*"
}

have() {
    command -v "$1" >/dev/null 2>&1
}

# quietly <what> <command...>: shows its output when it fails.
quietly() {
    what=$1
    shift
    "$@" >"$scratch/log" 2>&1 && return 0
    complain "$what: $* failed"
    sed 's/^/    /' "$scratch/log" >&2
    return 1
}

needed() {
    readelf -d "$1" | sed -n 's/.*(NEEDED).*\[\(.*\)\]$/\1/p'
}

# check_program <what> shared|static <program>
check_program() {
    quietly "$1" env LD_LIBRARY_PATH="$prefix/lib" "$3" || return
    have readelf || return
    if [ "$2" = shared ]; then
        needed "$3" | grep -qx 'libtwill\.so\.0' || complain "$1: does not need libtwill.so.0"
    elif needed "$3" | grep -q twill; then
        complain "$1: needs the shared library"
    fi
}

check_files() {
    diff -r "$TEST_SOURCE/include/twill" "$prefix/include/twill" >&2 || complain "other headers"
    for file in bin/twill lib/libtwill.so lib/libtwill.so.0 lib/libtwill.a lib/pkgconfig/twill.pc \
        lib/cmake/Twill/TwillConfig.cmake lib/cmake/Twill/TwillConfigVersion.cmake \
        share/man/man1/twill.1 share/doc/twill/LICENSE share/doc/twill/README.md; do
        [ -s "$prefix/$file" ] || complain "$file is not there"
    done
    quietly "the command" "$prefix/bin/twill" run fib --n 15 --workers 2
    if grep -rl -e "$prefix" -e "$TEST_SOURCE" "$prefix/lib/cmake" "$prefix/lib/pkgconfig" >&2; then
        complain "these files name the folder"
    fi
}

# But for what a debugger reads, nothing installed names the folder it was built in.
check_origin() {
    for file in bin/twill lib/libtwill.so; do
        strip -o "$scratch/bare" "$prefix/$file"
        ! grep -qa "$TEST_SOURCE" "$scratch/bare" || complain "$file names $TEST_SOURCE"
    done
}

check_library() {
    library=$prefix/lib/libtwill.so
    readelf -d "$library" | grep -q 'SONAME.*\[libtwill\.so\.0\]' || complain "another SONAME"
    extra=$(needed "$library" | grep -vx -e 'libc\.so\..*' -e 'libm\.so\..*' -e 'libdl\.so\..*' \
        -e 'libpthread\.so\..*' -e 'ld-linux.*')
    [ -z "$extra" ] || complain "the library needs $extra"
    TEST_LIBRARY=$library quietly symbols sh "$TEST_SOURCE/tests/style/symbols_style.sh" \
        "$TEST_SOURCE"
}

# by_cmake C|CXX shared|static
by_cmake() {
    build=$scratch/cmake-$1-$2
    rm -rf "$build"
    quietly "cmake $1 $2" cmake -G Ninja -S "$project" -B "$build" -DLANGUAGE="$1" -DKIND="$2" \
        -DCMAKE_BUILD_TYPE=Release -DCMAKE_PREFIX_PATH="$prefix" || return
    quietly "cmake $1 $2" cmake --build "$build" -j 1 || return
    check_program "cmake $1 $2" "$2" "$build/user"
}

# by_pkg_config shared|static <source> <compiler> <flag...>
by_pkg_config() {
    kind=$1
    source=$2
    compiler=$3
    shift 3
    what="pkg-config $kind $compiler"
    option=
    [ "$kind" = shared ] || option=--static
    flags=$(PKG_CONFIG_LIBDIR=$prefix/lib/pkgconfig pkg-config $option --cflags --libs twill) ||
        complain "$what: no flags"
    quietly "$what" "$compiler" $warnings "$@" "$project/$source" $flags -o "$scratch/user" &&
        check_program "$what" "$kind" "$scratch/user"
}

# A whole program without shared libraries. The linker says that dlopen may fail there: known.
by_static_link() {
    echo 'int main(void) { return 0; }' >"$scratch/empty.c"
    if "$CC" -static "$scratch/empty.c" -o "$scratch/empty" 2>/dev/null; then
        by_pkg_config static user.c "$CC" -static
    else
        skip "linking statically: no static C library"
    fi
}

# The static library in a program that is otherwise dynamic.
by_archive() {
    flags=$(PKG_CONFIG_LIBDIR=$prefix/lib/pkgconfig pkg-config --static --cflags --libs twill |
        sed 's/-ltwill/-l:libtwill.a/')
    quietly "libtwill.a" "$CC" $warnings "$project/user.c" $flags -o "$scratch/user" &&
        check_program "libtwill.a" static "$scratch/user"
}

# Arguments with a copy constructor are refused, in words.
check_refusal() {
    printf '#include <string>\n#include <twill/twill.h>\n' >"$scratch/refused.cpp"
    echo 'TW_TASK(greet, { std::string who; }) { (void)self; }' >>"$scratch/refused.cpp"
    if "$1" -std=c++17 -fsyntax-only -I"$prefix/include" "$scratch/refused.cpp" \
        2>"$scratch/log"; then
        complain "$1: takes a string as an argument"
    elif ! grep -q 'copied as bytes' "$scratch/log"; then
        complain "$1: refuses a string in other words"
    fi
}

check_uses() {
    by_cmake C shared
    by_cmake C static
    if have g++; then
        by_cmake CXX shared
    else
        skip "C++ by CMake: no g++"
    fi
    if ! have pkg-config; then
        skip "pkg-config: not installed"
        return
    fi
    by_pkg_config shared user.c "$CC"
    by_static_link
    by_archive
    for compiler in g++ clang++; do
        if have $compiler; then
            by_pkg_config shared user.cpp $compiler -std=c++17
            check_refusal $compiler
        else
            skip "C++: no $compiler"
        fi
    done
}

check_move() {
    mv "$prefix" "$scratch/second"
    prefix=$scratch/second
    by_cmake C shared
    ! have pkg-config || by_pkg_config shared user.c "$CC"
    mv "$prefix" "$scratch/first"
    prefix=$scratch/first
}

# A file of somebody else's stays, and its folder with it.
check_uninstall() {
    echo other >"$prefix/lib/other"
    quietly uninstall "$TEST_SOURCE/tools/uninstall" "$TEST_BUILD"
    left=$(cd "$prefix" && find . | sort | tr '\n' ' ')
    [ "$left" = ". ./lib ./lib/other " ] || complain "uninstalling left $left"
    [ ! -f "$manifest" ] || complain "uninstalling left its list"
}

PREFIX=$prefix quietly install "$TEST_SOURCE/tools/install" "$TEST_BUILD" || exit 1
check_files
if have readelf && have strip; then
    check_library
    check_origin
else
    skip "the SONAME: no binutils"
fi
check_uses
check_move
check_uninstall
[ "$failures" -eq 0 ]
