// SPDX-License-Identifier: Apache-2.0
// What one process needs to be measured, and what a run costs around its tasks. See measure.h.
#include "sim/measure.h"

#include <unistd.h>

#include <twill/twill.h>

#include "apps/uts/uts.h"
#include "base/os.h"

enum {
    WAKE_REST_US = 500, // a worker is asleep after that
    TAKEN_MOST_NS = 20000000,
};

// A million nodes, whose search takes some hundred times as long as starting a pool.
static const struct uts_parameters tree_parameters = {
    .type = UTS_GEOMETRIC, .shape = UTS_FIXED, .depth = 9, .b0 = 4, .seed = 19};

// ---- nodes and tasks ----

// A task's cost is what the tasks' search of a tree takes longer than the plain one, beside it.
static int measure_node(struct sim_notes *notes, struct tw_options *options)
{
    struct uts_tree tree;
    struct uts_count count, again;
    if (uts_tree_init(&tree, &tree_parameters, UTS_SHA_AUTO, 1))
        return TW_EINVAL;
    uint64_t begun = twi_now_ns();
    if (!uts_search(&tree, &count))
        return TW_ENOMEM;
    uint64_t plain = twi_now_ns() - begun;
    options->workers = 1;
    begun = twi_now_ns();
    int error = uts_search_any(options, &tree, &again);
    uint64_t tasks = twi_now_ns() - begun;
    if (error)
        return error;
    notes->note(notes, "node", (double)plain / (double)count.nodes);
    notes->note(notes, "task", tasks > plain ? (double)(tasks - plain) / (double)count.nodes : 0);
    return count.nodes == again.nodes ? 0 : TW_EINVAL;
}

// ---- workers ----

struct probe {
    uint64_t begun_ns; // 0: not yet
};

TW_TASK(begin, { struct probe *probe; })
{
    self.probe->begun_ns = twi_now_ns();
}

// From a thread to a worker that sleeps.
static int measure_wake(struct sim_notes *notes, struct tw_options *options, unsigned samples)
{
    struct tw_pool *pool;
    options->workers = 1;
    int error = tw_pool_start(&pool, options);
    for (unsigned i = 0; i < samples && !error; i++) {
        struct probe probe = {0};
        struct tw_job job;
        usleep(WAKE_REST_US);
        uint64_t offered = twi_now_ns();
        error = tw_submit(pool, &job, begin, .probe = &probe);
        if (!error)
            error = tw_job_wait(&job);
        if (!error)
            notes->note(notes, "wake", (double)(probe.begun_ns - offered));
    }
    if (pool)
        (void)tw_pool_stop(pool);
    return error;
}

TW_FUNCTION(int, take, { struct probe *probe; })
{
    TWI_STORE(&self.probe->begun_ns, twi_now_ns(), TWI_RELAXED); // statistic
    return 0;
}

// From a worker to another that looks for tasks. One that nobody takes in time is not counted.
TW_TASK(hand_over, {
    struct sim_notes *notes;
    unsigned samples;
})
{
    for (unsigned i = 0; i < self.samples; i++) {
        struct probe probe = {0};
        uint64_t offered = twi_now_ns(), begun = 0;
        tw_forked(take) forked = tw_fork(take, .probe = &probe);
        while (!begun && twi_now_ns() < offered + TAKEN_MOST_NS)
            begun = TWI_LOAD(&probe.begun_ns, TWI_RELAXED); // statistic
        tw_join(take, forked);
        if (begun)
            self.notes->note(self.notes, "hand-over", (double)(begun - offered));
    }
}

int sim_measure_alone(struct sim_notes *notes, unsigned samples)
{
    struct tw_options options;
    int error = tw_options_init(&options, NULL, 0);
    for (unsigned i = 0; i < samples && !error; i++)
        error = measure_node(notes, &options);
    if (!error)
        error = measure_wake(notes, &options, samples);
    options.workers = 2;
    if (!error)
        error = tw_run_with(&options, hand_over, .notes = notes, .samples = samples);
    return error;
}

// ---- runs ----

TW_TASK(nothing, { int unused; })
{
    (void)self;
}

int sim_measure_start(struct sim_notes *notes, const struct tw_options *options, const char *name)
{
    uint64_t sums[2] = {1, 1}, most = 1, begun = twi_now_ns();
    int error = tw_run_with(options, nothing, .unused = 0);
    if (!error) // as applications do that add up what their places found
        error = tw_places_sum(sums, 2);
    if (!error)
        error = tw_places_max(&most, 1);
    if (!error && tw_here() == 0)
        notes->note(notes, name, (double)(twi_now_ns() - begun));
    return error;
}
