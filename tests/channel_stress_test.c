// SPDX-License-Identifier: Apache-2.0
// ctest: timeout=240
// Channels under load: each message is received once, and what one task sent another receives in
// order; also when waits are cancelled or time out. And a long random run against a plain list.
#include "support.h"

#include <string.h>

#include "base/rng.h"
#include "channel_numbers.h"

enum { SENDERS = 8, RECEIVERS = 5, EACH = 1500, CHANNELS = 3 };

struct message {
    int sender, number;
    long check; // makes it larger than a register
};

TW_CHANNEL(struct message, mail)

struct load {
    tw_channel(mail) channel[CHANNELS];
    unsigned char received[SENDERS][EACH];
    int sent[SENDERS]; // by each, with success
    int errors, twice, disorder;
};

static void count_up(int *count)
{
    __atomic_fetch_add(count, 1, __ATOMIC_RELAXED);
}

static int below(struct twi_rng *rng, int count)
{
    return (int)twi_rng_below(rng, (uint32_t)count);
}

// A little later than now, or earlier.
static uint64_t soon(struct twi_rng *rng)
{
    return tw_now_ns() + (uint64_t)below(rng, 30000);
}

// Sends in one of five ways, by which it may fail for want of time or when cancelled.
static int send_somehow(struct load *load, struct twi_rng *rng, const struct message *m)
{
    tw_channel(mail) first = load->channel[below(rng, CHANNELS)];
    tw_channel(mail) second = load->channel[below(rng, CHANNELS)];
    struct tw_case cases[] = {tw_case_send(mail, first, m), tw_case_send(mail, second, m)};
    int which;
    switch (below(rng, 5)) {
    case 0:
        return tw_send(mail, first, *m);
    case 1:
        return tw_send_until(mail, first, soon(rng), *m);
    case 2:
        which = tw_select(cases, 2, TW_NEVER);
        break;
    case 3:
        which = tw_select(cases, 2, soon(rng));
        break;
    default:
        return tw_try_send(mail, first, *m);
    }
    return which < 0 ? which : cases[which].error;
}

static int receive_somehow(struct load *load, struct twi_rng *rng, struct message *m)
{
    struct message other;
    tw_channel(mail) first = load->channel[below(rng, CHANNELS)];
    tw_channel(mail) second = load->channel[below(rng, CHANNELS)];
    struct tw_case cases[] = {tw_case_receive(mail, first, m),
                              tw_case_receive(mail, second, &other)};
    int which;
    switch (below(rng, 4)) {
    case 0:
        return tw_receive_until(mail, first, soon(rng), m);
    case 1:
        which = tw_select(cases, 2, soon(rng));
        break;
    case 2:
        which = tw_select_try(cases, 2);
        break;
    default:
        return tw_try_receive(mail, first, m);
    }
    if (which == 1 && !cases[1].error)
        *m = other;
    return which < 0 ? which : cases[which].error;
}

TW_TASK(sender, {
    struct load *load;
    int number;
    uint64_t seed;
})
{
    struct twi_rng rng = {self.seed};
    for (int i = 0; i < EACH; i++) {
        struct message m = {self.number, i, self.number * (long)EACH + i};
        int error;
        while ((error = send_somehow(self.load, &rng, &m)) == TW_ETIMEDOUT)
            tw_yield();
        if (error == TW_ECANCELED)
            return;
        if (error)
            count_up(&self.load->errors);
        self.load->sent[self.number]++;
    }
}

static void note(struct load *load, int *last, const struct message *m)
{
    if (m->check != m->sender * (long)EACH + m->number) {
        count_up(&load->errors);
        return;
    }
    if (__atomic_fetch_add(&load->received[m->sender][m->number], 1, __ATOMIC_RELAXED))
        count_up(&load->twice);
    if (m->number <= last[m->sender])
        count_up(&load->disorder);
    last[m->sender] = m->number;
}

// Until all channels are closed and empty. In order, where there is one channel.
TW_TASK(receiver, {
    struct load *load;
    uint64_t seed;
})
{
    struct twi_rng rng = {self.seed};
    int last[CHANNELS][SENDERS], open = CHANNELS;
    struct message m[CHANNELS];
    struct tw_case cases[CHANNELS];
    for (int c = 0; c < CHANNELS; c++) {
        cases[c] = tw_case_receive(mail, self.load->channel[c], &m[c]);
        for (int s = 0; s < SENDERS; s++)
            last[c][s] = -1;
    }
    while (open) {
        int c = tw_select(cases, CHANNELS, below(&rng, 2) ? soon(&rng) : TW_NEVER);
        if (c >= 0 && cases[c].error == 0) {
            note(self.load, last[c], &m[c]);
        } else if (c >= 0) {
            cases[c].channel = NULL;
            open--;
        } else if (c == TW_ECANCELED) {
            return;
        }
    }
}

