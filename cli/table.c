// SPDX-License-Identifier: Apache-2.0
// See table.h. Columns are as wide as their longest cell, the name included.
#include "cli/table.h"

#include <stdio.h>
#include <string.h>

#include "apps/app.h"
#include "cli/json.h"

#define CELL_MAX 400
#define GAP 3
#define NUMBER_WIDTH 12 // of the first column

static int write_cell(char cell[CELL_MAX], const struct app_column *column, double value)
{
    return snprintf(cell, CELL_MAX, column->powers ? "%.*e" : "%.*f", column->digits, value);
}

static size_t count_columns(const struct app_table *table)
{
    size_t count = 0;
    while (table->columns[count].name)
        count++;
    return count;
}

static int column_width(const struct app_table *table, size_t column)
{
    char cell[CELL_MAX];
    size_t columns = count_columns(table);
    int most = (int)strlen(table->columns[column].name);
    for (size_t row = 0; row < table->rows; row++) {
        double value = table->cells[row * columns + column];
        int length = write_cell(cell, &table->columns[column], value);
        most = length > most ? length : most;
    }
    return GAP + most;
}

// ---- groups ----

// The rows of each; without groups there is one of all.
static size_t group_rows(const struct app_table *table)
{
    size_t groups = 0;
    while (groups < APP_GROUPS_MAX && table->groups[groups])
        groups++;
    return groups ? table->rows / groups : table->rows;
}

static int group_width(const struct app_table *table)
{
    if (!table->group)
        return 0;
    size_t most = strlen(table->group);
    for (size_t i = 0; i < APP_GROUPS_MAX && table->groups[i]; i++)
        most = strlen(table->groups[i]) > most ? strlen(table->groups[i]) : most;
    return (int)most;
}

static const char *group_of(const struct app_table *table, size_t row)
{
    return table->group ? table->groups[row / group_rows(table)] : "";
}

// ---- text ----

static void print_names(const struct app_table *table, const int *width)
{
    printf("  %-*s%-*s", NUMBER_WIDTH, table->name, group_width(table),
           table->group ? table->group : "");
    for (size_t i = 0; table->columns[i].name; i++)
        if (!table->columns[i].detail)
            printf("%*s", width[i], table->columns[i].name);
    printf("\n");
}

static void print_row(const struct app_table *table, const int *width, size_t row)
{
    const double *value = table->cells + row * count_columns(table);
    printf("  %-*zu%-*s", NUMBER_WIDTH, row % group_rows(table) + 1, group_width(table),
           group_of(table, row));
    for (size_t i = 0; table->columns[i].name; i++) {
        char cell[CELL_MAX];
        write_cell(cell, &table->columns[i], value[i]);
        if (!table->columns[i].detail)
            printf("%*s", width[i], cell);
    }
    printf("\n");
}

void table_text(const struct app_table *table)
{
    int width[APP_COLUMNS_MAX];
    for (size_t i = 0; table->columns[i].name; i++)
        width[i] = column_width(table, i);
    print_names(table, width);
    for (size_t row = 0; row < table->rows; row++)
        print_row(table, width, row);
}

// ---- JSON ----

void table_json(struct json *json, const struct app_table *table)
{
    const double *cell = table->cells;
    json_array(json, table->name);
    for (size_t row = 0; row < table->rows; row++) {
        json_object(json, NULL);
        if (table->group)
            json_text(json, table->group, group_of(table, row));
        for (const struct app_column *column = table->columns; column->name; column++, cell++)
            json_real(json, column->name, *cell);
        json_close(json);
    }
    json_close(json);
}
