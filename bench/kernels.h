// SPDX-License-Identifier: Apache-2.0
// The product of matrices and the sweeps over a grid as Twill and its peers serve them: tiles and
// rows are the applications', compiled once for everybody; a runtime only says who does which.
#ifndef TWB_KERNELS_H
#define TWB_KERNELS_H

#include "apps/matmul/matmul.h"
#include "apps/stencil/stencil.h"

#ifdef __cplusplus
extern "C" {
#endif

// In one run.
#define TWB_SWEEPS 50

// Made with the first call; a process serves one size. The grid is as new each time. They end the
// process without memory.
struct matmul *twb_matmul(long n);
struct stencil *twb_stencil(long n);

uint64_t twb_matmul_expected(long n);
uint64_t twb_stencil_expected(long n);

#ifdef __cplusplus
}
#endif
#endif
