// SPDX-License-Identifier: Apache-2.0
// A campaign in one thread, for mutants.sh: ends with 1 at the first seed that fails.
//
//   campaign SEEDS 'CHANGES'      as twill sim campaign --seeds SEEDS --with 'CHANGES'
#include <inttypes.h>
#include <stdlib.h>

#include "sim/campaign.h"

enum {
    EXIT_USAGE = 2,
    EVENTS_MOST = 1000000, // many mistakes show in runs without end
};

// 0, or what is wrong in `message`: 1: a failure, -1: it could not be run.
static int run_seed(uint64_t seed, const char *change, char message[SIM_TROUBLE_MOST],
                    uint64_t *events)
{
    struct sim_scenario scenario;
    struct sim_result result = {.events = 0};
    sim_scenario_draw(&scenario, seed);
    scenario.events_most = EVENTS_MOST;
    if (sim_scenario_change(&scenario, change, message, SIM_TROUBLE_MOST) != 0)
        return -1;
    int failed = sim_scenario_run(&scenario, NULL, message, &result);
    *events += result.events;
    return failed;
}

int main(int argc, char **argv)
{
    char message[SIM_TROUBLE_MOST] = "it cannot be run";
    uint64_t events = 0, seeds = argc == 3 ? strtoull(argv[1], NULL, 10) : 0;
    int failed = seeds ? 0 : -1;
    for (uint64_t seed = 1; !failed && seed <= seeds; seed++) {
        failed = run_seed(seed, argv[2], message, &events);
        if (failed > 0)
            printf("FAIL seed %" PRIu64 ": %s\n", seed, message);
    }
    if (failed < 0)
        printf("%s\n", message);
    if (!failed)
        printf("ok   %" PRIu64 " seeds, %" PRIu64 " events\n", seeds, events);
    return failed < 0 ? EXIT_USAGE : failed;
}
