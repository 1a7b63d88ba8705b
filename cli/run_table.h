// SPDX-License-Identifier: Apache-2.0
// The table of iterations that `twill run ... --json` prints, read back line by line, for whoever
// compares several runs.
#ifndef CLI_RUN_TABLE_H
#define CLI_RUN_TABLE_H

#include <stdbool.h>
#include <stddef.h>

enum { RUN_TABLE_ROWS = 100, RUN_TABLE_COLUMNS = 32, RUN_TABLE_NAME = 32 };

struct run_table {
    bool is_verified; // so the run says of its result
    size_t rows, columns;
    char name[RUN_TABLE_COLUMNS][RUN_TABLE_NAME];
    double cell[RUN_TABLE_ROWS][RUN_TABLE_COLUMNS];
    bool is_inside; // of the table; used while reading
};

// Takes the next line of JSON; `table` begins as all zero. Its form is that of child.h's `line`.
void run_table_line(void *table, const char *line);

// What a row has in a column; rows count from 0. NAN: there is no such row or column.
double run_table_cell(const struct run_table *table, size_t row, const char *column);

// The sum over rows [begin, end). NAN: one of them is not there.
double run_table_sum(const struct run_table *table, const char *column, size_t begin, size_t end);

// Runs `twill run` with these words (blanks between them) and --json at so many places of `mpi`, 0:
// without a launcher, and fills the table. False: it failed, which stderr was told.
bool run_table_measure(struct run_table *table, const char *words, unsigned places,
                       const char *mpi);

#endif
