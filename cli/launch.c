// SPDX-License-Identifier: Apache-2.0
// See launch.h.
#include "cli/launch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

enum { WORDS_MOST = 256 };

// More places than processors are fine, and workers find processors themselves.
static const char *const open_options[] = {"--oversubscribe", "--bind-to", "none", NULL};

bool launch_is_done(void)
{
    static const char *const signs[] = {"OMPI_COMM_WORLD_SIZE", "PMIX_RANK", "PMI_SIZE", "PMI_RANK",
                                        "HYDI_CONTROL_FD"};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (getenv(signs[i]))
            return true;
    return false;
}

static bool is_in_path(const char *name)
{
    const char *path = getenv("PATH");
    char file[4096];
    while (path && *path) {
        size_t length = strcspn(path, ":");
        snprintf(file, sizeof file, "%.*s/%s", (int)length, path, name);
        if (access(file, X_OK) == 0)
            return true;
        path += length + (path[length] == ':');
    }
    return false;
}

// Debian has a name for each; where there is one MPI only, its launcher has none.
static const char *launcher_for(const char *mpi, bool *is_open)
{
    static const char *const names[] = {"mpirun.openmpi", "mpirun.mpich"};
    for (int i = 0; i < 2; i++)
        if ((strcmp(mpi, "auto") == 0 || strcmp(mpi, names[i] + strlen("mpirun.")) == 0) &&
            is_in_path(names[i])) {
            *is_open = i == 0;
            return names[i];
        }
    *is_open = strcmp(mpi, "openmpi") == 0;
    return strcmp(mpi, "off") != 0 && is_in_path("mpirun") ? "mpirun" : NULL;
}

const char *launch_name(const char *mpi)
{
    bool is_open;
    return launcher_for(mpi, &is_open);
}

void launch_places(const char *name, unsigned places, const char *mpi, char **argv)
{
    bool is_open;
    char count[16], self[4096];
    const char *launcher = launcher_for(mpi, &is_open);
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (!launcher || length <= 0) {
        fprintf(
            stderr,
            "%s: --places %u needs an MPI launcher, with --mpi %s: mpirun.openmpi, mpirun.mpich "
            "and mpirun are looked for\n",
            name, places, mpi);
        return;
    }
    self[length] = '\0';
    snprintf(count, sizeof count, "%u", places);
    const char *words[WORDS_MOST] = {launcher, "-n", count};
    size_t used = 3;
    for (size_t i = 0; is_open && open_options[i]; i++)
        words[used++] = open_options[i];
    if (is_open && geteuid() == 0)
        words[used++] = "--allow-run-as-root";
    words[used++] = self;
    for (argv++; *argv && used < WORDS_MOST - 2; argv++)
        words[used++] = *argv;
    if (isatty(STDERR_FILENO)) // which places do not see: the launcher is between
        words[used++] = "--progress";
    execvp(launcher, (char *const *)words);
    perror(launcher);
}
