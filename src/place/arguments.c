// SPDX-License-Identifier: Apache-2.0
// See arguments.h. An address is told from a number by what is there: most numbers are no address
// of anything, and for the few that are the map of this process says what kind of memory it is.
// That of static variables is let through: it may well be the same at all places.
#include "place/arguments.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <sys/mman.h>
#include <unistd.h>

#include <twill/place.h>

enum { LINE_MOST = 512, LOWEST = 1 << 16 };

static int is_wanted; // writer: constructors, before main()

void tw_tasks_check_arguments(void)
{
    is_wanted = 1;
}

static int is_mapped(uintptr_t address)
{
    uintptr_t size = (uintptr_t)sysconf(_SC_PAGESIZE);
    unsigned char resident;
    return mincore((void *)(address & ~(size - 1)), 1, &resident) == 0 || errno != ENOMEM;
}

// What a line of the map says of the address: NULL if nothing. `end` is where the line before
// ended, if that was a file's: memory without a name that follows it holds its static variables.
static const char *kind_of(const char *line, uintptr_t address, uintptr_t *end)
{
    uintptr_t first, after;
    char rights[8], name[LINE_MOST] = "";
    if (sscanf(line, "%" SCNxPTR "-%" SCNxPTR " %7s %*s %*s %*s %511[^\n]", &first, &after, rights,
               name) < 3)
        return NULL;
    int is_file = strchr(name, '/') != NULL, is_static = is_file || (!*name && first == *end);
    *end = is_file ? after : 0;
    if (address < first || address >= after || is_static || rights[1] != 'w')
        return NULL;
    return strstr(name, "[heap]") ? "the heap" : strstr(name, "stack") ? "a stack" : "memory";
}

// What memory of this process alone is there, or NULL.
static const char *private_memory(uintptr_t address)
{
    FILE *map = address >= LOWEST && is_mapped(address) ? fopen("/proc/self/maps", "re") : NULL;
    char line[LINE_MOST];
    const char *kind = NULL;
    uintptr_t end = 0;
    while (map && !kind && fgets(line, sizeof line, map))
        kind = kind_of(line, address, &end);
    if (map)
        (void)fclose(map);
    return kind;
}

void twi_arguments_check_size(uint32_t place, const struct tw_task_type *type)
{
    char text[128];
    if (type->args_size <= TWI_ARGUMENTS_MOST)
        return;
    snprintf(text, sizeof text,
             "place %" PRIu32 ": a task cannot leave with %zu bytes: %zu at most", place,
             type->args_size, TWI_ARGUMENTS_MOST);
    tw_misuse(text, type->name);
}

void twi_arguments_check(uint32_t place, const struct tw_task_type *type, const void *args)
{
    char text[160];
    twi_arguments_check_size(place, type);
    for (size_t at = 0; is_wanted && at + sizeof(uintptr_t) <= type->args_size;
         at += sizeof(uintptr_t)) {
        uintptr_t word;
        memcpy(&word, (const char *)args + at, sizeof word);
        const char *kind = private_memory(word);
        if (!kind)
            continue;
        snprintf(text, sizeof text,
                 "place %" PRIu32 ": a task leaves with an address of %s here in its arguments, at "
                 "offset %zu",
                 place, kind, at);
        tw_misuse(text, type->name);
    }
}
