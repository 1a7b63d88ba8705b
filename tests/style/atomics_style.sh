#!/bin/sh
# SPDX-License-Identifier: Apache-2.0
# Every atomic operation in src/ and include/ says, on its statement or in the comment directly
# above it, which edge it belongs to ([D1]) or why it needs none (relaxed:, owner-only, hint,
# statistic, rechecked). An edge is listed in the opening comment of a file and stands at two sites
# at least. The operations themselves come from include/twill/atomic.h only.
set -eu
. "$(dirname "$0")/common.sh"

check() {
    files=$(sources "$1" src include | grep -v '/include/twill/atomic\.h$' || true)
    [ -z "$files" ] || printf '%s\n' "$files" | tr '\n' '\0' |
        xargs -0 awk -v root="$1" -f "$(dirname "$0")/atomics.awk"
}

self_test() {
    put src/core/a.h <<'T'
// SPDX
//
//  [D1] a publishes b.
#define READ(p)                                                                                    \
    TWI_LOAD(p, TWI_ACQUIRE) // [D1]
T
    put src/core/a.c <<'T'
// SPDX
#include "core/a.h"
int twi_membarrier(void);
void f(int *a)
{
    // [D1] publishes what
    // g reads
    TWI_STORE(a,
              1, TWI_RELEASE);
    if (TWI_LOAD(a, TWI_RELAXED) == 1) // relaxed: rechecked
        TWI_FETCH_ADD(a, 1, TWI_RELAXED); // statistic
}
T
    expect_clean "a tree in order"

    printf '// SPDX\nvoid f(int *a)\n{\n    TWI_STORE(a, 1, TWI_RELAXED);\n}\n' | put src/core/a.c
    expect_report "an operation without a word" "core/a.c:4: TWI_STORE"
    put src/core/a.c <<'T'
// SPDX
void f(int *a)
{
    TWI_STORE(a, 1, TWI_RELAXED); // relaxed: not yet shared
    TWI_STORE(a, 2, TWI_RELAXED);
}
T
    expect_report "a second operation in the shade of the first" "core/a.c:5: TWI_STORE"
    printf '// SPDX\nvoid f(void)\n{\n    twi_membarrier();\n}\n' | put src/core/a.c
    expect_report "a membarrier without a word" "core/a.c:4: twi_membarrier"
    put src/core/a.c <<'T'
// SPDX
//  [D1] a pairs with nobody.
void f(int *a)
{
    TWI_STORE(a, 1, TWI_RELEASE); // [D1]
}
T
    expect_report "an edge with one end" "\[D1\] stands at 1 site"
    put src/core/a.c <<'T'
// SPDX
void f(int *a)
{
    TWI_STORE(a, 1, TWI_RELEASE); // [D1]
    TWI_LOAD(a, TWI_ACQUIRE); // [D1]
}
T
    expect_report "an edge nobody explains" "\[D1\] is in no opening comment"
    put src/core/a.c <<'T'
// SPDX
//  [D1] x
void f(int *a)
{
    TWI_STORE(a, 1, TWI_RELEASE); // [D1]
    TWI_LOAD(a, TWI_RELAXED); // relaxed: published by [D1]
}
T
    expect_report "a mention taken for an end" "\[D1\] stands at 1 site"
    printf '// SPDX\nint f(int *a)\n{\n    __atomic_load_n(a, 0);\n}\n' | put include/twill/a.h
    expect_report "a raw atomic" "twill/a.h:4: raw"
    printf '// SPDX\n#include <stdatomic.h>\n' | put src/core/a.c
    expect_report "stdatomic" "core/a.c:2: raw"
}

run_style_test "$@"
