// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "base/os.h"

#include <errno.h>
#include <limits.h>
#include <linux/futex.h>
#include <linux/membarrier.h>
#include <sys/eventfd.h>
#include <sys/mman.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include <twill/atomic.h>

// Linux 6.13; newer than many systems' headers.
#ifndef MADV_GUARD_INSTALL
#define MADV_GUARD_INSTALL 102
#endif

static int futex_wait(uint32_t *word, int operation, uint32_t expected, int64_t timeout_ns)
{
    struct timespec limit, *wait = NULL;
    if (timeout_ns >= 0) {
        limit.tv_sec = timeout_ns / 1000000000;
        limit.tv_nsec = timeout_ns % 1000000000;
        wait = &limit;
    }
    return (int)syscall(SYS_futex, word, operation, expected, wait, NULL, 0);
}

int twi_futex_wait(uint32_t *word, uint32_t expected, int64_t timeout_ns)
{
    return futex_wait(word, FUTEX_WAIT_PRIVATE, expected, timeout_ns);
}

int twi_futex_wait_shared(uint32_t *word, uint32_t expected, int64_t timeout_ns)
{
    return futex_wait(word, FUTEX_WAIT, expected, timeout_ns);
}

int twi_futex_wake(uint32_t *word, int count)
{
    return (int)syscall(SYS_futex, word, FUTEX_WAKE_PRIVATE, count, NULL, NULL, 0);
}

int twi_futex_wake_shared(uint32_t *word, int count)
{
    return (int)syscall(SYS_futex, word, FUTEX_WAKE, count, NULL, NULL, 0);
}

int twi_bell_make(void)
{
    return eventfd(0, EFD_CLOEXEC | EFD_NONBLOCK);
}

void twi_bell_ring(int bell)
{
    uint64_t once = 1;
    (void)!write(bell, &once, sizeof once); // a counter that is full has rung
}

void twi_bell_still(int bell)
{
    uint64_t rung;
    (void)!read(bell, &rung, sizeof rung);
}

static int membarrier_call(int command)
{
    return (int)syscall(SYS_membarrier, command, 0, 0);
}

int twi_membarrier_ready(void)
{
    return membarrier_call(MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED) == 0;
}

void twi_membarrier(void)
{
    TWI_FENCE(TWI_SEQ_CST); // [D3] [D4] the caller's own half where the system has no call
    (void)membarrier_call(MEMBARRIER_CMD_PRIVATE_EXPEDITED);
}

uint64_t twi_now_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

uint64_t twi_now_roughly_ns(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC_COARSE, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}

int twi_resident(void *start, size_t size, unsigned char *pages)
{
    return mincore(start, size, pages);
}

size_t twi_page_size(void)
{
    return (size_t)sysconf(_SC_PAGESIZE);
}

void *twi_reserve(size_t size, size_t align)
{
    if (size + align < size)
        return NULL;
    char *got = mmap(NULL, size + align, PROT_READ | PROT_WRITE,
                     MAP_PRIVATE | MAP_ANONYMOUS | MAP_NORESERVE, -1, 0);
    if (got == MAP_FAILED)
        return NULL;
    char *start = (char *)(((uintptr_t)got + align - 1) & ~(uintptr_t)(align - 1));
    if (start != got)
        munmap(got, (size_t)(start - got));
    munmap(start + size, align - (size_t)(start - got));
    // A huge page under each stack would cost 2 MB for the one page it needs.
    madvise(start, size, MADV_NOHUGEPAGE);
    return start;
}

void twi_unreserve(void *start, size_t size)
{
    munmap(start, size);
}

void twi_discard(void *start, size_t size)
{
    madvise(start, size, MADV_DONTNEED);
}

// qemu-user ignores advice that it does not know and says that all is well.
static int is_advice_heard(void *page, size_t size)
{
    enum { NO_SUCH_ADVICE = 9999 };
    static uint32_t known; // 1: heard, 2: ignored. writers: anyone, all the same
    uint32_t answer = TWI_LOAD(&known, TWI_RELAXED); // hint
    if (!answer) {
        answer = madvise(page, size, NO_SUCH_ADVICE) == 0 ? 2 : 1;
        TWI_STORE(&known, answer, TWI_RELAXED); // hint
    }
    return answer == 1;
}

static int guard_by_madvise(void *page, size_t size)
{
    return is_advice_heard(page, size) ? madvise(page, size, MADV_GUARD_INSTALL) : -1;
}

int twi_guard(void *page, size_t size)
{
    // Guards by mprotect split mappings, of which a process may have about 65,000.
    return guard_by_madvise(page, size) == 0 ? 0 : mprotect(page, size, PROT_NONE);
}

const char *twi_guard_kind(void)
{
    size_t page = twi_page_size();
    void *probe = twi_reserve(page, page);
    int installed = probe && guard_by_madvise(probe, page) == 0;
    if (probe)
        twi_unreserve(probe, page);
    return installed ? "madvise" : "mprotect";
}
