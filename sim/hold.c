// SPDX-License-Identifier: Apache-2.0
// See hold.h. All events are of one place, which has no network to speak to.
#include "sim/hold.h"

#include <stdlib.h>

#include "base/rng.h"
#include "fabric/sim.h"

enum { LATEST_NS = 10000 };

struct sim_hold {
    struct twi_sim *sim;
    struct twi_rng rng;
    uint64_t last_ns;
    uint64_t in_order;
};

static void make_event(struct sim_hold *hold, uint32_t what)
{
    uint64_t later = 1 + twi_rng_below(&hold->rng, LATEST_NS);
    twi_sim_at(hold->sim, twi_sim_now(hold->sim) + later, 0, what);
}

static void take_event(void *self, uint32_t place, uint32_t what)
{
    struct sim_hold *hold = self;
    uint64_t now = twi_sim_now(hold->sim);
    (void)place;
    hold->in_order += now >= hold->last_ns;
    hold->last_ns = now;
    make_event(hold, what);
}

struct sim_hold *sim_hold_create(uint32_t pending)
{
    struct sim_hold *hold = calloc(1, sizeof *hold);
    struct twi_sim_machine machine = {.name = "hold", .places = 1, .workers = 1, .dedicated = 1};
    struct twi_sim_trouble trouble = {0};
    struct twi_sim_client client = {.self = hold, .due = take_event};
    if (hold == NULL)
        return NULL;
    hold->sim = twi_sim_create(&machine, &trouble, &client);
    if (hold->sim == NULL) {
        free(hold);
        return NULL;
    }
    for (uint32_t i = 0; i < pending; i++)
        make_event(hold, i);
    return hold;
}

void sim_hold_destroy(struct sim_hold *hold)
{
    twi_sim_destroy(hold->sim);
    free(hold);
}

uint64_t sim_hold_run(struct sim_hold *hold, uint64_t events)
{
    hold->in_order = 0;
    while (events-- > 0 && twi_sim_step(hold->sim))
        ;
    return hold->in_order;
}
