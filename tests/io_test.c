// SPDX-License-Identifier: Apache-2.0
// Reading, writing and polling: pipes and pairs of sockets, deadlines, cancellation, several tasks
// at one descriptor. Connections: socket_io_test.c. Files: file_io_test.c.
#include "io_ways.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <sys/socket.h>
#include <unistd.h>

#include "patience.h"

// A pair of descriptors: [0] is read, [1] is written.
enum pair_kind { PIPE, SOCKETS, NONBLOCKING, KINDS };

static int open_pair(enum pair_kind kind, int ends[2])
{
    if (kind == PIPE)
        return pipe(ends);
    return socketpair(AF_UNIX, SOCK_STREAM | (kind == NONBLOCKING ? SOCK_NONBLOCK : 0), 0, ends);
}

static void close_pair(const int ends[2])
{
    close(ends[0]);
    close(ends[1]);
}

// ---- a line from one task to another ----

TW_TASK(write_text, {
    int fd;
    const char *text;
    uint64_t after_ns;
    int64_t *result;
})
{
    if (self.after_ns)
        (void)tw_sleep(self.after_ns);
    *self.result = tw_write(self.fd, self.text, strlen(self.text), TW_NEVER);
}

// The reader is first, and its descriptor would block the only worker.
TW_TASK(read_then_write, {
    const int *ends;
    char *text;
    int64_t *result;
})
{
    tw_finish {
        tw_async(write_text, .fd = self.ends[1], .text = "hello", .after_ns = MS,
                 .result = &self.result[0]);
        self.result[1] = tw_read(self.ends[0], self.text, 64, TW_NEVER);
    }
}

static void check_line(const struct tw_options *options)
{
    for (int kind = 0; kind < KINDS; kind++)
        for (unsigned workers = 0; workers < 2; workers++) {
            struct tw_options some = *options;
            int ends[2];
            char text[64] = "";
            int64_t result[2] = {0, 0};
            some.workers = workers ? workers : some.workers;
            assert_int_equal(open_pair((enum pair_kind)kind, ends), 0);
            assert_int_equal(
                tw_run_with(&some, read_then_write, .ends = ends, .text = text, .result = result),
                0);
            assert_int_equal(result[0], 5);
            assert_int_equal(result[1], 5);
            assert_string_equal(text, "hello");
            close_pair(ends);
        }
}

static void test_io_a_reader_does_not_hold_its_worker(void **state)
{
    (void)state;
    test_each_io(check_line);
}

// ---- much ----

enum { MUCH = 1 << 20, PARTS = 7 };

TW_TASK(write_much, {
    int fd, in_parts;
    const char *bytes;
    int64_t *result;
})
{
    struct iovec parts[PARTS];
    size_t each = MUCH / PARTS;
    for (size_t i = 0; i < PARTS; i++)
        parts[i] =
            (struct iovec){(char *)self.bytes + i * each, i + 1 < PARTS ? each : MUCH - i * each};
    *self.result = self.in_parts ? tw_writev(self.fd, parts, PARTS, TW_NEVER)
                                 : tw_write(self.fd, self.bytes, MUCH, TW_NEVER);
    close(self.fd);
}

static int64_t read_all(int fd, char *to, int in_parts)
{
    int64_t sum = 0, got = 1;
    while (sum < MUCH && got > 0) {
        size_t left = (size_t)(MUCH - sum), half = left / 2;
        struct iovec parts[2] = {{to + sum, half}, {to + sum + half, left - half}};
        got = in_parts ? tw_readv(fd, parts, 2, TW_NEVER) : tw_read(fd, to + sum, left, TW_NEVER);
        sum += got > 0 ? got : 0;
    }
    if (sum == MUCH) // then there is the end
        got = tw_read(fd, (char[1]){0}, 1, TW_NEVER);
    return got < 0 ? got : sum;
}

TW_TASK(move_much, {
    const int *ends;
    int in_parts;
    const char *from;
    char *to;
    int64_t *result;
})
{
    tw_async(write_much, .fd = self.ends[1], .in_parts = self.in_parts, .bytes = self.from,
             .result = &self.result[0]);
    self.result[1] = read_all(self.ends[0], self.to, self.in_parts);
}

