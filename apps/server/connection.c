// SPDX-License-Identifier: Apache-2.0
// One connection: requests are read, answered in their order, and the rest is left for the next.
#include <string.h>
#include <sys/socket.h>
#include <unistd.h>

#include <twill/twill.h>

#include "apps/net.h"
#include "apps/server/server.h"

#define LINGER_NS 1000000000
#define LINGER_BYTES 65536

struct connection {
    struct server *server;
    int socket;
    struct connection *before, *after; // in the server's list
    size_t have;
    char bytes[HTTP_HEAD_MAX];
};

static void enter(struct connection *c)
{
    struct server *server = c->server;
    tw_mutex_lock(&server->guard);
    c->after = server->open_first;
    if (c->after)
        c->after->before = c;
    server->open_first = c;
    if (server->stopping)
        shutdown(c->socket, SHUT_RD);
    tw_mutex_unlock(&server->guard);
}

static void leave(struct connection *c)
{
    struct server *server = c->server;
    tw_mutex_lock(&server->guard);
    if (c->before)
        c->before->after = c->after;
    else
        server->open_first = c->after;
    if (c->after)
        c->after->before = c->before;
    tw_mutex_unlock(&server->guard);
}

void connections_stop(struct server *server)
{
    tw_mutex_lock(&server->guard);
    __atomic_store_n(&server->stopping, true, __ATOMIC_RELAXED);
    for (struct connection *c = server->open_first; c; c = c->after)
        shutdown(c->socket, SHUT_RD);
    tw_mutex_unlock(&server->guard);
}

static uint64_t deadline_of(const struct connection *c)
{
    return tw_now_ns() + c->server->limits.timeout_ns;
}

static enum http_status read_request(struct connection *c, struct http_request *request)
{
    uint64_t deadline = deadline_of(c);
    enum http_status status;
    while ((status = http_parse(c->bytes, c->have, request)) == HTTP_MORE) {
        int64_t got = tw_read(c->socket, c->bytes + c->have, sizeof c->bytes - c->have, deadline);
        if (got == TW_ETIMEDOUT)
            server_count(&c->server->counts.timeouts);
        if (got <= 0)
            return HTTP_MORE;
        c->have += (size_t)got;
    }
    return status;
}

static bool send_answer(struct connection *c, const struct http_answer *answer)
{
    struct server *server = c->server;
    char bytes[HTTP_ANSWER_MAX];
    int64_t sent = tw_write(c->socket, bytes, http_write(answer, bytes), deadline_of(c));
    if (sent == TW_ETIMEDOUT)
        server_count(&server->counts.timeouts);
    if (sent < 0)
        return false;
    if (answer->status != HTTP_OK)
        server_count(&server->counts.refused);
    if (server_count(&server->counts.answered) == server->limits.requests)
        server_stop(server);
    return true;
}

// Closed with bytes unread, the connection would be reset, and the answer lost on its way.
static void linger(struct connection *c)
{
    uint64_t deadline = tw_now_ns() + LINGER_NS;
    size_t left = LINGER_BYTES;
    int64_t got = 1;
    shutdown(c->socket, SHUT_WR);
    while (left > 0 && got > 0) {
        got = tw_read(c->socket, c->bytes, sizeof c->bytes, deadline);
        left -= got > 0 && (size_t)got < left ? (size_t)got : left;
    }
}

// Whether there may be another request.
static bool serve_request(struct connection *c)
{
    struct http_request request;
    struct http_answer answer = {.status = read_request(c, &request)};
    if (answer.status == HTTP_MORE)
        return false;
    if (answer.status == HTTP_OK) {
        answer_request(c->server, &request, &answer);
        answer.keep_alive =
            request.keep_alive && !__atomic_load_n(&c->server->stopping, __ATOMIC_RELAXED);
        answer.says_keep_alive = answer.keep_alive && request.says_keep_alive;
        c->have -= request.length;
        memmove(c->bytes, c->bytes + request.length, c->have);
    }
    if (!send_answer(c, &answer))
        return false;
    if (!answer.keep_alive)
        linger(c);
    return answer.keep_alive;
}

TW_TASK(converse, {
    struct server *server;
    int socket;
})
{
    struct connection c = {.server = self.server, .socket = self.socket};
    enter(&c);
    while (serve_request(&c))
        ;
    leave(&c);
    close(c.socket);
    tw_semaphore_release(&c.server->room, 1);
}

// Not in the body that accepts: what it starts it keeps a slot for, and it starts without end.
void connection_start(struct server *server, int socket)
{
    server_count(&server->counts.connections);
    net_send_at_once(socket);
    tw_async(converse, .server = server, .socket = socket);
}
