// SPDX-License-Identifier: Apache-2.0
// The channels of most tests about them: of numbers.
#ifndef TEST_CHANNEL_NUMBERS_H
#define TEST_CHANNEL_NUMBERS_H

#include "support.h"

TW_CHANNEL(long, numbers)

static tw_channel(numbers) make(uint32_t capacity)
{
    tw_channel(numbers) c = {NULL};
    assert_int_equal(tw_channel_make(numbers, &c, "numbers", capacity), 0);
    return c;
}

#endif
