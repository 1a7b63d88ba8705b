// SPDX-License-Identifier: Apache-2.0
// Reading, writing, accepting and connecting (include/twill/io.h).
//
// A call is tried at once, in a way that does not block even where the descriptor would; if it
// cannot be done, the task waits for the descriptor and tries again. Files are always ready and yet
// block: they go to io_uring, or to a thread beside the workers.
#define _GNU_SOURCE
#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <poll.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include <twill/io.h>

#include "io/reactor.h"

enum { CURRENT_OFFSET = -1 };

// What a try can say beside a result and an error.
#define WOULD_BLOCK INT64_MIN
#define IS_FILE (INT64_MIN + 1)

static int64_t told(ssize_t result)
{
    if (result >= 0)
        return result;
    return errno == EAGAIN || errno == EWOULDBLOCK || errno == EINPROGRESS || errno == EINTR
               ? WOULD_BLOCK
               : TW_SYSTEM(errno);
}

static int is_file(int fd)
{
    struct stat status;
    return fstat(fd, &status) == 0 && (S_ISREG(status.st_mode) || S_ISBLK(status.st_mode));
}

static int all_by_ring(struct twi_reactor *reactor)
{
    return reactor->pool->io == TW_IO_URING && twi_uring_of(reactor);
}

// ---- trying ----
//
// Not inlined: compilers keep the address of errno, which is another one when the task has waited
// and goes on in another thread.

#define TRY __attribute__((noinline)) static

static int is_ready(int fd, short events)
{
    struct pollfd one = {fd, events, 0};
    return poll(&one, 1, 0) > 0;
}

// Where the system cannot promise not to block (pipes of older ones, terminals), another reader
// may come between the question and the call.
TRY int64_t try_read(int fd, const struct iovec *parts, int count)
{
    struct msghdr message = {.msg_iov = (struct iovec *)parts, .msg_iovlen = (size_t)count};
    ssize_t got = recvmsg(fd, &message, MSG_DONTWAIT);
    if (got < 0 && errno == ENOTSOCK) {
        if (is_file(fd))
            return IS_FILE;
        got = preadv2(fd, parts, count, CURRENT_OFFSET, RWF_NOWAIT);
        if (got < 0 && errno == EOPNOTSUPP)
            return is_ready(fd, POLLIN) ? told(readv(fd, parts, count)) : WOULD_BLOCK;
    }
    return told(got);
}

// A pipe that has room takes at least so much without blocking.
static int64_t write_some(int fd, const struct iovec *part)
{
    size_t some = part->iov_len < PIPE_BUF ? part->iov_len : PIPE_BUF;
    return told(write(fd, part->iov_base, some));
}

TRY int64_t try_write(int fd, const struct iovec *parts, int count)
{
    struct msghdr message = {.msg_iov = (struct iovec *)parts, .msg_iovlen = (size_t)count};
    ssize_t put = sendmsg(fd, &message, MSG_DONTWAIT | MSG_NOSIGNAL);
    if (put < 0 && errno == ENOTSOCK) {
        if (is_file(fd))
            return IS_FILE;
        put = pwritev2(fd, parts, count, CURRENT_OFFSET, RWF_NOWAIT);
        if (put < 0 && errno == EOPNOTSUPP)
            return is_ready(fd, POLLOUT) ? write_some(fd, parts) : WOULD_BLOCK;
    }
    return told(put);
}

TRY int64_t try_accept(int fd, struct sockaddr *address, socklen_t *length)
{
    return told(accept4(fd, address, length, SOCK_NONBLOCK | SOCK_CLOEXEC));
}

TRY int64_t try_connect(int fd, const struct sockaddr *address, socklen_t length)
{
    return told(connect(fd, address, length));
}

// How a connection that took its time ended.
TRY int connected(int fd)
{
    int refused = 0;
    socklen_t size = sizeof refused;
    if (getsockopt(fd, SOL_SOCKET, SO_ERROR, &refused, &size) != 0)
        refused = errno;
    return refused ? TW_SYSTEM(refused) : 0;
}

TRY int make_nonblocking(int fd)
{
    int flags = fcntl(fd, F_GETFL);
    if (flags < 0 || (!(flags & O_NONBLOCK) && fcntl(fd, F_SETFL, flags | O_NONBLOCK) < 0))
        return TW_SYSTEM(errno);
    return 0;
}

// ---- files ----

struct file_call {
    int fd, count, writes;
    const struct iovec *parts;
    int64_t offset, result;
};

static void call_file(void *argument)
{
    struct file_call *c = argument;
    ssize_t done = c->writes ? pwritev2(c->fd, c->parts, c->count, c->offset, 0)
                             : preadv2(c->fd, c->parts, c->count, c->offset, 0);
    c->result = done < 0 ? TW_SYSTEM(errno) : done;
}

