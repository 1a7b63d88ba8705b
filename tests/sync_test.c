// SPDX-License-Identifier: Apache-2.0
// ctest: timeout=240
// Mutexes, semaphores and conditions: exclusion, order, no lost wake-up, waiting without a core.
#include "support.h"

#include <string.h>

static int run_alone(const struct tw_task_type *type, const void *args)
{
    struct tw_options options;
    assert_int_equal(tw_options_init(&options, NULL, 0), 0);
    options.workers = 1;
    return tw_run_task(&options, type, args);
}

// ---- exclusion ----

struct counter {
    struct tw_mutex mutex;
    int inside;
    long count;
    long wrong;
};

static void count_one(struct counter *c)
{
    c->wrong += c->inside++ != 0;
    c->count++;
    c->inside--;
}

TW_TASK(nothing, {})
{
}

TW_TASK(count_often, {
    struct counter *counter;
    int times;
})
{
    for (int i = 0; i < self.times; i++) {
        tw_mutex_lock(&self.counter->mutex);
        count_one(self.counter);
        tw_mutex_unlock(&self.counter->mutex);
    }
}

// Suspends while it holds the mutex, as often as a thief takes its task.
TW_TASK(count_slowly, { struct counter *counter; })
{
    tw_mutex_lock(&self.counter->mutex);
    self.counter->wrong += self.counter->inside++ != 0;
    tw_finish {
        tw_async(nothing);
        tw_async(nothing);
    }
    self.counter->count++;
    self.counter->inside--;
    tw_mutex_unlock(&self.counter->mutex);
}

__attribute__((noinline)) static void count_in_plain_function(struct counter *c)
{
    tw_mutex_lock(&c->mutex);
    count_one(c);
    tw_mutex_unlock(&c->mutex);
}

TW_TASK(count_plainly, { struct counter *counter; })
{
    count_in_plain_function(self.counter);
}

TW_TASK(count_all, {
    struct counter *counter;
    int tasks;
    int times;
})
{
    tw_finish {
        for (int i = 0; i < self.tasks; i++) {
            tw_async(count_often, .counter = self.counter, .times = self.times);
            tw_async(count_slowly, .counter = self.counter);
            tw_async(count_plainly, .counter = self.counter);
        }
    }
}

static void test_sync_mutex_excludes(void **state)
{
    (void)state;
    for (int round = 0; round < test_scaled(20); round++) {
        struct counter counter = {.mutex = TW_MUTEX_INIT("counter")};
        assert_int_equal(tw_run(count_all, .counter = &counter, .tasks = 100, .times = 50), 0);
        assert_int_equal(counter.count, 100 * 52);
        assert_int_equal(counter.wrong, 0);
        tw_mutex_destroy(&counter.mutex);
    }
}

// ---- order ----

enum { CALLERS = 200 };

struct queue {
    struct tw_mutex mutex;
    struct tw_semaphore arrived;
    int came, served;
    int order[CALLERS]; // who came i-th was served when
};

TW_TASK(caller, { struct queue *queue; })
{
    int mine = self.queue->came++;
    tw_semaphore_release(&self.queue->arrived, 1);
    tw_mutex_lock(&self.queue->mutex);
    self.queue->order[mine] = self.queue->served++;
    tw_mutex_unlock(&self.queue->mutex);
}

TW_TASK(serve_callers, { struct queue *queue; })
{
    tw_finish {
        tw_mutex_lock(&self.queue->mutex);
        for (int i = 0; i < CALLERS; i++)
            tw_async(caller, .queue = self.queue);
        for (int i = 0; i < CALLERS; i++)
            tw_semaphore_acquire(&self.queue->arrived);
        tw_mutex_unlock(&self.queue->mutex);
        tw_mutex_lock(&self.queue->mutex); // behind all of them
        self.queue->came = self.queue->served;
        tw_mutex_unlock(&self.queue->mutex);
    }
}

static void test_sync_mutex_serves_in_order(void **state)
{
    (void)state;
    struct queue queue = {.mutex = TW_MUTEX_INIT("queue"),
                          .arrived = TW_SEMAPHORE_INIT("arrived", 0)};
    struct tw_args_serve_callers args = {&queue};
    assert_int_equal(run_alone(&tw_type_serve_callers, &args), 0);
    for (int i = 0; i < CALLERS; i++)
        assert_int_equal(queue.order[i], i);
    assert_int_equal(queue.came, CALLERS);
}

