// SPDX-License-Identifier: Apache-2.0
// place.h where there is one place: everything means the same. Several places: tests/mpi/.
#include "support.h"

#include <string.h>

#include <twill/place.h>

// ---- functions whose value comes back ----

TW_FUTURE(long, number)
TW_FUNCTION(long, twice, { long n; })
{
    return 2 * self.n;
}

struct block {
    char bytes[900];
};

TW_FUTURE(struct block, block)
TW_FUNCTION(struct block, make_block, { struct block like; })
{
    struct block block = self.like;
    block.bytes[899]++;
    return block;
}

TW_TASK(promise, { int *wrong; })
{
    tw_future(number) number = TW_FUTURE_INIT, once = TW_FUTURE_INIT;
    tw_future(block) block = TW_FUTURE_INIT;
    tw_finish {
        *self.wrong += tw_promise_at(0, number, &number, twice, .n = 21) != 0;
        *self.wrong += tw_promise_at(0, block, &block, make_block, .like = {"x"}) != 0;
        *self.wrong += tw_promise_at(0, number, &number, twice, .n = 1) != TW_EALREADY;
        *self.wrong += tw_await(number, &number) != 42;
    }
    *self.wrong += !tw_future_ready(&block.event);
    struct block made = tw_await(block, &block);
    *self.wrong += made.bytes[0] != 'x' || made.bytes[899] != 1;
    // One that is cancelled before it begins.
    struct tw_outcome outcome;
    tw_attempt(&outcome)
    {
        tw_cancel();
        (void)tw_promise_at(0, number, &once, twice, .n = 1);
    }
    *self.wrong += tw_future_wait(&once.event) != TW_ECANCELED;
}

static void test_place_promises(void **state)
{
    int wrong = 0;
    (void)state;
    assert_int_equal(tw_run(promise, .wrong = &wrong), 0);
    assert_int_equal(wrong, 0);
}

// ---- together ----

TW_MAX(uint64_t, most, 0)
TW_SUM(uint64_t, sum)

TW_TASK(contribute, {
    struct tw_shared to;
    uint32_t depth;
})
{
    *tw_shared_view(sum, self.to) += 1;
    for (int i = 0; self.depth > 0 && i < 3; i++)
        tw_async_any(contribute, .to = self.to, .depth = self.depth - 1);
}

TW_TASK(together, { int *wrong; })
{
    uint64_t numbers[] = {3, 4}, value = 5;
    *self.wrong += tw_places_sum(numbers, 2) != 0 || numbers[0] != 3 || numbers[1] != 4;
    *self.wrong += tw_places_max(numbers, 2) != 0 || numbers[1] != 4;
    *self.wrong += tw_places_reduce(most, &value) != 0 || value != 5;
    *self.wrong += tw_places_broadcast(0, &value, sizeof value) != 0 || value != 5;
    *self.wrong += tw_places_broadcast(1, &value, sizeof value) != TW_EINVAL;
    *self.wrong += tw_places_barrier() != 0;
    for (int round = 0; round < 100; round++) {
        struct tw_shared a = tw_shared_open(sum), b = tw_shared_open(sum);
        tw_finish_spmd
        {
            tw_async_at(0, contribute, .to = a, .depth = 3);
            tw_async_any(contribute, .to = b, .depth = 1);
        }
        *self.wrong += tw_shared_close(sum, a) != 40 || tw_shared_close(sum, b) != 4;
    }
}

static void test_place_does_things_together(void **state)
{
    int wrong = 0;
    (void)state;
    assert_int_equal(tw_here(), 0);
    assert_int_equal(tw_places(), 1);
    assert_int_equal(tw_places_open(NULL, NULL, 0), 0);
    assert_int_equal(tw_run_spmd(together, .wrong = &wrong), 0);
    assert_int_equal(wrong, 0);
    assert_int_equal(tw_places_barrier(), 0);
}

TW_TASK(fail, { int error; })
{
    tw_fail(self.error);
}

static void test_place_returns_the_error_of_a_task(void **state)
{
    struct tw_options options;
    struct tw_outcome outcome;
    (void)state;
    assert_int_equal(tw_options_init(&options, NULL, 0), 0);
    options.outcome = &outcome;
    assert_int_equal(tw_run_spmd_with(&options, fail, .error = TW_EPIPE), TW_EPIPE);
    assert_string_equal(outcome.task, "fail");
    assert_int_equal(outcome.place, 0);
}

// ---- what is refused ----

TW_TASK(meet, { int unused; })
{
    tw_finish_spmd
    {
    }
}

TW_TASK(meet_in_task, { int unused; })
{
    tw_finish {
        tw_async(meet, .unused = 0);
    }
}

TW_TASK(leave_meeting, { int unused; })
{
    tw_async(meet, .unused = 0);
}

TW_TASK(sum_in_finish, { int unused; })
{
    tw_finish {
        (void)tw_places_barrier();
    }
}

TW_TASK(close_twice, { int unused; })
{
    struct tw_shared shared = tw_shared_open(sum);
    (void)tw_shared_close(sum, shared);
    (void)tw_shared_close(sum, shared);
}

TW_TASK(too_far, { int unused; })
{
    tw_async_at(1, meet, .unused = 0);
}

static void meet_outside(void)
{
    (void)tw_run(meet, .unused = 0);
}

static void meet_inside(void)
{
    (void)tw_run_spmd(meet_in_task, .unused = 0);
}

static void meet_late(void)
{
    (void)tw_run_spmd(leave_meeting, .unused = 0);
}

static void sum_inside(void)
{
    (void)tw_run_spmd(sum_in_finish, .unused = 0);
}

static void close_again(void)
{
    (void)tw_run(close_twice, .unused = 0);
}

static void go_too_far(void)
{
    (void)tw_run(too_far, .unused = 0);
}

static void test_place_refuses_what_is_not_at_the_top(void **state)
{
    static void (*const what[])(void) = {meet_outside, meet_inside, meet_late, sum_inside};
    char text[400];
    (void)state;
    for (size_t i = 0; i < sizeof what / sizeof *what; i++) {
        assert_true(test_dies(what[i], text, sizeof text));
        assert_non_null(strstr(text, "only for the top level of the task that tw_run_spmd runs"));
    }
}

static void test_place_refuses_misuse(void **state)
{
    char text[400];
    (void)state;
    assert_true(test_dies(close_again, text, sizeof text));
    assert_non_null(strstr(text, "closed that is not open"));
    assert_true(test_dies(go_too_far, text, sizeof text));
    assert_non_null(strstr(text, "a place that is not there"));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_place_promises),
        cmocka_unit_test(test_place_does_things_together),
        cmocka_unit_test(test_place_returns_the_error_of_a_task),
        cmocka_unit_test(test_place_refuses_what_is_not_at_the_top),
        cmocka_unit_test(test_place_refuses_misuse),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
