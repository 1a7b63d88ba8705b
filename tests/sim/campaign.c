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

int main(int argc, char **argv)
{
    struct sim_scenario scenario;
    struct sim_result result;
    char message[SIM_TROUBLE_MOST] = "two arguments are wanted";
    uint64_t events = 0, seeds = argc == 3 ? strtoull(argv[1], NULL, 10) : 0;
    for (uint64_t seed = 1; seed <= seeds; seed++) {
        sim_scenario_draw(&scenario, seed);
        scenario.events_most = EVENTS_MOST;
        if (sim_scenario_change(&scenario, argv[2], message, sizeof message) != 0) {
            seeds = 0;
            break;
        }
        if (sim_scenario_run(&scenario, NULL, message, &result) != 0) {
            printf("FAIL seed %" PRIu64 ": %s\n", seed, message);
            return EXIT_FAILURE;
        }
        events += result.events;
    }
    if (!seeds) {
        printf("%s\n", message);
        return EXIT_USAGE;
    }
    printf("ok   %" PRIu64 " seeds, %" PRIu64 " events\n", seeds, events);
    return EXIT_SUCCESS;
}
