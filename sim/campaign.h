// SPDX-License-Identifier: Apache-2.0
// Campaigns: many random simulations, each watched by checkers; what fails is made small.
#ifndef SIM_CAMPAIGN_H
#define SIM_CAMPAIGN_H

#include "sim/check.h"
#include "sim/scenario.h"

// Runs one scenario. 0: nothing was wrong; 1: it was, and `trouble` says what; -1: no memory, or
// stopped.
int sim_scenario_run(const struct sim_scenario *scenario, const int *stop,
                     char trouble[SIM_TROUBLE_MOST], struct sim_result *result);

// Changes a scenario that fails to the simplest that was found to fail, too.
void sim_scenario_minimise(struct sim_scenario *scenario, char trouble[SIM_TROUBLE_MOST]);

struct tw_options;

struct sim_campaign {
    uint64_t first, count; // seeds
    const char *change;    // of every scenario, as sim_scenario_change reads it; may be NULL
    const int *stop;
    // One call at a time, after every few scenarios. May be NULL.
    void (*progress)(void *self, uint64_t done, uint64_t count);
    void *self;
    // Results.
    uint64_t done;
    uint64_t events, tasks;
    int failed; // 1: the one below is the first that was found
    struct sim_scenario scenario;
    char trouble[SIM_TROUBLE_MOST];
};

// 0, or a TW_E... code. Ends early at a failure.
int sim_campaign_run(struct sim_campaign *campaign, const struct tw_options *options);

#endif
