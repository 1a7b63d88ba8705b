// SPDX-License-Identifier: Apache-2.0
#include "watch.h"

#include <poll.h>
#include <stdlib.h>
#include <sys/stat.h>
#include <sys/syscall.h>
#include <unistd.h>

// A process's number means something only to those who count alike.
static uint64_t numbering(void)
{
    struct stat facts;
    return stat("/proc/self/ns/pid", &facts) == 0 ? facts.st_ino : 0;
}

void twi_watch_introduce(struct twi_page *page)
{
    page->process = (uint32_t)getpid();
    page->numbering = numbering();
}

static int end_of(uint32_t process)
{
#ifdef SYS_pidfd_open
    return (int)syscall(SYS_pidfd_open, (pid_t)process, 0);
#else
    (void)process;
    return -1;
#endif
}

int twi_watch_open(struct twi_watch *watch, uint32_t place, uint32_t places,
                   struct twi_page *const *pages)
{
    uint64_t ours = numbering();
    *watch = (struct twi_watch){.ends = calloc(places, sizeof *watch->ends),
                                .places = calloc(places, sizeof *watch->places)};
    if (!watch->ends || !watch->places) {
        twi_watch_close(watch);
        return -1;
    }
    for (uint32_t i = 0; i < places && ours; i++) {
        if (i == place || !pages[i] || pages[i]->numbering != ours)
            continue;
        int end = end_of(pages[i]->process);
        if (end < 0)
            continue;
        watch->ends[watch->count] = (struct pollfd){.fd = end, .events = POLLIN};
        watch->places[watch->count++] = i;
    }
    return 0;
}

uint32_t twi_watch_look(struct twi_watch *watch)
{
    if (watch->count == 0 || poll(watch->ends, watch->count, 0) <= 0)
        return TWI_NOBODY;
    uint32_t i = 0;
    while (i < watch->count && !(watch->ends[i].revents & POLLIN))
        i++;
    return i < watch->count ? watch->places[i] : TWI_NOBODY;
}

void twi_watch_close(struct twi_watch *watch)
{
    for (uint32_t i = 0; i < watch->count; i++)
        close(watch->ends[i].fd);
    free(watch->ends);
    free(watch->places);
    *watch = (struct twi_watch){0};
}
