// SPDX-License-Identifier: Apache-2.0
// Misuse by the program, or a resource the runtime cannot do without: an assertion that is always
// on.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <twill/atomic.h>
#include <twill/inline.h>

#include "base/os.h"

static uint32_t named; // the place that messages name, and 1; 0: there is but one

void twi_misuse_name(uint32_t place)
{
    TWI_STORE(&named, place + 1, TWI_RELAXED); // relaxed: before there are others
}

// Some messages begin with their place: of those that tell of others.
static void name_place(char *name, size_t size, const char *what)
{
    uint32_t place = TWI_LOAD(&named, TWI_RELAXED); // relaxed: set long ago
    *name = '\0';
    if (place && strncmp(what, "place ", 6) != 0)
        snprintf(name, size, "place %u: ", (unsigned)place - 1);
}

void tw_misuse(const char *what, const char *task)
{
    char text[512], name[32];
    name_place(name, sizeof name, what);
    int length = snprintf(text, sizeof text, "twill: %s%s%s%s%s\n", name, what,
                          *task ? " (task '" : "", task, *task ? "')" : "");
    if (length >= (int)sizeof text) { // a long one ends at what fits
        length = (int)sizeof text - 1;
        text[length - 1] = '\n';
    }
    if (length < 0 || write(STDERR_FILENO, text, (size_t)length) < 0)
        abort();
    abort();
}
