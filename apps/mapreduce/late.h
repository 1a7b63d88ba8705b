// SPDX-License-Identifier: Apache-2.0
// A server on the loopback, in a process of its own, that answers late: a request is eight bytes,
// the answer eight bytes, sent `latency_ns` after the request came. A connection has one request at
// a time; who sends more is disconnected. The process ends when late_stop is called and when its
// parent is gone, however that ended.
#ifndef APPS_MAPREDUCE_LATE_H
#define APPS_MAPREDUCE_LATE_H

#include <netinet/in.h>
#include <stdint.h>
#include <sys/types.h>

struct late_server {
    struct sockaddr_in address;
    pid_t process;
    int control; // closed: the server ends
};

// Serves `connections` connections over its life. Calls fork(): the new process uses system calls
// and `answer` only, so that there may be threads. 0 or the negative of errno.
int late_start(struct late_server *server, uint64_t connections, uint64_t latency_ns,
               uint64_t (*answer)(uint64_t request));
void late_stop(struct late_server *server);

#endif
