// SPDX-License-Identifier: Apache-2.0
// See messages.h.
#include "messages.h"

#include <stdio.h>
#include <stdlib.h>

#define ACTORS_MOST 2147483647L

struct sim_traffic_shape twb_messages_read(const char *parameters)
{
    long places, actors;
    int length = 0;
    if (sscanf(parameters, "%ld:%ld%n", &places, &actors, &length) != 2 ||
        parameters[length] != '\0' || places < 1 || actors < 1 || places > ACTORS_MOST / actors) {
        fprintf(stderr, "serve: not places and actors at each: '%s'\n", parameters);
        exit(2);
    }
    return (struct sim_traffic_shape){(uint32_t)places, (uint32_t)actors};
}

void twb_messages_name(char *name, size_t room, const char *serve,
                       const struct sim_traffic_shape *shape)
{
    snprintf(name, room, "%s:%u:%u", serve, shape->places, shape->actors);
}

uint64_t twb_messages_sum(const struct sim_traffic_shape *shape, long rounds)
{
    return sim_traffic_sum(shape, 1, (uint32_t)rounds);
}
