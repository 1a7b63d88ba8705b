// SPDX-License-Identifier: Apache-2.0
// What the suite places starts at places beside `twill run`; see placed.h.
//
// idle SHORT LONG   a task that sleeps so many milliseconds: what a place takes of a processor
//                   meanwhile, in percent, that of the worst. Both naps cost the same otherwise.
// trip MS [apart]   trip.c
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/resource.h>

#include "cases.h"
#include "placed.h"
#include "trip.h"

static uint64_t cpu_us(void)
{
    struct rusage used;
    getrusage(RUSAGE_SELF, &used);
    return (uint64_t)(used.ru_utime.tv_sec + used.ru_stime.tv_sec) * 1000000 +
           (uint64_t)(used.ru_utime.tv_usec + used.ru_stime.tv_usec);
}

TW_TASK(nap, { long ms; })
{
    tw_sleep((uint64_t)self.ms * 1000000);
}

// What this place takes for a nap.
static uint64_t nap_us(long ms)
{
    uint64_t before = cpu_us();
    twb_require(tw_run(nap, .ms = ms));
    return cpu_us() - before;
}

static int run_idle(int argc, char **argv)
{
    long briefly = argc > 0 ? strtol(argv[0], NULL, 10) : 0;
    long longer = argc > 1 ? strtol(argv[1], NULL, 10) : 0;
    if (briefly < 1 || longer <= briefly)
        return 2;
    (void)nap_us(1); // opens the places
    uint64_t first = nap_us(briefly), second = nap_us(longer);
    uint64_t more = second > first ? second - first : 0;
    twb_require(tw_places_max(&more, 1));
    if (tw_here() == 0)
        printf("{\"places\": %u, \"percent\": %.4f, \"verified\": true}\n", tw_places(),
               (double)more / (double)(longer - briefly) / 10);
    return 0;
}

int twb_at_places(int argc, char **argv)
{
    if (argc > 0 && strcmp(argv[0], "idle") == 0)
        return run_idle(argc - 1, argv + 1);
    if (argc > 0 && strcmp(argv[0], "trip") == 0)
        return twb_trip(argc - 1, argv + 1);
    fprintf(stderr, "bench: at places: idle or trip\n");
    return 2;
}
