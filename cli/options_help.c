// SPDX-License-Identifier: Apache-2.0
// Help texts of option tables.
#include <string.h>

#include "cli/options.h"

#define NAME_COLUMNS 22
#define LINE_COLUMNS 92

// Fills `text` into lines that begin in the column of the help texts.
static void print_filled(FILE *file, const char *text)
{
    size_t column = NAME_COLUMNS;
    while (*text) {
        size_t length = strcspn(text, " ");
        if (column > NAME_COLUMNS && column + 1 + length > LINE_COLUMNS) {
            fprintf(file, "\n%*s", NAME_COLUMNS, "");
            column = NAME_COLUMNS;
        }
        column +=
            (size_t)fprintf(file, "%s%.*s", column > NAME_COLUMNS ? " " : "", (int)length, text);
        text += length + strspn(text + length, " ");
    }
    fprintf(file, "\n");
}

void cli_print_entry(FILE *file, const char *name, const char *text)
{
    int width = fprintf(file, "  %s", name);
    if (width + 2 > NAME_COLUMNS) {
        fprintf(file, "\n");
        width = 0;
    }
    fprintf(file, "%*s", NAME_COLUMNS - width, "");
    print_filled(file, text);
}

static void print_option(FILE *file, const struct cli_option *option)
{
    char name[128];
    size_t used = (size_t)snprintf(name, sizeof name, "--%s", option->name);
    if (option->argument)
        used += (size_t)snprintf(name + used, sizeof name - used, " %s", option->argument);
    if (option->kind == CLI_CHOICE)
        for (unsigned i = 0; option->choices[i] && used < sizeof name; i++)
            used += (size_t)snprintf(name + used, sizeof name - used, "%s%s", i ? "|" : " ",
                                     option->choices[i]);
    cli_print_entry(file, name, option->help);
}

void cli_print_options(FILE *file, const struct cli_group *groups, size_t count)
{
    for (size_t g = 0; g < count; g++) {
        fprintf(file, "\n%s\n", groups[g].title);
        for (const struct cli_option *option = groups[g].options; option->name; option++)
            print_option(file, option);
    }
}
