// SPDX-License-Identifier: Apache-2.0
// See comm.h.
#include "place/comm.h"

#include "place/place.h"

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

void twi_place_divide(struct twi_place *place, struct tw_options *options)
{
    struct tw_machine machine;
    tw_machine_describe(&machine);
    struct twi_division division =
        twi_divide(options->comm, machine.workers, place->neighbours ? place->neighbours : 1,
                   options->workers);
    options->workers = division.workers;
    place->spin_ns = division.spin_ns;
}
