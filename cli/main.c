// SPDX-License-Identifier: Apache-2.0
// The `twill` command: finds the command named and runs it.
#include <string.h>

#include "cli/command.h"

int main(int argc, char **argv)
{
    settings_check_environment();
    if (argc < 2) {
        help_command.help(stderr);
        return EXIT_USAGE;
    }
    const char *name = argv[1];
    if (strcmp(name, "--help") == 0 || strcmp(name, "-h") == 0)
        name = "help";
    else if (strcmp(name, "--version") == 0)
        name = "version";
    const struct command *command = command_find(name);
    if (!command)
        return EXIT_USAGE;
    int status = command->main(argc - 2, argv + 2);
    if (fflush(stdout) != 0 || ferror(stdout)) {
        perror("twill: cannot write the output");
        return EXIT_FAILED;
    }
    return status;
}
