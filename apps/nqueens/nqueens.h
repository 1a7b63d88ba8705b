// SPDX-License-Identifier: Apache-2.0
// In how many ways can n queens stand on a board of n by n without threatening each other?
#ifndef APPS_NQUEENS_H
#define APPS_NQUEENS_H

#include <stdint.h>

#define NQUEENS_N_MAX 27

struct tw_options;

// The known number of solutions, -1 where the table ends.
int64_t nqueens_known(unsigned n);

// Rows above are filled. Bits of `columns` are taken; those of `left` and `right` are threatened
// along the diagonals that move one column left or right with each row.
struct nqueens_board {
    uint32_t all, columns, left, right;
};

static inline struct nqueens_board nqueens_empty(unsigned n)
{
    return (struct nqueens_board){.all = (UINT32_C(1) << n) - 1};
}

static inline uint32_t nqueens_safe(struct nqueens_board board)
{
    return board.all & ~(board.columns | board.left | board.right);
}

// Puts a queen on the lowest of the safe columns.
static inline struct nqueens_board nqueens_place(struct nqueens_board board, uint32_t safe)
{
    uint32_t bit = safe & -safe;
    return (struct nqueens_board){
        .all = board.all,
        .columns = board.columns | bit,
        .left = (board.left | bit) << 1,
        .right = (board.right | bit) >> 1,
    };
}

// The ways to fill the rows that are empty.
uint64_t nqueens_count(struct nqueens_board board);
uint64_t nqueens_sequential(unsigned n);

// Each queen in the first `rows` rows is a task. 0 or a TW_E... code.
int nqueens_fork(const struct tw_options *options, unsigned n, unsigned rows, uint64_t *solutions);
// The same with tasks that any place may run; all places get the sum.
int nqueens_any(const struct tw_options *options, unsigned n, unsigned rows, uint64_t *solutions);
// Solutions that this place has found in it; any thread, also while it runs.
uint64_t nqueens_so_far(void);

#endif
