// SPDX-License-Identifier: Apache-2.0
// Files at offsets and at their own, and tw_blocking.
#include "io_ways.h"

#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "patience.h"

static int open_scratch(void)
{
    char path[] = "/tmp/twill_file_io_XXXXXX";
    int fd = mkstemp(path);
    assert_true(fd >= 0);
    unlink(path);
    return fd;
}

// ---- files ----

enum { BLOCKS = 64, BLOCK = 5000 };

static void block_fill(unsigned char *bytes, int i)
{
    for (int k = 0; k < BLOCK; k++)
        bytes[k] = (unsigned char)(i * 31 + k);
}

TW_TASK(put_block, {
    int fd, i;
    int *wrong;
})
{
    unsigned char bytes[BLOCK], back[BLOCK];
    int64_t offset = (int64_t)self.i * BLOCK;
    block_fill(bytes, self.i);
    int good = tw_pwrite(self.fd, bytes, BLOCK, offset, TW_NEVER) == BLOCK &&
               tw_pread(self.fd, back, BLOCK, offset, TW_NEVER) == BLOCK &&
               memcmp(bytes, back, BLOCK) == 0;
    __atomic_fetch_add(self.wrong, !good, __ATOMIC_RELAXED);
}

TW_TASK(put_blocks, {
    int fd;
    int *wrong;
})
{
    for (int i = 0; i < BLOCKS; i++)
        tw_async(put_block, .fd = self.fd, .i = i, .wrong = self.wrong);
}

static void check_blocks(const struct tw_options *options)
{
    int fd = open_scratch(), wrong = 0;
    unsigned char bytes[BLOCK], back[BLOCK];
    assert_int_equal(tw_run_with(options, put_blocks, .fd = fd, .wrong = &wrong), 0);
    assert_int_equal(wrong, 0);
    for (int i = 0; i < BLOCKS; i++) {
        block_fill(bytes, i);
        assert_int_equal(pread(fd, back, BLOCK, (off_t)i * BLOCK), BLOCK);
        assert_memory_equal(bytes, back, BLOCK);
    }
    close(fd);
}

static void test_file_io_many_at_offsets(void **state)
{
    (void)state;
    test_each_io(check_blocks);
}

TW_TASK(go_along, {
    int fd;
    int64_t *result;
    char *text;
})
{
    char hello[] = "hello ", world[] = "world";
    struct iovec parts[2] = {{hello, 6}, {world, 5}};
    char *t = self.text;
    self.result[0] = tw_writev(self.fd, parts, 2, TW_NEVER);
    self.result[1] = tw_write(self.fd, "!", 1, TW_NEVER);
    self.result[2] = lseek(self.fd, 0, SEEK_SET);
    self.result[3] = tw_read(self.fd, t, 4, TW_NEVER);
    struct iovec back[2] = {{t + 4, 4}, {t + 8, 20}};
    self.result[4] = tw_readv(self.fd, back, 2, TW_NEVER);
    self.result[5] = tw_read(self.fd, t, 4, TW_NEVER); // the end
    self.result[6] = tw_pread(self.fd, t + 12, 100, 8, TW_NEVER);
    self.result[7] = tw_pread(self.fd, t + 12, 10, 1000, TW_NEVER);
    self.result[8] = tw_pread(self.fd, t, 1, -1, TW_NEVER);
    self.result[9] = tw_pwrite(self.fd, t, 1, -1, TW_NEVER);
    self.result[10] = tw_pread(-1, t, 1, 0, TW_NEVER);
    self.result[11] = tw_poll(self.fd, 1, 0); // always ready
}

static void check_along(const struct tw_options *options)
{
    static const int64_t expected[12] = {
        11, 1, 0, 4, 8, 0, 4, 0, TW_EINVAL, TW_EINVAL, TW_SYSTEM(EBADF), 1};
    int fd = open_scratch();
    char text[128] = "";
    int64_t result[12];
    assert_int_equal(tw_run_with(options, go_along, .fd = fd, .result = result, .text = text), 0);
    for (int i = 0; i < 12; i++)
        assert_int_equal(result[i], expected[i]);
    assert_memory_equal(text, "hello world!rld!", 16);
    close(fd);
}

static void test_file_io_along_its_own_offset(void **state)
{
    (void)state;
    test_each_io(check_along);
}

