// SPDX-License-Identifier: Apache-2.0
// Places that share processors, where the workers of a host are more than these. One that has
// nothing rests while others use all of them (steal/rest.h). It looks again now and then, and
// who runs dry later sees for itself that a processor is free.
#include "base/os.h"
#include "place/place.h"
#include "steal/rest.h"

static void tell(struct twi_place *place, uint32_t active)
{
    place->fabric->calls->tell_active(place->fabric, active);
}

uint32_t twi_crowd_hungry(struct twi_place *place, uint32_t idle)
{
    if (!place->is_crowded)
        return idle;
    uint64_t now_ns = idle > 0 ? twi_now_ns() : 0;
    struct twi_bustle bustle = {
        .processors = place->processors,
        .idle = idle,
        .here = place->pool->count - idle,
        .others = place->fabric->calls->others_active(place->fabric),
        .has_got = twi_host_counts(place->host)->tasks_got > 0,
    };
    int is_resting = twi_rest_look(&place->rest, &bustle, now_ns);
    tell(place, bustle.here + (uint32_t)twi_rest_is_looking(&place->rest, now_ns));
    return is_resting ? 0 : idle;
}

void twi_crowd_busy(struct twi_place *place, const struct twi_pool *pool)
{
    if (place->is_crowded)
        tell(place, pool->count - twi_place_idle(pool));
}
