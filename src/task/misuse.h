// SPDX-License-Identifier: Apache-2.0
// Misuse of something that has a name.
#ifndef TWI_MISUSE_H
#define TWI_MISUSE_H

#include <stdio.h>

#include <twill/inline.h>

__attribute__((noreturn, cold, unused)) static void
twi_misuse_of(const char *kind, const char *name, const char *what)
{
    char text[300];
    snprintf(text, sizeof text, "%s '%.100s': %s", kind, name, what);
    tw_misuse(text, "");
}

#endif
