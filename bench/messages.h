// SPDX-License-Identifier: Apache-2.0
// The cases of the suite sim that are served by Twill's simulator and by others: actors that send
// each other numbers in rounds (sim/partners.h).
//
//     messages:<places>:<actors at each>, its size is the rounds
//
// A run makes the places and actors, goes round 0, which is not measured, then measures its rounds
// by the real clock, and ends the simulation. It answers with the sum of the numbers received while
// it measured.
#ifndef TWB_MESSAGES_H
#define TWB_MESSAGES_H

#include <stddef.h>
#include <stdint.h>

#include "sim/partners.h"

#ifdef __cplusplus
extern "C" {
#endif

// By the parameters of a case's name. Other words end the process.
struct sim_traffic_shape twb_messages_read(const char *parameters);
// The name of a case with its parameters.
void twb_messages_name(char *name, size_t room, const char *serve,
                       const struct sim_traffic_shape *shape);
// What a run answers.
uint64_t twb_messages_sum(const struct sim_traffic_shape *shape, long rounds);

#ifdef __cplusplus
}
#endif
#endif
