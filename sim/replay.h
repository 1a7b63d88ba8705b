// SPDX-License-Identifier: Apache-2.0
// Replays a recording (src/steal/host_record.h): the events of one place are told to the same
// policy and detector once more, and what they do is compared with what they did.
#ifndef SIM_REPLAY_H
#define SIM_REPLAY_H

#include <stddef.h>
#include <stdint.h>

enum sim_replay_end {
    SIM_REPLAY_SAME,
    SIM_REPLAY_DIFFERS,
    SIM_REPLAY_UNREADABLE, // no recording, or a damaged one
};

struct sim_replay {
    uint32_t place, places;
    uint64_t events;  // that were told
    uint64_t actions; // that were compared
    const char *policy, *detector;
    char message[1024]; // unless all is the same: what is wrong, without the name of the file
};

enum sim_replay_end sim_replay(const char *path, struct sim_replay *replay);

#endif
