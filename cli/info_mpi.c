// SPDX-License-Identifier: Apache-2.0
#include "cli/info_mpi.h"

#include <stdlib.h>
#include <string.h>

#include <twill/report.h>

#include "cli/command.h"
#include "cli/json.h"
#include "cli/launch.h"

enum { MPIS_MOST = 3 };

// Fills in the names; returns how many.
static int names(const char *asked, const char *name[MPIS_MOST])
{
    int count = 0;
    name[count++] = "openmpi";
    name[count++] = "mpich";
    if (strchr(asked, '/'))
        name[count++] = asked;
    return count;
}

// ---- text ----

static void print_cure(const struct tw_mpi_cure *cure)
{
    const char *own = getenv(cure->variable);
    printf("    %s=%s\n      ", cure->variable, cure->value);
    if (own)
        printf("not made: you have set it to '%s'; ", own);
    printf("%s\n", cure->why);
}

static void print_mpi(const char *name)
{
    struct tw_mpi mpi;
    const char *launcher = strchr(name, '/') ? "" : launch_name(name);
    if (tw_mpi_describe(&mpi, name) != 0) {
        printf("  %-18s%s\n", name, "no plugin; 'twill info --json' tells what was tried");
        return;
    }
    printf("  %-18s%s, %s%s\n", name, mpi.version, launcher ? "started by " : "no launcher",
           !launcher   ? ""
           : *launcher ? launcher
                       : "its own launcher");
    for (const struct tw_mpi_cure *cure = mpi.cures; cure->variable; cure++)
        print_cure(cure);
}

void info_mpi_text(const char *asked)
{
    const char *name[MPIS_MOST];
    int count = names(asked, name);
    printf("\nmpi, and what is set before it starts\n");
    for (int i = 0; i < count; i++)
        print_mpi(name[i]);
}

// ---- JSON ----

static void write_mpi(struct json *json, const char *name)
{
    struct tw_mpi mpi;
    int error = tw_mpi_describe(&mpi, name);
    json_object(json, NULL);
    json_text(json, "name", name);
    json_text(json, "version", error ? NULL : mpi.version);
    json_text(json, "problem", error ? mpi.message : NULL);
    json_text(json, "launcher", strchr(name, '/') ? NULL : launch_name(name));
    json_array(json, "cures");
    for (const struct tw_mpi_cure *cure = mpi.cures; cure && cure->variable; cure++) {
        json_object(json, NULL);
        json_text(json, "variable", cure->variable);
        json_text(json, "value", cure->value);
        json_text(json, "why", cure->why);
        json_text(json, "own", getenv(cure->variable));
        json_close(json);
    }
    json_close(json);
    json_close(json);
}

void info_mpi_json(struct json *json, const char *asked)
{
    const char *name[MPIS_MOST];
    int count = names(asked, name);
    json_array(json, "mpi");
    for (int i = 0; i < count; i++)
        write_mpi(json, name[i]);
    json_close(json);
}
