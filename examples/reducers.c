// SPDX-License-Identifier: Apache-2.0
// Reducers: tasks of a whole tree contribute to values without locks. Here the moves of a sliding
// puzzle: how many boards they lead to, how ordered the best is, a table of how many have how many
// tiles in place, and a list of those that are the start again.
#include <stdio.h>
#include <stdlib.h>
#include <twill/twill.h>

enum { SIDE = 3, TILES = SIDE * SIDE, MOVES = 10 };

struct board {
    unsigned char tile[TILES];
    int hole;
};

// A board that somebody wants to keep: a node of a list, and what hangs on it.
struct kept {
    struct tw_node node; // first, so that the node's address is the board's
    struct board board;
};

TW_SUM(long, boards)
TW_MAX(int, best, -1)
TW_LIST(list)

// One of the user's own: how many boards have how many tiles in place.
struct table {
    long of[TILES + 1];
};

static struct table add_tables(struct table a, struct table b)
{
    for (int i = 0; i <= TILES; i++)
        a.of[i] += b.of[i];
    return a;
}

TW_REDUCER(struct table, table, {{0}}, add_tables(a, b))

struct findings {
    tw_reducer(boards) boards;
    tw_reducer(best) best;
    tw_reducer(table) table;
    tw_reducer(list) list;
};

static int in_place(const struct board *board)
{
    int count = 0;
    for (int i = 0; i < TILES; i++)
        count += board->tile[i] == i;
    return count;
}

static void note(const struct board *board, struct findings *findings)
{
    int count = in_place(board);
    int *best = tw_view(best, &findings->best); // the same for as long as the task runs
    ++*tw_view(boards, &findings->boards);
    ++tw_view(table, &findings->table)->of[count];
    *best = count > *best ? count : *best;
    struct kept *kept = count == TILES ? malloc(sizeof *kept) : NULL;
    if (kept) {
        kept->board = *board;
        tw_list_append(tw_view(list, &findings->list), &kept->node);
    }
}

TW_TASK(search, {
    struct board board;
    int moves;
    struct findings *findings;
})
{
    static const int step[4][2] = {{-1, 0}, {1, 0}, {0, -1}, {0, 1}};
    if (self.moves == 0) {
        note(&self.board, self.findings);
        return;
    }
    for (int i = 0; i < 4; i++) {
        int x = self.board.hole % SIDE + step[i][0], y = self.board.hole / SIDE + step[i][1];
        if (x < 0 || y < 0 || x >= SIDE || y >= SIDE)
            continue;
        struct board next = self.board;
        next.hole = y * SIDE + x;
        next.tile[self.board.hole] = self.board.tile[next.hole];
        next.tile[next.hole] = self.board.tile[self.board.hole];
        tw_async(search, .board = next, .moves = self.moves - 1, .findings = self.findings);
    }
}

struct result {
    long boards;
    int best;
    struct table table;
    struct tw_list list;
};

TW_TASK(explore, { struct result *result; })
{
    struct board board = {.hole = 0};
    struct findings findings;
    for (int i = 0; i < TILES; i++)
        board.tile[i] = (unsigned char)i;
    tw_reducer_open(boards, &findings.boards);
    tw_reducer_open(best, &findings.best);
    tw_reducer_open(table, &findings.table);
    tw_reducer_open(list, &findings.list);
    tw_finish {
        tw_async(search, .board = board, .moves = MOVES, .findings = &findings);
    }
    self.result->boards = tw_reducer_close(boards, &findings.boards);
    self.result->best = tw_reducer_close(best, &findings.best);
    self.result->table = tw_reducer_close(table, &findings.table);
    self.result->list = tw_reducer_close(list, &findings.list);
}

int main(void)
{
    struct result result;
    if (tw_run(explore, .result = &result) != 0)
        return 1;
    long sum = 0;
    for (int i = 0; i <= TILES; i++)
        sum += result.table.of[i];
    printf("%d moves lead to %ld boards, %zu of them back to the start\n", MOVES, result.boards,
           result.list.count);
    int right = sum == result.boards && result.best == TILES &&
                (long)result.list.count == result.table.of[TILES];
    for (struct tw_node *node = result.list.first, *next; node; node = next) {
        struct kept *kept = (struct kept *)node;
        next = node->next;
        right = right && in_place(&kept->board) == TILES;
        free(kept);
    }
    return !right;
}
