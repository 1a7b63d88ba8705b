// SPDX-License-Identifier: Apache-2.0
// Serving from inside a pool; see cases.h.
#include <stdio.h>
#include <stdlib.h>

#include "cases.h"

void twb_require(int error)
{
    if (error == 0)
        return;
    fprintf(stderr, "serve: %s\n", tw_strerror(error));
    exit(1);
}

TW_TASK(server, {
    const struct twb_case *cases;
    const char *about;
    int argc;
    char **argv;
    int *status;
})
{
    *self.status = twb_serve(self.cases, self.about, self.argc, self.argv);
}

int twb_serve_in_pool(const struct twb_case *cases, const char *about, struct twb_pool_wish wish,
                      int argc, char **argv)
{
    struct tw_options options;
    int status = 1;
    tw_options_init(&options, NULL, 0);
    options.workers = argc > 1 ? (unsigned)strtoul(argv[1], NULL, 10) : 1;
    options.bind = wish.bind;
    if (wish.stack_size)
        options.stack_size = wish.stack_size;
    int error = wish.spmd ? tw_run_spmd_with(&options, server, .cases = cases, .about = about,
                                             .argc = argc, .argv = argv, .status = &status)
                          : tw_run_with(&options, server, .cases = cases, .about = about,
                                        .argc = argc, .argv = argv, .status = &status);
    twb_require(error);
    return status;
}
