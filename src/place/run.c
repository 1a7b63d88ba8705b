// SPDX-License-Identifier: Apache-2.0
// tw_run: here alone, or together with the other places.
#include <stdio.h>

#include <twill/place.h>
#include <twill/pool.h>
#include <twill/runtime.h>

#include "place/place.h"
#include "place/registry.h"
#include "sched/attempt.h"
#include "task/run.h"

// All places have the same types of tasks that travel, or none goes on: all find out the same.
static int compare_programs(struct twi_place *place)
{
    uint64_t sum = twi_registry_sum(), is_first = place->fabric->place == 0;
    uint64_t ends[] = {sum, ~sum, is_first ? sum : 0};
    int error = tw_places_max(ends, 3);
    if (error || ends[0] == ~ends[1])
        return error;
    uint64_t other = ends[2] != sum ? place->fabric->place : 0;
    (void)tw_places_max(&other, 1);
    snprintf(place->message, sizeof place->message,
             "places run different programs: the tasks that travel at place %u are not those of "
             "place 0",
             (unsigned)other);
    return place->error = TW_EINVAL;
}

static int is_finished(struct twi_place *place)
{
    return twi_host_is_finished(place->host);
}

// By a worker that has nothing to do and lies down.
static void worker_idles(struct twi_pool *pool)
{
    (void)pool;
    struct twi_fabric *fabric = twi_place_here()->fabric;
    fabric->calls->wake(fabric);
}

static int serve_run(struct twi_place *place, struct tw_pool *pool, struct tw_job *root)
{
    place->root = root;
    place->pool = (struct twi_pool *)pool;
    twi_host_begin(place->host);
    twi_place_serve(place, is_finished);
    place->root = NULL;
    place->pool = NULL;
    return root ? tw_job_wait(root) : 0;
}

// Workers of a place that shares its host with others: as many as it has processors for itself.
static unsigned workers_for(const struct twi_place *place, const struct tw_options *options)
{
    if (options->workers)
        return options->workers;
    struct tw_machine machine;
    tw_machine_describe(&machine);
    unsigned neighbours = place->neighbours ? place->neighbours : 1;
    return machine.workers > neighbours ? machine.workers / neighbours : 1;
}

// 0 at all places, or an error at all.
static int agree(int error)
{
    uint64_t failed = error != 0;
    int summed = tw_places_sum(&failed, 1);
    return summed ? summed : error ? error : failed ? TW_EAGAIN : 0;
}

// The status of place 0 is everybody's.
static int run_together(struct twi_place *place, const struct tw_options *options,
                        const struct tw_task_type *type, const void *args,
                        struct tw_outcome *outcome)
{
    struct tw_pool *pool = NULL;
    struct tw_job root;
    int is_root = place->fabric->place == 0;
    int error = twi_place_make_host(place, options, options->workers);
    if (!error)
        error = tw_pool_start(&pool, options);
    if (!error)
        TWI_STORE(&((struct twi_pool *)pool)->on_idle, worker_idles, TWI_RELEASE); // [O2]
    error = agree(error);
    if (!error)
        error = agree(is_root ? tw_submit_task(pool, &root, type, args) : 0);
    uint64_t status = 0;
    if (!error)
        status = (uint64_t)-serve_run(place, pool, is_root ? &root : NULL);
    if (!error && is_root)
        *outcome = root.outcome;
    if (pool)
        (void)tw_pool_stop(pool);
    if (!error)
        error = tw_places_sum(&status, 1);
    return error ? error : -(int)status;
}

static int together(struct twi_place *place, const struct tw_options *given,
                    const struct tw_task_type *type, const void *args)
{
    struct tw_options options;
    struct tw_outcome unread, *outcome = given && given->outcome ? given->outcome : &unread;
    *outcome = twi_outcome_none();
    int error = place->is_compared ? 0 : compare_programs(place);
    place->is_compared = 1;
    if (!error && !given)
        error = tw_options_init(&options, NULL, 0);
    if (given)
        options = *given;
    if (!error) {
        options.workers = workers_for(place, &options);
        error = run_together(place, &options, type, args, outcome);
    }
    outcome->error = error;
    return error;
}

int tw_run_task(const struct tw_options *options, const struct tw_task_type *type, const void *args)
{
    if (twi_worker_maybe())
        return twi_run_here(options, type, args);
    struct twi_place *place = twi_place_open(options);
    if (place->error)
        return place->error;
    if (place->fabric->places == 1)
        return twi_run_here(options, type, args);
    return together(place, options, type, args);
}
