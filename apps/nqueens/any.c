// SPDX-License-Identifier: Apache-2.0
// N queens over places: each place counts the solutions that its own workers find.
#include <twill/atomic.h>
#include <twill/twill.h>

#include "apps/nqueens/nqueens.h"

// A cache line for each worker: nobody else writes it, but a progress line reads it.
static struct {
    uint64_t solutions;
} __attribute__((aligned(64))) tally[TW_WORKERS_MAX];

TW_TASK(place, {
    struct nqueens_board board;
    unsigned rows;
})
{
    if (self.rows == 0 || self.board.columns == self.board.all) {
        uint64_t *solutions = &tally[tw_worker()].solutions;
        TWI_STORE(solutions, *solutions + nqueens_count(self.board), TWI_RELAXED); // statistic
        return;
    }
    for (uint32_t free = nqueens_safe(self.board); free; free &= free - 1)
        tw_async_any(place, .board = nqueens_place(self.board, free), .rows = self.rows - 1);
}

TW_TASK(place_all, { unsigned n, rows; })
{
    tw_finish {
        tw_async_any(place, .board = nqueens_empty(self.n), .rows = self.rows);
    }
}

uint64_t nqueens_so_far(void)
{
    uint64_t solutions = 0;
    for (unsigned i = 0; i < TW_WORKERS_MAX; i++)
        solutions += TWI_LOAD(&tally[i].solutions, TWI_RELAXED); // statistic
    return solutions;
}

int nqueens_any(const struct tw_options *options, unsigned n, unsigned rows, uint64_t *solutions)
{
    for (unsigned i = 0; i < TW_WORKERS_MAX; i++)
        TWI_STORE(&tally[i].solutions, (uint64_t)0, TWI_RELAXED); // statistic
    int error = tw_run_with(options, place_all, .n = n, .rows = rows);
    *solutions = nqueens_so_far();
    return error ? error : tw_places_sum(solutions, 1);
}
