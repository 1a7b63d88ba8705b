// SPDX-License-Identifier: Apache-2.0
// io.h in the sequential elision: the calls wait in the system.
#ifndef TWILL_SERIAL_IO_H
#define TWILL_SERIAL_IO_H
#ifdef TWILL_SERIAL

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <stdint.h>
#include <sys/socket.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include <twill/api.h>

static inline uint64_t twi_serial_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

static inline int tw_sleep_until(uint64_t deadline_ns)
{
    struct timespec at = {(time_t)(deadline_ns / 1000000000u), (long)(deadline_ns % 1000000000u)};
    while (clock_nanosleep(CLOCK_MONOTONIC, TIMER_ABSTIME, &at, NULL) == EINTR)
        continue;
    return 0;
}

static inline int tw_sleep(uint64_t ns)
{
    return tw_sleep_until(twi_serial_now_ns() + ns);
}

static inline int tw_poll(int fd, short events, uint64_t deadline_ns)
{
    struct pollfd one = {fd, events, 0};
    int timeout_ms = -1;
    if (deadline_ns != TW_NEVER) {
        uint64_t now = twi_serial_now_ns();
        timeout_ms = deadline_ns > now ? (int)((deadline_ns - now) / 1000000u) + 1 : 0;
    }
    int ready = poll(&one, 1, timeout_ms);
    if (ready < 0)
        return TW_SYSTEM(errno);
    return ready == 0 ? (int)TW_ETIMEDOUT : one.revents;
}

static inline int64_t tw_readv(int fd, const struct iovec *parts, int count, uint64_t deadline_ns)
{
    int ready = tw_poll(fd, POLLIN, deadline_ns);
    ssize_t got = ready < 0 ? -1 : readv(fd, parts, count);
    return ready < 0 ? ready : got < 0 ? TW_SYSTEM(errno) : got;
}

static inline int64_t tw_read(int fd, void *buffer, size_t size, uint64_t deadline_ns)
{
    struct iovec one = {buffer, size};
    return tw_readv(fd, &one, 1, deadline_ns);
}

static inline int64_t tw_write(int fd, const void *buffer, size_t size, uint64_t deadline_ns)
{
    size_t written = 0;
    while (written < size) {
        int ready = tw_poll(fd, POLLOUT, deadline_ns);
        if (ready < 0)
            return ready;
        ssize_t some = write(fd, (const char *)buffer + written, size - written);
        if (some < 0)
            return TW_SYSTEM(errno);
        written += (size_t)some;
    }
    return (int64_t)written;
}

static inline int64_t tw_writev(int fd, const struct iovec *parts, int count, uint64_t deadline_ns)
{
    int64_t sum = 0;
    for (int i = 0; i < count; i++) {
        int64_t one = tw_write(fd, parts[i].iov_base, parts[i].iov_len, deadline_ns);
        if (one < 0)
            return one;
        sum += one;
    }
    return sum;
}

static inline int64_t tw_pread(int fd, void *buffer, size_t size, int64_t offset,
                               uint64_t deadline_ns)
{
    (void)deadline_ns;
    ssize_t got = pread(fd, buffer, size, offset);
    return got < 0 ? TW_SYSTEM(errno) : got;
}

static inline int64_t tw_pwrite(int fd, const void *buffer, size_t size, int64_t offset,
                                uint64_t deadline_ns)
{
    (void)deadline_ns;
    ssize_t put = pwrite(fd, buffer, size, offset);
    return put < 0 ? TW_SYSTEM(errno) : put;
}

static inline int tw_accept(int fd, struct sockaddr *address, socklen_t *length,
                            uint64_t deadline_ns)
{
    int ready = tw_poll(fd, POLLIN, deadline_ns);
    int made = ready < 0 ? -1 : accept(fd, address, length);
    return ready < 0 ? ready : made < 0 ? TW_SYSTEM(errno) : made;
}

static inline int tw_connect(int fd, const struct sockaddr *address, socklen_t length,
                             uint64_t deadline_ns)
{
    (void)deadline_ns;
    return connect(fd, address, length) == 0 ? 0 : TW_SYSTEM(errno);
}

static inline int tw_blocking(void (*call)(void *argument), void *argument)
{
    call(argument);
    return 0;
}

#endif
#endif
