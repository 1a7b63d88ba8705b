// SPDX-License-Identifier: Apache-2.0
// See yield.h.
#include "yield.h"

#include <dlfcn.h>
#include <stdbool.h>
#include <stdlib.h>
#include <string.h>

void twi_yield_when_idle(int on)
{
    static bool is_known, is_ours;
    static bool (*set)(bool);
    if (!is_known) {
        void *found = dlsym(RTLD_DEFAULT, "opal_progress_set_yield_when_idle");
        memcpy(&set, &found, sizeof found);
        is_ours = found && !getenv("OMPI_MCA_mpi_yield_when_idle");
        is_known = true;
    }
    if (is_ours)
        set(on);
}
