// SPDX-License-Identifier: Apache-2.0
// What a seat does that has nothing: it looks at the others of its place, one after the other from
// a random one on, asks another place when that was in vain for some time, and sleeps in between,
// longer and longer, until it is told that all is over.
#include "base/os.h"
#include "collection/active.h"
#include "collection/far.h"

enum {
    LOOKS = 64,             // at this place, before it asks another and sleeps
    ASKS = 16,              // of another place, one for each look; ...
    ASKS_RARER = 8,         // ... then one for so many, which disturbs those that work less
    SLEEP_FIRST_NS = 10000, // then twice as long each time, ...
    SLEEP_MOST_NS = 200000, // ... up to this
};

// Nothing is left at this place.
static void end_here(struct tw_collection *c)
{
    if (tw_places() > 1)
        twi_far_idle(c);
    else if (tw_future_claim(&c->over) == 0)
        tw_future_set(&c->over, 0);
}

static int rob(struct twi_seat *seat, struct twi_seat *victim)
{
    struct tw_collection *c = seat->collection;
    int is_last;
    uint32_t got = twi_active_rob(&c->active, &victim->queue, &seat->queue, &is_last);
    if (is_last)
        end_here(c);
    if (got)
        twi_ledger_move(victim, seat, got);
    seat->tally.stole += got != 0;
    seat->tally.stolen += got;
    return got != 0;
}

static int steal_near(struct twi_seat *seat)
{
    struct tw_collection *c = seat->collection;
    uint32_t first = twi_rng_below(&seat->rng, c->seats);
    for (uint32_t i = 0; i < c->seats; i++) {
        struct twi_seat *victim = &c->seat[(first + i) % c->seats];
        if (victim == seat)
            continue;
        seat->tally.attempted++;
        if (rob(seat, victim))
            return 1;
    }
    return 0;
}

// By the communication worker there and here: the seat is counted in when it has got something.
static int steal_far(struct twi_seat *seat, uint32_t turn)
{
    if (tw_places() == 1 || turn < LOOKS || (turn >= LOOKS + ASKS && turn % ASKS_RARER))
        return 0;
    seat->tally.attempted++;
    uint32_t got = twi_far_steal(seat);
    seat->tally.stole += got != 0;
    seat->tally.stolen += got;
    return got != 0;
}

// 0: it was cancelled.
static int rest(struct tw_collection *c, uint32_t turn)
{
    if (turn < LOOKS) {
        twi_relax();
        return 1;
    }
    uint32_t doubled = turn - LOOKS < 8 ? turn - LOOKS : 8;
    uint64_t sleep_ns = (uint64_t)SLEEP_FIRST_NS << doubled;
    if (sleep_ns > SLEEP_MOST_NS)
        sleep_ns = SLEEP_MOST_NS;
    return tw_future_wait_until(&c->over, twi_now_ns() + sleep_ns) != TW_ECANCELED;
}

int twi_seat_search(struct twi_seat *seat)
{
    struct tw_collection *c = seat->collection;
    if (TWI_LOAD(&seat->has_come, TWI_RELAXED)) { // relaxed: seen by the next take, or later
        twi_relax();
        return 1; // no room yet
    }
    if (twi_active_leave(&c->active))
        end_here(c);
    if (!c->is_stealing) {
        (void)tw_future_wait(&c->over);
        return 0;
    }
    uint64_t begun_ns = twi_now_ns();
    for (uint32_t turn = 0; !tw_future_ready(&c->over); turn++) {
        if (steal_near(seat) || steal_far(seat, turn)) {
            seat->tally.stealing_ns += twi_now_ns() - begun_ns;
            return 1;
        }
        if (!rest(c, turn))
            return 0;
    }
    return 0;
}
