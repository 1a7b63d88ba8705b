// SPDX-License-Identifier: Apache-2.0
// tw_dump_tasks, SIGUSR1 and how deep stacks have been.
#include "support.h"

#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include <twill/twill.h>

enum { DEEP = 300 * 1024, TEXT = 64 * 1024 };

TW_FUTURE(int, word)

static char text[TEXT];
static int listed;

// What is written to a descriptor while `act` runs, read from a file.
static void read_back(FILE *file)
{
    rewind(file);
    text[fread(text, 1, sizeof text - 1, file)] = '\0';
}

static int count_of(const char *part)
{
    int count = 0;
    for (const char *at = text; (at = strstr(at, part)) != NULL; at++)
        count++;
    return count;
}

TW_TASK(waits_for_a_word, { tw_future(word) * word; })
{
    tw_await(word, self.word);
}

TW_TASK(sleeps, { uint64_t ns; })
{
    tw_sleep(self.ns);
}

// Lists when all of them wait.
TW_TASK(list_others, { int fd; })
{
    tw_future(word) word = TW_FUTURE_INIT;
    tw_finish {
        for (int i = 0; i < 3; i++)
            tw_async_apart(waits_for_a_word, .word = &word);
        tw_async_apart(sleeps, .ns = 200000000);
        do {
            tw_sleep(5000000);
            listed = tw_dump_tasks(self.fd);
        } while (listed < 4);
        tw_promise(word, &word, 1);
    }
}

static void test_dump_lists_what_waits(void **state)
{
    (void)state;
    FILE *file = tmpfile();
    assert_non_null(file);
    assert_int_equal(tw_run(list_others, .fd = fileno(file)), 0);
    read_back(file);
    fclose(file);
    assert_true(listed >= 4);
    assert_true(count_of("twill: pool ") >= 1);
    assert_true(count_of("  waits_for_a_word (spawned at ") >= 3);
    assert_true(count_of("dump_test.c:") >= 4);
    assert_true(count_of(" waits for future 0x") >= 3);
    assert_true(count_of("  sleeps (spawned at ") >= 1);
    assert_true(count_of(" waits for timer since ") >= 1);
}

// ---- processes ----

TW_TASK(waits_for_an_item, { struct tw_stream *in; })
{
    long item;
    (void)tw_get(self.in, &item);
}

TW_TASK(lists, {
    struct tw_stream *out;
    int fd;
})
{
    long item = 0;
    (void)tw_sleep(20000000);
    listed = tw_dump_tasks(self.fd);
    (void)tw_put(self.out, &item);
}

TW_TASK(run_network, { int fd; })
{
    struct tw_network *net = tw_network_create("net", NULL);
    struct tw_process *a = tw_process_create(net, "a"), *b = tw_process_create(net, "b");
    struct tw_stream *stream = tw_stream_create(net, "numbers", a, b, sizeof(long), 1);
    tw_process_body(a, lists, .out = stream, .fd = self.fd);
    tw_process_body(b, waits_for_an_item, .in = stream);
    (void)tw_network_run(net);
    tw_network_destroy(net);
}

static void test_dump_lists_processes(void **state)
{
    (void)state;
    FILE *file = tmpfile();
    assert_non_null(file);
    assert_int_equal(tw_run(run_network, .fd = fileno(file)), 0);
    read_back(file);
    fclose(file);
    assert_int_equal(count_of(" waits for stream 0x"), 1);
    assert_int_equal(count_of(" waits for semaphore "), 1);
}

static void test_dump_outside_a_run(void **state)
{
    (void)state;
    FILE *file = tmpfile();
    assert_non_null(file);
    assert_int_equal(tw_dump_tasks(fileno(file)), 0);
    read_back(file);
    fclose(file);
    assert_string_equal(text, "");
    assert_int_equal(tw_stack_peak(), 0);
}

static void test_dump_that_cannot_be_written(void **state)
{
    (void)state;
    struct tw_pool *pool;
    assert_int_equal(tw_pool_start(&pool, NULL), 0);
    assert_int_equal(tw_dump_tasks(-1), TW_EIO);
    assert_int_equal(tw_pool_stop(pool), 0);
}

// ---- the signal ----

// TSan holds a signal back until the thread it came to calls the C library, which a worker that
// sleeps does not: so it goes to this thread, which may be one that Twill has made and that signals
// do not reach.
static void raise_here(int number)
{
    sigset_t one, before;
    sigemptyset(&one);
    sigaddset(&one, number);
    pthread_sigmask(SIG_UNBLOCK, &one, &before);
    raise(number);
    pthread_sigmask(SIG_SETMASK, &before, NULL);
}

TW_TASK(signal_itself, { int unused; })
{
    tw_finish {
        tw_async_apart(sleeps, .ns = 1500000000);
        tw_sleep(20000000);
        raise_here(SIGUSR1);
        for (int i = 0; i < 40; i++)
            usleep(10000);
    }
}

static void test_dump_on_a_signal(void **state)
{
    (void)state;
    FILE *file = tmpfile();
    int before = dup(STDERR_FILENO);
    struct tw_options options;
    struct sigaction now;
    assert_non_null(file);
    assert_int_equal(tw_options_init(&options, NULL, 0), 0);
    assert_int_equal(tw_options_set(&options, "dump", "usr1", NULL, 0), 0);
    dup2(fileno(file), STDERR_FILENO);
    int error = tw_run_with(&options, signal_itself, 0);
    dup2(before, STDERR_FILENO);
    close(before);
    read_back(file);
    fclose(file);
    assert_int_equal(error, 0);
    assert_int_equal(count_of("  sleeps (spawned at "), 1);
    sigaction(SIGUSR1, NULL, &now);
    assert_true(now.sa_handler == SIG_DFL); // as it was
}

// ---- depths ----

__attribute__((noinline)) static void use_stack(void)
{
    char deep[DEEP];
    memset(deep, 1, sizeof deep);
    __asm__ volatile("" : : "r"(deep) : "memory"); // or it would not be used
}

TW_TASK(goes_deep, {
    size_t *before;
    size_t *after;
})
{
    *self.before = tw_stack_peak();
    use_stack();
    *self.after = tw_stack_peak();
}

static void test_dump_knows_how_deep_stacks_were(void **state)
{
    (void)state;
    size_t before = 0, after = 0;
    assert_int_equal(tw_run(goes_deep, .before = &before, .after = &after), 0);
    assert_in_range(before, 1, DEEP);
    assert_in_range(after, DEEP, DEEP + 65536);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_dump_lists_what_waits),
        cmocka_unit_test(test_dump_lists_processes),
        cmocka_unit_test(test_dump_outside_a_run),
        cmocka_unit_test(test_dump_that_cannot_be_written),
        cmocka_unit_test(test_dump_on_a_signal),
        cmocka_unit_test(test_dump_knows_how_deep_stacks_were),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
