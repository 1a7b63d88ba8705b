// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "base/memory.h"

#include <fcntl.h>
#include <stdio.h>
#include <sys/mman.h>
#include <sys/stat.h>
#include <unistd.h>

// The system gives out more shared memory than there is, and ends who uses it.
static int is_too_much(size_t size)
{
    long pages = sysconf(_SC_PHYS_PAGES), page = sysconf(_SC_PAGESIZE);
    return pages > 0 && page > 0 && size / (size_t)page >= (size_t)pages;
}

static void *map(int descriptor, size_t size)
{
    int flags = descriptor < 0 ? MAP_PRIVATE | MAP_ANONYMOUS : MAP_SHARED;
    void *memory = mmap(NULL, size, PROT_READ | PROT_WRITE, flags, descriptor, 0);
    return memory == MAP_FAILED ? NULL : memory;
}

// -1: the system has none, or not so large.
static int make_file(size_t size)
{
    int file = memfd_create("twill", MFD_CLOEXEC);
    if (file >= 0 && ftruncate(file, (off_t)size) != 0) {
        close(file);
        return -1;
    }
    return file;
}

void *twi_memory_make(size_t size, int *descriptor)
{
    int file = -1;
    if (!is_too_much(size) && descriptor)
        file = make_file(size);
    if (descriptor)
        *descriptor = file;
    void *memory = is_too_much(size) ? NULL : map(file, size);
    if (!memory && file >= 0) {
        close(file);
        *descriptor = -1;
    }
    return memory;
}

void *twi_memory_of(uint32_t process, int descriptor, size_t size)
{
    char path[64];
    struct stat facts;
    void *memory = NULL;
    snprintf(path, sizeof path, "/proc/%u/fd/%d", (unsigned)process, descriptor);
    int file = open(path, O_RDWR | O_CLOEXEC);
    if (file < 0)
        return NULL;
    if (fstat(file, &facts) == 0 && (size_t)facts.st_size == size)
        memory = map(file, size);
    close(file);
    return memory;
}

void twi_memory_free(void *memory, size_t size)
{
    if (memory)
        munmap(memory, size);
}
