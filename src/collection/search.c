// SPDX-License-Identifier: Apache-2.0
// What a seat does that has nothing: it looks at the others of its place, one after the other from
// a random one on, and sleeps in between, longer and longer, until it is told that all is over.
#include "collection/collection.h"

#include "base/os.h"

enum {
    LOOKS = 64,             // before it sleeps for the first time
    SLEEP_FIRST_NS = 10000, // then twice as long each time, ...
    SLEEP_MOST_NS = 200000, // ... up to this
};

void twi_seat_leave(struct tw_collection *c)
{
    if (TWI_FETCH_SUB(&c->active, 1u, TWI_ACQ_REL) == 1 && // [SQ3]
        tw_future_claim(&c->over) == 0)
        tw_future_set(&c->over, 0);
}

// Counted in meanwhile, since what it takes is in no queue.
static int rob(struct twi_seat *seat, struct twi_seat *victim)
{
    struct tw_collection *c = seat->collection;
    TWI_FETCH_ADD(&c->active, 1u, TWI_ACQ_REL); // [SQ3]
    uint32_t got = twi_split_rob(&victim->queue, &seat->queue, UINT32_MAX);
    if (!got) {
        twi_seat_leave(c);
        return 0;
    }
    seat->tally.stole++;
    seat->tally.stolen += got;
    return 1;
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
        if (twi_split_shared(&victim->queue) && rob(seat, victim))
            return 1;
    }
    return 0;
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
    twi_seat_leave(c);
    for (uint32_t turn = 0; !tw_future_ready(&c->over); turn++) {
        if (c->options.balance != TW_BALANCE_NONE && steal_near(seat))
            return 1;
        if (!rest(c, turn))
            return 0;
    }
    return 0;
}
