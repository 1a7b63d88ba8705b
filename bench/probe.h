// SPDX-License-Identifier: Apache-2.0
// Probes: how long from offering a task until it starts on another core.
//
//     twb_probe_arm(&p);            the offering side, just before it spawns
//     twb_probe_start(&p);          the first thing the task does
//     twb_probe_await(&p);          the offering side computes, calling no runtime, until then
//
// Stamps are read from the processor's own counter where it is the same on all cores: a system
// clock would add a third to the latencies looked for. C, C++ and (through probe.c) Rust use it.
#ifndef TWB_PROBE_H
#define TWB_PROBE_H

#include <stdint.h>

#ifdef __cplusplus
extern "C" {
#endif

struct twb_probe {
    uint64_t offered;
    char apart[120]; // the starting side's line is its own
    uint64_t started;
    char behind[120];
};

// Seconds per tick, and the present tick.
double twb_tick(void);
static inline uint64_t twb_now(void);

// A task that nobody takes within this time counts as started then.
#define TWB_NEVER_SECONDS 1.0

// Latency of the probe once it was awaited.
double twb_probe_seconds(const struct twb_probe *probe);

// Runs `offer` (arm, spawn, await, join) `count` times and gives the median latency in seconds.
// Before each: twb_steal_hot spins some microseconds, so that an idle thief is back and searching;
// twb_wake_cold sleeps long enough for any pool that ever sleeps to have gone to sleep.
typedef void twb_offer(struct twb_probe *probe);
double twb_steal_hot(twb_offer *offer, long count);
double twb_wake_cold(twb_offer *offer, long count);

// Share of one core this process uses while the caller sleeps, from 100 ms on, for `ms`.
double twb_idle_share(long ms);
void twb_sleep_us(long us);

// The inline functions below, for languages that cannot use this header.
void twb_probe_arm_call(struct twb_probe *probe);
void twb_probe_start_call(struct twb_probe *probe);
void twb_probe_await_call(const struct twb_probe *probe);

#if defined(__x86_64__)
static inline uint64_t twb_now(void)
{
    uint32_t low, high;
    // lfence: the stamp may not be taken before what precedes it in the program.
    __asm__ __volatile__("lfence\n\trdtsc" : "=a"(low), "=d"(high)::"memory");
    return (uint64_t)high << 32 | low;
}
#elif defined(__aarch64__)
static inline uint64_t twb_now(void)
{
    uint64_t ticks;
    __asm__ __volatile__("isb\n\tmrs %0, cntvct_el0" : "=r"(ticks)::"memory");
    return ticks;
}
#else
#include <time.h>
static inline uint64_t twb_now(void)
{
    struct timespec now;
    clock_gettime(CLOCK_MONOTONIC, &now);
    return (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec;
}
#endif

static inline void twb_relax(void)
{
#if defined(__x86_64__)
    __builtin_ia32_pause();
#elif defined(__aarch64__)
    __asm__ __volatile__("yield");
#endif
}

static inline void twb_spin(double seconds)
{
    uint64_t end = twb_now() + (uint64_t)(seconds / twb_tick());
    while (twb_now() < end)
        twb_relax();
}

static inline void twb_probe_arm(struct twb_probe *probe)
{
    __atomic_store_n(&probe->started, 0, __ATOMIC_RELAXED); // relaxed: the spawn publishes it
    probe->offered = twb_now();
}

static inline void twb_probe_start(struct twb_probe *probe)
{
    __atomic_store_n(&probe->started, twb_now(), __ATOMIC_RELEASE);
}

static inline void twb_probe_await(const struct twb_probe *probe)
{
    uint64_t end = twb_now() + (uint64_t)(TWB_NEVER_SECONDS / twb_tick());
    while (__atomic_load_n(&probe->started, __ATOMIC_ACQUIRE) == 0 && twb_now() < end)
        twb_relax();
}

#ifdef __cplusplus
}
#endif
#endif
