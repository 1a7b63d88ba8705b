// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "load.h"

#include <dlfcn.h>
#include <limits.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <twill/runtime.h>

// ---- which ----

// An MPI that is in this process already. Each has a symbol that the other has not.
static const char *loaded_mpi(void)
{
    if (dlsym(RTLD_DEFAULT, "ompi_mpi_comm_world"))
        return "openmpi";
    if (dlsym(RTLD_DEFAULT, "MPIR_Dup_fn"))
        return "mpich";
    return NULL;
}

static int is_mpi_running(void)
{
    int (*initialized)(int *);
    void *found = dlsym(RTLD_DEFAULT, "MPI_Initialized");
    int running = 0;
    if (found) {
        memcpy(&initialized, &found, sizeof found);
        initialized(&running);
    }
    return running;
}

// Who has started us, by what launchers tell their programs.
static const char *launched_by(void)
{
    static const char *const signs[][2] = {
        {"OMPI_COMM_WORLD_SIZE", "openmpi"}, {"PMI_SIZE", "mpich"},    {"PMI_RANK", "mpich"},
        {"HYDI_CONTROL_FD", "mpich"},        {"PMIX_RANK", "openmpi"},
    };
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        if (getenv(signs[i][0]))
            return signs[i][1];
    return NULL;
}

// How many it has started; 1: it does not say.
static unsigned long launched_places(void)
{
    const char *size = getenv("OMPI_COMM_WORLD_SIZE");
    if (!size)
        size = getenv("PMI_SIZE");
    return size ? strtoul(size, NULL, 10) : 1;
}

const char *twi_mpi_chosen(const char *asked)
{
    const char *launcher = launched_by(), *loaded = loaded_mpi();
    int is_auto = strcmp(asked, "auto") == 0;
    if (strcmp(asked, "off") == 0)
        return NULL;
    if (strchr(asked, '/'))
        return asked;
    if (loaded && (!is_auto || launcher || is_mpi_running()))
        return loaded;
    return is_auto ? launcher : asked;
}

// ---- where ----

// Adds what is wrong with one candidate.
static void note(char *message, size_t size, const char *what)
{
    size_t length = strlen(message);
    snprintf(message + length, size - length, "%s%s", length ? "; " : "", what ? what : "?");
}

static const struct twi_mpi_plugin *try_path(const char *path, int mode, char *message, size_t size)
{
    void *handle = dlopen(path, mode);
    if (!handle) {
        note(message, size, dlerror());
        return NULL;
    }
    const struct twi_mpi_plugin *plugin = dlsym(handle, TWI_MPI_PLUGIN);
    if (plugin && strcmp(plugin->twill, TW_VERSION) == 0)
        return plugin;
    char text[PATH_MAX + 64];
    snprintf(text, sizeof text, "%s: %s", path,
             plugin ? "is of another version of Twill" : "is no plugin of Twill");
    note(message, size, text);
    dlclose(handle);
    return NULL;
}

// Cuts the last part of a path off.
static void folder_of(char *path)
{
    char *slash = strrchr(path, '/');
    if (slash)
        *slash = '\0';
}

// Where the library is that this code is in, or the program when it was linked into that.
static int own_folder(char *path, size_t size)
{
    Dl_info info;
    if (!dladdr(__extension__(void *) own_folder, &info) || !strchr(info.dli_fname, '/'))
        return 0;
    snprintf(path, size, "%s", info.dli_fname);
    folder_of(path);
    return 1;
}

// lib beside the folder of the program.
static int sister_folder(char *path, size_t size)
{
    ssize_t length = readlink("/proc/self/exe", path, size - 1);
    if (length <= 0)
        return 0;
    path[length] = '\0';
    folder_of(path);
    folder_of(path);
    length = (ssize_t)strlen(path);
    snprintf(path + length, size - (size_t)length, "/lib");
    return 1;
}

static const struct twi_mpi_plugin *try_folders(const char *kind, int mode, char *message,
                                                size_t size)
{
    char folder[PATH_MAX], path[PATH_MAX + 64], name[64];
    const struct twi_mpi_plugin *plugin = NULL;
    snprintf(name, sizeof name, "libtwill-mpi-%s.so", kind);
    for (int i = 0; i < 2 && !plugin; i++) {
        if (!(i == 0 ? own_folder : sister_folder)(folder, sizeof folder))
            continue;
        snprintf(path, sizeof path, "%s/%s", folder, name);
        plugin = try_path(path, mode, message, size);
    }
    return plugin ? plugin : try_path(name, mode, message, size);
}

static const struct twi_mpi_plugin *find(const char *chosen, int mode, char *message, size_t size)
{
    char tried[4 * PATH_MAX] = "";
    const struct twi_mpi_plugin *plugin = strchr(chosen, '/')
                                              ? try_path(chosen, mode, tried, sizeof tried)
                                              : try_folders(chosen, mode, tried, sizeof tried);
    if (!plugin) {
        const char *launcher = launched_by();
        snprintf(message, size, "%s%s%sno plugin for MPI could be loaded (TWILL_MPI chooses): %s",
                 launcher ? "the launcher of " : "", launcher ? launcher : "",
                 launcher ? " started this program, but " : "", tried);
    }
    return plugin;
}

// Global: parts of an MPI that are loaded later look for its symbols.
const struct twi_mpi_plugin *twi_mpi_find(const char *chosen, char *message, size_t size)
{
    return find(chosen, RTLD_NOW | RTLD_GLOBAL, message, size);
}

const struct twi_mpi_plugin *twi_mpi_look(const char *chosen, char *message, size_t size)
{
    return find(chosen, RTLD_LAZY | RTLD_LOCAL, message, size);
}

// ---- opening ----

// Started by the launcher of one MPI, with another: each process is a world of its own, and all
// would do the same. Who has started MPI itself has meant it.
static int is_stray(const struct twi_loaded *loaded, const char *chosen, char *message, size_t size)
{
    const char *launcher = launched_by();
    if (loaded->fabric->places > 1 || !launcher || launched_places() <= 1)
        return 0;
    snprintf(message, size,
             "the launcher of %s started %lu places, but with %s each is alone: take the launcher "
             "of that MPI, or set TWILL_MPI to auto, or to off if they are to be alone",
             launcher, launched_places(), chosen);
    return 1;
}

int twi_fabric_load(struct twi_loaded *loaded, const char *asked,
                    const struct twi_mpi_settings *settings, char *message, size_t size)
{
    const char *chosen = twi_mpi_chosen(asked);
    int is_running = is_mpi_running();
    *loaded = (struct twi_loaded){0};
    if (!chosen) {
        loaded->fabric = twi_self_create();
        if (!loaded->fabric)
            snprintf(message, size, "no memory for the fabric of a place");
        return loaded->fabric ? 0 : TW_ENOMEM;
    }
    loaded->plugin = twi_mpi_find(chosen, message, size);
    if (!loaded->plugin)
        return TW_ENOENT;
    loaded->fabric = loaded->plugin->open(settings, &loaded->facts, message, size);
    if (!loaded->fabric)
        return TW_EINVAL;
    if (!is_running && is_stray(loaded, chosen, message, size)) {
        twi_fabric_unload(loaded);
        return TW_EINVAL;
    }
    return 0;
}

void twi_fabric_unload(struct twi_loaded *loaded)
{
    if (loaded->plugin)
        loaded->plugin->close(loaded->fabric);
    else
        twi_self_destroy(loaded->fabric);
    loaded->fabric = NULL;
}
