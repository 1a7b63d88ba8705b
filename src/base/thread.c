// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "base/thread.h"

#include <dlfcn.h>
#include <signal.h>
#include <string.h>

int twi_thread_start(pthread_t *thread, const struct twi_thread *how)
{
    pthread_attr_t attributes;
    sigset_t all, before;
    pthread_attr_init(&attributes);
    if (how->stack)
        pthread_attr_setstacksize(&attributes, how->stack);
    if (how->detached)
        pthread_attr_setdetachstate(&attributes, PTHREAD_CREATE_DETACHED);
    if (how->mask)
        pthread_attr_setaffinity_np(&attributes, how->mask_size, how->mask);
    sigfillset(&all);
    pthread_sigmask(SIG_SETMASK, &all, &before);
    int made = pthread_create(thread, &attributes, how->main, how->argument) == 0;
    pthread_sigmask(SIG_SETMASK, &before, NULL);
    pthread_attr_destroy(&attributes);
    return made;
}

int twi_library_calls(const char *library, const char *const *names, size_t count, void *calls)
{
    void *handle = dlopen(library, RTLD_NOW | RTLD_LOCAL);
    if (!handle)
        return 0;
    for (size_t i = 0; i < count; i++) {
        void *found = dlsym(handle, names[i]);
        if (!found)
            return 0;
        memcpy((char *)calls + i * sizeof found, &found, sizeof found);
    }
    return 1;
}
