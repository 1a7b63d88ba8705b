// SPDX-License-Identifier: Apache-2.0
// Suite tasks: a lock and an unlock that nobody else wants, Twill's beside the C library's, by the
// same task in the same run.
#include "tasks_mutex.h"

#include <pthread.h>

#include "cases.h"

enum { ROUNDS = 41, LOCKS = 1000000, LOCKS_QUICK = 10000 };

TW_FUNCTION(double, time_twill, {
    struct tw_mutex *mutex;
    long locks;
})
{
    double start = twb_seconds();
    for (long i = 0; i < self.locks; i++) {
        tw_mutex_lock(self.mutex);
        tw_mutex_unlock(self.mutex);
    }
    return (twb_seconds() - start) / (double)self.locks * 1e9;
}

static double time_pthread(pthread_mutex_t *mutex, long locks)
{
    double start = twb_seconds();
    for (long i = 0; i < locks; i++) {
        pthread_mutex_lock(mutex);
        pthread_mutex_unlock(mutex);
    }
    return (twb_seconds() - start) / (double)locks * 1e9;
}

// In nanoseconds, for each round.
TW_TASK(time_mutexes, {
    size_t rounds;
    long locks;
    double *twill, *pthread;
})
{
    struct tw_mutex ours = TW_MUTEX_INIT("bench");
    pthread_mutex_t theirs = PTHREAD_MUTEX_INITIALIZER;
    for (size_t i = 0; i < self.rounds; i++) {
        self.twill[i] = tw_call(time_twill, .mutex = &ours, .locks = self.locks);
        self.pthread[i] = time_pthread(&theirs, self.locks);
    }
    pthread_mutex_destroy(&theirs);
}

static void report_mutex(struct twb_bench *bench, const char *runtime, const double *ns, size_t n)
{
    struct twb_row row = {.case_name = "mutex",
                          .size = "free",
                          .runtime = runtime,
                          .workers = 2,
                          .unit = "ns a lock"};
    twb_report_samples(&bench->report, &row, ns, n);
}

// With two workers, since the C library leaves out the atomics in a process of one thread.
void twb_section_mutex(struct twb_bench *bench)
{
    double twill[ROUNDS], pthread[ROUNDS];
    size_t rounds = bench->quick ? TWB_ROUNDS_QUICK : ROUNDS;
    struct tw_options options;
    tw_options_init(&options, NULL, 0);
    options.workers = 2;
    options.lock_check = 0;
    twb_require(tw_run_with(&options, time_mutexes, .rounds = rounds,
                            .locks = bench->quick ? LOCKS_QUICK : LOCKS, .twill = twill,
                            .pthread = pthread));
    report_mutex(bench, "twill", twill, rounds);
    report_mutex(bench, "pthread", pthread, rounds);
    twb_report_goal(&bench->report, "mutex_uncontended", twb_pair_ratio(twill, pthread, rounds));
}
