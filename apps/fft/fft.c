// SPDX-License-Identifier: Apache-2.0
// The transform with tasks: the levels above are loops, the halves below are forks.
#include "apps/fft/fft.h"

#include <twill/twill.h>

// A stretch of the butterflies of one level.
TW_LOOP(cross, i, {
    const struct fft_plan *plan;
    struct fft_number *x;
    size_t n;
})
{
    fft_butterflies(self.plan, self.x, self.n, (size_t)i, (size_t)i + FFT_STRETCH);
}

TW_LOOP(reorder, i, {
    const struct fft_plan *plan;
    struct fft_number *x;
})
{
    fft_reorder(self.plan, self.x, (size_t)i, (size_t)i + FFT_TILES);
}

// As fft_levels. A fork has a value: how many numbers were transformed.
TW_FUNCTION(size_t, levels, {
    const struct fft_plan *plan;
    struct fft_number *x;
    size_t n;
})
{
    const struct fft_plan *plan = self.plan;
    struct fft_number *x = self.x;
    size_t half = self.n / 2;
    if (self.n <= FFT_CUTOFF) {
        fft_levels(plan, x, self.n);
        return self.n;
    }
    if (self.n < FFT_LOOP_LEAST) {
        fft_butterflies(plan, x, self.n, 0, half);
    } else {
        tw_finish {
            tw_forasync(cross, tw_range(0, (int64_t)half, .step = FFT_STRETCH), .plan = plan,
                        .x = x, .n = self.n);
        }
    }
    tw_forked(levels) upper = tw_fork(levels, .plan = plan, .x = x + half, .n = half);
    size_t lower = tw_call(levels, .plan = plan, .x = x, .n = half);
    return lower + tw_join(levels, upper);
}

TW_TASK(run_fft, {
    const struct fft_plan *plan;
    struct fft_number *x;
})
{
    size_t n = self.plan->n, tiles = fft_tiles(self.plan);
    (void)tw_call(levels, .plan = self.plan, .x = self.x, .n = n);
    if (n < FFT_LOOP_LEAST) {
        fft_reorder(self.plan, self.x, 0, tiles);
    } else {
        tw_finish {
            tw_forasync(reorder, tw_range(0, (int64_t)tiles, .step = FFT_TILES), .plan = self.plan,
                        .x = self.x);
        }
    }
}

int fft_fork(const struct tw_options *options, const struct fft_plan *plan, struct fft_number *x)
{
    return tw_run_with(options, run_fft, .plan = plan, .x = x);
}
