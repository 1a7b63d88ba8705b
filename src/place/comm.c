// SPDX-License-Identifier: Apache-2.0
// See comm.h.
#include "place/comm.h"

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
    int dedicated = is_dedicated(comm, own, wanted);
    unsigned fit = dedicated && own > 1 ? own - 1 : own;
    return (struct twi_division){.workers = wanted ? wanted : fit,
                                 .spin_ns =
                                     dedicated && places <= processors ? TWI_COMM_SPIN_NS : 0};
}

int twi_is_crowded(const struct tw_machine *machine, unsigned places, unsigned workers)
{
    int is_bound = machine->allowed != machine->online;
    return !is_bound && places * workers > machine->workers;
}

void twi_place_divide(struct twi_place *place, struct tw_options *options)
{
    struct tw_machine machine;
    tw_machine_describe(&machine);
    unsigned places = place->neighbours ? place->neighbours : 1;
    struct twi_division division =
        twi_divide(options->comm, machine.workers, places, options->workers);
    options->workers = division.workers;
    twi_bind_from(place->before * division.workers);
    place->spin_ns = division.spin_ns;
    place->processors = machine.workers;
    place->is_crowded = twi_is_crowded(&machine, places, division.workers);
    place->crowd = places * division.workers / machine.workers;
    if (place->crowd > 1 && options->spin_ns > CROWDED_SPIN_NS)
        options->spin_ns = CROWDED_SPIN_NS;
    if (place->crowd == 0)
        place->crowd = 1;
}