static void load_make(struct load *load, uint32_t capacity)
{
    memset(load, 0, sizeof *load);
    for (int c = 0; c < CHANNELS; c++)
        assert_int_equal(tw_channel_make(mail, &load->channel[c], "mail", capacity), 0);
}

static void load_check(struct load *load)
{
    int lost = 0;
    for (int s = 0; s < SENDERS; s++)
        for (int i = 0; i < load->sent[s]; i++)
            lost += !load->received[s][i];
    assert_int_equal(lost, 0);
    assert_int_equal(load->twice, 0);
    assert_int_equal(load->disorder, 0);
    assert_int_equal(load->errors, 0);
    for (int c = 0; c < CHANNELS; c++)
        tw_channel_destroy(load->channel[c].channel);
}

TW_TASK(send_and_receive, {
    struct load *load;
    uint64_t seed;
})
{
    tw_finish {
        for (int i = 0; i < RECEIVERS; i++)
            tw_async_apart(receiver, .load = self.load, .seed = self.seed * 100 + (unsigned)i);
        tw_finish {
            for (int i = 0; i < SENDERS; i++)
                tw_async_apart(sender, .load = self.load, .number = i,
                               .seed = self.seed * 100 + 50 + (unsigned)i);
        }
        for (int c = 0; c < CHANNELS; c++)
            tw_channel_close(self.load->channel[c].channel);
    }
}

static void test_channel_each_message_once_and_in_order(void **state)
{
    (void)state;
    static struct load load;
    for (int round = 0; round < test_scaled(9); round++) {
        load_make(&load, (uint32_t)round % 3 * 2);
        assert_int_equal(tw_run(send_and_receive, .load = &load, .seed = (uint64_t)round), 0);
        for (int s = 0; s < SENDERS; s++)
            assert_int_equal(load.sent[s], EACH);
        load_check(&load);
    }
}

// ---- cancelled in the middle ----

TW_TASK(receive_a_while, {
    struct load *load;
    uint64_t seed;
})
{
    struct twi_rng rng = {self.seed};
    int last[SENDERS];
    struct message m;
    for (int error = 0; error != TW_EPIPE && error != TW_ECANCELED;) {
        error = receive_somehow(self.load, &rng, &m);
        memset(last, -1, sizeof last); // of several channels: in no order
        if (error == 0)
            note(self.load, last, &m);
        else
            tw_yield();
        if (tw_cancelled())
            return;
    }
}

// Receivers come and go, senders as well; in the end all that was sent is there.
TW_TASK(cancel_often, {
    struct load *load;
    uint64_t seed;
})
{
    struct twi_rng rng = {self.seed};
    struct tw_outcome outcome;
    tw_finish {
        for (int i = 0; i < SENDERS; i++) {
            tw_attempt(&outcome)
            {
                tw_async_apart(sender, .load = self.load, .number = i, .seed = self.seed + 77);
                for (int k = 0; k < RECEIVERS; k++)
                    tw_async_apart(receive_a_while, .load = self.load,
                                   .seed = self.seed + 10 * (unsigned)i + (unsigned)k);
                tw_sleep((uint64_t)below(&rng, 500000));
                tw_cancel();
            }
        }
        for (int c = 0; c < CHANNELS; c++)
            tw_channel_close(self.load->channel[c].channel);
        tw_async_apart(receive_a_while, .load = self.load, .seed = 1);
    }
}

static void drain(struct load *load)
{
    int last[SENDERS];
    struct message m;
    for (int c = 0; c < CHANNELS; c++)
        while (tw_try_receive(mail, load->channel[c], &m) == 0) {
            memset(last, -1, sizeof last);
            note(load, last, &m);
        }
}

static void test_channel_cancellation_loses_nothing(void **state)
{
    (void)state;
    static struct load load;
    for (int round = 0; round < test_scaled(12); round++) {
        load_make(&load, (uint32_t)round % 3);
        assert_int_equal(tw_run(cancel_often, .load = &load, .seed = (uint64_t)round * 1000), 0);
        drain(&load);
        int more = 0; // received, but its sender was told that it was not sent
        for (int s = 0; s < SENDERS; s++)
            for (int i = load.sent[s]; i < EACH; i++)
                more += load.received[s][i];
        assert_int_equal(more, 0);
        load_check(&load);
    }
}

