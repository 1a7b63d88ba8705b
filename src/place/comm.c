// SPDX-License-Identifier: Apache-2.0
// See comm.h.
#include "place/comm.h"

#include "base/cpus.h"
#include "place/place.h"

// Where workers are more than processors, others can use the time in which one searches in vain.
enum { CROWDED_SPIN_NS = 5000 };

static int is_dedicated(enum tw_comm comm, unsigned own, unsigned wanted)
{
    switch (comm) {
    case TW_COMM_DEDICATED:
        return 1;
    case TW_COMM_SHARED:
        return 0;
    case TW_COMM_AUTO:
        break;
    }
    return own >= TWI_COMM_AUTO_LEAST && wanted < own;
}

// Who spins where places outnumber processors takes the time of those it waits for.
struct twi_division twi_divide(enum tw_comm comm, unsigned processors, unsigned places,
                               unsigned wanted)
{
    unsigned own = processors > places ? processors / places : 1;
    if (own > TW_WORKERS_MAX)
        own = TW_WORKERS_MAX;
    int dedicated = is_dedicated(comm, own, wanted);
    unsigned fit = dedicated && own > 1 ? own - 1 : own;
    return (struct twi_division){.workers = wanted ? wanted : fit,
                                 .spin_ns =
                                     dedicated && places <= processors ? TWI_COMM_SPIN_NS : 0};
}

// The control group is that of all places of the host, bound or not.
struct twi_common twi_common(const struct tw_machine *machine, unsigned neighbours,
                             const struct twi_sharing *sharing)
{
    struct twi_common common = {.processors = machine->allowed,
                                .places = sharing->sharers ? sharing->sharers : 1,
                                .is_alike = sharing->is_alike};
    unsigned most = machine->allowed * neighbours;
    unsigned granted = twi_cpus_grant(most, machine->quota);
    if ((uint64_t)granted * common.places < most) { // less for each
        common.processors = granted;
        common.places = neighbours;
    }
    return common;
}

int twi_is_crowded(const struct twi_common *common, unsigned workers)
{
    return common->is_alike && common->places * workers > common->processors;
}

void twi_place_divide(struct twi_place *place, struct tw_options *options)
{
    struct tw_machine machine;
    tw_machine_describe(&machine);
    struct twi_common common =
        twi_common(&machine, place->neighbours ? place->neighbours : 1, &place->shared);
    struct twi_division division =
        twi_divide(options->comm, common.processors, common.places, options->workers);
    options->workers = division.workers;
    twi_bind_from(place->shared.before * division.workers);
    place->spin_ns = division.spin_ns;
    place->processors = common.processors;
    place->is_crowded = twi_is_crowded(&common, division.workers);
    place->crowd = common.places * division.workers / common.processors;
    if (place->crowd > 1 && options->spin_ns > CROWDED_SPIN_NS)
        options->spin_ns = CROWDED_SPIN_NS;
    if (place->crowd == 0)
        place->crowd = 1;
}
