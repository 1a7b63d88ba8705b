// SPDX-License-Identifier: Apache-2.0
// The product with tasks.
#include "apps/matmul/matmul.h"

#include <twill/twill.h>

TW_LOOP2(tile, row, column, { const struct matmul *m; })
{
    matmul_tile(self.m, (size_t)row, (size_t)column);
}

TW_TASK(multiply, { const struct matmul *m; })
{
    int64_t tiles = (int64_t)matmul_tiles(self.m);
    tw_forasync2(tile, tw_range(0, tiles), tw_range(0, tiles), .m = self.m);
}

int matmul_loop(const struct tw_options *options, const struct matmul *m)
{
    return tw_run_with(options, multiply, .m = m);
}
