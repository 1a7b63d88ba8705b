// SPDX-License-Identifier: Apache-2.0
// What the tests share.
#ifndef TEST_SUPPORT_H
#define TEST_SUPPORT_H

#include <setjmp.h>
#include <stdarg.h>
#include <stddef.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>

#include <cmocka.h>

#include <twill/twill.h>

// A repeat count, smaller under slow tools: TWILL_TEST_SCALE is a percentage.
static inline int test_scaled(int count)
{
    const char *scale = getenv("TWILL_TEST_SCALE");
    int percent = scale ? atoi(scale) : 100;
    int scaled = (int)((long)count * percent / 100);
    return scaled > 0 ? scaled : 1;
}

// Whether an emulator runs the program, whose own memory is seen as the program's.
int test_is_emulated(void);

// Runs `what` in a child process; its standard error goes to `text`. Returns whether it died.
int test_dies(void (*what)(void), char *text, size_t size);

#endif
