// SPDX-License-Identifier: Apache-2.0
// Misuse by the program, or a resource the runtime cannot do without: an assertion that is always
// on.
#include <stdio.h>
#include <stdlib.h>
#include <unistd.h>

#include <twill/inline.h>

void tw_misuse(const char *what, const char *task)
{
    char text[512];
    int length = snprintf(text, sizeof text, "twill: %s%s%s%s\n", what, *task ? " (task '" : "",
                          task, *task ? "')" : "");
    if (length >= (int)sizeof text) { // a long one ends at what fits
        length = (int)sizeof text - 1;
        text[length - 1] = '\n';
    }
    if (length < 0 || write(STDERR_FILENO, text, (size_t)length) < 0)
        abort();
    abort();
}
