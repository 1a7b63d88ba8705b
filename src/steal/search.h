// SPDX-License-Identifier: Apache-2.0
// What the policies share: when a place searches, whom it looks at next, how long it pauses, and
// what is counted of that. It is the first member of a policy's state.
//
// A place is hungry from TWI_ON_HUNGRY to TWI_ON_FED. A search lasts until tasks come or the place
// is fed. If tasks came and the place stays hungry, the next search begins at once when there are
// more idle workers than tasks; else after a pause, unless the place is fed before.
//
// One timer serves both pauses: that one, and that of a search which found nobody.
#ifndef TWI_SEARCH_H
#define TWI_SEARCH_H

#include <stdbool.h>
#include <stdint.h>

#include "base/rng.h"
#include "steal/machine.h"

struct twi_search {
    struct twi_rules rules;
    struct twi_steal_stats stats;
    struct twi_rng rng;
    uint64_t pause_ns; // the next one
    uint32_t at;       // the place looked at last
    uint32_t row;      // places looked at in vain, one after the other
    uint32_t asked;    // in this search
    bool is_hungry;    // the place
    bool is_on;        // a search
    bool is_paused;    // a timer runs
};

// A phase begins: no search, nothing awaited. What was counted stays.
static inline void twi_search_forget(struct twi_search *search)
{
    search->pause_ns = search->rules.backoff_ns;
    search->at = search->rules.place;
    search->row = 0;
    search->asked = 0;
    search->is_hungry = false;
    search->is_on = false;
    search->is_paused = false;
}

static inline void twi_search_start(struct twi_search *search, const struct twi_rules *rules)
{
    search->rules = *rules;
    search->rng.counter = rules->seed;
    twi_search_forget(search);
}

static inline const struct twi_steal_stats *twi_search_stats(const void *state)
{
    const struct twi_search *search = state;
    return &search->stats;
}

// ---- when ----

static inline void twi_search_begin(struct twi_search *search)
{
    if (search->is_on || search->rules.places < 2)
        return;
    search->is_on = true;
    search->row = 0;
    search->asked = 0;
    search->pause_ns = search->rules.backoff_ns;
    search->stats.searches++;
}

static inline void twi_search_wait(struct twi_search *search, struct twi_actions *actions,
                                   uint64_t pause_ns)
{
    search->is_paused = true;
    twi_act(actions, (struct twi_action){.kind = TWI_DO_TIMER, .word = pause_ns ? pause_ns : 1});
}

static inline void twi_search_wait_no_more(struct twi_search *search, struct twi_actions *actions)
{
    if (search->is_paused)
        twi_act(actions, (struct twi_action){.kind = TWI_DO_TIMER});
    search->is_paused = false;
}

// Nobody was found: twice as long a pause as the last one.
static inline void twi_search_pause(struct twi_search *search, struct twi_actions *actions)
{
    uint64_t pause_ns = search->pause_ns, most_ns = search->rules.backoff_most_ns;
    search->stats.backoffs++;
    search->row = 0;
    search->pause_ns = pause_ns > most_ns / 2 ? most_ns : 2 * pause_ns;
    twi_search_wait(search, actions, pause_ns);
}

// TWI_ON_HUNGRY, TWI_ON_FED and TWI_ON_TIMER.
static inline void twi_search_turn(struct twi_search *search, const struct twi_event *event,
                                   struct twi_actions *actions)
{
    bool is_timer = event->kind == TWI_ON_TIMER;
    if (is_timer)
        search->is_paused = false;
    else
        search->is_hungry = event->kind == TWI_ON_HUNGRY;
    if (!search->is_hungry)
        search->is_on = false;
    if (!search->is_on) // the pause was one for tasks that came to be noticed
        twi_search_wait_no_more(search, actions);
    if (search->is_hungry)
        twi_search_begin(search);
}

// TWI_ON_TASKS.
static inline void twi_search_tasks(struct twi_search *search, const struct twi_event *event,
                                    struct twi_actions *actions)
{
    search->stats.steals++;
    if (search->is_on) {
        uint32_t asked = search->asked < TWI_VICTIMS_MOST ? search->asked : TWI_VICTIMS_MOST;
        search->stats.victims[asked]++;
        search->is_on = false;
    }
    if (search->is_hungry && event->idle < (uint64_t)event->load + search->rules.hungry) {
        twi_search_wait(search, actions, search->rules.backoff_ns);
        return;
    }
    twi_search_wait_no_more(search, actions);
    if (search->is_hungry)
        twi_search_begin(search);
}

// ---- whom ----

// Another place, evenly among the `count` from `first` on, of which this one is one.
static inline uint32_t twi_search_other(struct twi_search *search, uint32_t first, uint32_t count)
{
    uint32_t place = first + twi_rng_below(&search->rng, count - 1);
    return place + (place >= search->rules.place);
}

// The places from *first on that are near this one, itself included.
static inline uint32_t twi_search_near(const struct twi_search *search, uint32_t *first)
{
    const struct twi_rules *rules = &search->rules;
    if (!rules->near)
        return 0;
    *first = rules->place - rules->place % rules->near;
    uint32_t count = rules->places - *first;
    return count < rules->near ? count : rules->near;
}

// The place to look at next; there must be another one. In the order TWI_ORDER_NEAR the first of a
// row are near, as many as there are.
static inline uint32_t twi_search_next(struct twi_search *search)
{
    uint32_t first = 0, count = search->rules.places;
    switch (search->rules.order) {
    case TWI_ORDER_RANDOM:
        break;
    case TWI_ORDER_RING:
        search->at = (search->at + 1) % count;
        search->at += search->at == search->rules.place;
        return search->at %= count;
    case TWI_ORDER_NEAR:
        count = twi_search_near(search, &first);
        if (count < 2 || search->row >= count - 1) {
            first = 0;
            count = search->rules.places;
        }
        break;
    }
    return search->at = twi_search_other(search, first, count);
}

// Whether a whole row was in vain: as many as there are other places.
static inline bool twi_search_is_in_vain(const struct twi_search *search)
{
    return search->row + 1 >= search->rules.places;
}

// ---- actions, and what is counted of them ----

static inline void twi_search_read(struct twi_search *search, struct twi_actions *actions,
                                   uint32_t peer)
{
    search->stats.probes++;
    twi_act(actions, (struct twi_action){.kind = TWI_DO_READ, .peer = peer});
}

static inline void twi_search_ask(struct twi_search *search, struct twi_actions *actions,
                                  uint32_t peer, uint32_t message, uint64_t word)
{
    search->stats.requests++;
    search->asked++;
    twi_act(actions, (struct twi_action){
                         .kind = TWI_DO_SEND, .peer = peer, .message = message, .word = word});
}

static inline void twi_send(struct twi_actions *actions, uint32_t peer, uint32_t message)
{
    twi_act(actions, (struct twi_action){.kind = TWI_DO_SEND, .peer = peer, .message = message});
}

static inline void twi_give(struct twi_actions *actions, uint32_t peer, uint32_t count)
{
    twi_act(actions, (struct twi_action){.kind = TWI_DO_GIVE, .peer = peer, .count = count});
}

#endif
