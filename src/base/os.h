// SPDX-License-Identifier: Apache-2.0
// What Twill asks of the operating system: time, waiting on a word, the process-wide fence, memory.
#ifndef TWI_OS_H
#define TWI_OS_H

#include <stddef.h>
#include <stdint.h>

#ifdef TWI_MODEL
#include <twill/atomic.h>

static inline int twi_bell_make(void)
{
    return -1;
}

static inline void twi_bell_ring(int bell)
{
    (void)bell;
}

static inline void twi_bell_still(int bell)
{
    (void)bell;
}
#else

// A descriptor that a thread can poll until another rings; -1: the system has none left.
int twi_bell_make(void);
void twi_bell_ring(int bell);
// Forgets what was rung.
void twi_bell_still(int bell);

// Sleeps while *word == expected, at most timeout_ns (negative: without limit). May return early.
int twi_futex_wait(uint32_t *word, uint32_t expected, int64_t timeout_ns);
// Wakes at most `count` threads that sleep on the word.
int twi_futex_wake(uint32_t *word, int count);
// The same of a word in memory that processes share.
int twi_futex_wait_shared(uint32_t *word, uint32_t expected, int64_t timeout_ns);
int twi_futex_wake_shared(uint32_t *word, int count);

// Every running thread of the process passes a full fence before this returns. Only after
// twi_membarrier_ready() said 1: elsewhere it is a fence of the caller alone, and what relies on it
// must bound its sleeps (src/sched/sleep.h) and leave private tasks alone (src/sched/search.c).
void twi_membarrier(void);

#endif

// Registers the process; 1 when twi_membarrier works. To be called before threads are made: the
// kernel takes milliseconds once there are several.
int twi_membarrier_ready(void);

uint64_t twi_now_ns(void);
// The same to a few milliseconds, for a fraction of the cost.
uint64_t twi_now_roughly_ns(void);

// Messages of tw_misuse begin with this place from now on: the process is one of several.
void twi_misuse_name(uint32_t place);

// A hint to the processor that the caller spins.
static inline void twi_relax(void)
{
#if defined(TWI_MODEL)
    TWI_PAUSE();
#elif defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ volatile("yield");
#endif
}

// Address space without memory behind it, aligned to `align`; NULL when there is none.
void *twi_reserve(size_t size, size_t align);
void twi_unreserve(void *start, size_t size);
// Gives the memory behind [start, start + size) back; the next read sees zeros.
void twi_discard(void *start, size_t size);
// Which pages have memory behind them, a byte each with 1 in its lowest bit. 0, or -1.
int twi_resident(void *start, size_t size, unsigned char *pages);
// Makes a page fault on any access. 0, or -1 when the system has no room for another guard.
int twi_guard(void *page, size_t size);
// How: "madvise" or "mprotect".
const char *twi_guard_kind(void);

size_t twi_page_size(void);

#endif