// The wait for a file has its deadline too; one that has passed reads nothing.
TW_TASK(read_cancelled, {
    int fd;
    int64_t *result;
})
{
    struct tw_outcome outcome;
    char byte = 'a';
    self.result[0] = tw_pwrite(self.fd, &byte, 1, 0, TW_NEVER);
    self.result[1] = tw_pread(self.fd, &byte, 1, 0, tw_now_ns() + PATIENCE_NS);
    self.result[2] = tw_pread(self.fd, &byte, 1, 0, 0);
    tw_attempt(&outcome)
    {
        tw_cancel();
        self.result[3] = tw_pread(self.fd, &byte, 1, 0, TW_NEVER);
        self.result[4] = tw_pwrite(self.fd, "b", 1, 0, TW_NEVER);
    }
    self.result[5] = tw_pread(self.fd, &byte, 1, 0, TW_NEVER) == 1 ? byte : 0;
}

static void check_cancelled(const struct tw_options *options)
{
    int64_t result[6];
    static const int64_t expected[6] = {1, 1, TW_ETIMEDOUT, TW_ECANCELED, TW_ECANCELED, 'a'};
    int fd = open_scratch();
    assert_int_equal(tw_run_with(options, read_cancelled, .fd = fd, .result = result), 0);
    for (int i = 0; i < 6; i++)
        assert_int_equal(result[i], expected[i]);
    close(fd);
}

static void test_file_io_late_and_cancelled(void **state)
{
    (void)state;
    test_each_io(check_cancelled);
}

// ---- calls that block ----

struct calls {
    int inside, most, done, error_number;
};

static void call_slowly(void *argument)
{
    struct calls *c = argument;
    int inside = __atomic_add_fetch(&c->inside, 1, __ATOMIC_ACQ_REL);
    for (int most = __atomic_load_n(&c->most, __ATOMIC_RELAXED); inside > most;)
        if (__atomic_compare_exchange_n(&c->most, &most, inside, 0, __ATOMIC_RELAXED,
                                        __ATOMIC_RELAXED))
            break;
    usleep(1000);
    __atomic_sub_fetch(&c->inside, 1, __ATOMIC_ACQ_REL);
    __atomic_fetch_add(&c->done, 1, __ATOMIC_RELAXED);
}

TW_TASK(block, {
    struct calls *calls;
    int *error;
})
{
    int error = tw_blocking(call_slowly, self.calls);
    if (error)
        __atomic_store_n(self.error, error, __ATOMIC_RELAXED);
}

TW_TASK(block_often, {
    struct calls *calls;
    int *error;
})
{
    for (int i = 0; i < 10; i++)
        tw_async(block, .calls = self.calls, .error = self.error);
}

static void check_bounded(const struct tw_options *options)
{
    struct tw_options two = *options;
    struct calls calls = {0, 0, 0, 0};
    int error = 0;
    assert_int_equal(tw_options_set(&two, "blocking", "2", NULL, 0), 0);
    assert_int_equal(tw_run_with(&two, block_often, .calls = &calls, .error = &error), 0);
    assert_int_equal(error, 0);
    assert_int_equal(calls.done, 10);
    assert_int_equal(calls.inside, 0);
    assert_in_range(calls.most, 1, 2);
}

static void test_file_io_blocking_calls_are_bounded(void **state)
{
    (void)state;
    test_each_io(check_bounded);
}

static void fail_in_system(void *argument)
{
    struct calls *c = argument;
    errno = 0;
    if (close(-1) != 0)
        c->error_number = errno;
}

TW_TASK(keep_errno, {
    struct calls *calls;
    int *error;
})
{
    *self.error = tw_blocking(fail_in_system, self.calls);
}

static void test_file_io_a_blocking_call_keeps_its_errno(void **state)
{
    (void)state;
    struct calls calls = {0, 0, 0, 0};
    int error = -1;
    assert_int_equal(tw_run(keep_errno, .calls = &calls, .error = &error), 0);
    assert_int_equal(error, 0);
    assert_int_equal(calls.error_number, EBADF);
}

// Calls that wait for each other: a thread is started for each, none waits behind an idle one.
static void call_pipe_write(void *argument)
{
    const int *ends = argument;
    if (write(ends[1], "x", 1) != 1)
        abort();
}

static void call_pipe_read(void *argument)
{
    const int *ends = argument;
    char byte;
    if (read(ends[0], &byte, 1) != 1)
        abort();
}

TW_TASK(block_on, {
    void (*call)(void *argument);
    int *ends;
})
{
    if (tw_blocking(self.call, self.ends) != 0)
        tw_fail(1);
}

