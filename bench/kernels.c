// SPDX-License-Identifier: Apache-2.0
// See kernels.h.
#include "kernels.h"

#include <stdio.h>
#include <stdlib.h>

static void require_memory(bool made, long n)
{
    if (made)
        return;
    fprintf(stderr, "serve: no memory for %ld rows\n", n);
    exit(1);
}

struct matmul *twb_matmul(long n)
{
    static struct matmul m;
    if (m.n == 0)
        require_memory(matmul_make(&m, (size_t)n), n);
    return &m;
}

struct stencil *twb_stencil(long n)
{
    static struct stencil s;
    if (s.n == 0)
        require_memory(stencil_make(&s, (size_t)n), n);
    stencil_fill(&s);
    return &s;
}

uint64_t twb_matmul_expected(long n)
{
    struct matmul m;
    require_memory(matmul_make(&m, (size_t)n), n);
    uint64_t expected = matmul_expected(&m);
    matmul_free(&m);
    return expected;
}

uint64_t twb_stencil_expected(long n)
{
    struct stencil s;
    require_memory(stencil_make(&s, (size_t)n), n);
    stencil_plain(&s, TWB_SWEEPS);
    uint64_t expected = stencil_checksum(&s);
    stencil_free(&s);
    return expected;
}
