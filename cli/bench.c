// SPDX-License-Identifier: Apache-2.0
// `twill bench`: hands over to the suites in bench/, which a build may lack.
#include "cli/command.h"

#include <string.h>

int twb_main(int argc, char **argv) __attribute__((weak));

static int bench_main(int argc, char **argv)
{
    if (!twb_main) {
        fprintf(stderr, "twill bench: this build has no benchmarks\n");
        return EXIT_FAILED;
    }
    return twb_main(argc, argv);
}

static void bench_help(FILE *file)
{
    fprintf(file, "\n'twill bench --help' lists the suites and their options.\n");
}

const struct command bench_command = {
    .name = "bench",
    .usage = "bench SUITE [OPTION ...]",
    .summary = "measures Twill, beside other runtimes where they are built",
    .main = bench_main,
    .help = bench_help,
};