struct greed {
    struct tw_mutex mutex;
    struct tw_semaphore arrived;
    int served;
};

TW_TASK(modest, { struct greed *greed; })
{
    tw_semaphore_release(&self.greed->arrived, 1);
    tw_mutex_lock(&self.greed->mutex);
    self.greed->served++;
    tw_mutex_unlock(&self.greed->mutex);
}

// Takes the mutex again and again; ends only because the others get it too.
TW_TASK(greedy, { struct greed *greed; })
{
    enum { OTHERS = 50 };
    int served = 0;
    tw_finish {
        tw_mutex_lock(&self.greed->mutex);
        for (int i = 0; i < OTHERS; i++)
            tw_async(modest, .greed = self.greed);
        for (int i = 0; i < OTHERS; i++)
            tw_semaphore_acquire(&self.greed->arrived);
        while (served < OTHERS) {
            tw_mutex_unlock(&self.greed->mutex);
            tw_mutex_lock(&self.greed->mutex);
            served = self.greed->served;
        }
        tw_mutex_unlock(&self.greed->mutex);
    }
}

static void test_sync_mutex_starves_nobody(void **state)
{
    (void)state;
    for (int i = 0; i < test_scaled(20); i++) {
        struct greed greed = {.mutex = TW_MUTEX_INIT("greed"),
                              .arrived = TW_SEMAPHORE_INIT("arrived", 0)};
        assert_int_equal(tw_run(greedy, .greed = &greed), 0);
        assert_int_equal(greed.served, 50);
    }
}

// ---- trying ----

TW_TASK(try_held, {
    struct tw_mutex *mutex;
    int *got;
    struct tw_semaphore *done;
})
{
    *self.got = tw_mutex_trylock(self.mutex);
    tw_semaphore_release(self.done, 1);
}

TW_TASK(try_all, { int *got; })
{
    struct tw_mutex mutex;
    struct tw_semaphore done;
    tw_mutex_init(&mutex, "tried");
    tw_semaphore_init(&done, "done", 0);
    self.got[0] = tw_mutex_trylock(&mutex);
    self.got[1] = tw_mutex_trylock(&mutex);
    tw_finish {
        tw_async(try_held, .mutex = &mutex, .got = &self.got[2], .done = &done);
        tw_semaphore_acquire(&done);
    }
    tw_mutex_unlock(&mutex);
    self.got[3] = tw_mutex_trylock(&mutex);
    tw_mutex_unlock(&mutex);
    self.got[4] = tw_semaphore_try(&done);
    tw_semaphore_release(&done, 2);
    self.got[5] = tw_semaphore_try(&done) + tw_semaphore_try(&done) + tw_semaphore_try(&done);
    tw_semaphore_destroy(&done);
    tw_mutex_destroy(&mutex);
}

static void test_sync_trying_never_waits(void **state)
{
    (void)state;
    for (int i = 0; i < test_scaled(100); i++) {
        int got[6] = {-1, -1, -1, -1, -1, -1};
        assert_int_equal(tw_run(try_all, .got = got), 0);
        static const int expected[6] = {1, 0, 0, 1, 0, 2};
        assert_memory_equal(got, expected, sizeof got);
    }
}

// ---- semaphores ----

enum { ROOM = 4, MAKERS = 8, ITEMS = 300 };

struct buffer {
    struct tw_mutex mutex;
    struct tw_semaphore room, items;
    int from, to;
    long item[ROOM];
    long sum;
    int most;
};

TW_TASK(maker, {
    struct buffer *buffer;
    long first;
})
{
    for (long i = 0; i < ITEMS; i++) {
        struct buffer *b = self.buffer;
        tw_semaphore_acquire(&b->room);
        tw_mutex_lock(&b->mutex);
        b->item[b->to++ % ROOM] = self.first + i;
        b->most = b->to - b->from > b->most ? b->to - b->from : b->most;
        tw_mutex_unlock(&b->mutex);
        tw_semaphore_release(&b->items, 1);
    }
}

