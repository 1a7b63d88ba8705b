// SPDX-License-Identifier: Apache-2.0
// The table of commands, and the two that only print: help and version.
#include "cli/command.h"

#include <string.h>

#include "cli/suggest.h"

const struct command *const commands[] = {
    &run_command, &demo_command, &bench_command, &sim_command, &reproduce_command,
    &info_command, &help_command, &version_command, NULL,
};

static const struct command *find_quietly(const char *name)
{
    for (size_t i = 0; commands[i]; i++)
        if (strcmp(commands[i]->name, name) == 0)
            return commands[i];
    return NULL;
}

const struct command *command_find(const char *name)
{
    const struct command *found = find_quietly(name);
    if (found)
        return found;
    struct suggestion near;
    suggest_start(&near, name);
    fprintf(stderr, "twill: unknown command '%s': give", name);
    for (size_t i = 0; commands[i]; i++) {
        suggest_offer(&near, commands[i]->name);
        fprintf(stderr, "%s %s", i ? "," : "", commands[i]->name);
    }
    if (near.name)
        fprintf(stderr, "; did you mean %s?", near.name);
    fprintf(stderr, "\n");
    return NULL;
}

void command_help(FILE *file, const struct command *command)
{
    fprintf(file, "twill %s\n%s\n", command->usage, command->summary);
    if (command->help)
        command->help(file);
}

bool command_options(const struct command *command, const struct cli_group *groups, size_t count,
                     int argc, char **argv, int *status)
{
    char name[64];
    snprintf(name, sizeof name, "twill %s", command->name);
    switch (cli_parse(name, groups, count, argc, argv)) {
    case CLI_PARSED:
        return true;
    case CLI_ASKED_HELP:
        command_help(stdout, command);
        *status = EXIT_DONE;
        return false;
    case CLI_REFUSED:
        fprintf(stderr, "'twill help %s' lists the options\n", command->name);
        break;
    }
    *status = EXIT_USAGE;
    return false;
}

// ---- help ----

static void print_overview(FILE *file)
{
    fprintf(file, "twill: a work-stealing runtime for C programs, version %s\n\nCommands\n",
            tw_version());
    for (size_t i = 0; commands[i]; i++)
        cli_print_entry(file, commands[i]->usage, commands[i]->summary);
    settings_print_variables(file);
    fprintf(file, "\n'twill help COMMAND' tells a command's options, 'man twill' those of all.\n");
}

static int help_main(int argc, char **argv)
{
    if (argc == 0 || strcmp(argv[0], "--help") == 0) {
        print_overview(stdout);
        return EXIT_DONE;
    }
    const struct command *command = command_find(argv[0]);
    if (!command)
        return EXIT_USAGE;
    if (argc > 1 && command != &run_command) {
        fprintf(stderr, "twill help: unexpected argument '%s'\n", argv[1]);
        return EXIT_USAGE;
    }
    if (argc > 1) {
        char *words[] = {argv[1], (char[]){"--help"}};
        return run_command.main(2, words);
    }
    command_help(stdout, command);
    return EXIT_DONE;
}

const struct command help_command = {
    .name = "help",
    .usage = "help [COMMAND]",
    .summary = "explains all commands, or one",
    .main = help_main,
    .help = print_overview,
};

// ---- version ----

static int version_main(int argc, char **argv)
{
    int status;
    if (!command_options(&version_command, NULL, 0, argc, argv, &status))
        return status;
    printf("twill %s\n", tw_version());
    return EXIT_DONE;
}

const struct command version_command = {
    .name = "version",
    .usage = "version",
    .summary = "prints the version",
    .main = version_main,
};
