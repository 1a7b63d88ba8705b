// SPDX-License-Identifier: Apache-2.0
#include "cli/run_table.h"

#include <math.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cli/child.h"

enum { WORDS_MOST = 48, TEXT_MOST = 1024, SECONDS_MOST = 600 };

// The column of that name, a new one if there is none yet.
static size_t column_of(struct run_table *table, const char *name, size_t length)
{
    for (size_t i = 0; i < table->columns; i++)
        if (strlen(table->name[i]) == length && memcmp(table->name[i], name, length) == 0)
            return i;
    if (table->columns == RUN_TABLE_COLUMNS || length >= RUN_TABLE_NAME)
        return RUN_TABLE_COLUMNS;
    memcpy(table->name[table->columns], name, length);
    return table->columns++;
}

// "name": number
static void read_cell(struct run_table *table, const char *line)
{
    const char *name = line + 1, *quote = strchr(name, '"');
    char *end;
    if (table->rows == 0 || !quote || quote[1] != ':')
        return;
    double value = strtod(quote + 2, &end);
    size_t column = column_of(table, name, (size_t)(quote - name));
    if (end != quote + 2 && column < RUN_TABLE_COLUMNS)
        table->cell[table->rows - 1][column] = value;
}

static void begin_row(struct run_table *table)
{
    if (table->rows == RUN_TABLE_ROWS) {
        table->is_inside = false;
        return;
    }
    for (size_t i = 0; i < RUN_TABLE_COLUMNS; i++)
        table->cell[table->rows][i] = NAN;
    table->rows++;
}

void run_table_line(void *self, const char *line)
{
    struct run_table *table = self;
    line += strspn(line, " ");
    if (strcmp(line, "\"verified\": true,") == 0)
        table->is_verified = true;
    else if (strcmp(line, "\"iteration\": [") == 0)
        table->is_inside = true;
    else if (table->is_inside && line[0] == ']')
        table->is_inside = false;
    else if (table->is_inside && line[0] == '{')
        begin_row(table);
    else if (table->is_inside && line[0] == '"')
        read_cell(table, line);
}

double run_table_cell(const struct run_table *table, size_t row, const char *column)
{
    for (size_t i = 0; row < table->rows && i < table->columns; i++)
        if (strcmp(table->name[i], column) == 0)
            return table->cell[row][i];
    return NAN;
}

double run_table_sum(const struct run_table *table, const char *column, size_t begin, size_t end)
{
    double sum = 0;
    for (size_t row = begin; row < end; row++)
        sum += run_table_cell(table, row, column);
    return sum;
}

bool run_table_measure(struct run_table *table, const char *words, unsigned places, const char *mpi)
{
    const char *word[WORDS_MOST + 1] = {"run"};
    char text[TEXT_MOST];
    size_t used = 1;
    snprintf(text, sizeof text, "%s", words);
    for (char *next = strtok(text, " "); next && used < WORDS_MOST - 1; next = strtok(NULL, " "))
        word[used++] = next;
    word[used] = "--json";
    memset(table, 0, sizeof *table);
    struct child child = {.name = "twill",
                          .places = places,
                          .mpi = mpi,
                          .words = word,
                          .seconds = SECONDS_MOST,
                          .line = run_table_line,
                          .self = table};
    return child_run(&child) == 0;
}
