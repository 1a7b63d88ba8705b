// SPDX-License-Identifier: Apache-2.0
// Where the values of the leaves are fetched, each with the same latency:
//  timer  nowhere: only the latency is there;
//  tcp    from a server in another process, which answers late (late.h);
//  file   from a file, after a pause.
// The task that waits gives its worker to others, or holds it where the latency is not hidden.
#ifndef APPS_MAPREDUCE_SOURCE_H
#define APPS_MAPREDUCE_SOURCE_H

#include <stdbool.h>
#include <stdint.h>

#include "apps/mapreduce/connections.h"

enum source_kind { SOURCE_TIMER, SOURCE_TCP, SOURCE_FILE };

struct source {
    enum source_kind kind;
    bool hide;
    uint64_t latency_ns;
    int file;
    struct connections connections;
};

// The value of a leaf, wherever it is fetched.
uint64_t source_value(uint64_t leaf);

// Makes ready what the kind needs: before the run, for the server is started by fork(). 0 or the
// negative of errno.
int source_open(struct source *source, uint64_t leaves);
void source_close(struct source *source);

// 0 or a TW_E... code. The first from a task, and may suspend; the second without Twill, and from
// one thread.
int source_fetch(struct source *source, uint64_t leaf, uint64_t *value);
int source_fetch_alone(struct source *source, uint64_t leaf, uint64_t *value);

#endif
