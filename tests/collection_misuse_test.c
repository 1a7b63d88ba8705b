// SPDX-License-Identifier: Apache-2.0
// Collections whose tasks fail, that others meddle with, and that are used as they must not be.
#include "support.h"

#include <string.h>

enum { TASKS = 10, BAD = 4 };

static int ran[TASKS]; // how often each

// ---- failures ----

TW_TASK(fail_at, { int number, bad; })
{
    if (self.number == self.bad)
        tw_fail(-12345);
    else
        __atomic_fetch_add(&ran[self.number], 1, __ATOMIC_RELAXED);
}

// The newest is taken first: 9 to 5 run, 4 fails, the others do not begin. What each began with is
// there again where that is restored, else what it ran.
static void fail_and_restore(enum tw_balance balance, int from)
{
    struct tw_collection *c;
    struct tw_collection_options options = {.task_size = 8, .workers = 1, .balance = balance};
    assert_int_equal(tw_collection_create(&c, &options), 0);
    memset(ran, 0, sizeof ran);
    for (int i = 0; i < TASKS; i++)
        assert_int_equal(tw_collection_add(c, fail_at, .number = i, .bad = BAD), 0);
    assert_int_equal(tw_collection_process(c), -12345);
    for (int i = 0; i < TASKS; i++)
        assert_int_equal(ran[i], i > BAD);
    assert_int_equal(tw_collection_restore(c), 0);
    assert_int_equal(tw_collection_count(c), TASKS - from);
    tw_collection_free(c);
}

static void test_collection_restores_after_a_failure(void **state)
{
    (void)state;
    fail_and_restore(TW_BALANCE_RETENTIVE, BAD);
    fail_and_restore(TW_BALANCE_STEAL, 0);
    fail_and_restore(TW_BALANCE_NONE, 0);
}

// ---- others ----

static uint32_t has_begun, may_end;

TW_TASK(linger, { int number; })
{
    __atomic_store_n(&has_begun, 1, __ATOMIC_RELAXED);
    while (!__atomic_load_n(&may_end, __ATOMIC_RELAXED))
        (void)tw_sleep(100000);
}

TW_TASK(process_it, { struct tw_collection *c; })
{
    (void)tw_collection_process(self.c);
}

TW_TASK(meddle, {
    int *error;
    void **slot;
})
{
    struct tw_collection *c;
    if (tw_collection_create(&c, &(struct tw_collection_options){.task_size = 8}) != 0)
        return;
    (void)tw_collection_add(c, linger, .number = 0);
    tw_finish {
        tw_async(process_it, .c = c);
        while (!__atomic_load_n(&has_begun, __ATOMIC_RELAXED))
            (void)tw_sleep(100000);
        *self.error = tw_collection_add(c, fail_at, .number = 0);
        *self.slot = tw_collection_slot(c, fail_at);
        __atomic_store_n(&may_end, 1, __ATOMIC_RELAXED);
    }
    tw_collection_free(c);
}

static void test_collection_is_closed_to_others_while_processed(void **state)
{
    (void)state;
    int error = 0;
    void *slot = &error;
    assert_int_equal(tw_run(meddle, .error = &error, .slot = &slot), 0);
    assert_int_equal(error, TW_EAGAIN);
    assert_null(slot);
}

// ---- misuse ----

TW_TASK(process_again, { int number; })
{
    (void)tw_collection_process(tw_collection_current());
}

static void nested(void)
{
    struct tw_collection *c;
    (void)tw_collection_create(&c, &(struct tw_collection_options){.task_size = 4});
    (void)tw_collection_add(c, process_again, .number = 0);
    (void)tw_collection_process(c);
}

static void commit_nothing(void)
{
    struct tw_collection *c;
    (void)tw_collection_create(&c, &(struct tw_collection_options){.task_size = 4});
    tw_collection_commit(c);
}

static void set_none_there_is(void)
{
    struct tw_collection *c;
    (void)tw_collection_create(&c, &(struct tw_collection_options){.task_size = 4});
    tw_collection_set_balance(c, (enum tw_balance)(TW_BALANCE_AUTO + 1));
}

static void dies(void (*what)(void), const char *expected)
{
    char text[4096];
    assert_true(test_dies(what, text, sizeof text));
    if (!strstr(text, expected))
        fail_msg("'%s' is not in '%s'", expected, text);
}

static void test_collection_misuse_ends_the_program(void **state)
{
    (void)state;
    dies(nested, "tw_collection_process of a collection that is being processed");
    dies(commit_nothing, "tw_collection_commit without tw_collection_slot");
    dies(tw_collection_null, "tw_collection_null outside a task of a collection");
    dies(set_none_there_is, "no such balance of a collection");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_collection_restores_after_a_failure),
        cmocka_unit_test(test_collection_is_closed_to_others_while_processed),
        cmocka_unit_test(test_collection_misuse_ends_the_program),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
