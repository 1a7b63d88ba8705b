// SPDX-License-Identifier: Apache-2.0
// A small HTTP/1.1 server: each connection is a task, and what a request asks for is computed in
// parallel. GET / gives a greeting, /fib/N a Fibonacci number, /work/US so many microseconds of
// work. http.h knows the protocol.
//
// To stop is to write a byte to a pipe, which one task reads: it then shuts down the listener and
// the reading side of every connection. Requests that were read are answered; whoever waits for
// more finds an end.
#ifndef APPS_SERVER_H
#define APPS_SERVER_H

#include <netinet/in.h>
#include <stdbool.h>
#include <stdint.h>

#include <twill/sync.h>

#include "apps/server/http.h"

#define SERVER_FIB_MAX 40
#define SERVER_WORK_US_MAX 1000000
#define SERVER_GREETING "Twill: /fib/N and /work/MICROSECONDS compute in parallel\n"

struct tw_options;
struct connection;

struct server_limits {
    uint64_t requests;    // answered, then it stops; 0: without limit
    uint32_t connections; // at once; others wait until they are accepted
    uint64_t timeout_ns;  // for a request to come, and for its answer to be taken
    uint64_t work_ns;     // done for each request besides what it asks for
};

struct server_counts {
    uint64_t answered;
    uint64_t refused;      // of them with another status than 200
    uint64_t connections;  // accepted
    uint64_t timeouts;     // connections closed because nothing came, or was taken
    uint64_t accept_waits; // times nothing could be accepted, for want of descriptors as a rule
};

struct server {
    struct server_limits limits;
    struct sockaddr_in address; // with the port that was picked, if that was 0
    struct server_counts counts;
    int listener;
    int stop_read, stop_write;     // the pipe
    uint64_t rounds_per_ms;        // of busy work
    uint64_t work_done;            // what it computed, so that it has to
    struct tw_semaphore room;      // for connections
    struct tw_mutex guard;         // of what follows
    struct connection *open_first; // connections
    bool stopping;                 // read without the guard as a hint
};

// One more of a kind.
static inline uint64_t server_count(uint64_t *counter)
{
    return __atomic_add_fetch(counter, 1, __ATOMIC_RELAXED);
}

// Listens. 0 or the negative of errno.
int server_open(struct server *server, const struct server_limits *limits,
                const struct sockaddr_in *address);
void server_close(struct server *server);

// Serves until it is stopped, and makes `self_requests` requests itself (self.h). 0 or a TW_E...
// code.
int server_run(const struct tw_options *options, struct server *server, uint64_t self_requests,
               uint64_t *self_wrong);

// Any thread, and a handler of signals.
void server_stop(const struct server *server);

// Serves a connection in a task of the innermost finish; closes the socket, then releases the room.
void connection_start(struct server *server, int socket);

// Ends the reading side of all connections, of later ones too.
void connections_stop(struct server *server);

// Computes the answer to a request. From a task; may suspend.
void answer_request(struct server *server, const struct http_request *request,
                    struct http_answer *answer);

#endif
