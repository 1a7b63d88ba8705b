// SPDX-License-Identifier: Apache-2.0
// ctest: workers=2,8 alone
// A pool with nothing to do uses next to nothing: under 1 % of a processor from 100 ms on. The root
// task meanwhile sleeps in the system, which is no call of Twill.
#include "support.h"

#include "fib.h"

#include <sys/resource.h>
#include <time.h>

#include "base/sanitize.h"

enum { SETTLE_MS = 100, WATCH_MS = 1100, LIMIT_PER_MILLE = 10 };

static void sleep_ms(long ms)
{
    struct timespec pause = {ms / 1000, ms % 1000 * 1000000};
    nanosleep(&pause, NULL);
}

static double used_seconds(void)
{
    struct rusage use;
    getrusage(RUSAGE_SELF, &use);
    return (double)(use.ru_utime.tv_sec + use.ru_stime.tv_sec) +
           (double)(use.ru_utime.tv_usec + use.ru_stime.tv_usec) / 1e6;
}

// How much of a processor the process uses while the caller sleeps, in thousandths.
static double watch_per_mille(void)
{
    sleep_ms(SETTLE_MS);
    double before = used_seconds();
    sleep_ms(WATCH_MS);
    return (used_seconds() - before) * 1e6 / WATCH_MS;
}

// ---- three ways to have nothing to do ----

TW_TASK(only_sleep, { double *used; })
{
    *self.used = watch_per_mille();
}

TW_TASK(work_then_sleep, { double *used; })
{
    if (tw_call(fib, .n = 22) == 17711)
        *self.used = watch_per_mille();
}

TW_FUNCTION(double, watch, {})
{
    return watch_per_mille();
}

// Another worker may take the watch; then this fiber is parked until it is over.
TW_TASK(wait_for_a_sleeper, { double *used; })
{
    tw_forked(watch) a = tw_fork(watch);
    sleep_ms(20);
    *self.used = tw_join(watch, a);
}

// A task that was spawned and not taken back must not keep the others busy either, once taken.
TW_TASK(nothing, {})
{
}

TW_TASK(hide_then_sleep, { double *used; })
{
    tw_finish {
        tw_async(nothing);
        tw_async(nothing);
        *self.used = watch_per_mille();
    }
}

// A network in which all wait for one that has nothing to say: it is looked for circles.
enum { CHAIN = 500 };

TW_TASK(pass_on, { struct tw_stream *in, *out; })
{
    char item;
    while (tw_get(self.in, &item) == 0 && tw_put(self.out, &item) == 0)
        continue;
}

TW_TASK(say_nothing, { double *used; })
{
    *self.used = watch_per_mille();
}

TW_TASK(wait_in_a_network, { double *used; })
{
    struct tw_process *of[CHAIN];
    struct tw_stream *streams[CHAIN];
    struct tw_network *network = tw_network_create("idle", NULL);
    for (int i = 0; i < CHAIN; i++)
        of[i] = tw_process_create(network, "p");
    for (int i = 0; i < CHAIN; i++)
        streams[i] = tw_stream_create(network, "s", of[i], of[(i + 1) % CHAIN], 1, 1);
    tw_process_body(of[0], say_nothing, .used = self.used);
    for (int i = 1; i < CHAIN; i++)
        tw_process_body(of[i], pass_on, .in = streams[i - 1], .out = streams[i]);
    if (tw_network_run(network) != 0)
        *self.used = 1000;
    tw_network_destroy(network);
}

static int is_measurable(void)
{
    struct tw_machine machine;
    tw_machine_describe(&machine);
#if defined(TWI_ASAN) || defined(TWI_TSAN)
    return 0;
#endif
    return machine.membarrier; // elsewhere sleeps are bounded, so that workers look now and then
}

#define EXPECT_IDLE(task)                                                                          \
    do {                                                                                           \
        double used = 1000;                                                                        \
        if (!is_measurable())                                                                      \
            skip();                                                                                \
        assert_int_equal(tw_run(task, .used = &used), 0);                                          \
        print_message("%.2f thousandths of a processor\n", used);                                  \
        assert_true(used < LIMIT_PER_MILLE);                                                       \
    } while (0)

static void test_idle_from_the_start(void **state)
{
    (void)state;
    EXPECT_IDLE(only_sleep);
}

static void test_idle_after_work(void **state)
{
    (void)state;
    EXPECT_IDLE(work_then_sleep);
}

static void test_idle_with_a_parked_task(void **state)
{
    (void)state;
    EXPECT_IDLE(wait_for_a_sleeper);
}

static void test_idle_after_hidden_tasks(void **state)
{
    (void)state;
    EXPECT_IDLE(hide_then_sleep);
}

static void test_idle_in_a_network(void **state)
{
    (void)state;
    if (test_is_emulated())
        skip(); // whose processor time is not the program's: a look at all takes ten times as long
    EXPECT_IDLE(wait_in_a_network);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_idle_from_the_start),
        cmocka_unit_test(test_idle_after_work),
        cmocka_unit_test(test_idle_with_a_parked_task),
        cmocka_unit_test(test_idle_after_hidden_tasks),
        cmocka_unit_test(test_idle_in_a_network),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
