// SPDX-License-Identifier: Apache-2.0
// SuccessOnlyWS of "Optimized distributed work-stealing": a thief registers with victims whose load
// is above the threshold, remembers them, and asks none again before tasks came from it. A victim
// remembers its thieves and gives to one after the other when it has more than its workers do. None
// is ever denied.
//
// Invariants, for two places t and v:
//  - v is among those that t contacted exactly while a request of t is on its way to v, waits
//    there, or has been answered by tasks that are on their way back;
//  - t waits at v at most once.
//
// success-only-acyclic: never do two places wait for each other. A place that would ask one whose
// own request waits here gives that one back first (WITHDRAWN): who has load above the threshold
// needs no tasks. Of two requests that cross on their way that of the lower number stands, and this
// place gives the other back: each gets the other's before its own is registered, so it can tell.
#include "steal/contacts.h"
#include "steal/policies.h"
#include "steal/search.h"

enum message { REQUEST = TWI_REQUEST, WITHDRAWN = TWI_REFUSED, REGISTERED = TWI_OWN_MESSAGE };

enum awaited { NOTHING, LOAD, REGISTRATION };

struct success_only {
    struct twi_search search;
    enum awaited awaited;
    uint32_t victim;  // of whom it is awaited
    uint32_t served;  // a thief to whom tasks are given: waits no more, unless there are none
    bool is_watching; // for tasks to give
    bool is_acyclic;
    struct twi_contacts contacts;
};

static size_t size(const struct twi_rules *rules)
{
    return sizeof(struct success_only) + twi_contacts_size(rules->places);
}

// A phase begins.
static void forget(struct success_only *self)
{
    twi_search_forget(&self->search);
    twi_contacts_forget(&self->contacts, self->search.rules.places);
    self->awaited = NOTHING;
    self->served = TWI_NO_PLACE;
    self->is_watching = false;
}

static void start(void *state, const struct twi_rules *rules)
{
    struct success_only *self = state;
    twi_search_start(&self->search, rules);
    forget(self);
}

static void start_acyclic(void *state, const struct twi_rules *rules)
{
    struct success_only *self = state;
    start(state, rules);
    self->is_acyclic = true;
}

static const char *message_name(uint32_t message)
{
    static const char *const names[] = {
        [REQUEST] = "request", [WITHDRAWN] = "withdrawn", [REGISTERED] = "registered"};
    return message < sizeof names / sizeof names[0] ? names[message] : NULL;
}

// ---- thief ----

// The next victim, when the place searches and nothing is awaited. When all others are contacted
// there is nothing to do but wait for tasks.
static void look(struct success_only *self, struct twi_actions *actions)
{
    struct twi_search *search = &self->search;
    if (!search->is_on || search->is_paused || self->awaited != NOTHING ||
        self->contacts.victims + 1 == search->rules.places)
        return;
    while (!twi_search_is_in_vain(search)) {
        self->victim = twi_search_next(search);
        if (!twi_victims_have(&self->contacts, self->victim)) {
            self->awaited = LOAD;
            twi_search_read(search, actions, self->victim);
            return;
        }
        search->row++;
    }
    twi_search_pause(search, actions);
}

static void ask(struct success_only *self, struct twi_actions *actions)
{
    struct twi_search *search = &self->search;
    bool is_waiting = twi_thieves_have(&self->contacts, self->victim);
    if (is_waiting && self->is_acyclic) {
        twi_thieves_remove(&self->contacts, self->victim);
        twi_send(actions, self->victim, WITHDRAWN);
    } else if (is_waiting) {
        search->stats.cyclic++;
    }
    search->row = 0;
    self->awaited = REGISTRATION;
    twi_victims_add(&self->contacts, self->victim);
    twi_search_ask(search, actions, self->victim, REQUEST, 0);
}

static void on_read(struct success_only *self, const struct twi_event *event,
                    struct twi_actions *actions)
{
    self->awaited = NOTHING;
    // Who is being served cannot be given back its request.
    bool is_victim = event->count > self->search.rules.threshold &&
                     !(self->is_acyclic && self->served == self->victim);
    if (!is_victim)
        self->search.row++;
    else if (self->search.is_on)
        ask(self, actions);
    look(self, actions);
}

