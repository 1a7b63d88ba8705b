// SPDX-License-Identifier: Apache-2.0
// What places tell of themselves: how the last run went at each of them, and what can join them.
#ifndef TWILL_REPORT_H
#define TWILL_REPORT_H

#include <stdint.h>
#include <string.h>

#include <twill/api.h>

#define TW_VICTIMS_MOST 8 // in the histogram: so many, or more

// Of one place, over one run. A search begins when workers have become idle and ends when tasks
// come from elsewhere or are found here.
struct tw_place_stats {
    // Its steal policy (docs/policies.md).
    uint64_t searches;
    uint64_t victims[TW_VICTIMS_MOST + 1]; // searches that tasks ended, by victims asked in them
    uint64_t probes;                       // loads of others read
    uint64_t requests;                     // sent
    uint64_t failed;                       // answered without tasks
    uint64_t withdrawn;                    // taken back by agreement, neither served nor failed
    uint64_t cyclic;                       // sent to a place whose own request waits here
    uint64_t steals;                       // answers with tasks
    uint64_t backoffs;                     // pauses of searches in vain
    // What it sent and got.
    uint64_t messages, bytes;        // sent
    uint64_t tasks_got, tasks_given; // by steals and by tw_async_at
    uint64_t stale, early, late;     // messages of another run; tasks that came after the end: 0
    uint64_t searching_ns;           // in which some workers were hungry
    uint64_t unanswered;             // requests that were open at the end of the run ...
    uint64_t unanswered_ns;          // ... and for how long, in sum
    // Its workers.
    uint64_t tasks;   // run, as tw_worker_stats counts them
    uint64_t workers; // that ran them
};

// A setting of an MPI, a variable of the environment, that Twill makes before it starts that MPI,
// unless the user has made it.
struct tw_mpi_cure {
    const char *variable, *value, *why;
};

// An MPI that can join places.
struct tw_mpi {
    const char *name;                // "openmpi", "mpich" or the path of a plugin
    char version[64];                // as it calls itself
    const struct tw_mpi_cure *cures; // the last has no variable; NULL: it cannot be had
    char message[1024];              // ... and why not
};

#ifdef TWILL_SERIAL
static inline int tw_mpi_describe(struct tw_mpi *mpi, const char *name)
{
    memset(mpi, 0, sizeof *mpi);
    mpi->name = name;
    return TW_ENOENT;
}

static inline int tw_places_stats(struct tw_place_stats *stats, uint64_t *stolen)
{
    memset(stats, 0, sizeof *stats);
    if (stolen)
        *stolen = 0;
    return 0;
}
#else

#ifdef __cplusplus
extern "C" {
#endif

// Describes the MPI of that name, whose plugin is loaded for it but not started, and stays loaded.
// 0, or TW_ENOENT: there is no plugin for it. Never suspends; any thread.
TW_API int tw_mpi_describe(struct tw_mpi *mpi, const char *name);

// The statistics of the last tw_run at all places: `stats` has room for tw_places() of them.
// `stolen` may be NULL, at all places or none; else it has room for the square of tw_places(), and
// stolen[thief * tw_places() + victim] becomes the number of tasks that one took from the other.
// All are 0 where there is one place: nobody steals from it. Collective, like tw_places_sum
// (place.h): all places call it, outside tw_run, and all get everything. 0 or a TW_E... code.
// Blocks; not in a task.
TW_API int tw_places_stats(struct tw_place_stats *stats, uint64_t *stolen);

#ifdef __cplusplus
}
#endif

#endif
#endif
