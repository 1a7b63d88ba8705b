// SPDX-License-Identifier: Apache-2.0
// The late server: one loop over epoll. All answers are late by the same time, so that those that
// are due stand in a ring in the order of their requests.
#include "apps/mapreduce/late.h"

#include <errno.h>
#include <fcntl.h>
#include <signal.h>
#include <stdbool.h>
#include <stdlib.h>
#include <sys/epoll.h>
#include <sys/prctl.h>
#include <sys/socket.h>
#include <sys/timerfd.h>
#include <sys/wait.h>
#include <unistd.h>

#include "apps/app.h"
#include "apps/net.h"

#define EVENTS 64

// What an event is of, where it is no connection's number.
enum { OF_LISTENER = UINT32_MAX - 2, OF_CONTROL, OF_TIMER };

struct peer {
    int socket; // -1: closed
    bool asked; // its request is in the ring
    size_t have;
    union {
        uint64_t number;
        char bytes[sizeof(uint64_t)];
    } request;
};

struct due {
    uint32_t peer;
    uint64_t at_ns;
};

struct late {
    int epoll, timer, listener;
    uint64_t latency_ns;
    uint64_t (*answer)(uint64_t request);
    uint32_t room, peers; // connections it may have, and had
    struct peer *peer;
    struct due *ring; // as many as peers: each has one request at most
    uint64_t ring_first, ring_end;
};

static bool watch(const struct late *late, int descriptor, uint32_t what)
{
    struct epoll_event event = {.events = EPOLLIN, .data.u32 = what};
    return epoll_ctl(late->epoll, EPOLL_CTL_ADD, descriptor, &event) == 0;
}

static void hang_up(struct peer *peer)
{
    close(peer->socket);
    peer->socket = -1;
}

static void accept_peers(struct late *late)
{
    while (late->peers < late->room) {
        int socket = accept4(late->listener, NULL, NULL, SOCK_NONBLOCK | SOCK_CLOEXEC);
        if (socket < 0)
            return;
        net_send_at_once(socket);
        late->peer[late->peers] = (struct peer){.socket = socket};
        if (watch(late, socket, late->peers))
            late->peers++;
        else
            close(socket);
    }
    epoll_ctl(late->epoll, EPOLL_CTL_DEL, late->listener, NULL);
}

static void set_timer(const struct late *late)
{
    uint64_t at = late->ring[late->ring_first % late->room].at_ns;
    struct itimerspec when = {.it_value = {(time_t)(at / 1000000000), (long)(at % 1000000000)}};
    timerfd_settime(late->timer, TFD_TIMER_ABSTIME, &when, NULL);
}

static void receive(struct late *late, uint32_t which)
{
    struct peer *peer = &late->peer[which];
    if (peer->socket < 0)
        return;
    ssize_t got =
        recv(peer->socket, peer->request.bytes + peer->have, sizeof peer->request - peer->have, 0);
    if (got < 0 && (errno == EAGAIN || errno == EINTR))
        return;
    if (got <= 0 || peer->asked) { // no room is left while it is: got is 0 then
        hang_up(peer);
        return;
    }
    peer->have += (size_t)got;
    if (peer->have < sizeof peer->request)
        return;
    peer->asked = true;
    late->ring[late->ring_end++ % late->room] =
        (struct due){which, app_now_ns() + late->latency_ns};
    if (late->ring_end - late->ring_first == 1)
        set_timer(late);
}

static void reply(const struct late *late, struct peer *peer)
{
    uint64_t value = late->answer(peer->request.number);
    peer->asked = false;
    peer->have = 0;
    if (peer->socket >= 0 && send(peer->socket, &value, sizeof value, MSG_NOSIGNAL) != sizeof value)
        hang_up(peer);
}

static void reply_due(struct late *late)
{
    uint64_t expired;
    if (read(late->timer, &expired, sizeof expired) < 0)
        return;
    uint64_t now = app_now_ns();
    while (late->ring_first < late->ring_end) {
        const struct due *due = &late->ring[late->ring_first % late->room];
        if (due->at_ns > now) {
            set_timer(late);
            return;
        }
        late->ring_first++;
        reply(late, &late->peer[due->peer]);
    }
}

static void serve(struct late *late, int control)
{
    struct epoll_event events[EVENTS];
    late->epoll = epoll_create1(EPOLL_CLOEXEC);
    late->timer = timerfd_create(CLOCK_MONOTONIC, TFD_NONBLOCK | TFD_CLOEXEC);
    if (!watch(late, late->listener, OF_LISTENER) || !watch(late, control, OF_CONTROL) ||
        !watch(late, late->timer, OF_TIMER))
        return;
    for (;;) {
        int count = epoll_wait(late->epoll, events, EVENTS, -1);
        if (count < 0 && errno != EINTR)
            return;
        for (int i = 0; i < count; i++) {
            uint32_t of = events[i].data.u32;
            if (of == OF_CONTROL)
                return;
            if (of == OF_LISTENER)
                accept_peers(late);
            else if (of == OF_TIMER)
                reply_due(late);
            else
                receive(late, of);
        }
    }
}

// In both processes: each keeps its end of the pipe, and the child never returns.
static int split(struct late_server *server, struct late *late)
{
    int control[2];
    if (pipe2(control, O_CLOEXEC) != 0)
        return -errno;
    pid_t parent = getpid();
    server->process = fork();
    int error = errno;
    if (server->process == 0) {
        prctl(PR_SET_PDEATHSIG, SIGKILL);
        close(control[1]);
        if (getppid() == parent)
            serve(late, control[0]);
        _exit(0);
    }
    close(control[0]);
    server->control = control[1];
    if (server->process > 0)
        return 0;
    close(control[1]);
    return -error;
}

int late_start(struct late_server *server, uint64_t connections, uint64_t latency_ns,
               uint64_t (*answer)(uint64_t request))
{
    server->address =
        (struct sockaddr_in){.sin_family = AF_INET, .sin_addr.s_addr = htonl(INADDR_LOOPBACK)};
    struct late late = {.latency_ns = latency_ns, .answer = answer, .room = (uint32_t)connections};
    late.peer = calloc(connections, sizeof *late.peer);
    late.ring = calloc(connections, sizeof *late.ring);
    late.listener = late.peer && late.ring ? net_listen(&server->address) : -ENOMEM;
    int error = late.listener < 0 ? late.listener : split(server, &late);
    if (late.listener >= 0)
        close(late.listener);
    free(late.peer);
    free(late.ring);
    return error;
}

void late_stop(struct late_server *server)
{
    close(server->control);
    while (waitpid(server->process, NULL, 0) < 0 && errno == EINTR)
        ;
}
