// SPDX-License-Identifier: Apache-2.0
// Connections on loopback: made, refused, reset, too many, late, cancelled.
#include "io_ways.h"

#include <arpa/inet.h>
#include <errno.h>
#include <fcntl.h>
#include <netinet/in.h>
#include <poll.h>
#include <sys/resource.h>
#include <unistd.h>

#include "patience.h"

static struct sockaddr_in loopback(void)
{
    struct sockaddr_in address = {.sin_family = AF_INET};
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    return address;
}

// A listening socket, which would block; its address is filled in.
static int listen_here(struct sockaddr_in *address, int backlog)
{
    socklen_t length = sizeof *address;
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    *address = loopback();
    assert_int_equal(bind(fd, (struct sockaddr *)address, length), 0);
    assert_int_equal(listen(fd, backlog), 0);
    assert_int_equal(getsockname(fd, (struct sockaddr *)address, &length), 0);
    return fd;
}

static int connect_to(const struct sockaddr_in *address, uint64_t deadline_ns)
{
    int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
    if (fd < 0)
        return TW_SYSTEM(errno);
    int error = tw_connect(fd, (const struct sockaddr *)address, sizeof *address, deadline_ns);
    if (!error)
        return fd;
    close(fd);
    return error;
}

// ---- echo ----

enum { CLIENTS = 20, LINES = 10 };

TW_TASK(echo, { int fd; })
{
    char bytes[100];
    for (int64_t got; (got = tw_read(self.fd, bytes, sizeof bytes, TW_NEVER)) > 0;)
        if (tw_write(self.fd, bytes, (size_t)got, TW_NEVER) != got)
            tw_fail(1);
    close(self.fd);
}

TW_TASK(serve, {
    int fd, clients;
    int *wrong;
})
{
    for (int i = 0; i < self.clients; i++) {
        struct sockaddr_in peer;
        socklen_t length = sizeof peer;
        int fd = tw_accept(self.fd, (struct sockaddr *)&peer, &length, TW_NEVER);
        if (fd < 0 || !(fcntl(fd, F_GETFL) & O_NONBLOCK) || !(fcntl(fd, F_GETFD) & FD_CLOEXEC) ||
            peer.sin_addr.s_addr != htonl(INADDR_LOOPBACK))
            ++*self.wrong;
        if (fd >= 0)
            tw_async(echo, .fd = fd);
    }
}

static int64_t read_exactly(int fd, char *to, int64_t wanted)
{
    int64_t sum = 0, got = 1;
    while (sum < wanted && got > 0) {
        got = tw_read(fd, to + sum, (size_t)(wanted - sum), TW_NEVER);
        sum += got > 0 ? got : 0;
    }
    return sum;
}

TW_TASK(talk, {
    const struct sockaddr_in *address;
    int i;
    int *right;
})
{
    int fd = connect_to(self.address, tw_now_ns() + PATIENCE_NS);
    for (int line = 0; fd >= 0 && line < LINES; line++) {
        char said[40], heard[40];
        int length = snprintf(said, sizeof said, "client %d line %d", self.i, line);
        if (tw_write(fd, said, (size_t)length, TW_NEVER) == length &&
            read_exactly(fd, heard, length) == length && memcmp(said, heard, (size_t)length) == 0)
            __atomic_fetch_add(self.right, 1, __ATOMIC_RELAXED);
    }
    if (fd >= 0)
        close(fd);
}

TW_TASK(talk_and_serve, {
    int fd;
    const struct sockaddr_in *address;
    int *wrong, *right;
})
{
    tw_async(serve, .fd = self.fd, .clients = CLIENTS, .wrong = self.wrong);
    for (int i = 0; i < CLIENTS; i++)
        tw_async(talk, .address = self.address, .i = i, .right = self.right);
}

static void check_echo(const struct tw_options *options)
{
    struct sockaddr_in address;
    int fd = listen_here(&address, 64), wrong = 0, right = 0;
    assert_int_equal(tw_run_with(options, talk_and_serve, .fd = fd, .address = &address,
                                 .wrong = &wrong, .right = &right),
                     0);
    assert_int_equal(wrong, 0);
    assert_int_equal(right, CLIENTS * LINES);
    close(fd);
}

