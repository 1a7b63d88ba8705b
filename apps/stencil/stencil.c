// SPDX-License-Identifier: Apache-2.0
// The sweeps with tasks.
#include "apps/stencil/stencil.h"

#include <twill/twill.h>

TW_LOOP(sweep_row, row, { const struct stencil *s; })
{
    stencil_row(self.s, (size_t)row);
}

TW_TASK(relax, {
    struct stencil *s;
    size_t sweeps;
})
{
    for (size_t sweep = 0; sweep < self.sweeps; sweep++) {
        tw_finish {
            tw_forasync(sweep_row, tw_range(1, (int64_t)self.s->n - 1), .s = self.s);
        }
        stencil_swap(self.s);
    }
}

int stencil_loop(const struct tw_options *options, struct stencil *s, size_t sweeps)
{
    return tw_run_with(options, relax, .s = s, .sweeps = sweeps);
}