static void check_much(const struct tw_options *options)
{
    static char from[MUCH], to[MUCH];
    for (size_t i = 0; i < MUCH; i++)
        from[i] = (char)(i * 2654435761u >> 13);
    for (int kind = 0; kind < KINDS; kind++)
        for (int in_parts = 0; in_parts < 2; in_parts++) {
            int ends[2], small = 4096;
            int64_t result[2] = {0, 0};
            memset(to, 0, sizeof to);
            assert_int_equal(open_pair((enum pair_kind)kind, ends), 0);
            (void)setsockopt(ends[1], SOL_SOCKET, SO_SNDBUF, &small, sizeof small);
            assert_int_equal(tw_run_with(options, move_much, .ends = ends, .in_parts = in_parts,
                                         .from = from, .to = to, .result = result),
                             0);
            assert_int_equal(result[0], MUCH);
            assert_int_equal(result[1], MUCH);
            assert_memory_equal(from, to, MUCH);
            close(ends[0]);
        }
}

static void test_io_large_buffers_go_in_pieces(void **state)
{
    (void)state;
    test_each_io(check_much);
}

// ---- ends that are gone, and other refusals ----

TW_TASK(refuse, {
    const int *ends;
    int64_t *result;
})
{
    char byte = 0;
    close(self.ends[0]);
    self.result[0] = tw_write(self.ends[1], &byte, 1, TW_NEVER);
    self.result[1] = tw_read(-1, &byte, 1, TW_NEVER);
    self.result[2] = tw_write(-1, &byte, 1, TW_NEVER);
    self.result[3] = tw_poll(-5, POLLIN, 0);
    self.result[4] = tw_readv(self.ends[1], NULL, 0, TW_NEVER);
    self.result[5] = tw_writev(self.ends[1], NULL, -1, TW_NEVER);
    self.result[6] = tw_poll(self.ends[1], POLLIN, TW_NEVER) > 0 ? 0 : -1; // hung up
    self.result[7] = tw_read(self.ends[1], &byte, 1, TW_NEVER);
    self.result[8] = tw_write(self.ends[1], &byte, 0, TW_NEVER);
}

static void check_refusals(const struct tw_options *options)
{
    static const int64_t expected[9] = {TW_SYSTEM(EPIPE),
                                        TW_SYSTEM(EBADF),
                                        TW_SYSTEM(EBADF),
                                        TW_SYSTEM(EBADF),
                                        TW_EINVAL,
                                        TW_EINVAL,
                                        0,
                                        0,
                                        0};
    int ends[2];
    int64_t result[9];
    assert_int_equal(open_pair(SOCKETS, ends), 0);
    assert_int_equal(tw_run_with(options, refuse, .ends = ends, .result = result), 0);
    for (int i = 0; i < 9; i++)
        assert_int_equal(result[i], expected[i]);
    close(ends[1]);
}

static void test_io_what_is_refused_has_a_reason(void **state)
{
    (void)state;
    signal(SIGPIPE, SIG_DFL); // it must not come
    test_each_io(check_refusals);
}

// ---- deadlines and cancellation ----

enum call { READ, READV, WRITE, WRITEV, POLL, CALLS };

struct place {
    int empty[2], full[2]; // nothing to read; no room to write
};

static void place_open(struct place *p, enum pair_kind kind)
{
    char bytes[4096] = {0};
    assert_int_equal(open_pair(kind, p->empty), 0);
    assert_int_equal(open_pair(kind, p->full), 0);
    int flags = fcntl(p->full[1], F_GETFL);
    fcntl(p->full[1], F_SETFL, flags | O_NONBLOCK);
    while (write(p->full[1], bytes, sizeof bytes) > 0 || write(p->full[1], bytes, 1) > 0)
        continue;
    fcntl(p->full[1], F_SETFL, flags);
}

static void place_close(struct place *p)
{
    close_pair(p->empty);
    close_pair(p->full);
}

