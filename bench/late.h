// SPDX-License-Identifier: Apache-2.0
// A server on this machine's loopback that answers late: each eight bytes it is sent come back
// after a fixed time. One process for all runtimes of a group.
//
// What is sent is a leaf's number; TWB_LATE_AT_ONCE is answered at once, by which a client knows
// that its connection was accepted. Connection number i goes to the address 127.0.0.(1 + i % 16):
// when many ports to one address are in use, finding another one takes the system long.
#ifndef TWB_LATE_H
#define TWB_LATE_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

#ifdef __cplusplus
extern "C" {
#endif

#define TWB_LATE_AT_ONCE UINT64_MAX
#define TWB_LATE_ADDRESSES 16

struct twb_late {
    pid_t pid;
    unsigned port;
};

// Starts the process, which dies with the caller. False: there is none.
bool twb_late_start(struct twb_late *late, long wait_us);
void twb_late_stop(struct twb_late *late);

// Descriptors a process may have open, raised as far as allowed.
long twb_descriptors(void);

// `count` connections to the server at TWB_PORT, accepted there; ends the process on a failure.
// Made by the first call; later ones give the same.
const int *twb_late_connections(long count, bool nonblocking);

#ifdef __cplusplus
}
#endif
#endif