static void on_registered(struct success_only *self, struct twi_actions *actions)
{
    self->awaited = NOTHING;
    look(self, actions);
}

static void on_withdrawn(struct success_only *self, const struct twi_event *event,
                         struct twi_actions *actions)
{
    self->search.stats.withdrawn++;
    twi_victims_remove(&self->contacts, event->peer);
    if (self->awaited == REGISTRATION && self->victim == event->peer)
        self->awaited = NOTHING;
    look(self, actions);
}

// ---- victim ----

static void watch(struct success_only *self, struct twi_actions *actions)
{
    if (!self->is_watching)
        twi_act(actions, (struct twi_action){.kind = TWI_DO_WATCH, .count = 1});
    self->is_watching = true;
}

// Serves the first thief, or sees to it that it is served when there is something to give.
static void serve(struct success_only *self, const struct twi_event *event,
                  struct twi_actions *actions)
{
    if (self->served != TWI_NO_PLACE || twi_thieves_count(&self->contacts) == 0)
        return;
    if (event->idle > 0 || event->load == 0) {
        watch(self, actions);
        return;
    }
    self->served = twi_thieves_first(&self->contacts);
    twi_thieves_remove(&self->contacts, self->served);
    twi_give(actions, self->served, self->search.rules.batch);
}

static void on_gave(struct success_only *self, const struct twi_event *event,
                    struct twi_actions *actions)
{
    self->served = TWI_NO_PLACE;
    if (event->count > 0) {
        serve(self, event, actions);
    } else { // somebody here was quicker
        twi_thieves_put_back(&self->contacts, event->peer);
        watch(self, actions);
    }
}

static void on_request(struct success_only *self, const struct twi_event *event,
                       struct twi_actions *actions)
{
    uint32_t thief = event->peer;
    bool crosses = self->awaited == REGISTRATION && self->victim == thief;
    if (crosses && self->is_acyclic && self->search.rules.place < thief) {
        twi_send(actions, thief, WITHDRAWN);
        return;
    }
    twi_thieves_add(&self->contacts, thief);
    twi_send(actions, thief, REGISTERED);
    serve(self, event, actions);
}

// ---- both ----

static void on_message(struct success_only *self, const struct twi_event *event,
                       struct twi_actions *actions)
{
    switch ((enum message)event->message) {
    case REQUEST:
        on_request(self, event, actions);
        break;
    case REGISTERED:
        on_registered(self, actions);
        break;
    case WITHDRAWN:
        on_withdrawn(self, event, actions);
        break;
    }
}

static void step(void *state, const struct twi_event *event, struct twi_actions *actions)
{
    struct success_only *self = state;
    struct twi_search *search = &self->search;
    switch (event->kind) {
    case TWI_ON_START:
        forget(self);
        break;
    case TWI_ON_HUNGRY:
    case TWI_ON_FED:
    case TWI_ON_TIMER:
        twi_search_turn(search, event, actions);
        look(self, actions);
        break;
    case TWI_ON_READ:
        on_read(self, event, actions);
        break;
    case TWI_ON_TASKS:
        twi_victims_remove(&self->contacts, event->peer);
        twi_search_tasks(search, event, actions);
        look(self, actions);
        break;
    case TWI_ON_MESSAGE:
        on_message(self, event, actions);
        break;
    case TWI_ON_GAVE:
        on_gave(self, event, actions);
        break;
    case TWI_ON_LOAD:
        self->is_watching = false;
        serve(self, event, actions);
        break;
    case TWI_ON_LOCK: // not asked for
    case TWI_ON_PASSIVE:
    case TWI_ON_ACTIVE:
        break;
    }
}

const struct twi_machine twi_policy_success_only = {
    .name = "success-only",
    .summary = "registers with loaded places, which give when they can; none is denied",
    .size = size,
    .start = start,
    .step = step,
    .stats = twi_search_stats,
    .message_name = message_name,
};

const struct twi_machine twi_policy_success_only_acyclic = {
    .name = "success-only-acyclic",
    .summary = "the same, but two places never wait for each other",
    .is_acyclic = 1,
    .size = size,
    .start = start_acyclic,
    .step = step,
    .stats = twi_search_stats,
    .message_name = message_name,
};
