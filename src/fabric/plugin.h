// SPDX-License-Identifier: Apache-2.0
// Between the library and an MPI plugin, which it loads when it runs (load.c): so libtwill needs no
// MPI, and one program runs with any. A plugin is mpi.c compiled against one MPI; it exports the
// table below under the name TWI_MPI_PLUGIN and nothing else.
#ifndef TWI_PLUGIN_H
#define TWI_PLUGIN_H

#include <twill/report.h>

#include "fabric/fabric.h"
#include "fabric/sharing.h"

#define TWI_MPI_PLUGIN "twi_mpi_plugin"

// What all places must give alike.
struct twi_mpi_settings {
    uint64_t spin_ns;      // a wait looks for so long before it sleeps: where processors are free
    uint64_t doze_most_ns; // of sleep between two looks, some times that when nothing has come for
                           // long; 0: 2 ms
    uint32_t host_places;  // so many share memory at most, 0: all of a host. For tests: the places
                           // of one host then behave as if they were on several.
};

// What became of them.
struct twi_mpi_facts {
    char mpi[64];        // its name and version
    const char *level;   // what it allows threads: "funneled", "serialized" ...
    int is_main_only;    // all calls but `wake` must come from the thread that opened
    int was_running;     // the program had initialised MPI
    uint32_t neighbours; // places whose loads and locks are in shared memory, this one included
    struct twi_sharing sharing; // of processors, with these
};

struct twi_mpi_plugin {
    const char *twill;                        // TW_VERSION: the contract is that of one version
    const char *name;                         // "openmpi" or "mpich"
    const struct tw_mpi_cure *cures;          // the last has no variable
    void (*version)(char *text, size_t size); // of the MPI itself, which need not run
    // Called at all places, in the same order; may block until all have. NULL: `message` says why
    // not. Starts MPI unless the program has; then it is finalised when the program ends.
    struct twi_fabric *(*open)(const struct twi_mpi_settings *settings, struct twi_mpi_facts *facts,
                               char *message, size_t size);
    // Called at all places; returns when all have. Packets that nobody took are dropped.
    void (*close)(struct twi_fabric *fabric);
    // The program has finalised MPI: nothing but `close` is left.
    int (*is_over)(struct twi_fabric *fabric);
};

#endif
