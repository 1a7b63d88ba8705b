// SPDX-License-Identifier: Apache-2.0
// Threads beside the workers, and libraries that are loaded when they are needed.
#ifndef TWI_THREAD_H
#define TWI_THREAD_H

#include <pthread.h>
#include <sched.h>
#include <stddef.h>

struct twi_thread {
    void *(*main)(void *argument);
    void *argument;
    size_t stack; // 0: the system's choice
    int detached;
    const cpu_set_t *mask; // where it may run; NULL: as its maker
    size_t mask_size;
};

// Starts it with all signals blocked, for those are for the program's own threads. 1: it was made.
int twi_thread_start(pthread_t *thread, const struct twi_thread *how);

// Finds `count` functions of a library by name and puts them into `calls`, an array of pointers to
// functions. 1: all are there.
int twi_library_calls(const char *library, const char *const *names, size_t count, void *calls);

#endif