static int64_t file_some(struct twi_reactor *reactor, struct file_call *c, uint64_t deadline_ns)
{
    if (twi_uring_of(reactor)) {
        struct twi_request request = {.what = c->writes ? TWI_URING_WRITEV : TWI_URING_READV,
                                      .fd = c->fd,
                                      .address = c->parts,
                                      .length = (uint32_t)c->count,
                                      .offset = (uint64_t)c->offset};
        return twi_uring_call(reactor, &request, deadline_ns);
    }
    int error = twi_side_call(reactor, call_file, c, deadline_ns);
    return error ? error : c->result;
}

// ---- all of it ----

// Takes `done` bytes off the front. What is left of the list.
static int advance(struct iovec **parts, int count, size_t done)
{
    while (count && done >= (*parts)->iov_len) {
        done -= (*parts)->iov_len;
        (*parts)++;
        count--;
    }
    if (count) {
        (*parts)->iov_base = (char *)(*parts)->iov_base + done;
        (*parts)->iov_len -= done;
    }
    return count;
}

// Where the last reads had to wait, as answers to requests do, it waits before it tries. A wait
// that was in vain, because its deadline has passed or the number stands for a file now, is
// followed by a try too.
static int64_t read_once(struct twi_reactor *reactor, int fd, const struct iovec *parts, int count,
                         uint64_t deadline_ns)
{
    int there = 0;
    if (!twi_descriptor_try_first(reactor, fd))
        there = twi_descriptor_wait(reactor, fd, POLLIN, deadline_ns);
    for (;;) {
        int64_t got = there == TW_ECANCELED ? there : try_read(fd, parts, count);
        if (got != WOULD_BLOCK)
            return got;
        if (there < 0)
            return there;
        there = twi_descriptor_wait(reactor, fd, POLLIN, deadline_ns);
    }
}

static int64_t write_once(struct twi_reactor *reactor, int fd, const struct iovec *parts, int count,
                          uint64_t deadline_ns)
{
    for (;;) {
        int64_t put = try_write(fd, parts, count);
        if (put != WOULD_BLOCK)
            return put;
        int there = twi_descriptor_wait(reactor, fd, POLLOUT, deadline_ns);
        if (there < 0)
            return there;
    }
}

// By the ring what cannot be done at once. Some systems refuse to wait for a descriptor that is not
// to block.
static int64_t ring_read(struct twi_reactor *reactor, int fd, const struct iovec *parts, int count,
                         uint64_t deadline_ns)
{
    for (;;) {
        int64_t got = try_read(fd, parts, count);
        if (got != WOULD_BLOCK)
            return got;
        struct file_call c = {fd, count, 0, parts, CURRENT_OFFSET, 0};
        got = file_some(reactor, &c, deadline_ns);
        if (got != TW_SYSTEM(EAGAIN))
            return got;
        int there = tw_poll(fd, POLLIN, deadline_ns);
        if (there < 0)
            return there;
    }
}

// A socket's writes are messages, for only those can do without a signal.
static int64_t ring_send(struct twi_reactor *reactor, int fd, const struct iovec *parts, int count,
                         uint64_t deadline_ns)
{
    struct msghdr message = {.msg_iov = (struct iovec *)parts, .msg_iovlen = (size_t)count};
    struct twi_request request = {.what = TWI_URING_SENDMSG,
                                  .fd = fd,
                                  .address = &message,
                                  .length = 1,
                                  .flags = MSG_NOSIGNAL};
    int64_t put = twi_uring_call(reactor, &request, deadline_ns);
    if (put != TW_SYSTEM(ENOTSOCK))
        return put;
    struct file_call c = {fd, count, 1, parts, CURRENT_OFFSET, 0};
    return file_some(reactor, &c, deadline_ns);
}

static int64_t ring_write(struct twi_reactor *reactor, int fd, const struct iovec *parts, int count,
                          uint64_t deadline_ns)
{
    for (;;) {
        int64_t put = try_write(fd, parts, count);
        if (put != WOULD_BLOCK)
            return put;
        put = ring_send(reactor, fd, parts, count, deadline_ns);
        if (put != TW_SYSTEM(EAGAIN))
            return put;
        int there = tw_poll(fd, POLLOUT, deadline_ns);
        if (there < 0)
            return there;
    }
}

static int64_t write_some_of(struct twi_reactor *reactor, struct file_call *c, uint64_t deadline_ns)
{
    int64_t put = IS_FILE;
    if (c->offset == CURRENT_OFFSET)
        put = all_by_ring(reactor) ? ring_write(reactor, c->fd, c->parts, c->count, deadline_ns)
                                   : write_once(reactor, c->fd, c->parts, c->count, deadline_ns);
    return put == IS_FILE ? file_some(reactor, c, deadline_ns) : put;
}

static int64_t write_all(int fd, struct iovec *parts, int count, int64_t offset,
                         uint64_t deadline_ns)
{
    int error = 0;
    struct twi_reactor *reactor = twi_reactor_here(&error);
    if (!reactor)
        return error;
    int64_t written = 0;
    for (count = advance(&parts, count, 0); count;) {
        struct file_call c = {fd, count, 1, parts, offset, 0};
        int64_t some = write_some_of(reactor, &c, deadline_ns);
        if (some < 0)
            return some;
        written += some;
        offset += offset != CURRENT_OFFSET ? some : 0;
        count = advance(&parts, count, (size_t)some);
    }
    return written;
}

