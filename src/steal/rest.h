// SPDX-License-Identifier: Apache-2.0
// When a place that has nothing to do leaves others alone, where workers are more than processors;
// simulations of such machines use the same.
//
// What an idle worker would take from a neighbour runs as soon there, if processors are all in use;
// a steal would only cost both of them time. So it rests, and sees now and then whether it still is
// to. In each run a place first gets something, however busy all are.
//
// Who looks for tasks is as good as busy, or all who rest would look at once. If it has looked in
// vain for a while it only waits, perhaps for tasks that those who rest would have to get first,
// as lifelines do; another may look then.
#ifndef TWI_REST_H
#define TWI_REST_H

#include <stdint.h>

enum {
    // Who has rested for so long looks for something all the same: workers that seem to run may be
    // in calls that block, and their processors free.
    TWI_REST_MOST_NS = 100000000,
    TWI_REST_LOOK_NS = 16000000, // between two looks, and as long as one looks
};

// How busy the processors of a host are.
struct twi_bustle {
    unsigned processors;
    unsigned idle;   // workers of this place that have nothing to do ...
    unsigned here;   // ... and that run tasks
    unsigned others; // workers of its neighbours that run tasks or look for some
    int has_got;     // this place has got tasks in this run
};

// What a place remembers. Zeroed at first.
struct twi_rest {
    uint64_t resting_ns; // when idle workers began to rest; 0: not since tasks came
    uint64_t hungry_ns;  // when they began to look; 0: they do not
};

static inline int twi_rest_is_time_up(const struct twi_rest *rest, uint64_t now_ns)
{
    return rest->resting_ns && now_ns - rest->resting_ns >= TWI_REST_MOST_NS;
}

// Whether idle workers of the place rest, from now on.
static inline int twi_rest_look(struct twi_rest *rest, const struct twi_bustle *bustle,
                                uint64_t now_ns)
{
    int is_resting = bustle->idle > 0 && bustle->has_got && !twi_rest_is_time_up(rest, now_ns) &&
                     bustle->here + bustle->others >= bustle->processors;
    uint64_t now = now_ns ? now_ns : 1;
    if (is_resting && !rest->resting_ns)
        rest->resting_ns = now;
    if (!bustle->idle || is_resting)
        rest->hungry_ns = 0;
    else if (!rest->hungry_ns)
        rest->hungry_ns = now;
    return is_resting;
}

static inline int twi_rest_is_looking(const struct twi_rest *rest, uint64_t now_ns)
{
    return rest->hungry_ns && now_ns - rest->hungry_ns < TWI_REST_LOOK_NS;
}

// Whether it is to look again after TWI_REST_LOOK_NS.
static inline int twi_rest_looks_again(const struct twi_rest *rest, uint64_t now_ns)
{
    return rest->resting_ns || twi_rest_is_looking(rest, now_ns);
}

static inline void twi_rest_tasks_came(struct twi_rest *rest)
{
    rest->resting_ns = 0;
}

#endif
