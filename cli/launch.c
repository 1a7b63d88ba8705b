// SPDX-License-Identifier: Apache-2.0
// See launch.h.
#include "cli/launch.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

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

// What `mpirun` is, which says so when asked; "" if it is neither. That of Open MPI needs options
// that the other refuses.
static const char *kind_of_mpirun(void)
{
    char told[4096] = "";
    FILE *answer = popen("mpirun --version 2>&1 </dev/null", "r");
    if (answer) {
        told[fread(told, 1, sizeof told - 1, answer)] = '\0';
        pclose(answer);
    }
    return strstr(told, "Open MPI") || strstr(told, "OpenRTE") ? "openmpi"
           : strstr(told, "HYDRA")                             ? "mpich"
                                                               : "";
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
    if (strcmp(mpi, "off") == 0 || !is_in_path("mpirun"))
        return NULL;
    const char *kind = kind_of_mpirun();
    if (!*kind)
        kind = mpi;
    *is_open = strcmp(kind, "openmpi") == 0;
    bool is_any = strcmp(mpi, "openmpi") != 0 && strcmp(mpi, "mpich") != 0;
    return is_any || strcmp(kind, mpi) == 0 ? "mpirun" : NULL;
}

const char *launch_name(const char *mpi)
{
    bool is_open;
    return launcher_for(mpi, &is_open);
}

bool launch_line_make(struct launch_line *line, unsigned places, const char *mpi)
{
    bool is_open;
    const char *launcher = launcher_for(mpi, &is_open);
    if (!launcher)
        return false;
    snprintf(line->count, sizeof line->count, "%u", places);
    line->words = 0;
    line->word[line->words++] = launcher;
    line->word[line->words++] = "-n";
    line->word[line->words++] = line->count;
    for (size_t i = 0; is_open && open_options[i]; i++)
        line->word[line->words++] = open_options[i];
    if (is_open && geteuid() == 0)
        line->word[line->words++] = "--allow-run-as-root";
    return true;
}

void launch_places(const char *name, unsigned places, const char *mpi, char **argv)
{
    char self[4096];
    struct launch_line line;
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    if (!launch_line_make(&line, places, mpi) || length <= 0) {
        fprintf(
            stderr,
            "%s: --places %u needs an MPI launcher, with --mpi %s: mpirun.openmpi, mpirun.mpich "
            "and mpirun are looked for\n",
            name, places, mpi);
        return;
    }
    self[length] = '\0';
    size_t used = line.words, given = 1;
    while (argv[given])
        given++;
    const char **words = calloc(used + given + 2, sizeof *words); // and --progress, and the end
    if (!words) {
        perror(name);
        return;
    }
    memcpy(words, line.word, used * sizeof *words);
    words[used++] = self;
    for (argv++; *argv; argv++)
        words[used++] = *argv;
    if (isatty(STDERR_FILENO)) // which places do not see: the launcher is between
        words[used++] = "--progress";
    execvp(line.word[0], (char *const *)words);
    perror(line.word[0]);
    free(words);
}
