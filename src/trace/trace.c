// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "trace/trace.h"

#include <errno.h>
#include <fcntl.h>
#include <stdlib.h>
#include <string.h>
#include <sys/file.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/os.h"

enum { FILES_MAX = 9999, BUSY = -2 };

// A descriptor, -1, or BUSY when another pool writes there. Only files are kept apart: a device or
// a pipe may have several writers.
static int open_alone(const char *path)
{
    int fd = open(path, O_WRONLY | O_CREAT | O_CLOEXEC | O_NOCTTY, 0666);
    struct stat about;
    if (fd < 0 || fstat(fd, &about) != 0 || !S_ISREG(about.st_mode))
        return fd;
    if (flock(fd, LOCK_EX | LOCK_NB) != 0 && errno == EWOULDBLOCK) {
        close(fd);
        return BUSY;
    }
    // Where there are no locks, it is taken as it is.
    if (ftruncate(fd, 0) == 0)
        return fd;
    close(fd);
    return -1;
}

static int open_next(const char *path)
{
    size_t size = strlen(path) + sizeof ".9999";
    char *numbered = malloc(size);
    int fd = numbered ? BUSY : -1;
    for (int i = 2; fd == BUSY && i <= FILES_MAX; i++) {
        snprintf(numbered, size, "%s.%d", path, i);
        fd = open_alone(numbered);
    }
    free(numbered);
    return fd;
}

static FILE *file_open(const char *path)
{
    int fd = open_alone(path);
    if (fd == BUSY)
        fd = open_next(path);
    FILE *file = fd >= 0 ? fdopen(fd, "w") : NULL;
    if (!file && fd >= 0)
        close(fd);
    return file;
}

static int rings_make(struct twi_trace *trace, size_t events, unsigned workers)
{
    trace->rings = aligned_alloc(_Alignof(struct twi_ring), workers * sizeof *trace->rings);
    if (!trace->rings)
        return TW_ENOMEM;
    for (unsigned i = 0; i < workers; i++) {
        if (twi_ring_init(&trace->rings[i], events) != 0)
            return TW_ENOMEM;
        trace->count++;
    }
    return 0;
}

int twi_trace_begin(struct twi_trace *trace, const char *path, size_t events, unsigned workers)
{
    if (!path)
        return 0;
    trace->file = file_open(path);
    if (!trace->file)
        return TW_EIO;
    int error = rings_make(trace, events, workers);
    trace->begun_ns = twi_now_ns();
    trace->begun_ticks = twi_ticks();
    return error;
}

struct twi_ring *twi_trace_ring(struct twi_trace *trace, unsigned worker)
{
    return trace->file ? &trace->rings[worker] : NULL;
}

int twi_trace_end(struct twi_trace *trace)
{
    if (!trace->file)
        return 0;
    trace->ended_ns = twi_now_ns();
    trace->ended_ticks = twi_ticks();
    twi_trace_write(trace);
    int failed = fflush(trace->file) != 0 || ferror(trace->file);
    return failed ? TW_EIO : 0;
}

void twi_trace_free(struct twi_trace *trace)
{
    if (trace->file)
        fclose(trace->file);
    for (unsigned i = 0; i < trace->count; i++)
        twi_ring_free(&trace->rings[i]);
    free(trace->rings);
}
