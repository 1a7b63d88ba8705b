// SPDX-License-Identifier: Apache-2.0
// The communication worker of a place: its loop, how long it sleeps, and how workers that search
// help it.
#include "base/os.h"
#include "place/pieces.h"
#include "place/repose.h"

// Between two looks of the communication worker. Each interrupts a worker that has something to do,
// for some 50 us; so they are rarer where workers are more than processors, up to a limit.
enum {
    PAUSE_FIRST_NS = 250000,     // four times as long when nothing came, ...
    PAUSE_BUSY_NS = 8000000,     // ... up to this: workers have tasks that others are to see
    PAUSE_CROWDED_NS = 16000000, // the most of that
    PAUSE_IDLE_NS = 100000000,   // they have none: it is woken for all else
    TURNS_A_CLOCK = 8,           // of one that spins: some hundred ns each
};

// Of a communication worker that spins.
struct watch {
    uint64_t quiet_ns; // since when nothing has come
    uint64_t stir_ns;  // when owners are to be asked again: they need time to come by
};

static int is_helped(struct twi_place *place)
{
    return TWI_LOAD(&place->helpers, TWI_RELAXED) != 0; // hint
}

static uint64_t first_pause(const struct twi_place *place)
{
    return (uint64_t)PAUSE_FIRST_NS * place->crowd;
}

static uint64_t longest_pause(const struct twi_place *place)
{
    uint64_t pause = (uint64_t)PAUSE_BUSY_NS * place->crowd;
    return pause < PAUSE_CROWDED_NS ? pause : PAUSE_CROWDED_NS;
}

// Returns whether it was woken.
static int pause_for(struct twi_place *place)
{
    uint64_t pause = PAUSE_IDLE_NS, most = longest_pause(place);
    twi_repose_begin(&place->until_ns);
    if (place->pool && (twi_place_idle(place->pool) < place->pool->count || is_helped(place))) {
        pause = place->pause_ns;
        place->pause_ns = pause < most / 4 ? 4 * pause : most;
    } else if (twi_rest_looks_again(&place->rest, twi_now_ns())) {
        pause = TWI_REST_LOOK_NS;
    }
    uint64_t until = twi_now_ns() + pause;
    twi_repose_until(&place->until_ns, until);
    place->fabric->calls->wait(place->fabric, until);
    twi_repose_until(&place->until_ns, 0);
    return place->spin_ns && twi_now_ns() < until;
}

static void look_around(struct twi_place *place, struct watch *watch, uint64_t now)
{
    if (!place->spin_ns || now >= watch->stir_ns) {
        twi_place_stir(place);
        watch->stir_ns = now + first_pause(place);
    }
    twi_pieces_heed(place);
    twi_host_look(place->host);
}

void twi_place_serve(struct twi_place *place, int (*is_over)(struct twi_place *place))
{
    uint64_t now = twi_now_ns();
    unsigned turns = 0;
    struct watch watch = {.quiet_ns = now};
    struct twi_fabric *fabric = place->fabric;
    place->pause_ns = first_pause(place);
    twi_lock_take(&fabric->turn);
    for (;;) {
        unsigned did = place->pool ? twi_place_deliver(place) : 0; // they belong to the run
        did += fabric->calls->progress(fabric);
        if (place->spin_ns && (did || ++turns % TURNS_A_CLOCK == 0))
            now = twi_now_ns();
        if (place->pool)
            look_around(place, &watch, now);
        if (is_over(place))
            break;
        if (did) {
            place->pause_ns = first_pause(place);
            watch.quiet_ns = now;
        } else if (now - watch.quiet_ns < place->spin_ns) {
            twi_lock_drop(&fabric->turn);
            twi_relax();
            twi_lock_take(&fabric->turn);
        } else if (pause_for(place)) {
            now = watch.quiet_ns = twi_now_ns();
        }
    }
    twi_lock_drop(&fabric->turn);
}

// ---- workers that search ----

static void wake(struct twi_place *place)
{
    place->fabric->calls->wake(place->fabric);
}

static void worker_idles(struct twi_pool *pool)
{
    struct twi_place *place = twi_place_here();
    (void)pool;
    TWI_STORE(&place->helpers, 0u, TWI_RELAXED); // hint: others say so again
    wake(place);
}

// For workers, from other places.
static int has_tasks(const struct twi_pool *pool)
{
    for (unsigned i = 0; i < pool->count; i++)
        if (TWI_LOAD(&pool->workers[i].bag[TWI_STOLEN].count, TWI_RELAXED)) // hint
            return 1;
    return 0;
}

// What the communication worker would do, if nobody else does it just now. What has come is run
// before the policy is told of it.
static void worker_searches(struct twi_pool *pool)
{
    struct twi_place *place = twi_place_here();
    struct twi_fabric *fabric = place->fabric;
    if (place->is_main_only || !twi_lock_try(&fabric->turn))
        return;
    if (place->pool == pool) { // else the run is over
        if (!is_helped(place)) {
            TWI_STORE(&place->helpers, 1u, TWI_RELAXED); // hint
            fabric->calls->attend(fabric, 1);
        }
        (void)twi_place_deliver(place);
        unsigned came = fabric->calls->progress(fabric);
        if (came == 0 || !has_tasks(pool))
            twi_host_look(place->host);
        if (twi_host_is_finished(place->host))
            wake(place);
    }
    twi_lock_drop(&fabric->turn);
}

// The communication worker has to look again: at once, if it is to sleep for long.
static void worker_found(struct twi_pool *pool)
{
    struct twi_place *place = twi_place_here();
    struct twi_fabric *fabric = place->fabric;
    TWI_STORE(&place->helpers, 0u, TWI_RELAXED); // hint: others say so again
    twi_crowd_busy(place, pool);
    if (!place->is_main_only && twi_lock_try(&fabric->turn)) {
        if (place->pool == pool)
            fabric->calls->attend(fabric, 0);
        twi_lock_drop(&fabric->turn);
    }
    if (twi_repose_lasts(&place->until_ns, twi_now_ns() + longest_pause(place)))
        wake(place);
}

const struct twi_outside twi_place_outside = {worker_idles, worker_searches, worker_found};
