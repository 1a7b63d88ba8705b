// SPDX-License-Identifier: Apache-2.0
// The server's own client: makes requests from tasks and compares every answer.
#ifndef APPS_SERVER_SELF_H
#define APPS_SERVER_SELF_H

#include <netinet/in.h>
#include <stdint.h>

#define SELF_CLIENTS 8 // connections at once

// Makes `requests` requests of all kinds and returns how many were not answered as they should
// have been. From a task; may suspend.
uint64_t self_request(const struct sockaddr_in *address, uint64_t requests);

#endif
