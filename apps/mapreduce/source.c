// SPDX-License-Identifier: Apache-2.0
// The three sources.
#include "apps/mapreduce/source.h"

#include <errno.h>
#include <fcntl.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <twill/twill.h>

uint64_t source_value(uint64_t leaf)
{
    uint64_t mixed = (leaf + 1) * 0x9e3779b97f4a7c15u;
    mixed = (mixed ^ (mixed >> 30)) * 0xbf58476d1ce4e5b9u;
    return mixed ^ (mixed >> 27);
}

// Values in chunks, so that a long file takes few calls.
static int write_values(int file, uint64_t leaves)
{
    uint64_t chunk[512];
    for (uint64_t leaf = 0; leaf < leaves;) {
        size_t count = 0;
        while (count < sizeof chunk / sizeof *chunk && leaf < leaves)
            chunk[count++] = source_value(leaf++);
        ssize_t written = write(file, chunk, count * sizeof *chunk);
        if (written != (ssize_t)(count * sizeof *chunk))
            return written < 0 ? -errno : -ENOSPC;
    }
    return 0;
}

// It has a name only until it is open, so that nothing is left behind however the program ends.
static int make_file(uint64_t leaves)
{
    const char *folder = getenv("TMPDIR");
    char path[4096];
    int length = snprintf(path, sizeof path, "%s/twill-mapreduce-XXXXXX",
                          folder && folder[0] ? folder : "/tmp");
    if (length < 0 || (size_t)length >= sizeof path)
        return -ENAMETOOLONG;
    int file = mkostemp(path, O_CLOEXEC);
    if (file < 0)
        return -errno;
    unlink(path);
    int error = write_values(file, leaves);
    if (error == 0)
        return file;
    close(file);
    return error;
}

int source_open(struct source *source, uint64_t leaves)
{
    source->file = -1;
    switch (source->kind) {
    case SOURCE_TIMER:
        return 0;
    case SOURCE_TCP:
        return connections_open(&source->connections, leaves, source->latency_ns, source->hide);
    case SOURCE_FILE:
        source->file = make_file(leaves);
        return source->file < 0 ? source->file : 0;
    }
    return -EINVAL;
}

void source_close(struct source *source)
{
    if (source->kind == SOURCE_TCP)
        connections_close(&source->connections);
    if (source->file >= 0)
        close(source->file);
}

static int pause_for(uint64_t ns, bool hide)
{
    if (hide)
        return tw_sleep(ns);
    struct timespec left = {(time_t)(ns / 1000000000), (long)(ns % 1000000000)};
    while (nanosleep(&left, &left) != 0)
        if (errno != EINTR)
            return TW_SYSTEM(errno);
    return 0;
}

static int read_value(int file, bool hide, uint64_t leaf, uint64_t *value)
{
    int64_t offset = (int64_t)(leaf * sizeof *value), got;
    if (hide) {
        got = tw_pread(file, value, sizeof *value, offset, TW_NEVER);
    } else {
        got = pread(file, value, sizeof *value, offset);
        if (got < 0)
            got = TW_SYSTEM(errno);
    }
    if (got == sizeof *value)
        return 0;
    return got < 0 ? (int)got : TW_SYSTEM(EIO);
}

static int fetch_here(struct source *source, bool hide, uint64_t leaf, uint64_t *value)
{
    int error = pause_for(source->latency_ns, hide);
    if (error)
        return error;
    if (source->kind == SOURCE_FILE)
        return read_value(source->file, hide, leaf, value);
    *value = source_value(leaf);
    return 0;
}

int source_fetch(struct source *source, uint64_t leaf, uint64_t *value)
{
    if (source->kind == SOURCE_TCP)
        return connections_ask(&source->connections, leaf, value);
    return fetch_here(source, source->hide, leaf, value);
}

int source_fetch_alone(struct source *source, uint64_t leaf, uint64_t *value)
{
    if (source->kind == SOURCE_TCP)
        return connections_ask_alone(&source->connections, leaf, value);
    return fetch_here(source, false, leaf, value);
}
