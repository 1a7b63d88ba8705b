// SPDX-License-Identifier: Apache-2.0
// See far.h: waves over the tree of places. A place joins when it has nothing, so a wave takes as
// long as the slowest; between two waves nobody waits.
//
//  [SQ5] is_stopped: a hint for seats that have more to do, with nothing behind it.
#include "collection/mail.h"

#include <string.h>

#include "collection/active.h"
#include "steal/tree.h"

static struct twi_tree tree_of(const struct twi_place *place)
{
    return twi_tree_of(place->fabric->place, place->fabric->places);
}

static void begin_wave(struct twi_far *far)
{
    far->has_joined = 0;
    far->came = 0;
    far->below = (struct twi_traffic){0, 0};
}

void twi_wave_begin(struct tw_collection *c)
{
    begin_wave(&c->far);
    c->far.received = UINT64_MAX;
}

// At the root: nothing was on its way when the wave before was over, nor since.
static void decide(struct twi_place *place, struct tw_collection *c)
{
    struct twi_far *far = &c->far;
    struct twi_traffic all = {far->traffic.sent + far->below.sent,
                              far->traffic.received + far->below.received};
    int is_over = all.sent == all.received && all.sent == far->received;
    far->received = all.received;
    twi_wave_verdict(place, c, is_over ? TWI_FAR_OVER : TWI_FAR_AGAIN);
}

void twi_wave_join(struct twi_place *place, struct tw_collection *c)
{
    struct twi_far *far = &c->far;
    struct twi_tree tree = tree_of(place);
    if (far->has_joined || far->came < tree.children || !twi_active_none(&c->active))
        return;
    far->has_joined = 1;
    twi_far_send_notes(place, c);
    if (tree.parent == TWI_NO_PLACE) {
        decide(place, c);
        return;
    }
    struct twi_traffic all = {far->traffic.sent + far->below.sent,
                              far->traffic.received + far->below.received};
    twi_far_send(place, tree.parent, twi_far_word(c, TWI_FAR_UP, 0), &all, sizeof all);
}

void twi_wave_come(struct twi_place *place, struct tw_collection *c, const void *bytes)
{
    struct twi_traffic all;
    memcpy(&all, bytes, sizeof all);
    c->far.came++;
    c->far.below.sent += all.sent;
    c->far.below.received += all.received;
    twi_wave_join(place, c);
}

static void end(struct tw_collection *c)
{
    if (tw_future_claim(&c->over) == 0)
        tw_future_set(&c->over, 0);
}

void twi_wave_verdict(struct twi_place *place, struct tw_collection *c, enum twi_far_kind kind)
{
    struct twi_tree tree = tree_of(place);
    if (TWI_LOAD(&c->is_stopped, TWI_RELAXED)) // relaxed: with the turn held
        return;
    for (uint32_t i = 0; i < tree.children; i++)
        twi_far_send(place, tree.first + i, twi_far_word(c, kind, 0), NULL, 0);
    if (kind == TWI_FAR_AGAIN) {
        begin_wave(&c->far);
        twi_wave_join(place, c);
        return;
    }
    if (kind == TWI_FAR_STOP)
        TWI_STORE(&c->is_stopped, 1u, TWI_RELAXED); // [SQ5]
    end(c);
}

void twi_wave_stop(struct twi_place *place, struct tw_collection *c)
{
    if (tree_of(place).parent == TWI_NO_PLACE)
        twi_wave_verdict(place, c, TWI_FAR_STOP);
    else
        twi_far_send(place, 0, twi_far_word(c, TWI_FAR_STOP, 0), NULL, 0);
}
