// SPDX-License-Identifier: Apache-2.0
// See sweep.h.
#include "sim/sweep.h"

#include <stdlib.h>

#include <twill/twill.h>

struct sweeping {
    struct sim_sweep *sweep;
    struct tw_mutex lock;
    size_t done;   // under the lock
    int no_memory; // under the lock
};

TW_TASK(simulate, {
    struct sweeping *sweeping;
    size_t number;
})
{
    struct sim_sweep *sweep = self.sweeping->sweep;
    struct sim_result *result = &sweep->results[self.number];
    const struct sim_options *options = &sweep->options[self.number];
    if (options->stop && TWI_LOAD(options->stop, TWI_RELAXED)) { // hint
        *result = (struct sim_result){.end = SIM_STOPPED};
        return;
    }
    int failed = sim_run(options, result) != 0;
    tw_mutex_lock(&self.sweeping->lock);
    self.sweeping->no_memory |= failed;
    if (!failed && result->end != SIM_STOPPED && sweep->progress)
        sweep->progress(sweep->self, ++self.sweeping->done, sweep->count);
    tw_mutex_unlock(&self.sweeping->lock);
}

// In the order of the list: the first results come first, should it be stopped.
TW_TASK(simulate_all, { struct sweeping *sweeping; })
{
    size_t count = self.sweeping->sweep->count;
    tw_finish {
        for (size_t i = count; i-- > 0;)
            tw_async(simulate, .sweeping = self.sweeping, .number = i);
    }
}

int sim_sweep_run(struct sim_sweep *sweep, const struct tw_options *options)
{
    struct sweeping sweeping = {.sweep = sweep};
    sweep->results = calloc(sweep->count ? sweep->count : 1, sizeof *sweep->results);
    if (!sweep->results)
        return TW_ENOMEM;
    int error = tw_run_with(options, simulate_all, .sweeping = &sweeping);
    return error ? error : sweeping.no_memory ? TW_ENOMEM : 0;
}

void sim_sweep_free(struct sim_sweep *sweep)
{
    for (size_t i = 0; sweep->results && i < sweep->count; i++)
        free(sweep->results[i].place);
    free(sweep->results);
}
