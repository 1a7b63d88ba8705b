// SPDX-License-Identifier: Apache-2.0
// Which fabric this program has: that of one place, or MPI by a plugin that is loaded now.
#ifndef TWI_LOAD_H
#define TWI_LOAD_H

#include "fabric/plugin.h"

struct twi_loaded {
    struct twi_fabric *fabric;
    const struct twi_mpi_plugin *plugin; // NULL: one place, without MPI
    struct twi_mpi_facts facts;
};

// Which plugin is to be loaded: "openmpi", "mpich" or the path of one; NULL: none is needed.
// `asked` is the value of the setting `mpi`: "auto", "off" or one of these. What counts is, in this
// order: a path; an MPI that the program has loaded; what was asked; the launcher.
const char *twi_mpi_chosen(const char *asked);

// Loads it, once; later calls return the same. NULL: `message` names what was tried.
const struct twi_mpi_plugin *twi_mpi_find(const char *chosen, char *message, size_t size);
// The same for a look only: MPIs that are looked at do not see each other, nor do programs.
const struct twi_mpi_plugin *twi_mpi_look(const char *chosen, char *message, size_t size);

// Opens the fabric at this place. 0, or TW_E... with a message. From the thread that is to be the
// communication worker, when facts.is_main_only.
int twi_fabric_load(struct twi_loaded *loaded, const char *asked,
                    const struct twi_mpi_settings *settings, char *message, size_t size);
// Returns when all places have called it. The plugin stays.
void twi_fabric_unload(struct twi_loaded *loaded);

#endif
