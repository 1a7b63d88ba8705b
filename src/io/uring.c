// SPDX-License-Identifier: Apache-2.0
// Operations by io_uring, one ring for the pool. liburing is loaded when it is first needed, and
// absent without harm.
//
// A request carries the address of its operation. When a task's wait is over before the request,
// the request is called off by another, which carries no address, and the task waits for its end:
// the system may write to the task's memory until then.
#define _GNU_SOURCE
#include "io/reactor.h"

#include "base/thread.h"

#include <errno.h>

#ifdef TWI_URING
#include <liburing.h>
#include <sched.h>
#include <stdlib.h>
#include <string.h>
#include <sys/epoll.h>

#include "base/sanitize.h"

enum { ENTRIES = 256, COMPLETED_AT_ONCE = 64 };

// The few calls made, found at run time.
struct uring_calls {
    int (*init)(unsigned, struct io_uring *, struct io_uring_params *);
    void (*exit)(struct io_uring *);
    int (*submit)(struct io_uring *);
    unsigned (*peek)(struct io_uring *, struct io_uring_cqe **, unsigned);
};

struct twi_uring {
    struct twi_reactor *reactor;
    struct twi_lock lock; // of the submission side
    struct io_uring ring;
    struct uring_calls calls;
};

static int calls_find(struct uring_calls *calls)
{
    static const char *const names[] = {"io_uring_queue_init_params", "io_uring_queue_exit",
                                        "io_uring_submit", "io_uring_peek_batch_cqe"};
    return twi_library_calls("liburing.so.2", names, sizeof names / sizeof *names, calls);
}

struct twi_uring *twi_uring_make(struct twi_reactor *reactor)
{
    struct twi_uring *ring = calloc(1, sizeof *ring);
    struct io_uring_params parameters = {.flags = IORING_SETUP_CLAMP};
    if (!ring || !calls_find(&ring->calls) ||
        ring->calls.init(ENTRIES, &ring->ring, &parameters) != 0) {
        free(ring);
        return NULL;
    }
    ring->reactor = reactor;
    struct epoll_event event = {.events = EPOLLIN, .data.fd = -1};
    if (epoll_ctl(reactor->epoll, EPOLL_CTL_ADD, ring->ring.ring_fd, &event) != 0) {
        ring->calls.exit(&ring->ring);
        free(ring);
        return NULL;
    }
    return ring;
}

void twi_uring_free(struct twi_uring *ring)
{
    ring->calls.exit(&ring->ring);
    free(ring);
}

void twi_uring_collect(struct twi_uring *ring)
{
    struct io_uring_cqe *completed[COMPLETED_AT_ONCE];
    unsigned count;
    do {
        count = ring->calls.peek(&ring->ring, completed, COMPLETED_AT_ONCE);
        for (unsigned i = 0; i < count; i++) {
            struct twi_operation *operation = io_uring_cqe_get_data(completed[i]);
            if (!operation)
                continue;
            twi_sanitize_receive(operation);
            twi_operation_end(operation, completed[i]->res);
        }
        io_uring_cq_advance(&ring->ring, count);
    } while (count == COMPLETED_AT_ONCE);
}

// ---- requests ----

struct ring_call {
    struct twi_operation operation; // first
    struct twi_uring *ring;
    const struct twi_request *request;
};

// Under the lock, like the next. Before some systems take more they want to be rid of what is done.
static void submit(struct twi_uring *ring)
{
    int taken;
    while ((taken = ring->calls.submit(&ring->ring)) == -EBUSY || taken == -EAGAIN ||
           taken == -EINTR) {
        if (taken != -EINTR && twi_lock_try(&ring->reactor->collecting)) {
            twi_uring_collect(ring);
            twi_lock_drop(&ring->reactor->collecting);
        }
        sched_yield();
    }
}

// Room is made if there is none.
static struct io_uring_sqe *entry(struct twi_uring *ring)
{
    struct io_uring_sqe *sqe;
    while (!(sqe = io_uring_get_sqe(&ring->ring)))
        submit(ring);
    return sqe;
}

static int enlist(struct twi_wait *wait)
{
    struct ring_call *this = (struct ring_call *)wait;
    const struct twi_request *request = this->request;
    struct twi_uring *ring = this->ring;
    uint64_t *word = &twi_fiber_of(wait->fiber)->waits;
    uint64_t ticket = wait->ticket;
    twi_lock_take(&ring->lock);
    static const uint8_t opcodes[] = {[TWI_URING_READV] = IORING_OP_READV,
                                      [TWI_URING_WRITEV] = IORING_OP_WRITEV,
                                      [TWI_URING_SENDMSG] = IORING_OP_SENDMSG,
                                      [TWI_URING_POLL] = IORING_OP_POLL_ADD};
    struct io_uring_sqe *sqe = entry(ring);
    io_uring_prep_rw(opcodes[request->what], sqe, request->fd, request->address, request->length,
                     request->offset);
    sqe->rw_flags = (int)request->flags;
    io_uring_sqe_set_data(sqe, this);
    twi_sanitize_send(this);
    submit(ring);
    twi_lock_drop(&ring->lock);
    return twi_waits_arm(word, ticket);
}

static void call_off(struct twi_uring *ring, struct twi_operation *operation)
{
    twi_lock_take(&ring->lock);
    struct io_uring_sqe *sqe = entry(ring);
    io_uring_prep_cancel(sqe, operation, 0);
    io_uring_sqe_set_data(sqe, NULL);
    submit(ring);
    twi_lock_drop(&ring->lock);
}

int64_t twi_uring_call(struct twi_reactor *reactor, const struct twi_request *request,
                       uint64_t deadline_ns)
{
    struct ring_call this = {.operation = {.wait = {.what = "system (io_uring)",
                                                    .deadline_ns = deadline_ns,
                                                    .enlist = enlist,
                                                    .outside = 1}},
                             .ring = twi_uring_of(reactor),
                             .request = request};
    enum twi_waits how = twi_operation_wait(&this.operation);
    if (how != TWI_DONE) {
        if (!this.operation.wait.fiber) // it never began
            return twi_wait_error(how);
        call_off(this.ring, &this.operation);
        twi_operation_outlast(&this.operation);
        if (this.operation.result == -ECANCELED || this.operation.result == -EINTR)
            return twi_wait_error(how);
    }
    int64_t result = this.operation.result;
    return result < 0 ? TW_SYSTEM((int)-result) : result;
}

#else

struct twi_uring *twi_uring_make(struct twi_reactor *reactor)
{
    (void)reactor;
    return NULL;
}

void twi_uring_free(struct twi_uring *ring)
{
    (void)ring;
}

void twi_uring_collect(struct twi_uring *ring)
{
    (void)ring;
}

int64_t twi_uring_call(struct twi_reactor *reactor, const struct twi_request *request,
                       uint64_t deadline_ns)
{
    (void)reactor, (void)request, (void)deadline_ns;
    return TW_SYSTEM(ENOSYS);
}

#endif