static void test_socket_io_echoes(void **state)
{
    (void)state;
    test_each_io(check_echo);
}

// ---- refused and reset ----

TW_TASK(connect_in_vain, {
    const struct sockaddr_in *address;
    int *error;
})
{
    self.error[0] = connect_to(self.address, TW_NEVER);
    self.error[1] =
        tw_connect(-1, (const struct sockaddr *)self.address, sizeof *self.address, TW_NEVER);
    self.error[2] = tw_accept(-1, NULL, NULL, TW_NEVER);
}

static void check_refused(const struct tw_options *options)
{
    struct sockaddr_in address;
    int error[3];
    close(listen_here(&address, 1)); // so nobody listens there
    assert_int_equal(tw_run_with(options, connect_in_vain, .address = &address, .error = error), 0);
    assert_int_equal(error[0], TW_SYSTEM(ECONNREFUSED));
    assert_int_equal(TW_ERRNO(error[0]), ECONNREFUSED);
    assert_true(strlen(tw_strerror(error[0])) > 0);
    assert_int_equal(error[1], TW_SYSTEM(EBADF));
    assert_int_equal(error[2], TW_SYSTEM(EBADF));
}

static void test_socket_io_a_refused_connection_says_so(void **state)
{
    (void)state;
    test_each_io(check_refused);
}

