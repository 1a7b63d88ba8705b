// SPDX-License-Identifier: Apache-2.0
// What a pool has for input and output, made when a task first needs it.
#ifndef TWI_REACTOR_H
#define TWI_REACTOR_H

#include <pthread.h>
#include <stdint.h>
#include <sys/uio.h>

#include "base/lock.h"
#include "sched/wait.h"

struct twi_uring; // uring.c

// Tasks that wait for a descriptor (epoll.c).
struct twi_descriptor {
    struct twi_lock lock;
    int known;               // the system has heard of it, unless it was closed meanwhile
    uint32_t quiet;          // reads in a row that had to wait. writers: who reads, as a hint
    struct twi_ready *first; // under the lock
};

enum { TWI_DESCRIPTORS_CHUNK = 1024, TWI_DESCRIPTORS_CHUNKS = 4096 };

// Threads beside the workers (blocking.c).
struct twi_side {
    pthread_mutex_t mutex; // all of it
    pthread_cond_t changed;
    struct twi_blocked *first, *last; // calls that have not begun
    unsigned threads, idle, queued;   // of these calls
    int stop;
};

struct twi_reactor {
    struct twi_pool *pool;
    int epoll;                                                  // a descriptor
    struct twi_descriptor *descriptors[TWI_DESCRIPTORS_CHUNKS]; // by number. writers: any, once
    struct twi_lock collecting;                                 // by one thread at a time
    struct twi_uring *ring;                                     // NULL: none yet
    uint32_t ringless;                                          // and never will be
    struct twi_side side;
};

// The calling task's pool's. NULL, and *error, when the system has no room for it.
struct twi_reactor *twi_reactor_here(int *error);

// An operation that another thread, or the system, carries out for a task. Once begun it cannot be
// abandoned: a task whose wait is over calls it off and waits for its end.
struct twi_operation {
    struct twi_wait wait; // first; `enlist` begins the operation and arms the wait
    struct twi_lock lock;
    uint32_t done;           // under the lock, like the next
    struct tw_fiber *parked; // waits for the end
    int64_t result;
};

// Waits for it. TWI_DONE: it has a result; else the wait is over, and the operation may not be.
enum twi_waits twi_operation_wait(struct twi_operation *operation);
// Then: waits for its end, come what may.
void twi_operation_outlast(struct twi_operation *operation);
// It has a result. From any thread; the operation may be gone at the return.
void twi_operation_end(struct twi_operation *operation, int64_t result);

// ---- epoll.c ----
// Waits until one of `events` (POLLIN...) is there: which, or an error.
int twi_descriptor_wait(struct twi_reactor *reactor, int fd, short events, uint64_t deadline_ns);
// Whether a read is worth a try before it waits.
int twi_descriptor_try_first(struct twi_reactor *reactor, int fd);
// Wakes the tasks whose descriptors have something.
void twi_descriptors_collect(struct twi_reactor *reactor);
void twi_descriptors_free(struct twi_reactor *reactor);

// The pool's ring, made when it is first needed. NULL: none is to be had, or wanted.
struct twi_uring *twi_uring_of(struct twi_reactor *reactor);

// ---- uring.c ----
// NULL: the system, or its library, has no io_uring.
struct twi_uring *twi_uring_make(struct twi_reactor *reactor);
void twi_uring_free(struct twi_uring *ring);
void twi_uring_collect(struct twi_uring *ring);

enum twi_uring_what { TWI_URING_READV, TWI_URING_WRITEV, TWI_URING_SENDMSG, TWI_URING_POLL };

// One request to the system.
struct twi_request {
    enum twi_uring_what what;
    int fd;
    const void *address;
    uint32_t length;
    uint64_t offset;
    uint32_t flags;
};
// Its result, or an error: what the system refused is TW_SYSTEM(errno).
int64_t twi_uring_call(struct twi_reactor *reactor, const struct twi_request *request,
                       uint64_t deadline_ns);

// ---- blocking.c ----
int twi_side_call(struct twi_reactor *reactor, void (*call)(void *), void *argument,
                  uint64_t deadline_ns);
void twi_side_init(struct twi_side *side);
void twi_side_end(struct twi_side *side);

#endif
