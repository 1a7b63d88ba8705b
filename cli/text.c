// SPDX-License-Identifier: Apache-2.0
// Small texts.
#include <string.h>

#include "cli/command.h"

const char *text_number(char text[NUMBER_MAX], unsigned long long value)
{
    char digits[NUMBER_MAX];
    int length = snprintf(digits, sizeof digits, "%llu", value);
    char *end = text;
    for (int i = 0; i < length; i++) {
        if (i > 0 && (length - i) % 3 == 0)
            *end++ = ',';
        *end++ = digits[i];
    }
    *end = '\0';
    return text;
}

const char *text_compiler(void)
{
#ifdef __clang__
    return __VERSION__;
#else
    return "gcc " __VERSION__;
#endif
}
