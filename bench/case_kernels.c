// SPDX-License-Identifier: Apache-2.0
// The product of matrices and the sweeps over a grid, the applications' own code beside their
// sequential programs. Size: rows.
#include "cases.h"
#include "kernels.h"

static struct twb_answer run_matmul(const struct twb_job *job)
{
    struct matmul *m = twb_matmul(job->size);
    double start = twb_seconds();
    matmul_sequential(m);
    double seconds = twb_seconds() - start;
    return (struct twb_answer){seconds, matmul_checksum(m)};
}

static struct twb_answer run_matmul_loop(const struct twb_job *job)
{
    struct matmul *m = twb_matmul(job->size);
    double start = twb_seconds();
    twb_require(matmul_loop(NULL, m));
    double seconds = twb_seconds() - start;
    return (struct twb_answer){seconds, matmul_checksum(m)};
}

static struct twb_answer run_stencil(const struct twb_job *job)
{
    struct stencil *s = twb_stencil(job->size);
    double start = twb_seconds();
    stencil_sequential(s, TWB_SWEEPS);
    double seconds = twb_seconds() - start;
    return (struct twb_answer){seconds, stencil_checksum(s)};
}

static struct twb_answer run_stencil_loop(const struct twb_job *job)
{
    struct stencil *s = twb_stencil(job->size);
    double start = twb_seconds();
    twb_require(stencil_loop(NULL, s, TWB_SWEEPS));
    double seconds = twb_seconds() - start;
    return (struct twb_answer){seconds, stencil_checksum(s)};
}

const struct twb_case twb_kernel_cases[] = {
    {"matmul", run_matmul},
    {"matmul_loop", run_matmul_loop},
    {"stencil", run_stencil},
    {"stencil_loop", run_stencil_loop},
    {NULL, NULL},
};
