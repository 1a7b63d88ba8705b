// SPDX-License-Identifier: Apache-2.0
// A few places in one test, each with a steal policy: what is sent arrives in order between two
// places, and otherwise in any order; answers of reads, locks and gifts, timers and work likewise.
// There is no time. Each seed is another order. Every action is checked as it is carried out.
#ifndef STEAL_NETWORK_H
#define STEAL_NETWORK_H

#include <stdbool.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "steal/policies.h"
#include "support.h"

enum { NET_PLACES = 8, NET_LINE = 256, NET_ANSWERS = 64, NET_WORKERS = 3 };

// Messages and tasks from one place to another.
struct net_line {
    uint32_t count;
    struct twi_event items[NET_LINE];
};

struct net_place {
    void *state;
    uint32_t load, running, high, low;
    uint32_t answers;
    struct twi_event answer[NET_ANSWERS];
    bool is_hungry, has_timer;
    uint32_t lock;                 // who holds it, or TWI_NO_PLACE
    uint32_t gifts_to[NET_PLACES]; // under way
};

struct net {
    const struct twi_machine *machine;
    struct twi_rng rng;
    uint64_t seed, now_ns;
    uint32_t places, budget; // tasks that may still be spawned
    uint32_t in_flight;      // tasks
    uint64_t lost;           // requests of a phase that was left
    uint32_t hungry[NET_PLACES];
    struct net_place place[NET_PLACES];
    struct net_line line[NET_PLACES][NET_PLACES]; // from, to
    bool open[NET_PLACES][NET_PLACES];            // the one asked the other, and got no answer
    uint32_t answered[NET_PLACES][NET_PLACES];    // but it is on its way
    bool never_denies;
};

#define NET_CHECK(net, is_so, what)                                                                \
    do {                                                                                           \
        if (!(is_so))                                                                              \
            fail_msg("%s, seed %llu: %s", (net)->machine->name, (unsigned long long)(net)->seed,   \
                     (what));                                                                      \
    } while (0)

static inline uint32_t net_below(struct net *net, uint32_t n)
{
    return twi_rng_below(&net->rng, n);
}

static inline uint32_t net_idle(const struct net_place *place)
{
    return NET_WORKERS - place->running;
}

static inline void net_push(struct net *net, uint32_t from, uint32_t to, struct twi_event event)
{
    struct net_line *line = &net->line[from][to];
    NET_CHECK(net, line->count < NET_LINE, "too many messages between two places");
    event.peer = from;
    line->items[line->count++] = event;
}

static inline void net_answer(struct net *net, uint32_t at, struct twi_event event)
{
    struct net_place *place = &net->place[at];
    NET_CHECK(net, place->answers < NET_ANSWERS, "too many answers awaited");
    place->answer[place->answers++] = event;
}

// Keeps the account of requests as seen from outside.
static inline void net_send(struct net *net, uint32_t me, const struct twi_action *action)
{
    uint32_t peer = action->peer;
    NET_CHECK(net, net->machine->message_name(action->message), "a message without a name");
    if (action->message == TWI_REQUEST) {
        NET_CHECK(net, !net->open[me][peer], "asks again before the answer");
        net->open[me][peer] = true;
    } else if (action->message == TWI_REFUSED) {
        NET_CHECK(net, net->answered[peer][me]++ == 0, "answers twice");
    }
    net_push(net, me, peer,
             (struct twi_event){
                 .kind = TWI_ON_MESSAGE, .message = action->message, .word = action->word});
}

static inline void net_give(struct net *net, uint32_t me, const struct twi_action *action)
{
    struct net_place *place = &net->place[me];
    uint32_t peer = action->peer, most = action->count < place->load ? action->count : place->load;
    NET_CHECK(net, action->count > 0, "gives nothing");
    NET_CHECK(net, net->open[peer][me], "gives to one who did not ask");
    NET_CHECK(net, !net->never_denies || place->gifts_to[peer] == 0, "gives twice at a time");
    if (net_below(net, 8) == 0) // the workers were quicker
        most = 0;
    place->gifts_to[peer]++;
    if (most > 0) {
        place->load -= most;
        net->in_flight += most;
        NET_CHECK(net, net->answered[peer][me]++ == 0, "answers twice");
        net_push(net, me, peer,
                 (struct twi_event){.kind = TWI_ON_TASKS, .count = most, .word = action->word});
    }
    net_answer(net, me, (struct twi_event){.kind = TWI_ON_GAVE, .peer = peer, .count = most});
}

