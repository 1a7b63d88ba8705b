// SPDX-License-Identifier: Apache-2.0
// See campaign.h.
#include "sim/campaign.h"

#include <stdlib.h>
#include <string.h>

#include <twill/twill.h>

#include "sim/works.h"

enum {
    MINIMISE_MOST = 400, // runs
    CHUNK = 16,          // scenarios of a task
};

int sim_scenario_run(const struct sim_scenario *scenario, const int *stop,
                     char trouble[SIM_TROUBLE_MOST], struct sim_result *result)
{
    struct sim_options options;
    struct sim_checks checks;
    struct sim_work *work = sim_scenario_build(scenario, &options);
    if (!work)
        return -1;
    options.stop = stop;
    options.checks = &checks;
    int failed = -1;
    if (sim_checks_init(&checks, &options) == 0 && sim_run(&options, result) == 0) {
        failed = result->end == SIM_STOPPED || result->end == SIM_NO_MEMORY
                     ? -1
                     : checks.trouble[0] != 0;
        memcpy(trouble, checks.trouble, SIM_TROUBLE_MOST);
        free(result->place);
        result->place = NULL;
    }
    sim_checks_destroy(&checks, &options);
    work->destroy(work);
    return failed;
}

// ---- making small ----

static int still_fails(const struct sim_scenario *scenario, char trouble[SIM_TROUBLE_MOST],
                       int *runs_left)
{
    char new_trouble[SIM_TROUBLE_MOST];
    struct sim_result result;
    if (--*runs_left < 0 || sim_scenario_run(scenario, NULL, new_trouble, &result) != 1)
        return 0;
    memcpy(trouble, new_trouble, SIM_TROUBLE_MOST);
    return 1;
}

// Tries the simplest value of a knob, then what is half way to it.
static int simplify(struct sim_scenario *scenario, enum sim_knob knob,
                    char trouble[SIM_TROUBLE_MOST], int *runs_left)
{
    uint64_t least = sim_knob_least(knob), now = scenario->knob[knob];
    uint64_t tries[] = {least, least + (now - least) / 2, now - 1};
    for (size_t i = 0; now > least && i < sizeof tries / sizeof *tries; i++) {
        scenario->knob[knob] = tries[i];
        if (tries[i] != now && still_fails(scenario, trouble, runs_left))
            return 1;
    }
    scenario->knob[knob] = now;
    return 0;
}

void sim_scenario_minimise(struct sim_scenario *scenario, char trouble[SIM_TROUBLE_MOST])
{
    int runs_left = MINIMISE_MOST, changed = 1;
    while (changed && runs_left > 0) {
        changed = 0;
        for (int knob = SIM_KNOB_PLACES; knob < SIM_KNOBS; knob++)
            changed |= simplify(scenario, (enum sim_knob)knob, trouble, &runs_left);
    }
}

// ---- many ----

struct running {
    struct sim_campaign *campaign;
    struct tw_mutex lock; // of the campaign's results
};

static void note(struct running *running, const struct sim_scenario *scenario, int failed,
                 const char *trouble, const struct sim_result *result)
{
    struct sim_campaign *campaign = running->campaign;
    tw_mutex_lock(&running->lock);
    campaign->done++;
    campaign->events += result->events;
    campaign->tasks += result->answer.tasks;
    if (failed && !campaign->failed) {
        campaign->failed = 1;
        campaign->scenario = *scenario;
        memcpy(campaign->trouble, trouble, SIM_TROUBLE_MOST);
    }
    if (campaign->progress && campaign->done % CHUNK == 0)
        campaign->progress(campaign->self, campaign->done, campaign->count);
    tw_mutex_unlock(&running->lock);
}

static int is_over(struct running *running)
{
    struct sim_campaign *campaign = running->campaign;
    tw_mutex_lock(&running->lock);
    int over =
        campaign->failed || (campaign->stop && TWI_LOAD(campaign->stop, TWI_RELAXED)); // hint
    tw_mutex_unlock(&running->lock);
    return over;
}

static void run_seed(struct running *running, uint64_t seed)
{
    struct sim_campaign *campaign = running->campaign;
    struct sim_scenario scenario;
    char trouble[SIM_TROUBLE_MOST], message[256];
    struct sim_result result;
    sim_scenario_draw(&scenario, seed);
    if (campaign->change)
        (void)sim_scenario_change(&scenario, campaign->change, message, sizeof message);
    int failed = sim_scenario_run(&scenario, campaign->stop, trouble, &result);
    if (failed >= 0)
        note(running, &scenario, failed, trouble, &result);
}

TW_TASK(run_seeds, {
    struct running *running;
    uint64_t first, count;
})
{
    for (uint64_t i = 0; i < self.count && !is_over(self.running); i++)
        run_seed(self.running, self.first + i);
}

TW_TASK(run_all_seeds, { struct running *running; })
{
    struct sim_campaign *campaign = self.running->campaign;
    tw_finish {
        for (uint64_t i = 0; i < campaign->count; i += CHUNK) {
            uint64_t left = campaign->count - i;
            tw_async(run_seeds, .running = self.running, .first = campaign->first + i,
                     .count = left < CHUNK ? left : CHUNK);
        }
    }
}

int sim_campaign_run(struct sim_campaign *campaign, const struct tw_options *options)
{
    struct running running = {.campaign = campaign};
    return tw_run_with(options, run_all_seeds, .running = &running);
}
