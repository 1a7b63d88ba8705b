// SPDX-License-Identifier: Apache-2.0
// tw_run: here alone, or together with the other places.
#include <stdio.h>

#include <twill/place.h>
#include <twill/pool.h>
#include <twill/runtime.h>

#include "place/gather.h"
#include "place/outcome.h"
#include "place/registry.h"
#include "place/shared.h"
#include "place/spmd.h"
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

static void serve_run(struct twi_place *place, struct tw_pool *pool, struct tw_job *root)
{
    struct twi_lock *turn = &place->fabric->turn;
    twi_lock_take(turn);
    place->root = root;
    place->pool = (struct twi_pool *)pool;
    place->is_told = 0;
    place->rest = (struct twi_rest){0};
    twi_host_begin(place->host);
    twi_lock_drop(turn);
    twi_place_serve(place, is_finished);
    twi_lock_take(turn);
    (void)twi_place_deliver(place); // what was cancelled may have left something
    place->root = NULL;
    place->pool = NULL;
    twi_lock_drop(turn);
    twi_gather_forget(place);
    twi_shared_forget(place);
}

// 0 at all places, or an error at all.
static int agree(int error)
{
    uint64_t failed = error != 0;
    int summed = tw_places_sum(&failed, 1);
    return summed ? summed : error ? error : failed ? TW_EAGAIN : 0;
}

// A place that has no root leaves the outcome to those that have.
static int share_outcome(struct twi_place *place, const struct tw_job *root,
                         struct tw_outcome *outcome)
{
    struct tw_outcome none = twi_outcome_none();
    struct twi_sent_outcome sent =
        twi_outcome_pack(root ? &root->outcome : &none, place->fabric->place);
    int error = twi_gather(&(struct twi_gift){
        .values = &sent, .count = 1, .size = sizeof sent, .merge = twi_outcome_merge});
    *outcome = twi_outcome_unpack(&sent);
    return error;
}

static int run_together(struct twi_place *place, const struct tw_options *options,
                        const struct tw_task_type *type, const void *args,
                        struct tw_outcome *outcome)
{
    struct tw_pool *pool = NULL;
    struct tw_job root;
    int is_root = place->is_spmd || place->fabric->place == 0;
    int error = twi_place_make_host(place, options, options->workers);
    if (!error)
        error = tw_pool_start(&pool, options);
    if (!error) {
        ((struct twi_pool *)pool)->place = place->fabric->place;
        TWI_STORE(&((struct twi_pool *)pool)->outside, &twi_place_outside, TWI_RELEASE); // [O2]
    }
    error = agree(error);
    if (!error)
        error = agree(is_root ? tw_submit_task(pool, &root, type, args) : 0);
    if (!error)
        serve_run(place, pool, is_root ? &root : NULL);
    if (pool)
        (void)tw_pool_stop(pool);
    if (!error)
        twi_report_end(place, options->stats);
    return error ? error : share_outcome(place, is_root ? &root : NULL, outcome);
}

static int together(struct twi_place *place, const struct tw_options *given,
                    const struct tw_task_type *type, const void *args)
{
    struct tw_options options;
    struct tw_stats counts = {0};
    struct tw_outcome unread, *outcome = given && given->outcome ? given->outcome : &unread;
    *outcome = twi_outcome_none();
    int error = place->is_compared ? 0 : compare_programs(place);
    place->is_compared = 1;
    if (!error && !given)
        error = tw_options_init(&options, NULL, 0);
    if (given)
        options = *given;
    if (!error) {
        twi_place_divide(place, &options);
        options.stats = options.stats ? options.stats : &counts;
        error = run_together(place, &options, type, args, outcome);
    }
    if (error)
        outcome->error = error;
    return outcome->error;
}

static int run(const struct tw_options *options, const struct tw_task_type *type, const void *args,
               int is_spmd)
{
    if (twi_worker_maybe())
        return twi_run_here(options, type, args);
    struct twi_place *place = twi_place_open(options);
    if (place->error)
        return place->error;
    if (place->fabric->places == 1)
        return twi_run_here(options, type, args);
    place->is_spmd = is_spmd;
    return together(place, options, type, args);
}

int tw_run_task(const struct tw_options *options, const struct tw_task_type *type, const void *args)
{
    return run(options, type, args, 0);
}

int tw_run_spmd_task(const struct tw_options *options, const struct tw_task_type *type,
                     const void *args)
{
    struct twi_spmd spmd = {type, args};
    if (twi_worker_maybe())
        tw_misuse("tw_run_spmd in a task", type->name);
    if (type->result_size)
        return TW_EINVAL;
    return run(options, &twi_spmd_type, &spmd, 1);
}
