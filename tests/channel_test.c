// SPDX-License-Identifier: Apache-2.0
// ctest: timeout=240
// Channels: order, room, rendezvous, closing, deadlines, trying, misuse, very many of them.
#include "support.h"

#include <pthread.h>
#include <string.h>

#include "channel_numbers.h"
#include "patience.h"

enum { MS = 1000000 };

static int run_alone(const struct tw_task_type *type, const void *args)
{
    struct tw_options options;
    assert_int_equal(tw_options_init(&options, NULL, 0), 0);
    options.workers = 1;
    return tw_run_task(&options, type, args);
}

// ---- without waiting, from a thread that is no worker ----

static void test_channel_tries_and_closes_anywhere(void **state)
{
    (void)state;
    tw_channel(numbers) c = make(2);
    long got = 7;
    assert_int_equal(tw_try_receive(numbers, c, &got), TW_ETIMEDOUT);
    assert_int_equal(tw_try_send(numbers, c, 1), 0);
    assert_int_equal(tw_try_send(numbers, c, 2), 0);
    assert_int_equal(tw_try_send(numbers, c, 3), TW_ETIMEDOUT);
    assert_int_equal(tw_try_receive(numbers, c, &got), 0);
    assert_int_equal(got, 1);
    assert_int_equal(tw_try_send(numbers, c, 4), 0);
    assert_int_equal(tw_channel_close(c.channel), 0);
    assert_int_equal(tw_channel_close(c.channel), TW_EALREADY);
    assert_int_equal(tw_try_send(numbers, c, 5), TW_EPIPE);
    assert_int_equal(tw_try_receive(numbers, c, &got), 0);
    assert_int_equal(got, 2);
    assert_int_equal(tw_try_receive(numbers, c, &got), 0);
    assert_int_equal(got, 4);
    assert_int_equal(tw_try_receive(numbers, c, &got), TW_EPIPE);
    assert_int_equal(got, 4);
    tw_channel_destroy(c.channel);
}

static void test_channel_messages_of_all_sizes(void **state)
{
    (void)state;
    for (size_t size = 0; size < 100; size++) {
        struct tw_channel *c = NULL;
        unsigned char sent[100], got[100];
        assert_int_equal(tw_channel_create(&c, "sizes", size, 3), 0);
        for (unsigned round = 0; round < 10; round++) {
            memset(sent, (int)round + 1, sizeof sent);
            assert_int_equal(tw_channel_try_send(c, sent), 0);
            assert_int_equal(tw_channel_try_send(c, sent), 0);
            for (int i = 0; i < 2; i++) {
                memset(got, 0, sizeof got);
                assert_int_equal(tw_channel_try_receive(c, got), 0);
                assert_true(memcmp(got, sent, size) == 0);
                assert_int_equal(got[size], 0);
            }
        }
        tw_channel_destroy(c);
    }
    struct tw_channel *none = NULL;
    assert_int_equal(tw_channel_create(&none, "huge", SIZE_MAX / 2, 4), TW_EINVAL);
    assert_int_equal(tw_channel_create(&none, "huge", UINT32_MAX, UINT32_MAX), TW_EINVAL);
    assert_null(none);
}

// ---- order ----

enum { MESSAGES = 2000 };

TW_TASK(send_some, {
    tw_channel(numbers) to;
    long first;
    long count;
    int *errors;
})
{
    for (long i = 0; i < self.count; i++)
        if (tw_send(numbers, self.to, self.first + i) != 0)
            __atomic_fetch_add(self.errors, 1, __ATOMIC_RELAXED);
}

struct stream {
    tw_channel(numbers) channel;
    long got[MESSAGES];
    int errors, end;
};

TW_TASK(one_sends_one_receives, { struct stream *stream; })
{
    struct stream *s = self.stream;
    tw_finish {
        tw_async(send_some, .to = s->channel, .first = 5, .count = MESSAGES, .errors = &s->errors);
        for (int i = 0; i < MESSAGES; i++)
            s->errors += tw_receive(numbers, s->channel, &s->got[i]) != 0;
    }
    tw_channel_close(s->channel.channel);
    s->end = tw_receive(numbers, s->channel, &s->got[0]);
}

