// SPDX-License-Identifier: Apache-2.0
// Connections and what is said on them: eight bytes there, eight bytes back.
#include "apps/mapreduce/connections.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <sys/socket.h>
#include <sys/time.h>
#include <unistd.h>

#include <twill/twill.h>

#include "apps/mapreduce/source.h"
#include "apps/net.h"

#define CONNECTIONS_MAX 16384             // each takes one of about 28,000 ports
#define PATIENCE_NS UINT64_C(60000000000) // beyond the latency, for a busy machine

// Whoever waits without a deadline of its own shall not wait for ever either.
static int set_manner(int socket, bool hide, uint64_t patience_ns)
{
    struct timeval patience = {.tv_sec = (time_t)(patience_ns / 1000000000) + 1};
    if (hide)
        return fcntl(socket, F_SETFL, O_NONBLOCK);
    return setsockopt(socket, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
}

static int connect_all(struct connections *c)
{
    for (; c->idle_count < c->count; c->idle_count++) {
        int made = net_connect(&c->server.address);
        if (made < 0)
            return made;
        c->idle[c->idle_count] = made;
        if (set_manner(made, c->hide, c->patience_ns) != 0) {
            c->idle_count++;
            return -errno;
        }
    }
    return 0;
}

int connections_open(struct connections *c, uint64_t wanted, uint64_t latency_ns, bool hide)
{
    *c = (struct connections){.hide = hide, .patience_ns = latency_ns + PATIENCE_NS};
    c->count = net_descriptors(wanted < CONNECTIONS_MAX ? wanted : CONNECTIONS_MAX);
    c->idle = malloc(c->count * sizeof *c->idle);
    if (!c->idle)
        return -ENOMEM;
    int error = late_start(&c->server, c->count, latency_ns, source_value);
    if (error) {
        free(c->idle);
        return error;
    }
    tw_mutex_init(&c->guard, "idle connections");
    tw_semaphore_init(&c->permit, "a connection", (uint32_t)c->count);
    error = connect_all(c);
    if (error)
        connections_close(c);
    return error;
}

void connections_close(struct connections *c)
{
    for (uint64_t i = 0; i < c->idle_count; i++)
        close(c->idle[i]);
    free(c->idle);
    tw_semaphore_destroy(&c->permit);
    tw_mutex_destroy(&c->guard);
    late_stop(&c->server);
}

static int64_t receive(const struct connections *c, int socket, char *to, size_t size)
{
    if (c->hide)
        return tw_read(socket, to, size, tw_now_ns() + c->patience_ns);
    ssize_t got;
    do // io_uring interrupts calls of threads that have used it, without any signal
        got = recv(socket, to, size, 0);
    while (got < 0 && errno == EINTR);
    return got < 0 ? TW_SYSTEM(errno) : got;
}

// The request is so short that the socket always has room for it.
static int ask(const struct connections *c, int socket, uint64_t leaf, uint64_t *value)
{
    if (send(socket, &leaf, sizeof leaf, MSG_NOSIGNAL) != sizeof leaf)
        return TW_SYSTEM(errno);
    for (size_t have = 0; have < sizeof *value;) {
        int64_t got = receive(c, socket, (char *)value + have, sizeof *value - have);
        if (got <= 0)
            return got < 0 ? (int)got : TW_SYSTEM(ECONNRESET);
        have += (size_t)got;
    }
    return 0;
}

int connections_ask(struct connections *c, uint64_t leaf, uint64_t *value)
{
    int error = tw_semaphore_acquire(&c->permit);
    if (error)
        return error;
    tw_mutex_lock(&c->guard);
    int socket = c->idle[--c->idle_count];
    tw_mutex_unlock(&c->guard);
    error = ask(c, socket, leaf, value);
    tw_mutex_lock(&c->guard);
    c->idle[c->idle_count++] = socket;
    tw_mutex_unlock(&c->guard);
    tw_semaphore_release(&c->permit, 1);
    return error;
}

int connections_ask_alone(struct connections *c, uint64_t leaf, uint64_t *value)
{
    return ask(c, c->idle[0], leaf, value);
}
