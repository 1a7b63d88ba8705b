// SPDX-License-Identifier: Apache-2.0
// The asking side of the protocol of serve.h: one process that serves one case.
//
// Between two questions the process is stopped by signal, so that a pool which spins after its
// work cannot disturb the others' measurements. It dies with the harness.
#ifndef TWB_SERVER_H
#define TWB_SERVER_H

#include <stdbool.h>
#include <stdint.h>
#include <sys/types.h>

struct twb_server {
    pid_t pid; // 0: none
    int to, from;
};

// Starts `argv`, which must serve. errors: where its stderr goes, or -1 for the harness's own.
bool twb_server_start(struct twb_server *server, const char *const argv[], int errors);
// Lets it run its case once. False: it ended, or gave no answer in time; then it is gone.
bool twb_server_ask(struct twb_server *server, double *value, uint64_t *check);
// The most memory it ever held, in bytes; 0 when that cannot be read.
double twb_server_peak_bytes(const struct twb_server *server);
// Ends it and gives its exit status; -1 when it had to be killed or there was none.
int twb_server_stop(struct twb_server *server);

#endif