static int64_t wait_by(const struct place *p, enum call call, uint64_t deadline_ns)
{
    char bytes[16] = "";
    struct iovec parts[2] = {{bytes, 8}, {bytes + 8, 8}};
    switch (call) {
    case READ:
        return tw_read(p->empty[0], bytes, sizeof bytes, deadline_ns);
    case READV:
        return tw_readv(p->empty[0], parts, 2, deadline_ns);
    case WRITE:
        return tw_write(p->full[1], bytes, sizeof bytes, deadline_ns);
    case WRITEV:
        return tw_writev(p->full[1], parts, 2, deadline_ns);
    case POLL:
        return tw_poll(p->empty[0], POLLIN, deadline_ns);
    case CALLS:
        break;
    }
    return 0;
}

TW_TASK(be_late, {
    const struct place *place;
    int64_t *late, *past;
    int *early;
})
{
    for (int call = 0; call < CALLS; call++) {
        uint64_t deadline = tw_now_ns() + 2 * MS;
        self.late[call] = wait_by(self.place, (enum call)call, deadline);
        *self.early += tw_now_ns() < deadline;
        self.past[call] = wait_by(self.place, (enum call)call, 0);
    }
    if (write(self.place->empty[1], "x", 1) == 1) // what can be done at once is done
        *self.early += wait_by(self.place, POLL, 0) != POLLIN || wait_by(self.place, READ, 0) != 1;
}

static void check_deadlines(const struct tw_options *options)
{
    for (int kind = 0; kind < KINDS; kind++) {
        struct place place;
        int64_t late[CALLS], past[CALLS];
        int early = 0;
        place_open(&place, (enum pair_kind)kind);
        assert_int_equal(tw_run_with(options, be_late, .place = &place, .late = late, .past = past,
                                     .early = &early),
                         0);
        for (int call = 0; call < CALLS; call++) {
            assert_int_equal(late[call], TW_ETIMEDOUT);
            assert_int_equal(past[call], TW_ETIMEDOUT);
        }
        assert_int_equal(early, 0);
        place_close(&place);
    }
}

static void test_io_deadlines_end_every_call(void **state)
{
    (void)state;
    test_each_io(check_deadlines);
}

TW_TASK(wait_for_ever, {
    const struct place *place;
    enum call call;
    int *started;
    int64_t *result;
})
{
    __atomic_fetch_add(self.started, 1, __ATOMIC_RELEASE);
    *self.result = wait_by(self.place, self.call, TW_NEVER);
}

TW_TASK(cancel_calls, {
    const struct place *place;
    int64_t *result;
    uint64_t after_ns;
})
{
    struct tw_outcome outcome;
    int started = 0;
    tw_attempt(&outcome)
    {
        for (int call = 0; call < CALLS; call++)
            tw_async(wait_for_ever, .place = self.place, .call = (enum call)call,
                     .started = &started, .result = &self.result[call]);
        uint64_t until = patience_until();
        for (int got; (got = __atomic_load_n(&started, __ATOMIC_ACQUIRE)) < CALLS;) {
            tw_yield();
            patience_yield(until, "calls", got, CALLS);
        }
        (void)tw_sleep(self.after_ns);
        tw_cancel();
    }
    self.result[CALLS] = outcome.error;
}

static void check_cancellation(const struct tw_options *options)
{
    for (int i = 0; i < test_scaled(10); i++) {
        struct place place;
        int64_t result[CALLS + 1];
        place_open(&place, (enum pair_kind)(i % KINDS));
        assert_int_equal(tw_run_with(options, cancel_calls, .place = &place, .result = result,
                                     .after_ns = (uint64_t)i * 30000),
                         0);
        for (int call = 0; call <= CALLS; call++)
            assert_int_equal(result[call], TW_ECANCELED);
        place_close(&place);
    }
}

static void test_io_cancellation_ends_every_call(void **state)
{
    (void)state;
    test_each_io(check_cancellation);
}

// ---- several tasks at one descriptor ----

TW_TASK(read_byte, {
    int fd;
    int *sum;
})
{
    unsigned char byte = 0;
    int64_t got = tw_read(self.fd, &byte, 1, tw_now_ns() + PATIENCE_NS);
    __atomic_fetch_add(self.sum, got == 1 ? byte : 1000, __ATOMIC_RELAXED);
}

enum { READERS = 8 };

