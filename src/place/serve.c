// SPDX-License-Identifier: Apache-2.0
// The communication worker of a place: its loop, and how long it sleeps.
#include "base/os.h"
#include "place/pieces.h"

// Between two looks of the communication worker.
enum {
    PAUSE_FIRST_NS = 50000,    // twice as long each time that nothing came, ...
    PAUSE_BUSY_NS = 1000000,   // ... up to this: workers have tasks that others are to see
    PAUSE_IDLE_NS = 100000000, // they have none: it is woken for all else
};

// Of a communication worker that spins.
struct watch {
    uint64_t quiet_ns; // since when nothing has come
    uint64_t stir_ns;  // when owners are to be asked again: they need time to come by
};

// Returns whether it was woken.
static int pause_for(struct twi_place *place)
{
    uint64_t pause = PAUSE_IDLE_NS;
    if (place->pool && twi_place_is_busy(place)) {
        pause = place->pause_ns;
        place->pause_ns = pause < PAUSE_BUSY_NS / 2 ? 2 * pause : PAUSE_BUSY_NS;
    }
    uint64_t until = twi_now_ns() + pause;
    place->fabric->calls->wait(place->fabric, until);
    return place->spin_ns && twi_now_ns() < until;
}

static void look_around(struct twi_place *place, struct watch *watch, uint64_t now)
{
    if (!place->spin_ns || now >= watch->stir_ns) {
        twi_place_stir(place);
        watch->stir_ns = now + PAUSE_FIRST_NS;
    }
    twi_pieces_heed(place);
    twi_host_look(place->host);
}

void twi_place_serve(struct twi_place *place, int (*is_over)(struct twi_place *place))
{
    uint64_t now = twi_now_ns();
    struct watch watch = {.quiet_ns = now};
    place->pause_ns = PAUSE_FIRST_NS;
    for (;;) {
        unsigned did = place->pool ? twi_place_deliver(place) : 0; // they belong to the run
        did += place->fabric->calls->progress(place->fabric);
        if (place->spin_ns)
            now = twi_now_ns();
        if (place->pool)
            look_around(place, &watch, now);
        if (is_over(place))
            return;
        if (did) {
            place->pause_ns = PAUSE_FIRST_NS;
            watch.quiet_ns = now;
        } else if (now - watch.quiet_ns < place->spin_ns) {
            twi_relax();
        } else if (pause_for(place)) {
            watch.quiet_ns = twi_now_ns();
        }
    }
}
