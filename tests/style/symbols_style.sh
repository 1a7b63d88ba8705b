#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# The symbols that the shared library exports are the ones that public headers mark TW_API: no
# more, since users come to rely on what they can reach, and no fewer, since they would not link.
set -eu
. "$(dirname "$0")/common.sh"
library=${TEST_LIBRARY:-}

# A declaration's name stands before its first parenthesis, a variable's before its end.
promised() {
    sources "$1" include | tr '\n' '\0' | xargs -0 awk '
        function finish(    name) {
            gsub(/__attribute__ *\(\([^;]*\)\)/, "", text)
            name = text
            sub(/ *[(\[=;{].*/, "", name)
            sub(/.*[^A-Za-z0-9_]/, "", name)
            print name
            text = ""
        }
        /^[ \t]*#/ { skipping = 1 }
        skipping { skipping = /\\$/; next }
        { sub(/\/\/.*/, "") }
        text == "" && /(^|[^A-Za-z_])TW_API([^A-Za-z_]|$)/ { text = " "; sub(/.*TW_API/, "") }
        text != "" { text = text " " $0; if (/[;{]/) finish() }' | sort -u
}

exported() {
    nm -D --defined-only "$1" | awk '{ print $NF }' | sort -u
}

check() {
    work=$(mktemp -d)
    promised "$1" >"$work/promised"
    exported "$library" >"$work/exported"
    {
        comm -13 "$work/promised" "$work/exported" | sed 's/$/: exported, but in no public header/'
        comm -23 "$work/promised" "$work/exported" | sed 's/$/: declared TW_API, but not exported/'
    } >"$work/report"
    cat "$work/report"
    status=0
    [ ! -s "$work/report" ] && [ -s "$work/exported" ] || status=1
    rm -r "$work"
    return $status
}

# Builds the made-up tree's library.
link() {
    ${CC:-cc} -fvisibility=hidden -shared -fPIC -I"$scratch/include" -x c - -o "$library"
}

header() {
    library=$scratch/libtwill.so
    put include/twill/api.h <<'T'
#define TW_API __attribute__((visibility("default")))
// TW_API int tw_comment(void);
TW_API int tw_one(int a);
TW_API const char *tw_two(
    int a) __attribute__((pure));
TW_API __attribute__((nonnull(1))) void tw_three(void *p);
TW_API extern __thread long tw_four;
T
}

bodies='#include <twill/api.h>
int tw_one(int a) { return a; }
const char *tw_two(int a) { return a ? "" : 0; }
void tw_three(void *p) { (void)p; }
__thread long tw_four;
int twi_hidden(void) { return 0; }'

self_test() {
    header
    printf '%s\n' "$bodies" | link
    expect_clean "a tree in order"
    header
    printf '%s\nTW_API int twi_more(void) { return 1; }\n' "$bodies" | link
    expect_report "a symbol too many" "twi_more: exported"
    header
    printf '%s\n' "$bodies" | grep -v tw_three | link
    expect_report "a function never defined" "tw_three: declared"
    header
    printf '%s\n' "$bodies" | grep -v tw_four | link
    expect_report "a variable never defined" "tw_four: declared"
}

run_style_test "$@"
