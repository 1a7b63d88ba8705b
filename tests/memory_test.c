// SPDX-License-Identifier: Apache-2.0
// ctest: workers=1
// Memory that processes share without a name.
#include "support.h"

#include <sys/wait.h>
#include <unistd.h>

#include "base/memory.h"

enum { SIZE = 100000 };

static void test_memory_is_seen_by_another_process(void **state)
{
    int descriptor = -1, status;
    (void)state;
    unsigned char *ours = twi_memory_make(SIZE, &descriptor);
    assert_non_null(ours);
    assert_int_equal(ours[SIZE - 1], 0);
    if (descriptor < 0)
        skip();
    uint32_t process = (uint32_t)getpid();
    pid_t child = fork();
    if (child == 0) {
        unsigned char *theirs = twi_memory_of(process, descriptor, SIZE);
        if (theirs)
            theirs[SIZE - 1] = 7;
        _exit(theirs ? 0 : 1);
    }
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
    assert_int_equal(ours[SIZE - 1], 7);
    close(descriptor);
    twi_memory_free(ours, SIZE);
}

static void test_memory_that_is_not_there_is_not_mapped(void **state)
{
    int descriptor = -1;
    (void)state;
    assert_null(twi_memory_make((size_t)1 << 55, &descriptor));
    assert_int_equal(descriptor, -1);
    assert_null(twi_memory_make((size_t)1 << 55, NULL));
    void *ours = twi_memory_make(SIZE, &descriptor);
    assert_non_null(ours);
    assert_null(twi_memory_of((uint32_t)getpid(), descriptor, 2 * SIZE)); // of another size
    assert_null(twi_memory_of((uint32_t)getpid(), 9999, SIZE));
    if (descriptor >= 0)
        close(descriptor);
    twi_memory_free(ours, SIZE);
    twi_memory_free(NULL, SIZE);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_memory_is_seen_by_another_process),
        cmocka_unit_test(test_memory_that_is_not_there_is_not_mapped),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
