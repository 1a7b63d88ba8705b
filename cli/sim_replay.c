// SPDX-License-Identifier: Apache-2.0
// `twill sim replay`: recorded runs, told to their policies again.
#include "sim/replay.h"

#include <string.h>

#include "cli/sim.h"

static const char usage[] = "twill sim replay FILE ...\n"
                            "tells the policies of recorded places (--record) the same events "
                            "again, and compares what they do\n";

// A recording of fewer places leaves files of an older one beside its own: `steals.*` has both.
static void note_another_run(const char *file, const struct sim_replay *replay,
                             const struct sim_replay *first)
{
    if (first->policy &&
        (replay->places != first->places || strcmp(replay->policy, first->policy) != 0 ||
         strcmp(replay->detector, first->detector) != 0))
        fprintf(stderr, "twill sim replay: note: %s is of another run than the first file\n", file);
}

int sim_replay_main(int argc, char **argv)
{
    char number[NUMBER_MAX];
    struct sim_replay first = {.policy = NULL};
    uint64_t events = 0;
    int failed = 0;
    if (argc > 0 && (strcmp(argv[0], "--help") == 0 || strcmp(argv[0], "-h") == 0)) {
        printf("%s", usage);
        return EXIT_DONE;
    }
    if (argc == 0 || argv[0][0] == '-') {
        fprintf(stderr, "twill sim replay: give the files of a recording: FILE.0 FILE.1 ...\n");
        return EXIT_USAGE;
    }
    for (int i = 0; i < argc; i++) {
        struct sim_replay replay;
        enum sim_replay_end end = sim_replay(argv[i], &replay);
        if (end != SIM_REPLAY_SAME) {
            fprintf(stderr, "twill sim replay: %s %s\n", argv[i], replay.message);
            failed = 1;
            continue;
        }
        printf("%s: place %u of %u, %s, %s: %s events\n", argv[i], replay.place, replay.places,
               replay.policy, replay.detector, text_number(number, replay.events));
        note_another_run(argv[i], &replay, &first);
        if (!first.policy)
            first = replay;
        events += replay.events;
    }
    if (failed)
        return EXIT_FAILED;
    printf("all %s events of %d place%s: every action is the same\n", text_number(number, events),
           argc, argc == 1 ? "" : "s");
    return EXIT_DONE;
}
