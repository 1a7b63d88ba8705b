// SPDX-License-Identifier: Apache-2.0
// The MPIs that there are plugins for, for who wants to know without starting one.
#include <stdio.h>

#include <twill/report.h>

#include "fabric/load.h"

int tw_mpi_describe(struct tw_mpi *mpi, const char *name)
{
    *mpi = (struct tw_mpi){.name = name};
    const struct twi_mpi_plugin *plugin = twi_mpi_look(name, mpi->message, sizeof mpi->message);
    if (!plugin)
        return TW_ENOENT;
    mpi->cures = plugin->cures;
    plugin->version(mpi->version, sizeof mpi->version);
    return 0;
}
