// SPDX-License-Identifier: Apache-2.0
// ctest: workers=1
// sync.h in the sequential elision: nothing waits, and what would is refused.
#define TWILL_SERIAL
#include "support.h"

#include <string.h>

static struct tw_mutex books = TW_MUTEX_INIT("books");
static struct tw_semaphore seats = TW_SEMAPHORE_INIT("seats", 2);
static struct tw_condition news = TW_CONDITION_INIT("news");

static void lock_twice(void)
{
    tw_mutex_lock(&books);
    tw_mutex_lock(&books);
}

static void unlock_free(void)
{
    tw_mutex_unlock(&books);
}

static void destroy_held(void)
{
    tw_mutex_lock(&books);
    tw_mutex_destroy(&books);
}

static void acquire_too_many(void)
{
    for (int i = 0; i < 3; i++)
        tw_semaphore_acquire(&seats);
}

static void wait_for_ever(void)
{
    tw_mutex_lock(&books);
    tw_condition_wait(&news, &books);
}

static void expect(void (*what)(void), const char *message)
{
    char text[1000];
    assert_true(test_dies(what, text, sizeof text));
    if (!strstr(text, message))
        fail_msg("'%s' is not in: %s", message, text);
}

static void test_sync_serial_refuses_to_wait(void **state)
{
    (void)state;
    expect(lock_twice, "mutex 'books': locked while it is held");
    expect(unlock_free, "mutex 'books': unlocked, but nobody holds it");
    expect(destroy_held, "mutex 'books': destroyed while it is held");
    expect(acquire_too_many, "semaphore 'seats': waited for");
    expect(wait_for_ever, "condition 'news': waited for");
}

static void test_sync_serial_keeps_the_state(void **state)
{
    (void)state;
    assert_int_equal(tw_mutex_trylock(&books), 1);
    assert_int_equal(tw_mutex_trylock(&books), 0);
    tw_mutex_unlock(&books);
    tw_mutex_destroy(&books);
    tw_semaphore_acquire(&seats);
    assert_int_equal(tw_semaphore_try(&seats), 1);
    assert_int_equal(tw_semaphore_try(&seats), 0);
    tw_semaphore_release(&seats, 2);
    tw_semaphore_destroy(&seats);
    tw_condition_signal(&news);
    tw_condition_broadcast(&news);
    tw_condition_destroy(&news);
    tw_mutex_init(&books, "books");
    tw_semaphore_init(&seats, "seats", 2);
    tw_condition_init(&news, "news");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sync_serial_refuses_to_wait),
        cmocka_unit_test(test_sync_serial_keeps_the_state),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