TW_TASK(reset_after, {
    int fd;
    uint64_t ns;
})
{
    struct linger at_once = {1, 0};
    (void)tw_sleep(self.ns);
    setsockopt(self.fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
    close(self.fd);
}

TW_TASK(be_reset, {
    int listens;
    const struct sockaddr_in *address;
    int64_t *result;
})
{
    int fd = connect_to(self.address, TW_NEVER);
    int peer = tw_accept(self.listens, NULL, NULL, TW_NEVER);
    char byte = 0;
    tw_finish {
        tw_async(reset_after, .fd = peer, .ns = MS);
        self.result[0] = tw_read(fd, &byte, 1, TW_NEVER); // waits when it happens
    }
    self.result[1] = tw_write(fd, &byte, 1, TW_NEVER);
    self.result[2] = tw_write(fd, &byte, 1, TW_NEVER);
    close(fd);
}

static void check_reset(const struct tw_options *options)
{
    struct sockaddr_in address;
    int64_t result[3];
    int fd = listen_here(&address, 4);
    assert_int_equal(
        tw_run_with(options, be_reset, .listens = fd, .address = &address, .result = result), 0);
    assert_int_equal(result[0], TW_SYSTEM(ECONNRESET));
    assert_int_equal(result[1], TW_SYSTEM(EPIPE));
    assert_int_equal(result[2], TW_SYSTEM(EPIPE));
    close(fd);
}

static void test_socket_io_a_reset_is_an_error_and_no_signal(void **state)
{
    (void)state;
    test_each_io(check_reset);
}

// ---- out of descriptors ----

TW_TASK(accept_too_many, {
    int listens;
    const struct sockaddr_in *address;
    int *error;
})
{
    int fd = connect_to(self.address, TW_NEVER);
    (void)tw_sleep(MS); // and so everything Twill itself needs is open
    struct rlimit before, none;
    getrlimit(RLIMIT_NOFILE, &before);
    none = before;
    none.rlim_cur = 1; // those that are open stay so
    setrlimit(RLIMIT_NOFILE, &none);
    self.error[0] = tw_accept(self.listens, NULL, NULL, TW_NEVER);
    self.error[1] = connect_to(self.address, TW_NEVER);
    setrlimit(RLIMIT_NOFILE, &before);
    self.error[2] = tw_accept(self.listens, NULL, NULL, TW_NEVER);
    close(self.error[2]);
    close(fd);
}

static void check_too_many(const struct tw_options *options)
{
    struct sockaddr_in address;
    int error[3], fd = listen_here(&address, 4);
    assert_int_equal(
        tw_run_with(options, accept_too_many, .listens = fd, .address = &address, .error = error),
        0);
    assert_int_equal(error[0], TW_SYSTEM(EMFILE));
    assert_int_equal(error[1], TW_SYSTEM(EMFILE));
    assert_true(error[2] >= 0);
    close(fd);
}

static void test_socket_io_too_many_descriptors(void **state)
{
    (void)state;
    test_each_io(check_too_many);
}

// The first call of all finds no descriptor left for what it needs.
static void check_none_left(const struct tw_options *options)
{
    struct sockaddr_in address;
    int error[3], fd = listen_here(&address, 4);
    struct rlimit before, none;
    getrlimit(RLIMIT_NOFILE, &before);
    none = before;
    none.rlim_cur = 1;
    setrlimit(RLIMIT_NOFILE, &none);
    int run = tw_run_with(options, connect_in_vain, .address = &address, .error = error);
    setrlimit(RLIMIT_NOFILE, &before);
    assert_int_equal(run, 0);
    assert_int_equal(error[0], TW_SYSTEM(EMFILE));
    assert_int_equal(error[1], TW_SYSTEM(EMFILE)); // there is nothing to wait with
    close(fd);
}

static void test_socket_io_no_descriptor_for_the_pool(void **state)
{
    (void)state;
    test_each_io(check_none_left);
}

// ---- late and cancelled ----

// Connections to a listener whose queue is full are not answered on loopback.
static int fill_queue(const struct sockaddr_in *address, int *fds, int most)
{
    int count = 0;
    while (count < most) {
        int fd = socket(AF_INET, SOCK_STREAM | SOCK_NONBLOCK, 0);
        fds[count++] = fd;
        (void)connect(fd, (const struct sockaddr *)address, sizeof *address);
    }
    return count;
}

TW_TASK(be_late, {
    int listens;
    const struct sockaddr_in *full;
    int *error, *early;
})
{
    for (int i = 0; i < 2; i++) {
        uint64_t deadline = i ? 0 : tw_now_ns() + 2 * MS;
        self.error[i] = tw_accept(self.listens, NULL, NULL, deadline);
        self.error[2 + i] = connect_to(self.full, deadline);
        *self.early += tw_now_ns() < deadline;
    }
}

TW_TASK(accept_for_ever, {
    int listens;
    int *error;
})
{
    *self.error = tw_accept(self.listens, NULL, NULL, TW_NEVER);
}

TW_TASK(connect_for_ever, {
    const struct sockaddr_in *full;
    int *error;
})
{
    *self.error = connect_to(self.full, TW_NEVER);
}

TW_TASK(cancel_both, {
    int listens;
    const struct sockaddr_in *full;
    int *error;
})
{
    struct tw_outcome outcome;
    tw_attempt(&outcome)
    {
        tw_async(accept_for_ever, .listens = self.listens, .error = &self.error[0]);
        tw_async(connect_for_ever, .full = self.full, .error = &self.error[1]);
        (void)tw_sleep(3 * MS);
        tw_cancel();
    }
}

static void check_ends(const struct tw_options *options)
{
    enum { MOST = 16 };
    struct sockaddr_in address, full;
    int fds[MOST], error[4], early = 0;
    int fd = listen_here(&address, 4), busy = listen_here(&full, 0);
    int count = fill_queue(&full, fds, MOST);
    assert_int_equal(tw_run_with(options, be_late, .listens = fd, .full = &full, .error = error,
                                 .early = &early),
                     0);
    for (int i = 0; i < 4; i++)
        assert_int_equal(error[i], TW_ETIMEDOUT);
    assert_int_equal(early, 0);
    error[0] = error[1] = TW_ECANCELED; // as if dropped
    assert_int_equal(
        tw_run_with(options, cancel_both, .listens = fd, .full = &full, .error = error), 0);
    assert_int_equal(error[0], TW_ECANCELED);
    assert_int_equal(error[1], TW_ECANCELED);
    for (int i = 0; i < count; i++)
        close(fds[i]);
    close(fd);
    close(busy);
}

static void test_socket_io_accept_and_connect_end_early(void **state)
{
    (void)state;
    test_each_io(check_ends);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_socket_io_echoes),
        cmocka_unit_test(test_socket_io_a_refused_connection_says_so),
        cmocka_unit_test(test_socket_io_a_reset_is_an_error_and_no_signal),
        cmocka_unit_test(test_socket_io_too_many_descriptors),
        cmocka_unit_test(test_socket_io_no_descriptor_for_the_pool),
        cmocka_unit_test(test_socket_io_accept_and_connect_end_early),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
