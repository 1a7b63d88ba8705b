// SPDX-License-Identifier: Apache-2.0
// What the files of the peer that has a thread for each task share.
#ifndef PEER_THREADS_H
#define PEER_THREADS_H

#include <pthread.h>

#include "../serve.h"

// A thread with a small stack. None: the process ends.
pthread_t start(void *(*body)(void *), void *argument);

struct twb_answer run_scatter(const struct twb_job *job); // threads_scatter.c

#endif