TW_TASK(share_descriptor, {
    const int *ends;
    int *sum;
})
{
    for (int i = 0; i < READERS; i++)
        tw_async(read_byte, .fd = self.ends[0], .sum = self.sum);
    (void)tw_sleep(MS);
    for (int i = 1; i <= READERS; i++) {
        unsigned char byte = (unsigned char)i;
        if (tw_write(self.ends[1], &byte, 1, TW_NEVER) != 1)
            tw_fail(1);
        if (i % 2)
            tw_yield();
    }
}

static void check_sharing(const struct tw_options *options)
{
    for (int i = 0; i < test_scaled(30); i++) {
        int ends[2], sum = 0;
        assert_int_equal(open_pair((enum pair_kind)(i % KINDS), ends), 0);
        assert_int_equal(tw_run_with(options, share_descriptor, .ends = ends, .sum = &sum), 0);
        assert_int_equal(sum, READERS * (READERS + 1) / 2);
        close_pair(ends);
    }
}

static void test_io_several_read_from_one(void **state)
{
    (void)state;
    test_each_io(check_sharing);
}

// One waits to read and one to write at the same end; the other end then does both.
TW_TASK(both_ways, {
    const struct place *place;
    int64_t *result;
})
{
    int fd = self.place->full[1], other = self.place->full[0];
    tw_finish {
        tw_async(write_text, .fd = fd, .text = "x", .result = &self.result[0]);
        tw_async(write_text, .fd = other, .text = "y", .after_ns = MS, .result = &self.result[1]);
        char byte = 0;
        self.result[2] = tw_read(fd, &byte, 1, TW_NEVER) == 1 ? byte : 0;
        for (int64_t got = 1; got > 0;) { // until there is room, and then until all is read
            char bytes[4096];
            got = tw_read(other, bytes, sizeof bytes, tw_now_ns() + 20 * MS);
            self.result[3] = got;
        }
    }
}

static void check_both_ways(const struct tw_options *options)
{
    struct place place;
    int64_t result[4] = {0, 0, 0, 0};
    place_open(&place, SOCKETS);
    assert_int_equal(tw_run_with(options, both_ways, .place = &place, .result = result), 0);
    assert_int_equal(result[0], 1);
    assert_int_equal(result[1], 1);
    assert_int_equal(result[2], 'y');
    assert_int_equal(result[3], TW_ETIMEDOUT);
    place_close(&place);
}

static void test_io_one_reads_while_one_writes(void **state)
{
    (void)state;
    test_each_io(check_both_ways);
}

// ---- a number that is used again ----

TW_TASK(use_again, { int *wrong; })
{
    char byte = 0;
    for (int i = 0; i < 50; i++) {
        int ends[2];
        int64_t put = 0;
        if (open_pair((enum pair_kind)(i % KINDS), ends) != 0)
            tw_fail(1);
        *self.wrong += tw_read(ends[0], &byte, 1, tw_now_ns() + 100000) != TW_ETIMEDOUT;
        if (i % 5 == 0) { // the open file outlives its number
            int other = dup(ends[0]);
            close(ends[0]);
            ends[0] = other;
        }
        tw_finish {
            tw_async(write_text, .fd = ends[1], .text = "z", .after_ns = 100000, .result = &put);
            *self.wrong += tw_read(ends[0], &byte, 1, TW_NEVER) != 1 || byte != 'z';
        }
        close_pair(ends);
    }
}

static void check_numbers(const struct tw_options *options)
{
    int wrong = 0;
    assert_int_equal(tw_run_with(options, use_again, .wrong = &wrong), 0);
    assert_int_equal(wrong, 0);
}

static void test_io_a_closed_number_is_used_again(void **state)
{
    (void)state;
    test_each_io(check_numbers);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_io_a_reader_does_not_hold_its_worker),
        cmocka_unit_test(test_io_large_buffers_go_in_pieces),
        cmocka_unit_test(test_io_what_is_refused_has_a_reason),
        cmocka_unit_test(test_io_deadlines_end_every_call),
        cmocka_unit_test(test_io_cancellation_ends_every_call),
        cmocka_unit_test(test_io_several_read_from_one),
        cmocka_unit_test(test_io_one_reads_while_one_writes),
        cmocka_unit_test(test_io_a_closed_number_is_used_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