TW_TASK(user, { struct buffer *buffer; })
{
    for (int i = 0; i < ITEMS; i++) {
        struct buffer *b = self.buffer;
        tw_semaphore_acquire(&b->items);
        tw_mutex_lock(&b->mutex);
        b->sum += b->item[b->from++ % ROOM];
        tw_mutex_unlock(&b->mutex);
        tw_semaphore_release(&b->room, 1);
    }
}

TW_TASK(make_and_use, { struct buffer *buffer; })
{
    tw_finish {
        for (int i = 0; i < MAKERS; i++) {
            tw_async(maker, .buffer = self.buffer, .first = i * ITEMS);
            tw_async(user, .buffer = self.buffer);
        }
    }
}

static void test_sync_semaphores_bound_a_buffer(void **state)
{
    (void)state;
    for (int i = 0; i < test_scaled(20); i++) {
        struct buffer buffer = {.mutex = TW_MUTEX_INIT("buffer"),
                                .room = TW_SEMAPHORE_INIT("room", ROOM),
                                .items = TW_SEMAPHORE_INIT("items", 0)};
        assert_int_equal(tw_run(make_and_use, .buffer = &buffer), 0);
        long n = MAKERS * ITEMS;
        assert_int_equal(buffer.sum, n * (n - 1) / 2);
        assert_in_range(buffer.most, 1, ROOM);
    }
}

TW_TASK(pass_gate, {
    struct tw_semaphore *gate;
    int *passed;
})
{
    tw_semaphore_acquire(self.gate);
    __atomic_fetch_add(self.passed, 1, __ATOMIC_RELAXED);
}

TW_TASK(open_gate, { int *passed; })
{
    struct tw_semaphore gate = TW_SEMAPHORE_INIT("gate", 0);
    tw_finish {
        for (int i = 0; i < 100; i++)
            tw_async(pass_gate, .gate = &gate, .passed = self.passed);
        tw_semaphore_release(&gate, 37);
        tw_semaphore_release(&gate, 64);
    }
    *self.passed += tw_semaphore_try(&gate) - tw_semaphore_try(&gate);
    tw_semaphore_destroy(&gate);
}

static void test_sync_semaphore_releases_many_at_once(void **state)
{
    (void)state;
    for (int i = 0; i < test_scaled(50); i++) {
        int passed = 0;
        assert_int_equal(tw_run(open_gate, .passed = &passed), 0);
        assert_int_equal(passed, 101);
    }
}

// ---- conditions ----

struct stack {
    struct tw_mutex mutex;
    struct tw_condition filled, drained;
    int height;
    long taken;
    int ended;
};

TW_TASK(pusher, { struct stack *stack; })
{
    struct stack *s = self.stack;
    for (int i = 0; i < ITEMS; i++) {
        tw_mutex_lock(&s->mutex);
        while (s->height == ROOM)
            tw_condition_wait(&s->drained, &s->mutex);
        s->height++;
        tw_condition_signal(&s->filled);
        tw_mutex_unlock(&s->mutex);
    }
}

TW_TASK(popper, { struct stack *stack; })
{
    struct stack *s = self.stack;
    tw_mutex_lock(&s->mutex);
    for (;;) {
        while (s->height == 0 && !s->ended)
            tw_condition_wait(&s->filled, &s->mutex);
        if (s->height == 0)
            break;
        s->height--;
        s->taken++;
        tw_condition_signal(&s->drained);
    }
    tw_mutex_unlock(&s->mutex);
}

TW_TASK(push_and_pop, { struct stack *stack; })
{
    tw_finish {
        for (int i = 0; i < MAKERS; i++)
            tw_async(popper, .stack = self.stack);
        tw_finish {
            for (int i = 0; i < MAKERS; i++)
                tw_async(pusher, .stack = self.stack);
        }
        tw_mutex_lock(&self.stack->mutex);
        self.stack->ended = 1;
        tw_mutex_unlock(&self.stack->mutex);
        tw_condition_broadcast(&self.stack->filled);
    }
}

