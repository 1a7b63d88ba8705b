// SPDX-License-Identifier: Apache-2.0
// What sanitizers believe of a thread's own stack after it has been a worker.
#include "support.h"

#include <pthread.h>

#include "base/sanitize.h"

#ifdef TWI_ASAN
#include <sanitizer/lsan_interface.h>
#endif

TW_TASK(nothing, {})
{
}

#ifdef TWI_ASAN
// A pointer that stands only on the stack of the thread that ran tasks still counts as one.
static void *keep_across_a_run(void *leaked)
{
    void *volatile kept[1] = {malloc(100)};
    int *count = leaked;
    *count += tw_run(nothing) != 0;
    *count += __lsan_do_recoverable_leak_check();
    free(kept[0]);
    return NULL;
}
#endif

static void test_sanitize_stack_is_searched_for_pointers_after_a_run(void **state)
{
    (void)state;
#ifdef TWI_ASAN
    int leaked = 0;
    pthread_t thread;
    keep_across_a_run(&leaked);
    assert_int_equal(leaked, 0);
    assert_int_equal(pthread_create(&thread, NULL, keep_across_a_run, &leaked), 0);
    pthread_join(thread, NULL);
    assert_int_equal(leaked, 0);
#else
    skip();
#endif
}

int main(void)
{
    assert_int_equal(tw_run(nothing), 0);
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sanitize_stack_is_searched_for_pointers_after_a_run),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
