// SPDX-License-Identifier: Apache-2.0
// tw_run: here alone, or together with the other places; and the communication worker's loop.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include <twill/place.h>
#include <twill/pool.h>
#include <twill/runtime.h>

#include "base/os.h"
#include "fabric/load.h"
#include "place/place.h"
#include "place/registry.h"
#include "sched/attempt.h"
#include "task/run.h"

// Between two looks of the communication worker.
enum {
    PAUSE_FIRST_NS = 50000,    // twice as long each time that nothing came, ...
    PAUSE_BUSY_NS = 1000000,   // ... up to this: workers have tasks that others are to see
    PAUSE_IDLE_NS = 100000000, // they have none: it is woken for all else
};

// ---- the place ----

static struct twi_place here;

static void on_mail(void *place, uint32_t from, const struct twi_packet *packet, const void *bytes)
{
    switch ((enum twi_mail_kind)packet->message) {
    case TWI_MAIL_DONE:
        twi_piece_done((struct tw_scope *)(uintptr_t)packet->word);
        break;
    case TWI_MAIL_UP:
    case TWI_MAIL_DOWN:
        twi_gather_mail(place, from, packet, bytes);
        break;
    }
}

static const struct twi_machine *find(const struct twi_machine *const *table, const char *name)
{
    while (*table && strcmp((*table)->name, name) != 0)
        table++;
    return *table;
}

// One for each run, since settings may differ from run to run, though not from place to place. None
// is under way: packets of the next come only after a sum to which this place adds.
static int make_host(struct twi_place *place, const struct tw_options *options, unsigned workers)
{
    struct twi_host_parts parts = {
        .policy = find(twi_policies, options->policy),
        .detector = find(twi_detectors, options->detector),
        .rules = {.place = place->fabric->place,
                  .places = place->fabric->places,
                  .workers = workers,
                  .threshold = 1,
                  .batch = 4,
                  .hungry = 1,
                  .tries = 2,
                  .backoff_ns = 100000,
                  .backoff_most_ns = 20000000,
                  .seed = options->seed * place->fabric->places + place->fabric->place + 1},
        .epoch = place->host ? twi_host_epoch(place->host) : 0,
        .fabric = place->fabric,
        .pool = &twi_place_pool_calls,
        .pool_of = place,
        .mail = on_mail,
    };
    if (!parts.policy || !parts.detector)
        return TW_EINVAL;
    struct twi_host *host = twi_host_create(&parts);
    if (!host)
        return TW_ENOMEM;
    twi_host_destroy(place->host);
    place->host = host;
    return 0;
}

// All places have the same types of tasks that travel, or none goes on: all find out the same.
static int compare_programs(struct twi_place *place)
{
    uint64_t sum = twi_registry_sum(), ends[2] = {sum, ~sum};
    int error = tw_places_max(ends, 2);
    if (error || ends[0] == ~ends[1])
        return error;
    snprintf(place->message, sizeof place->message,
             "places run different programs: the tasks that travel are not the same");
    return place->error = TW_EINVAL;
}

static struct twi_loaded loaded;
static const char *wanted_mpi; // by who opens first; NULL: as the environment has it

static void close_place(void)
{
    twi_fabric_unload(&loaded);
}

// Variables that are refused keep their defaults; tw_run says so, if it is to use them.
static void open_place(void)
{
    const struct twi_mpi_settings settings = {.spin_ns = 0};
    const char *mpi = TWI_LOAD(&wanted_mpi, TWI_RELAXED); // relaxed: one of the callers'
    struct tw_options defaults;
    (void)tw_options_init(&defaults, NULL, 0);
    here.error = twi_fabric_load(&loaded, mpi ? mpi : defaults.mpi, &settings, here.message,
                                 sizeof here.message);
    here.fabric = loaded.fabric;
    here.neighbours = loaded.facts.neighbours;
    if (!here.error && loaded.plugin)
        atexit(close_place);
    if (here.error || here.fabric->places == 1)
        return;
    twi_registry_close();
    here.error = make_host(&here, &defaults, 1);
}

struct twi_place *twi_place_here(void)
{
    static pthread_once_t once = PTHREAD_ONCE_INIT;
    pthread_once(&once, open_place);
    return &here;
}

static struct twi_place *open_as(const struct tw_options *options)
{
    if (options && options->mpi)
        TWI_STORE(&wanted_mpi, options->mpi, TWI_RELAXED); // relaxed: one of the callers'
    return twi_place_here();
}

int tw_places_open(const struct tw_options *options, char *message, size_t size)
{
    struct tw_options defaults;
    int error = options ? 0 : tw_options_init(&defaults, message, size);
    if (error)
        return error;
    struct twi_place *place = open_as(options);
    if (message && size)
        snprintf(message, size, "%s", place->message);
    return place->error;
}

unsigned tw_here(void)
{
    struct twi_place *place = twi_place_here();
    return place->error ? 0 : place->fabric->place;
}

unsigned tw_places(void)
{
    struct twi_place *place = twi_place_here();
    return place->error ? 1 : place->fabric->places;
}

// ---- the communication worker ----

static void pause_for(struct twi_place *place)
{
    uint64_t pause = PAUSE_IDLE_NS;
    if (place->pool && twi_place_is_busy(place)) {
        pause = place->pause_ns;
        place->pause_ns = pause < PAUSE_BUSY_NS / 2 ? 2 * pause : PAUSE_BUSY_NS;
    }
    place->fabric->calls->wait(place->fabric, twi_now_ns() + pause);
}

void twi_place_serve(struct twi_place *place, int (*is_over)(struct twi_place *place))
{
    place->pause_ns = PAUSE_FIRST_NS;
    for (;;) {
        unsigned did = place->pool ? twi_place_send_letters(place) : 0; // they belong to the run
        did += place->fabric->calls->progress(place->fabric);
        if (place->pool) {
            twi_place_stir(place);
            twi_host_look(place->host);
        }
        if (is_over(place))
            return;
        if (did)
            place->pause_ns = PAUSE_FIRST_NS;
        else
            pause_for(place);
    }
}

// ---- running together ----

static int is_finished(struct twi_place *place)
{
    return twi_host_is_finished(place->host);
}

// By a worker that has nothing to do and lies down.
static void worker_idles(struct twi_pool *pool)
{
    (void)pool;
    here.fabric->calls->wake(here.fabric);
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
    int error = make_host(place, options, options->workers);
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
    struct twi_place *place = open_as(options);
    if (place->error)
        return place->error;
    if (place->fabric->places == 1)
        return twi_run_here(options, type, args);
    return together(place, options, type, args);
}
