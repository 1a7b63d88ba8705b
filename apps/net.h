// SPDX-License-Identifier: Apache-2.0
// Sockets and descriptors, as applications with a server need them. Plain system calls; errors are
// the negative of errno.
#ifndef APPS_NET_H
#define APPS_NET_H

#include <netinet/in.h>
#include <stdint.h>

// A non-blocking socket that listens; `address` then has the port that was picked for port 0.
int net_listen(struct sockaddr_in *address);

// A socket that is connected; blocking.
int net_connect(const struct sockaddr_in *address);

// Answers and requests are small, and go out at once.
void net_send_at_once(int socket);

// How many descriptors more may be opened, `wanted` at most; raises the limit of the process as far
// as it may. Some are left for others.
uint64_t net_descriptors(uint64_t wanted);

#endif