TW_TASK(block_in_pairs, { int *ends; })
{
    for (int i = 0; i < 50; i++)
        tw_finish {
            tw_async(block_on, .call = call_pipe_write, .ends = self.ends);
            tw_async(block_on, .call = call_pipe_read, .ends = self.ends);
            tw_async(block_on, .call = call_pipe_read, .ends = self.ends + 2);
            tw_async(block_on, .call = call_pipe_write, .ends = self.ends + 2);
        }
}

static void test_file_io_blocking_calls_wait_for_each_other(void **state)
{
    (void)state;
    int ends[4];
    assert_int_equal(pipe(ends), 0);
    assert_int_equal(pipe(ends + 2), 0);
    assert_int_equal(tw_run(block_in_pairs, .ends = ends), 0);
    for (int i = 0; i < 4; i++)
        close(ends[i]);
}

// One call holds the only thread; those behind it are cancelled before they begin, it itself is
// waited for.
static void call_until_told(void *argument)
{
    int *told = argument;
    __atomic_store_n(&told[0], 1, __ATOMIC_RELEASE);
    while (!__atomic_load_n(&told[1], __ATOMIC_ACQUIRE))
        usleep(100);
    told[2] = 1;
}

static void count_call(void *argument)
{
    __atomic_fetch_add((int *)argument, 1, __ATOMIC_RELAXED);
}

TW_TASK(block_until_told, { int *told, *error; })
{
    *self.error = tw_blocking(call_until_told, self.told);
    self.error[1] = self.told[2]; // it had ended
}

struct behind {
    int calls, started, ended;
};

TW_TASK(block_behind, {
    struct behind *behind;
    int *error;
})
{
    __atomic_fetch_add(&self.behind->started, 1, __ATOMIC_RELEASE);
    *self.error = tw_blocking(count_call, &self.behind->calls);
    __atomic_fetch_add(&self.behind->ended, 1, __ATOMIC_RELEASE);
}

static void yield_until(const int *number, int wanted, const char *what)
{
    uint64_t until = patience_until();
    for (int got; (got = __atomic_load_n(number, __ATOMIC_ACQUIRE)) < wanted;) {
        tw_yield();
        patience_yield(until, what, got, wanted);
    }
}

enum { BEHIND = 5 };

TW_TASK(cancel_blocked, {
    struct behind *behind;
    int *told, *error;
})
{
    struct tw_outcome outcome;
    tw_attempt(&outcome)
    {
        tw_async(block_until_told, .told = self.told, .error = self.error);
        yield_until(self.told, 1, "a call that begins");
        for (int i = 0; i < BEHIND; i++)
            tw_async(block_behind, .behind = self.behind, .error = &self.error[2 + i]);
        yield_until(&self.behind->started, BEHIND, "calls behind it");
        (void)tw_sleep(MS);
        tw_cancel();
        yield_until(&self.behind->ended, BEHIND, "calls that are cancelled");
        __atomic_store_n(&self.told[1], 1, __ATOMIC_RELEASE);
    }
}

static void check_cancel_blocked(const struct tw_options *options)
{
    struct tw_options one = *options;
    struct behind behind = {0, 0, 0};
    int told[3] = {0, 0, 0}, error[2 + BEHIND] = {-1, 0};
    one.blocking_max = 1;
    assert_int_equal(
        tw_run_with(&one, cancel_blocked, .behind = &behind, .told = told, .error = error), 0);
    assert_int_equal(error[0], 0);
    assert_int_equal(error[1], 1);
    for (int i = 0; i < BEHIND; i++)
        assert_int_equal(error[2 + i], TW_ECANCELED);
    assert_int_equal(behind.calls, 0);
}

static void test_file_io_blocking_calls_are_cancelled_before_they_begin(void **state)
{
    (void)state;
    for (int i = 0; i < test_scaled(10); i++)
        test_each_io(check_cancel_blocked);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_file_io_many_at_offsets),
        cmocka_unit_test(test_file_io_along_its_own_offset),
        cmocka_unit_test(test_file_io_late_and_cancelled),
        cmocka_unit_test(test_file_io_blocking_calls_are_bounded),
        cmocka_unit_test(test_file_io_a_blocking_call_keeps_its_errno),
        cmocka_unit_test(test_file_io_blocking_calls_wait_for_each_other),
        cmocka_unit_test(test_file_io_blocking_calls_are_cancelled_before_they_begin),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
