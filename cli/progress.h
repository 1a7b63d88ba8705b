// SPDX-License-Identifier: Apache-2.0
// A line on stderr that tells how far a long run is: once a second from the second second on. A
// thread of its own writes it, from counts that workers keep anyway; at the end it is erased.
#ifndef CLI_PROGRESS_H
#define CLI_PROGRESS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

struct twill_app;

struct progress {
    const struct twill_app *app; // NULL: nothing was started
    pthread_t thread;
    pthread_mutex_t lock;
    pthread_cond_t changed;
    bool is_over; // under the lock
    bool is_shown;
};

// Without the thread, if it cannot be had, there is no line.
void progress_start(struct progress *progress, const struct twill_app *app);
// Of a struct progress; a second time does nothing.
void progress_stop(void *progress);

#endif
