// SPDX-License-Identifier: Apache-2.0
// Command-line options from tables: parsing, complaints and help.
//
// A table of struct cli_option describes the fields of one settings struct. A command combines
// several tables, each with its own struct, as groups. Options are written --name value or
// --name=value; --help and -h are always known.
#ifndef CLI_OPTIONS_H
#define CLI_OPTIONS_H

#include <stdbool.h>
#include <stddef.h>
#include <stdio.h>

enum cli_kind {
    CLI_FLAG,   // bool, no value
    CLI_COUNT,  // uint64_t, a whole number from `least` to `most`
    CLI_REAL,   // double from `least` to `most`
    CLI_TIME,   // uint64_t, nanoseconds from `least` to `most`, written 50ms, 1.5us, 2s or 0
    CLI_CHOICE, // unsigned, the index of one of `choices`
    CLI_TEXT,   // const char *, anything
};

struct cli_option {
    const char *name;     // without the dashes; NULL ends a table
    const char *argument; // what help calls the value; NULL for a flag and for choices
    const char *help;
    enum cli_kind kind;
    size_t offset; // of the field
    double least, most;
    const char *const *choices; // NULL ends them
};

struct cli_group {
    const char *title; // in help
    const struct cli_option *options;
    void *settings;
    // Stores a value instead of the rules above; what it refuses it explains in `message`, which
    // begins with the name. May be NULL.
    bool (*assign)(void *settings, const char *name, const char *value, char *message, size_t size);
};

enum cli_parsed { CLI_PARSED, CLI_ASKED_HELP, CLI_REFUSED };

// Parses argv[0 .. argc). Complains on stderr, beginning with `command`, about the first thing that
// is wrong: the option, its value and what is accepted.
enum cli_parsed cli_parse(const char *command, const struct cli_group *groups, size_t count,
                          int argc, char **argv);

// One paragraph for each group.
void cli_print_options(FILE *file, const struct cli_group *groups, size_t count);

// "  name        text ...", the text filled into lines below each other. Used for options,
// commands and variables alike.
void cli_print_entry(FILE *file, const char *name, const char *text);

#endif
