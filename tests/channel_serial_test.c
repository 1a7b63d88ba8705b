// SPDX-License-Identifier: Apache-2.0
// ctest: workers=1
// channel.h in the sequential elision: a ring; what would wait for ever is refused.
#define TWILL_SERIAL
#include "support.h"

#include <string.h>

TW_CHANNEL(long, numbers)

static tw_channel(numbers) two, none;

static void make_both(void)
{
    assert_int_equal(tw_channel_make(numbers, &two, "two", 2), 0);
    assert_int_equal(tw_channel_make(numbers, &none, "none", 0), 0);
}

static void test_channel_serial_keeps_messages(void **state)
{
    (void)state;
    long got = 0;
    make_both();
    assert_int_equal(tw_receive_until(numbers, two, 5, &got), TW_ETIMEDOUT);
    for (long i = 0; i < 5; i++) {
        assert_int_equal(tw_send(numbers, two, 2 * i), 0);
        assert_int_equal(tw_try_send(numbers, two, 2 * i + 1), 0);
        assert_int_equal(tw_send_until(numbers, two, 5, 0), TW_ETIMEDOUT);
        assert_int_equal(tw_receive(numbers, two, &got), 0);
        assert_int_equal(got, 2 * i);
        assert_int_equal(tw_try_receive(numbers, two, &got), 0);
        assert_int_equal(got, 2 * i + 1);
    }
    assert_int_equal(tw_send(numbers, two, 9), 0);
    assert_int_equal(tw_channel_close(two.channel), 0);
    assert_int_equal(tw_channel_close(two.channel), TW_EALREADY);
    assert_int_equal(tw_send(numbers, two, 9), TW_EPIPE);
    assert_int_equal(tw_receive(numbers, two, &got), 0);
    assert_int_equal(tw_receive(numbers, two, &got), TW_EPIPE);
    tw_channel_destroy(two.channel);
    tw_channel_destroy(none.channel);
}

static void test_channel_serial_selects(void **state)
{
    (void)state;
    long got = 0, sent = 4;
    make_both();
    struct tw_case cases[] = {tw_case_receive(numbers, two, &got),
                              tw_case_send(numbers, none, &sent)};
    assert_int_equal(tw_select(cases, 2, 5), TW_ETIMEDOUT);
    assert_int_equal(tw_send(numbers, two, 7), 0);
    assert_int_equal(tw_select(cases, 2, TW_NEVER), 0);
    assert_int_equal(got, 7);
    tw_channel_close(none.channel);
    assert_int_equal(tw_select_try(cases, 2), 1);
    assert_int_equal(cases[1].error, TW_EPIPE);
    cases[0].channel = cases[1].channel = NULL;
    assert_int_equal(tw_select(cases, 2, TW_NEVER), TW_EPIPE);
    tw_channel_destroy(two.channel);
    tw_channel_destroy(none.channel);
}

static void send_to_nobody(void)
{
    make_both();
    tw_send(numbers, none, 1);
}

static void receive_from_nobody(void)
{
    long got;
    make_both();
    tw_receive(numbers, two, &got);
}

static void select_for_ever(void)
{
    long got;
    make_both();
    struct tw_case cases[] = {tw_case_receive(numbers, two, &got)};
    (void)tw_select(cases, 1, TW_NEVER);
}

static void expect(void (*what)(void), const char *message)
{
    char text[1000];
    assert_true(test_dies(what, text, sizeof text));
    if (!strstr(text, message))
        fail_msg("'%s' is not in: %s", message, text);
}

static void test_channel_serial_refuses_to_wait(void **state)
{
    (void)state;
    expect(send_to_nobody, "channel 'none': sent to while it is full");
    expect(receive_from_nobody, "channel 'two': received from while it is empty");
    expect(select_for_ever, "channel 'two': waited for by a select");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_channel_serial_keeps_messages),
        cmocka_unit_test(test_channel_serial_selects),
        cmocka_unit_test(test_channel_serial_refuses_to_wait),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
