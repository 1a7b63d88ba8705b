// SPDX-License-Identifier: Apache-2.0
// N queens, row by row, with the threatened columns as bits.
#include "apps/nqueens/nqueens.h"

#include <twill/twill.h>

int64_t nqueens_known(unsigned n)
{
    static const int64_t known[] = {1,      1,       0,        0,        2,        10,    4,
                                    40,     92,      352,      724,      2680,     14200, 73712,
                                    365596, 2279184, 14772512, 95815104, 666090624};
    return n < sizeof known / sizeof known[0] ? known[n] : -1;
}

uint64_t nqueens_count(struct nqueens_board board)
{
    if (board.columns == board.all)
        return 1;
    uint64_t solutions = 0;
    for (uint32_t free = nqueens_safe(board); free; free &= free - 1)
        solutions += nqueens_count(nqueens_place(board, free));
    return solutions;
}

uint64_t nqueens_sequential(unsigned n)
{
    return nqueens_count(nqueens_empty(n));
}

// A fork for each safe column of this row but the last, which is called.
TW_FUNCTION(uint64_t, solve, {
    struct nqueens_board board;
    unsigned rows;
})
{
    if (self.rows == 0 || self.board.columns == self.board.all)
        return nqueens_count(self.board);
    uint32_t free = nqueens_safe(self.board);
    if (!free)
        return 0;
    tw_forked(solve) forked[NQUEENS_N_MAX];
    unsigned forks = 0;
    for (; free & (free - 1); free &= free - 1)
        forked[forks++] =
            tw_fork(solve, .board = nqueens_place(self.board, free), .rows = self.rows - 1);
    uint64_t solutions =
        tw_call(solve, .board = nqueens_place(self.board, free), .rows = self.rows - 1);
    while (forks-- > 0)
        solutions += tw_join(solve, forked[forks]);
    return solutions;
}

TW_TASK(run_solve, {
    unsigned n, rows;
    uint64_t *solutions;
})
{
    *self.solutions = tw_call(solve, .board = nqueens_empty(self.n), .rows = self.rows);
}

int nqueens_fork(const struct tw_options *options, unsigned n, unsigned rows, uint64_t *solutions)
{
    return tw_run_with(options, run_solve, .n = n, .rows = rows, .solutions = solutions);
}
