// SPDX-License-Identifier: Apache-2.0
// tw_run: here alone, or together with the other places.
#include <twill/place.h>
#include <twill/pool.h>
#include <twill/runtime.h>

#include "place/agree.h"
#include "place/gather.h"
#include "place/outcome.h"
#include "place/shared.h"
#include "place/spmd.h"
#include "sched/attempt.h"
#include "task/run.h"

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

// What a run is made of at this place.
struct call {
    const struct tw_options *options;
    const struct tw_task_type *type;
    const void *args;
    struct twi_terms terms;
};

static int start_pool(struct twi_place *place, const struct tw_options *options,
                      struct tw_pool **pool)
{
    int error = twi_place_make_host(place, options, options->workers);
    if (!error)
        error = tw_pool_start(pool, options);
    if (error)
        return error;
    struct twi_pool *started = (struct twi_pool *)*pool;
    started->place = place->fabric->place;
    TWI_STORE(&started->outside, &twi_place_outside, TWI_RELEASE); // [O2]
    return 0;
}

// `error`: this place cannot take part, which the others learn.
static int run_together(struct twi_place *place, const struct call *call, int error,
                        struct tw_outcome *outcome)
{
    struct tw_pool *pool = NULL;
    struct tw_job root;
    int is_root = place->is_spmd || place->fabric->place == 0;
    if (!error)
        error = start_pool(place, call->options, &pool);
    error = twi_agree(place, error, &call->terms);
    if (!error) {
        int submitted = is_root ? tw_submit_task(pool, &root, call->type, call->args) : 0;
        error = twi_agree(place, submitted, NULL);
    }
    if (!error)
        serve_run(place, pool, is_root ? &root : NULL);
    if (pool)
        (void)tw_pool_stop(pool);
    if (!error)
        twi_report_end(place, call->options->stats);
    return error ? error : share_outcome(place, is_root ? &root : NULL, outcome);
}

static const struct tw_task_type *called_type(const struct call *call, int is_spmd)
{
    return is_spmd ? ((const struct twi_spmd *)call->args)->type : call->type;
}

static int together(struct twi_place *place, const struct tw_options *given,
                    const struct tw_task_type *type, const void *args)
{
    struct tw_options options;
    struct tw_stats counts = {0};
    struct tw_outcome unread, *outcome = given && given->outcome ? given->outcome : &unread;
    *outcome = twi_outcome_none();
    place->message[0] = '\0';
    int error = given ? 0 : tw_options_init(&options, NULL, 0);
    if (given)
        options = *given;
    twi_place_divide(place, &options);
    options.stats = options.stats ? options.stats : &counts;
    struct call call = {.options = &options, .type = type, .args = args};
    call.terms = twi_terms_of(&options, called_type(&call, place->is_spmd), place->is_spmd);
    error = run_together(place, &call, error, outcome);
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
    int error = twi_place_refuse(place);
    if (error)
        return error;
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
