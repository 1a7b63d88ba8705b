// SPDX-License-Identifier: Apache-2.0
// See probe.h.
#include "probe.h"

#include <stdlib.h>
#include <sys/resource.h>

#include "serve.h"
#include "stats.h"

#define BACK_TO_SEARCH_SECONDS 3e-6
#define FALL_ASLEEP_US 20000
#define CALIBRATION_US 20000
#define SETTLE_US 100000

static double cpu_seconds(void)
{
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return (double)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) +
           1e-6 * (double)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

void twb_sleep_us(long us)
{
    struct timespec time = {.tv_sec = us / 1000000, .tv_nsec = us % 1000000 * 1000};
    nanosleep(&time, NULL);
}

double twb_tick(void)
{
    static double tick; // every driver below asks first, before other threads do
    if (tick == 0) {
        double start = twb_seconds();
        uint64_t ticks = twb_now();
        twb_sleep_us(CALIBRATION_US);
        double seconds = twb_seconds() - start;
        tick = seconds / (double)(twb_now() - ticks);
    }
    return tick;
}

double twb_probe_seconds(const struct twb_probe *probe)
{
    uint64_t started = __atomic_load_n(&probe->started, __ATOMIC_ACQUIRE);
    return (double)(int64_t)(started - probe->offered) * twb_tick();
}

static double median_latency(twb_offer *offer, long count, void (*before)(void))
{
    double *sample = malloc((size_t)count * sizeof *sample);
    struct twb_probe *probe = aligned_alloc(128, sizeof *probe);
    if (sample == NULL || probe == NULL)
        abort();
    twb_tick();
    for (long i = 0; i < count; i++) {
        before();
        offer(probe);
        sample[i] = twb_probe_seconds(probe);
    }
    double median = twb_median(sample, (size_t)count);
    free(probe);
    free(sample);
    return median;
}

static void let_thief_search(void)
{
    twb_spin(BACK_TO_SEARCH_SECONDS);
}

static void let_pool_sleep(void)
{
    twb_sleep_us(FALL_ASLEEP_US);
}

double twb_steal_hot(twb_offer *offer, long count)
{
    return median_latency(offer, count, let_thief_search);
}

double twb_wake_cold(twb_offer *offer, long count)
{
    return median_latency(offer, count, let_pool_sleep);
}

double twb_idle_share(long ms)
{
    twb_sleep_us(SETTLE_US);
    double used = cpu_seconds(), start = twb_seconds();
    twb_sleep_us(ms * 1000);
    return (cpu_seconds() - used) / (twb_seconds() - start);
}

void twb_probe_arm_call(struct twb_probe *probe)
{
    twb_probe_arm(probe);
}

void twb_probe_start_call(struct twb_probe *probe)
{
    twb_probe_start(probe);
}

void twb_probe_await_call(const struct twb_probe *probe)
{
    twb_probe_await(probe);
}