// ---- the public calls ----

int64_t tw_readv(int fd, const struct iovec *parts, int count, uint64_t deadline_ns)
{
    int error = 0;
    struct twi_reactor *reactor = twi_reactor_here(&error);
    if (!reactor)
        return error;
    if (count < 1 || count > IOV_MAX)
        return TW_EINVAL;
    int64_t got = all_by_ring(reactor) ? ring_read(reactor, fd, parts, count, deadline_ns)
                                       : read_once(reactor, fd, parts, count, deadline_ns);
    if (got != IS_FILE)
        return got;
    struct file_call c = {fd, count, 0, parts, CURRENT_OFFSET, 0};
    return file_some(reactor, &c, deadline_ns);
}

int64_t tw_read(int fd, void *buffer, size_t size, uint64_t deadline_ns)
{
    return tw_readv(fd, &(struct iovec){buffer, size}, 1, deadline_ns);
}

int64_t tw_write(int fd, const void *buffer, size_t size, uint64_t deadline_ns)
{
    return write_all(fd, &(struct iovec){(void *)buffer, size}, 1, CURRENT_OFFSET, deadline_ns);
}

// The list is copied, for its front is taken off as it goes.
int64_t tw_writev(int fd, const struct iovec *parts, int count, uint64_t deadline_ns)
{
    if (count < 1 || count > IOV_MAX)
        return TW_EINVAL;
    struct iovec *copy = malloc((size_t)count * sizeof *copy);
    if (!copy)
        return TW_ENOMEM;
    memcpy(copy, parts, (size_t)count * sizeof *copy);
    int64_t written = write_all(fd, copy, count, CURRENT_OFFSET, deadline_ns);
    free(copy);
    return written;
}

int64_t tw_pread(int fd, void *buffer, size_t size, int64_t offset, uint64_t deadline_ns)
{
    int error = 0;
    struct twi_reactor *reactor = twi_reactor_here(&error);
    if (!reactor)
        return error;
    if (offset < 0)
        return TW_EINVAL;
    size_t sum = 0;
    while (sum < size) {
        struct iovec part = {(char *)buffer + sum, size - sum};
        struct file_call c = {fd, 1, 0, &part, offset + (int64_t)sum, 0};
        int64_t got = file_some(reactor, &c, deadline_ns);
        if (got < 0)
            return got;
        if (got == 0)
            break;
        sum += (size_t)got;
    }
    return (int64_t)sum;
}

int64_t tw_pwrite(int fd, const void *buffer, size_t size, int64_t offset, uint64_t deadline_ns)
{
    if (offset < 0)
        return TW_EINVAL;
    return write_all(fd, &(struct iovec){(void *)buffer, size}, 1, offset, deadline_ns);
}

int tw_poll(int fd, short events, uint64_t deadline_ns)
{
    int error = 0;
    struct twi_reactor *reactor = twi_reactor_here(&error);
    struct pollfd one = {fd, events, 0};
    if (!reactor)
        return error;
    if (fd < 0)
        return TW_SYSTEM(EBADF);
    if (poll(&one, 1, 0) > 0)
        return one.revents & POLLNVAL ? TW_SYSTEM(EBADF) : one.revents;
    if (!all_by_ring(reactor))
        return twi_descriptor_wait(reactor, fd, events, deadline_ns);
    struct twi_request request = {
        .what = TWI_URING_POLL, .fd = fd, .flags = (uint32_t)(unsigned short)events};
    return (int)twi_uring_call(reactor, &request, deadline_ns);
}

// ---- sockets ----

int tw_accept(int fd, struct sockaddr *address, socklen_t *length, uint64_t deadline_ns)
{
    int error = 0;
    struct twi_reactor *reactor = twi_reactor_here(&error);
    if (!reactor || (error = make_nonblocking(fd)) != 0)
        return error;
    for (;;) {
        int64_t made = try_accept(fd, address, length);
        if (made != WOULD_BLOCK && made != TW_SYSTEM(ECONNABORTED))
            return (int)made;
        int there = tw_poll(fd, POLLIN, deadline_ns);
        if (there < 0)
            return there;
    }
}

int tw_connect(int fd, const struct sockaddr *address, socklen_t length, uint64_t deadline_ns)
{
    int error = 0;
    struct twi_reactor *reactor = twi_reactor_here(&error);
    if (!reactor || (error = make_nonblocking(fd)) != 0)
        return error;
    int64_t begun = try_connect(fd, address, length);
    if (begun != WOULD_BLOCK)
        return (int)begun;
    int there = tw_poll(fd, POLLOUT, deadline_ns);
    if (there < 0)
        return there;
    return connected(fd);
}