static inline void net_act(struct net *net, uint32_t me, const struct twi_action *action)
{
    struct net_place *place = &net->place[me], *peer = &net->place[action->peer % NET_PLACES];
    switch (action->kind) {
    case TWI_DO_SEND:
        net_send(net, me, action);
        break;
    case TWI_DO_GIVE:
        net_give(net, me, action);
        break;
    case TWI_DO_READ:
        net_answer(net, me, (struct twi_event){.kind = TWI_ON_READ, .peer = action->peer});
        break;
    case TWI_DO_LOCK:
        net_answer(net, me,
                   (struct twi_event){.kind = TWI_ON_LOCK,
                                      .peer = action->peer,
                                      .count = peer->lock == TWI_NO_PLACE});
        if (peer->lock == TWI_NO_PLACE)
            peer->lock = me;
        break;
    case TWI_DO_UNLOCK:
        NET_CHECK(net, peer->lock == me, "unlocks what it does not hold");
        peer->lock = TWI_NO_PLACE;
        break;
    case TWI_DO_TIMER:
        place->has_timer = action->word != 0;
        break;
    case TWI_DO_WATCH:
        place->high = action->count;
        break;
    case TWI_DO_WATCH_LOW:
        place->low = action->count;
        break;
    case TWI_DO_FINISH:
        NET_CHECK(net, false, "a policy ends a phase");
        break;
    }
}

static inline void net_feed(struct net *net, uint32_t me, struct twi_event event)
{
    struct net_place *place = &net->place[me];
    struct twi_actions actions = {.count = 0};
    event.now_ns = net->now_ns;
    event.load = place->load;
    event.idle = net_idle(place);
    net->machine->step(place->state, &event, &actions);
    NET_CHECK(net, actions.count <= TWI_ACTIONS_MOST, "too many actions");
    for (uint32_t i = 0; i < actions.count; i++) {
        enum twi_do kind = actions.list[i].kind;
        bool has_peer = kind <= TWI_DO_GIVE;
        NET_CHECK(net,
                  !has_peer || (actions.list[i].peer < net->places && actions.list[i].peer != me),
                  "a peer that is none");
        net_act(net, me, &actions.list[i]);
    }
}

static inline void net_start(struct net *net, uint64_t seed, const struct twi_machine *machine)
{
    memset(net, 0, sizeof *net);
    net->machine = machine;
    net->seed = seed;
    net->rng.counter = seed;
    net->places = 2 + net_below(net, NET_PLACES - 1);
    net->never_denies = machine == &twi_policy_success_only ||
                        machine == &twi_policy_success_only_acyclic ||
                        machine == &twi_policy_adaptive;
    for (uint32_t i = 0; i < net->places; i++) {
        net->hungry[i] = 1 + net_below(net, NET_WORKERS);
        struct twi_rules rules = {.place = i,
                                  .places = net->places,
                                  .workers = NET_WORKERS,
                                  .threshold = net_below(net, 3),
                                  .batch = 1 + net_below(net, 4),
                                  .hungry = net->hungry[i],
                                  .tries = net_below(net, 3),
                                  .near = net_below(net, 4),
                                  .order = net_below(net, 3),
                                  .backoff_ns = 100,
                                  .backoff_most_ns = 1000,
                                  .seed = seed + i};
        net->place[i].state = calloc(1, machine->size(&rules));
        machine->start(net->place[i].state, &rules);
    }
}

static inline void net_end(struct net *net)
{
    for (uint32_t i = 0; i < net->places; i++)
        free(net->place[i].state);
}

// A phase begins at all places: what was on its way is void.
static inline void net_phase(struct net *net, uint32_t budget)
{
    memset(net->line, 0, sizeof net->line);
    memset(net->open, 0, sizeof net->open);
    memset(net->answered, 0, sizeof net->answered);
    net->in_flight = 0;
    net->budget = budget;
    for (uint32_t i = 0; i < net->places; i++) {
        struct net_place *place = &net->place[i];
        place->answers = 0;
        place->lock = TWI_NO_PLACE;
        place->load = net_below(net, 3) == 0 ? net_below(net, 20) : 0;
        place->running = place->high = 0;
        place->low = UINT32_MAX;
        place->is_hungry = place->has_timer = false;
        memset(place->gifts_to, 0, sizeof place->gifts_to);
    }
    for (uint32_t i = 0; i < net->places; i++)
        net_feed(net, i, (struct twi_event){.kind = TWI_ON_START, .count = net->place[i].load > 0});
}

#endif
