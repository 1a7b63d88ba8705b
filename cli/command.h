// SPDX-License-Identifier: Apache-2.0
// The commands of `twill`, and what they share.
#ifndef CLI_COMMAND_H
#define CLI_COMMAND_H

#include <stdio.h>
#include <twill/twill.h>

#include "cli/options.h"

enum {
    EXIT_DONE = 0,
    EXIT_FAILED = 1, // it did not work, or a result is wrong
    EXIT_USAGE = 2,  // it was asked for wrongly
};

struct command {
    const char *name;
    const char *usage; // the words after `twill`
    const char *summary;
    int (*main)(int argc, char **argv); // argv[0] is the word after the command's name
    void (*help)(FILE *file);           // what follows the usage; may be NULL
};

extern const struct command bench_command, demo_command, help_command, info_command,
    reproduce_command, run_command, sim_command, version_command;

// Ends with NULL.
extern const struct command *const commands[];

const struct command *command_find(const char *name);
void command_help(FILE *file, const struct command *command);

// Parses the options of a command without words of its own. True: go on. False: return *status,
// help has been given or a complaint made.
bool command_options(const struct command *command, const struct cli_group *groups, size_t count,
                     int argc, char **argv, int *status);

// ---- settings of the runtime, settings.c ----

// The group of options that set `options`, one for each setting of the library.
struct cli_group settings_group(struct tw_options *options);
// Fills `options` from the environment; complains about a value that is refused.
bool settings_start(struct tw_options *options);
// Warns of TWILL_* variables that the library does not know.
void settings_check_environment(void);
void settings_print_variables(FILE *file);
// Complains that a run failed with `error`; of a file that cannot be written it says why.
void settings_complain(const char *command, const struct tw_options *options, int error);

// ---- text.c ----

// 4130071 as 4,130,071.
#define NUMBER_MAX 32
const char *text_number(char text[NUMBER_MAX], unsigned long long value);
const char *text_compiler(void);

#endif