static void test_sync_conditions_join_makers_and_users(void **state)
{
    (void)state;
    for (int i = 0; i < test_scaled(20); i++) {
        struct stack stack = {.mutex = TW_MUTEX_INIT("stack"),
                              .filled = TW_CONDITION_INIT("filled"),
                              .drained = TW_CONDITION_INIT("drained")};
        assert_int_equal(tw_run(push_and_pop, .stack = &stack), 0);
        assert_int_equal(stack.taken, MAKERS * ITEMS);
        tw_condition_destroy(&stack.filled);
        tw_condition_destroy(&stack.drained);
    }
}

// ---- very many ----

struct crowd {
    struct tw_mutex mutex;
    struct tw_semaphore all_there;
    int size, came;
    long count;
};

TW_TASK(one_of_many, { struct crowd *crowd; })
{
    if (__atomic_add_fetch(&self.crowd->came, 1, __ATOMIC_RELAXED) == self.crowd->size)
        tw_semaphore_release(&self.crowd->all_there, 1);
    tw_mutex_lock(&self.crowd->mutex);
    self.crowd->count++;
    tw_mutex_unlock(&self.crowd->mutex);
}

TW_TASK(gather, { struct crowd *crowd; })
{
    tw_finish {
        tw_mutex_lock(&self.crowd->mutex);
        for (int i = 0; i < self.crowd->size; i++)
            tw_async(one_of_many, .crowd = self.crowd);
        tw_semaphore_acquire(&self.crowd->all_there);
        tw_mutex_unlock(&self.crowd->mutex);
    }
}

static void test_sync_ten_thousand_wait_for_one_mutex(void **state)
{
    (void)state;
    struct tw_options options;
    struct tw_stats stats = {0};
    struct crowd crowd = {.mutex = TW_MUTEX_INIT("crowd"),
                          .all_there = TW_SEMAPHORE_INIT("all there", 0),
                          .size = test_scaled(10000)};
    assert_int_equal(tw_options_init(&options, NULL, 0), 0);
    options.stats = &stats;
    options.stack_size = 65536;
    assert_int_equal(tw_run_with(&options, gather, .crowd = &crowd), 0);
    assert_int_equal(crowd.count, crowd.size);
    assert_in_range(stats.sum.stacks, crowd.size > 64 ? crowd.size - 64 : 0, crowd.size + 64);
}

// ---- a holder that joins ----

TW_FUNCTION(long, sum_below, { int n; })
{
    if (self.n < 2)
        return self.n;
    tw_forked(sum_below) a = tw_fork(sum_below, .n = self.n - 1);
    long b = tw_call(sum_below, .n = self.n - 2);
    return tw_join(sum_below, a) + b;
}

// Where a join runs whatever it finds, the next one that wants the mutex is run on top of the one
// that holds it, and waits for ever.
TW_TASK(sum_under_lock, { struct counter *counter; })
{
    tw_mutex_lock(&self.counter->mutex);
    tw_forked(sum_below) a = tw_fork(sum_below, .n = 12);
    long b = tw_call(sum_below, .n = 11);
    self.counter->count += tw_join(sum_below, a) + b;
    tw_mutex_unlock(&self.counter->mutex);
}

TW_TASK(sum_all_under_lock, { struct counter *counter; })
{
    tw_finish {
        for (int i = 0; i < 50; i++)
            tw_async(sum_under_lock, .counter = self.counter);
    }
}

static void test_sync_a_holder_may_fork_and_join(void **state)
{
    (void)state;
    for (int i = 0; i < test_scaled(20); i++) {
        struct counter counter = {.mutex = TW_MUTEX_INIT("sum")};
        assert_int_equal(tw_run(sum_all_under_lock, .counter = &counter), 0);
        assert_int_equal(counter.count, 50 * (144 + 89));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sync_mutex_excludes),
        cmocka_unit_test(test_sync_mutex_serves_in_order),
        cmocka_unit_test(test_sync_mutex_starves_nobody),
        cmocka_unit_test(test_sync_trying_never_waits),
        cmocka_unit_test(test_sync_semaphores_bound_a_buffer),
        cmocka_unit_test(test_sync_semaphore_releases_many_at_once),
        cmocka_unit_test(test_sync_conditions_join_makers_and_users),
        cmocka_unit_test(test_sync_ten_thousand_wait_for_one_mutex),
        cmocka_unit_test(test_sync_a_holder_may_fork_and_join),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
