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
        unsigned did = place->pool ? twi_place_deliver(place) : 0; // they belong to the run
        did += place->fabric->calls->progress(place->fabric);
        if (place->pool) {
            twi_place_stir(place);
            twi_pieces_heed(place);
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
