// SPDX-License-Identifier: Apache-2.0
// What ends in a message: misuse of networks and streams.
#include "support.h"

#include <string.h>

static char text[4096];

static void expect(void (*what)(void), const char *message)
{
    assert_true(test_dies(what, text, sizeof text));
    if (!strstr(text, message))
        fail_msg("'%s' is not in: %s", message, text);
}

static struct tw_network *network;
static struct tw_process *from, *to;
static struct tw_stream *stream;

static void make(void)
{
    network = tw_network_create("net", NULL);
    from = tw_process_create(network, "from");
    to = tw_process_create(network, "to");
    stream = tw_stream_create(network, "numbers", from, to, sizeof(int), 4);
}

// ---- building ----

static void create_without_size(void)
{
    make();
    (void)tw_stream_create(network, "empty", from, to, 0, 1);
}

static void create_without_capacity(void)
{
    make();
    (void)tw_stream_create(network, "narrow", from, to, 1, 0);
}

static void create_across(void)
{
    make();
    struct tw_network *other = tw_network_create("other", NULL);
    (void)tw_stream_create(other, "across", from, tw_process_create(other, "there"), 1, 1);
}

static void test_network_misuse_of_streams_to_be(void **state)
{
    (void)state;
    expect(create_without_size, "empty");
    expect(create_without_capacity, "narrow");
    expect(create_across, "across");
}

// ---- in processes ----

TW_TASK(put_wrong_size, {})
{
    long item = 1;
    tw_put(stream, &item);
}

TW_TASK(get_wrong_size, {})
{
    char item;
    tw_get(stream, &item);
}

TW_TASK(put_after_end, {})
{
    int item = 1;
    tw_stream_end(stream);
    for (int i = 0; i < 10; i++)
        tw_put(stream, &item);
}

TW_TASK(get_after_abandon, {})
{
    int item;
    tw_stream_abandon(stream);
    tw_get(stream, &item);
}

TW_TASK(destroy_it, {})
{
    tw_network_destroy(network);
}

// The one that calls has the body; the other waits.
TW_TASK(stay, {})
{
    tw_sleep(1000000000);
}

#define RUN_WITH(who, other, name)                                                                 \
    TW_TASK(run_##name, {})                                                                        \
    {                                                                                              \
        make();                                                                                    \
        tw_process_body(who, name);                                                                \
        tw_process_body(other, stay);                                                              \
        (void)tw_network_run(network);                                                             \
    }                                                                                              \
    static void do_##name(void)                                                                    \
    {                                                                                              \
        (void)tw_run(run_##name);                                                                  \
    }

RUN_WITH(from, to, put_wrong_size)
RUN_WITH(to, from, get_wrong_size)
RUN_WITH(from, to, put_after_end)
RUN_WITH(to, from, get_after_abandon)
RUN_WITH(to, from, destroy_it)

static void test_network_misuse_in_processes(void **state)
{
    (void)state;
    expect(do_put_wrong_size, "an item is not of its stream's size");
    expect(do_get_wrong_size, "an item is not of its stream's size");
    expect(do_put_after_end, "a put into a stream that its writer has ended");
    expect(do_get_after_abandon, "a get from a stream that its reader has abandoned");
    expect(do_destroy_it, "a network was destroyed while it runs");
}

// ---- running ----

TW_TASK(run_twice, {})
{
    make();
    (void)tw_network_run(network);
    (void)tw_network_run(network);
}

static void do_run_twice(void)
{
    (void)tw_run(run_twice);
}

static void do_run_outside(void)
{
    make();
    (void)tw_network_run(network);
}

static void test_network_misuse_of_running(void **state)
{
    (void)state;
    expect(do_run_twice, "a network runs once");
    expect(do_run_outside, "outside");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_network_misuse_of_streams_to_be),
        cmocka_unit_test(test_network_misuse_in_processes),
        cmocka_unit_test(test_network_misuse_of_running),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
