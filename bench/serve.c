// SPDX-License-Identifier: Apache-2.0
// See serve.h.
#include "serve.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

const struct twb_case *twb_find_case(const struct twb_case *cases, const char *name)
{
    size_t length = strcspn(name, ":");
    for (const struct twb_case *c = cases; c->name != NULL; c++)
        if (strncmp(c->name, name, length) == 0 && c->name[length] == '\0')
            return c;
    return NULL;
}

int twb_serve(const struct twb_case *cases, const char *about, int argc, char **argv)
{
    if (argc == 1 && strcmp(argv[0], "--version") == 0) {
        puts(about);
        return 0;
    }
    if (argc != 3) {
        fprintf(stderr, "serve: wants a case, a number of workers and a size\n");
        return 2;
    }
    const struct twb_case *c = twb_find_case(cases, argv[0]);
    if (c == NULL) {
        fprintf(stderr, "serve: no case '%s'\n", argv[0]);
        return 2;
    }
    struct twb_job job = {.workers = (unsigned)strtoul(argv[1], NULL, 10),
                          .size = strtol(argv[2], NULL, 10),
                          .parameters = strchrnul(argv[0], ':')};
    if (*job.parameters == ':')
        job.parameters++;
    char line[16];
    while (fgets(line, sizeof line, stdin) != NULL) {
        struct twb_answer answer = c->run(&job);
        printf("%.17g %" PRIu64 "\n", answer.value, answer.check);
        fflush(stdout);
    }
    return 0;
}