// ---- against a list ----

enum { ROOM = 4 };

struct list {
    long item[ROOM];
    int count, capacity, closed;
};

struct pair {
    tw_channel(numbers) channel[CHANNELS];
    struct list list[CHANNELS];
    int wrong, step;
};

static int list_send(struct list *l, long value)
{
    if (l->closed)
        return TW_EPIPE;
    if (l->count == l->capacity)
        return TW_ETIMEDOUT;
    l->item[l->count++] = value;
    return 0;
}

static int list_receive(struct list *l, long *value)
{
    if (!l->count)
        return l->closed ? TW_EPIPE : TW_ETIMEDOUT;
    *value = l->item[0];
    memmove(l->item, l->item + 1, (size_t)--l->count * sizeof *l->item);
    return 0;
}

static void compare(struct pair *p, long real, long expected)
{
    if (real != expected)
        print_message("step %d: %ld, expected %ld\n", p->step, real, expected);
    p->wrong += real != expected;
}

static void compare_select(struct pair *p, struct twi_rng *rng)
{
    long value[4], expected = 0;
    int of[4], count = 1 + below(rng, 4), possible = 0;
    struct tw_case cases[4];
    for (int i = 0; i < count; i++) {
        of[i] = below(rng, CHANNELS);
        value[i] = p->step;
        cases[i] = below(rng, 2) ? tw_case_send(numbers, p->channel[of[i]], &value[i])
                                 : tw_case_receive(numbers, p->channel[of[i]], &value[i]);
        struct list copy = p->list[of[i]];
        long ignored;
        possible +=
            (cases[i].sends ? list_send(&copy, 0) : list_receive(&copy, &ignored)) != TW_ETIMEDOUT;
    }
    int which = below(rng, 2) ? tw_select(cases, (unsigned)count, 0)
                              : tw_select_try(cases, (unsigned)count);
    compare(p, which < 0 ? which : 0, possible ? 0 : TW_ETIMEDOUT);
    if (which < 0)
        return;
    struct list *l = &p->list[of[which]];
    expected = p->step;
    compare(p, cases[which].error,
            cases[which].sends ? list_send(l, p->step) : list_receive(l, &expected));
    compare(p, value[which], expected);
}

static void compare_one(struct pair *p, struct twi_rng *rng)
{
    int c = below(rng, CHANNELS);
    long value = -1, expected = -1;
    switch (below(rng, 5)) {
    case 0:
        compare(p, tw_try_send(numbers, p->channel[c], p->step), list_send(&p->list[c], p->step));
        break;
    case 1:
        compare(p, tw_send_until(numbers, p->channel[c], 0, p->step),
                list_send(&p->list[c], p->step));
        break;
    case 2:
        compare(p, tw_try_receive(numbers, p->channel[c], &value),
                list_receive(&p->list[c], &expected));
        break;
    case 3:
        compare(p, tw_receive_until(numbers, p->channel[c], 0, &value),
                list_receive(&p->list[c], &expected));
        break;
    default:
        compare_select(p, rng);
    }
    compare(p, value, expected);
}

TW_TASK(compare_all, {
    struct pair *pair;
    uint64_t seed;
    int steps;
})
{
    struct twi_rng rng = {self.seed};
    struct pair *p = self.pair;
    for (p->step = 0; p->step < self.steps && !p->wrong; p->step++) {
        int c = below(&rng, CHANNELS);
        if (below(&rng, 100) == 0) {
            compare(p, tw_channel_close(p->channel[c].channel),
                    p->list[c].closed ? (int)TW_EALREADY : 0);
            p->list[c].closed = 1;
        }
        compare_one(p, &rng);
    }
}

static void test_channel_random_runs_match_a_list(void **state)
{
    (void)state;
    for (int seed = 0; seed < test_scaled(2000); seed++) {
        struct pair pair = {.wrong = 0};
        for (int c = 0; c < CHANNELS; c++) {
            pair.list[c].capacity = (seed >> c) % (ROOM + 1);
            pair.channel[c] = make((uint32_t)pair.list[c].capacity);
        }
        assert_int_equal(tw_run(compare_all, .pair = &pair, .seed = (uint64_t)seed, .steps = 300),
                         0);
        if (pair.wrong)
            fail_msg("seed %d", seed);
        for (int c = 0; c < CHANNELS; c++)
            tw_channel_destroy(pair.channel[c].channel);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_channel_each_message_once_and_in_order),
        cmocka_unit_test(test_channel_cancellation_loses_nothing),
        cmocka_unit_test(test_channel_random_runs_match_a_list),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
