// SPDX-License-Identifier: Apache-2.0
// The server's life: listening, accepting, stopping.
#include "apps/server/server.h"

#include <errno.h>
#include <fcntl.h>
#include <sys/socket.h>
#include <unistd.h>

#include <twill/twill.h>

#include "apps/busy.h"
#include "apps/net.h"
#include "apps/server/self.h"

#define ACCEPT_PAUSE_NS 10000000

int server_open(struct server *server, const struct server_limits *limits,
                const struct sockaddr_in *address)
{
    int stop[2];
    *server = (struct server){
        .limits = *limits, .address = *address, .rounds_per_ms = busy_rounds(1000000)};
    net_descriptors((uint64_t)limits->connections + SELF_CLIENTS);
    server->listener = net_listen(&server->address);
    if (server->listener < 0)
        return server->listener;
    if (pipe2(stop, O_CLOEXEC | O_NONBLOCK) != 0) {
        int error = errno;
        close(server->listener);
        return -error;
    }
    server->stop_read = stop[0];
    server->stop_write = stop[1];
    tw_mutex_init(&server->guard, "the server's connections");
    tw_semaphore_init(&server->room, "room for a connection", limits->connections);
    return 0;
}

void server_close(struct server *server)
{
    close(server->listener);
    close(server->stop_read);
    close(server->stop_write);
    tw_semaphore_destroy(&server->room);
    tw_mutex_destroy(&server->guard);
}

// A full pipe has been written to before: that is enough.
void server_stop(const struct server *server)
{
    int before = errno;
    if (write(server->stop_write, "", 1) < 0)
        errno = before;
}

TW_TASK(wait_for_stop, { struct server *server; })
{
    char byte;
    tw_read(self.server->stop_read, &byte, 1, TW_NEVER);
    connections_stop(self.server);
    shutdown(self.server->listener, SHUT_RDWR);
}

static bool is_stopping(const struct server *server)
{
    return __atomic_load_n(&server->stopping, __ATOMIC_RELAXED);
}

// Out of descriptors, or whatever keeps it from accepting, the server waits for better times; those
// who want to be served wait in the backlog.
TW_TASK(accept_all, { struct server *server; })
{
    struct server *server = self.server;
    while (tw_semaphore_acquire(&server->room) == 0) {
        int socket =
            is_stopping(server) ? TW_ECANCELED : tw_accept(server->listener, NULL, NULL, TW_NEVER);
        if (socket >= 0) {
            connection_start(server, socket);
            continue;
        }
        tw_semaphore_release(&server->room, 1);
        if (socket == TW_ECANCELED || is_stopping(server))
            return;
        server_count(&server->counts.accept_waits);
        tw_sleep(ACCEPT_PAUSE_NS);
    }
}

TW_TASK(serve, {
    struct server *server;
    uint64_t self_requests;
    uint64_t *self_wrong;
})
{
    tw_finish {
        tw_async(wait_for_stop, .server = self.server);
        tw_async(accept_all, .server = self.server);
        if (self.self_requests > 0) {
            *self.self_wrong = self_request(&self.server->address, self.self_requests);
            server_stop(self.server);
        }
    }
}

int server_run(const struct tw_options *options, struct server *server, uint64_t self_requests,
               uint64_t *self_wrong)
{
    return tw_run_with(options, serve, .server = server, .self_requests = self_requests,
                       .self_wrong = self_wrong);
}