static void test_channel_keeps_the_order(void **state)
{
    (void)state;
    static struct stream stream;
    for (uint32_t capacity = 0; capacity < 5; capacity++) {
        stream = (struct stream){.channel = make(capacity)};
        assert_int_equal(tw_run(one_sends_one_receives, .stream = &stream), 0);
        for (int i = 0; i < MESSAGES; i++)
            assert_int_equal(stream.got[i], 5 + i);
        assert_int_equal(stream.errors, 0);
        assert_int_equal(stream.end, TW_EPIPE);
        tw_channel_destroy(stream.channel.channel);
    }
}

// ---- first come, first served ----

enum { CALLERS = 100 };

struct queue {
    tw_channel(numbers) channel;
    int came;
    long order[CALLERS];
    int errors;
};

TW_TASK(receive_in_turn, { struct queue *queue; })
{
    int mine = self.queue->came++;
    self.queue->errors += tw_receive(numbers, self.queue->channel, &self.queue->order[mine]) != 0;
}

// On one worker: all wait before the first is served.
TW_TASK(serve_receivers, { struct queue *queue; })
{
    tw_finish {
        for (int i = 0; i < CALLERS; i++)
            tw_async_apart(receive_in_turn, .queue = self.queue);
        while (self.queue->came < CALLERS)
            tw_yield();
        for (int i = 0; i < CALLERS; i++)
            self.queue->errors += tw_try_send(numbers, self.queue->channel, i) != 0;
    }
}

TW_TASK(send_in_turn, { struct queue *queue; })
{
    self.queue->errors += tw_send(numbers, self.queue->channel, self.queue->came++) != 0;
}

TW_TASK(serve_senders, { struct queue *queue; })
{
    tw_finish {
        for (int i = 0; i < CALLERS; i++)
            tw_async_apart(send_in_turn, .queue = self.queue);
        while (self.queue->came < CALLERS)
            tw_yield();
        for (int i = 0; i < CALLERS; i++)
            self.queue->errors +=
                tw_try_receive(numbers, self.queue->channel, &self.queue->order[i]) != 0;
    }
}

static void check_queue(const struct tw_task_type *type, uint32_t capacity)
{
    struct queue queue = {.channel = make(capacity)};
    struct tw_args_serve_senders args = {&queue};
    assert_int_equal(run_alone(type, &args), 0);
    for (int i = 0; i < CALLERS; i++)
        assert_int_equal(queue.order[i], i);
    assert_int_equal(queue.errors, 0);
    tw_channel_destroy(queue.channel.channel);
}

static void test_channel_serves_in_turn(void **state)
{
    (void)state;
    for (uint32_t capacity = 0; capacity < 3; capacity++) {
        check_queue(&tw_type_serve_receivers, capacity);
        check_queue(&tw_type_serve_senders, capacity);
    }
}

// ---- closing wakes ----

struct closing {
    tw_channel(numbers) channel;
    int started, error[CALLERS];
};

TW_TASK(wait_at_either_end, {
    struct closing *closing;
    int number;
    int sends;
})
{
    long message = self.number;
    __atomic_fetch_add(&self.closing->started, 1, __ATOMIC_RELEASE);
    self.closing->error[self.number] = self.sends
                                           ? tw_send(numbers, self.closing->channel, message)
                                           : tw_receive(numbers, self.closing->channel, &message);
}

TW_TASK(close_while_they_wait, {
    struct closing *closing;
    int sends;
})
{
    struct closing *c = self.closing;
    tw_finish {
        for (int i = 0; i < CALLERS; i++)
            tw_async_apart(wait_at_either_end, .closing = c, .number = i, .sends = self.sends);
        while (__atomic_load_n(&c->started, __ATOMIC_ACQUIRE) < CALLERS)
            tw_yield();
        tw_channel_close(c->channel.channel);
    }
}

