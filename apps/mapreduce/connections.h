// SPDX-License-Identifier: Apache-2.0
// The connections to the late server: one for each leaf, or fewer where the process may not open so
// many descriptors; then a leaf waits until one is free.
#ifndef APPS_MAPREDUCE_CONNECTIONS_H
#define APPS_MAPREDUCE_CONNECTIONS_H

#include <stdbool.h>
#include <stdint.h>

#include <twill/sync.h>

#include "apps/mapreduce/late.h"

struct connections {
    struct late_server server;
    uint64_t count;
    bool hide;
    uint64_t patience_ns;       // for an answer
    int *idle;                  // sockets nobody uses, `idle_count` of them. under the guard
    uint64_t idle_count;        //
    struct tw_mutex guard;      //
    struct tw_semaphore permit; // as many as are idle
};

// Starts the server and connects. With `hide` a task that waits for an answer gives up its worker;
// without it holds it. 0 or the negative of errno.
int connections_open(struct connections *connections, uint64_t wanted, uint64_t latency_ns,
                     bool hide);
void connections_close(struct connections *connections);

// Sends a leaf and receives its value: 0 or a TW_E... code. The first from a task, and may suspend.
// The second, without Twill, is for connections that do not hide.
int connections_ask(struct connections *connections, uint64_t leaf, uint64_t *value);
int connections_ask_alone(struct connections *connections, uint64_t leaf, uint64_t *value);

#endif
