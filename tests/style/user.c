// SPDX-License-Identifier: Apache-2.0
// A program that uses every macro once, compiled with a careful user's warnings by
// headers_style.sh; never run.
#include <twill/twill.h>

struct big {
    long values[40];
};

TW_TASK(leaf, { int unused; })
{
    (void)self;
}

TW_TASK(bulky, {
    struct big all;
    long *out;
})
{
    *self.out = self.all.values[0];
}

TW_FUNCTION(long, constant, { long value; })
{
    return self.value;
}

TW_FUNCTION(long, fib, { int n; })
{
    if (self.n < 2)
        return self.n;
    tw_forked(fib) first = tw_fork(fib, .n = self.n - 1);
    long second = tw_call(fib, .n = self.n - 2);
    return tw_join(fib, first) + second;
}

TW_TASK_DECLARE(even, { int n; });
TW_TASK_DECLARE(odd, { int n; });

TW_TASK_DEFINE(even)
{
    if (self.n > 0)
        tw_async(odd, .n = self.n - 1);
}

TW_TASK_DEFINE(odd)
{
    tw_async(even, .n = self.n - 1);
}

TW_FUNCTION_DECLARE(double, half, { double x; });

TW_FUNCTION_DEFINE(half)
{
    return self.x / 2;
}

static void plain(int count)
{
    for (int i = 0; i < count; i++)
        tw_async(leaf, .unused = i);
}

static struct tw_mutex mutex = TW_MUTEX_INIT("mutex");
static struct tw_semaphore semaphore = TW_SEMAPHORE_INIT("semaphore", 3);
static struct tw_condition condition = TW_CONDITION_INIT("condition");

static void plain_locks(void)
{
    if (tw_mutex_trylock(&mutex))
        tw_mutex_unlock(&mutex);
}

TW_TASK(locks, { int wait; })
{
    tw_mutex_lock(&mutex);
    if (self.wait)
        tw_condition_wait(&condition, &mutex);
    tw_finish {
        tw_semaphore_acquire(&semaphore);
        tw_semaphore_release(&semaphore, 1 + (uint32_t)tw_semaphore_try(&semaphore));
    }
    tw_mutex_unlock(&mutex);
    tw_condition_broadcast(&condition);
    plain_locks();
}

#ifndef TWILL_SERIAL
static struct tw_phaser phaser = TW_PHASER_INIT("phaser");
static struct tw_barrier barrier = TW_BARRIER_INIT("barrier", 1);

TW_TASK(phased, { int unused; })
{
    tw_phaser_next(tw_phased(&phaser));
    tw_barrier_wait(&barrier);
}

static void plain_phases(void)
{
    struct tw_party party;
    tw_phaser_join(&phaser, &party, TW_WAIT);
    tw_async_phased(phased, ({&phaser, TW_SIGNAL}, {&phaser, TW_SIGNAL_WAIT}), .unused = 1);
    tw_async_apart(leaf, .unused = (int)tw_phaser_phase(&phaser));
    tw_phaser_drop(&party);
}

TW_TASK(item, { int number; })
{
    if (self.number == 0)
        tw_collection_null();
    else
        (void)tw_collection_add(tw_collection_current(), item, .number = self.number - 1);
}

static int plain_collection(void)
{
    struct tw_collection *c;
    struct tw_collection_options options = {
        sizeof(struct tw_args_item), 0, 0, 0, TW_BALANCE_STEAL, NULL};
    if (tw_collection_create(&c, &options) != 0)
        return 0;
    struct tw_args_item *slot = tw_collection_slot(c, item);
    slot->number = 3;
    tw_collection_commit(c);
    (void)tw_collection_add_near(c, 0, item, .number = 1);
    (void)tw_collection_add_hinted(c, -1, 1000, item, .number = 2);
    int error = tw_collection_process(c);
    tw_collection_free(c);
    return error;
}
#else
static void plain_phases(void)
{
}

static int plain_collection(void)
{
    return 0;
}
#endif

TW_CHANNEL(long, numbers)

TW_TASK(sends, { tw_channel(numbers) to; })
{
    long last = 5, first = 0;
    struct tw_case cases[] = {tw_case_send(numbers, self.to, &last),
                              tw_case_receive(numbers, self.to, &first)};
    tw_send(numbers, self.to, 3);
    if (tw_try_send(numbers, self.to, 4) == 0 && tw_select(cases, 2, TW_NEVER) == 1)
        tw_send_until(numbers, self.to, 0, first);
}

static long plain_channel(void)
{
    long got = 0;
    tw_channel(numbers) c;
    if (tw_channel_make(numbers, &c, "numbers", 9) != 0)
        return 0;
    tw_async(sends, .to = c);
    if (tw_receive(numbers, c, &got) == 0 && tw_receive_until(numbers, c, TW_NEVER, &got) == 0)
        (void)tw_try_receive(numbers, c, &got);
    tw_channel_close(c.channel);
    return got;
}

TW_TASK(everything, { long *out; })
{
    long a = 0, b = 0;
    struct big all = {.values = {7}};
    tw_finish {
        tw_async(bulky, .all = all, .out = &a);
        tw_finish {
            plain(3);
            plain_phases();
            a += plain_channel() + plain_collection();
            tw_call(even, .n = 4);
            tw_async(locks, .wait = 0);
            if (a > 0)
                break;
        }
        tw_forked(constant) c = tw_fork(constant, .value = 1);
        tw_forked(half) h = tw_fork(half, .x = 2);
        b = tw_join(constant, c) + (long)tw_join(half, h);
        if (b > 100)
            return;
    }
    *self.out = a + b + tw_call(fib, .n = 10);
}

int main(void)
{
    long result = 0;
    return tw_run(everything, .out = &result) != 0 || result == 0;
}