static void test_channel_close_wakes_who_waits(void **state)
{
    (void)state;
    for (int round = 0; round < test_scaled(20); round++)
        for (int sends = 0; sends < 2; sends++) {
            struct closing closing = {.channel = make(0)};
            assert_int_equal(tw_run(close_while_they_wait, .closing = &closing, .sends = sends), 0);
            for (int i = 0; i < CALLERS; i++)
                assert_int_equal(closing.error[i], TW_EPIPE);
            tw_channel_destroy(closing.channel.channel);
        }
}

// ---- deadlines ----

TW_TASK(wait_in_vain, { int *error; })
{
    tw_channel(numbers) c, full;
    long value = 0;
    self.error[0] = tw_channel_make(numbers, &c, "empty", 0);
    self.error[1] = tw_channel_make(numbers, &full, "full", 1);
    self.error[2] = tw_send(numbers, full, 1);
    uint64_t before = tw_now_ns();
    self.error[3] = tw_receive_until(numbers, c, before + 2 * MS, &value);
    self.error[4] = tw_now_ns() < before + 2 * MS;
    self.error[5] = tw_send_until(numbers, c, tw_now_ns() + MS, 5);
    self.error[6] = tw_send_until(numbers, full, tw_now_ns() + MS, 5);
    self.error[7] = tw_send_until(numbers, full, 0, 5);
    self.error[8] = tw_receive_until(numbers, full, 0, &value); // at once, though it is too late
    self.error[9] = tw_receive_until(numbers, full, 0, &value);
    tw_channel_destroy(c.channel); // nobody is left in a line
    tw_channel_destroy(full.channel);
}

static void test_channel_waits_end_at_their_deadline(void **state)
{
    (void)state;
    int error[10];
    static const int expected[10] = {
        0, 0, 0, TW_ETIMEDOUT, 0, TW_ETIMEDOUT, TW_ETIMEDOUT, TW_ETIMEDOUT, 0, TW_ETIMEDOUT};
    assert_int_equal(tw_run(wait_in_vain, .error = error), 0);
    for (int i = 0; i < 10; i++)
        assert_int_equal(error[i], expected[i]);
}

// ---- who received destroys ----

TW_TASK(answer, { tw_channel(numbers) to; })
{
    tw_send(numbers, self.to, 42);
}

TW_TASK(ask_often, {
    uint32_t capacity;
    long *sum;
})
{
    for (int i = 0; i < 200; i++) {
        tw_channel(numbers) reply;
        long value = 0;
        tw_finish {
            if (tw_channel_make(numbers, &reply, "reply", self.capacity) == 0) {
                tw_async(answer, .to = reply);
                if (tw_receive(numbers, reply, &value) == 0)
                    tw_channel_destroy(reply.channel);
            }
        }
        *self.sum += value;
    }
}

static void test_channel_may_be_destroyed_by_who_received(void **state)
{
    (void)state;
    for (uint32_t capacity = 0; capacity < 2; capacity++) {
        long sum = 0;
        assert_int_equal(tw_run(ask_often, .capacity = capacity, .sum = &sum), 0);
        assert_int_equal(sum, 200 * 42);
    }
}

// ---- threads that are no workers ----

struct outside {
    tw_channel(numbers) in, out;
    long sum;
};

static void *feed(void *argument)
{
    struct outside *o = argument;
    uint64_t until = patience_until();
    for (long i = 1; i <= 100; i++)
        while (tw_try_send(numbers, o->in, i) != 0)
            patience_yield(until, "room", i, 100);
    tw_channel_close(o->in.channel);
    for (int error; (error = tw_try_receive(numbers, o->out, &o->sum)) != 0;)
        patience_yield(until, "a sum", error, 0);
    return NULL;
}

TW_TASK(add_up, { struct outside *outside; })
{
    long sum = 0, value;
    while (tw_receive(numbers, self.outside->in, &value) == 0)
        sum += value;
    tw_send(numbers, self.outside->out, sum);
}

