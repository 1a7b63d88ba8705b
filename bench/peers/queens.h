// SPDX-License-Identifier: Apache-2.0
// The n-queens search of every peer in C and C++: a bit per column; the same steps as the
// application's (apps/nqueens).
#ifndef PEER_QUEENS_H
#define PEER_QUEENS_H

#define QUEENS_MAX 32

struct queens_board {
    unsigned all;     // a bit per column of the board
    unsigned columns; // taken columns
    unsigned left;    // taken by diagonals, as seen from the next row
    unsigned right;
};

static inline struct queens_board queens_empty(long n)
{
    struct queens_board board = {(1u << n) - 1, 0, 0, 0};
    return board;
}

static inline int queens_complete(struct queens_board board)
{
    return board.columns == board.all;
}

static inline unsigned queens_free(struct queens_board board)
{
    return board.all & ~(board.columns | board.left | board.right);
}

// The next row's board with a queen on the lowest column of `free`.
static inline struct queens_board queens_place(struct queens_board board, unsigned free)
{
    unsigned queen = free & -free;
    struct queens_board next = {board.all, board.columns | queen, (board.left | queen) << 1,
                                (board.right | queen) >> 1};
    return next;
}

#endif
