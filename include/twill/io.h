// SPDX-License-Identifier: Apache-2.0
// Time, and input and output that hold no worker: the task waits, its worker does other work.
//
//     char line[256];
//     int64_t got = tw_read(connection, line, sizeof line, tw_now_ns() + 1000000000);
//     if (got < 0)
//         printf("%s\n", tw_strerror((int)got));
//
// Every wait has a deadline, absolute on the clock of tw_now_ns(); TW_NEVER: none. It ends with
// TW_ETIMEDOUT when that has passed and with TW_ECANCELED when what the task is inside of is
// cancelled. What the system itself refuses is TW_SYSTEM(errno). A call that could be done at once
// is done, even if its deadline has passed.
//
// Descriptors need not be non-blocking. All of these suspend, and the task may go on in another
// thread. From tasks only.
#ifndef TWILL_IO_H
#define TWILL_IO_H

#include <stdint.h>
#include <sys/socket.h>
#include <sys/uio.h>

#include <twill/api.h>

#ifdef TWILL_SERIAL
#include <twill/serial_io.h>
#else

#ifdef __cplusplus
extern "C" {
#endif

// ---- time ----

// Sleeps until the deadline, or for so many nanoseconds. 0 or TW_ECANCELED.
TW_API int tw_sleep_until(uint64_t deadline_ns);
TW_API int tw_sleep(uint64_t ns);

// ---- descriptors: sockets, pipes, terminals, files ----

// Reads what is there, at least a byte: how many, 0 at the end, or an error.
TW_API int64_t tw_read(int fd, void *buffer, size_t size, uint64_t deadline_ns);
TW_API int64_t tw_readv(int fd, const struct iovec *parts, int count, uint64_t deadline_ns);

// Writes all of it: how many bytes, or an error, and then some may have been written. A peer that
// is gone is TW_SYSTEM(EPIPE), never a signal, on sockets.
TW_API int64_t tw_write(int fd, const void *buffer, size_t size, uint64_t deadline_ns);
TW_API int64_t tw_writev(int fd, const struct iovec *parts, int count, uint64_t deadline_ns);

// The same at an offset of a file. Reading gives fewer bytes only at the end.
TW_API int64_t tw_pread(int fd, void *buffer, size_t size, int64_t offset, uint64_t deadline_ns);
TW_API int64_t tw_pwrite(int fd, const void *buffer, size_t size, int64_t offset,
                         uint64_t deadline_ns);

// A connection: its descriptor, non-blocking and closed by exec, or an error. `address` and
// `length` as of accept(2), or NULL.
TW_API int tw_accept(int fd, struct sockaddr *address, socklen_t *length, uint64_t deadline_ns);

// Connects a socket: 0 or an error. The socket is non-blocking afterwards.
TW_API int tw_connect(int fd, const struct sockaddr *address, socklen_t length,
                      uint64_t deadline_ns);

// Waits for POLLIN, POLLOUT...: those that are there (of them also POLLERR and POLLHUP), or an
// error.
TW_API int tw_poll(int fd, short events, uint64_t deadline_ns);

// ---- calls that must block ----

// Runs call(argument) on a thread beside the workers and waits for it. A call that has begun is
// waited for even when the task is cancelled. 0; TW_ECANCELED when it was cancelled before it
// began, and TW_EAGAIN or TW_ENOMEM when there is no thread for it: then it was not called. errno
// is not carried over: keep it in the argument.
TW_API int tw_blocking(void (*call)(void *argument), void *argument);

#ifdef __cplusplus
}
#endif

#endif
#endif