static void test_channel_joins_tasks_and_threads(void **state)
{
    (void)state;
    for (int i = 0; i < test_scaled(20); i++) {
        struct outside outside = {.in = make(0), .out = make(0)};
        pthread_t thread;
        assert_int_equal(pthread_create(&thread, NULL, feed, &outside), 0);
        assert_int_equal(tw_run(add_up, .outside = &outside), 0);
        pthread_join(thread, NULL);
        assert_int_equal(outside.sum, 5050);
        tw_channel_destroy(outside.in.channel);
        tw_channel_destroy(outside.out.channel);
    }
}

// ---- a million ----

enum { MANY = 1000000, STRIDE = 1000 };

TW_TASK(use_some, {
    tw_channel(numbers) * many;
    int count;
    long *sum;
})
{
    int errors = 0;
    tw_finish {
        for (int i = 0; i < self.count; i += STRIDE)
            tw_async(send_some, .to = self.many[i], .first = i, .count = 3, .errors = &errors);
        for (int i = 0; i < self.count; i += STRIDE)
            for (int k = 0; k < 3; k++) {
                long value = 0;
                tw_receive(numbers, self.many[i], &value);
                *self.sum += value - i;
            }
    }
    *self.sum += errors;
}

static void test_channel_a_million(void **state)
{
    (void)state;
    int count = test_scaled(MANY);
    tw_channel(numbers) *many = calloc((size_t)count, sizeof *many);
    assert_non_null(many);
    for (int i = 0; i < count; i++)
        many[i] = make((uint32_t)i % 3);
    long sum = 0;
    assert_int_equal(tw_run(use_some, .many = many, .count = count, .sum = &sum), 0);
    assert_int_equal(sum, (count + STRIDE - 1) / STRIDE * 3);
    for (int i = 0; i < count; i++)
        tw_channel_destroy(many[i].channel);
    free(many);
}

// ---- misuse ----

static char text[2000];
static tw_channel(numbers) misused;

static void send_outside(void)
{
    tw_send(numbers, misused, 1);
}

static void receive_outside(void)
{
    long value;
    tw_receive(numbers, misused, &value);
}

TW_TASK(destroy_waited_for, { int sends; })
{
    struct closing closing = {.channel = misused};
    tw_finish {
        tw_async_apart(wait_at_either_end, .closing = &closing, .number = 0, .sends = self.sends);
        tw_sleep(20 * MS);
        tw_channel_destroy(misused.channel);
    }
}

static void destroy_with_receiver(void)
{
    tw_run(destroy_waited_for, .sends = 0);
}

static void destroy_with_sender(void)
{
    tw_run(destroy_waited_for, .sends = 1);
}

static void expect(void (*what)(void), const char *message)
{
    assert_true(test_dies(what, text, sizeof text));
    if (!strstr(text, message))
        fail_msg("'%s' is not in: %s", message, text);
}

static void test_channel_misuse_is_named(void **state)
{
    (void)state;
    misused = make(0);
    expect(send_outside, "channel 'numbers': sent to outside a task");
    expect(receive_outside, "channel 'numbers': received from outside a task");
    expect(destroy_with_receiver, "channel 'numbers': destroyed while tasks wait for it");
    expect(destroy_with_sender, "channel 'numbers': destroyed while tasks wait for it");
    tw_channel_destroy(misused.channel);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_channel_tries_and_closes_anywhere),
        cmocka_unit_test(test_channel_messages_of_all_sizes),
        cmocka_unit_test(test_channel_keeps_the_order),
        cmocka_unit_test(test_channel_serves_in_turn),
        cmocka_unit_test(test_channel_close_wakes_who_waits),
        cmocka_unit_test(test_channel_waits_end_at_their_deadline),
        cmocka_unit_test(test_channel_may_be_destroyed_by_who_received),
        cmocka_unit_test(test_channel_joins_tasks_and_threads),
        cmocka_unit_test(test_channel_a_million),
        cmocka_unit_test(test_channel_misuse_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
