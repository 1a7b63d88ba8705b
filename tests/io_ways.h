// SPDX-License-Identifier: Apache-2.0
// What the tests of io.h share: every setting of io in turn, and a count of open descriptors.
#ifndef TEST_IO_WAYS_H
#define TEST_IO_WAYS_H

#include "support.h"

#include <dirent.h>
#include <string.h>

enum { MS = 1000000 };

static inline int test_open_descriptors(void)
{
    int count = 0;
    DIR *folder = opendir("/proc/self/fd");
    while (folder && readdir(folder))
        count++;
    if (folder)
        closedir(folder);
    return count;
}

// Runs a check with each setting; it leaves no descriptor behind.
static inline void test_each_io(void (*check)(const struct tw_options *options))
{
    static const char *const ways[] = {"auto", "epoll", "uring"};
    for (size_t i = 0; i < sizeof ways / sizeof *ways; i++) {
        struct tw_options options;
        int before = test_open_descriptors();
        assert_int_equal(tw_options_init(&options, NULL, 0), 0);
        assert_int_equal(tw_options_set(&options, "io", ways[i], NULL, 0), 0);
        print_message("io %s\n", ways[i]);
        check(&options);
        assert_int_equal(test_open_descriptors(), before);
    }
}

#endif
