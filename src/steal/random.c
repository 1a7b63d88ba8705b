// SPDX-License-Identifier: Apache-2.0
// Random stealing of half, by active messages, as in "Work stealing and persistence-based load
// balancers": a thief asks a random place, the victim answers with half of what it has or says no,
// and the thief tries the next. No load is read and no place remembered.
//
// Invariants: one request is open at a time; each is answered once, by tasks or by DENY.
#include "steal/policies.h"
#include "steal/search.h"

enum message { REQUEST = TWI_REQUEST, DENY = TWI_REFUSED };

struct random {
    struct twi_search search;
    bool is_asking;
};

static size_t size(const struct twi_rules *rules)
{
    (void)rules;
    return sizeof(struct random);
}

static void start(void *state, const struct twi_rules *rules)
{
    struct random *self = state;
    twi_search_start(&self->search, rules);
}

static const char *message_name(uint32_t message)
{
    static const char *const names[] = {[REQUEST] = "request", [DENY] = "deny"};
    return message < sizeof names / sizeof names[0] ? names[message] : NULL;
}

// Asks the next place, when this one searches and no request is open.
static void look(struct random *self, struct twi_actions *actions)
{
    struct twi_search *search = &self->search;
    if (!search->is_on || search->is_paused || self->is_asking)
        return;
    if (search->row >= search->rules.places) {
        twi_search_pause(search, actions);
        return;
    }
    self->is_asking = true;
    twi_search_ask(search, actions, twi_search_next(search), REQUEST, 0);
}

static void on_message(struct random *self, const struct twi_event *event,
                       struct twi_actions *actions)
{
    switch ((enum message)event->message) {
    case REQUEST:
        if (event->load > 0)
            twi_give(actions, event->peer, event->load - event->load / 2);
        else
            twi_send(actions, event->peer, DENY);
        break;
    case DENY:
        self->search.stats.failed++;
        self->search.row++;
        self->is_asking = false;
        look(self, actions);
        break;
    }
}

static void step(void *state, const struct twi_event *event, struct twi_actions *actions)
{
    struct random *self = state;
    struct twi_search *search = &self->search;
    switch (event->kind) {
    case TWI_ON_START:
        self->is_asking = false;
        twi_search_forget(search);
        break;
    case TWI_ON_HUNGRY:
    case TWI_ON_FED:
    case TWI_ON_TIMER:
        twi_search_turn(search, event, actions);
        look(self, actions);
        break;
    case TWI_ON_TASKS:
        self->is_asking = false;
        twi_search_tasks(search, event, actions);
        look(self, actions);
        break;
    case TWI_ON_MESSAGE:
        on_message(self, event, actions);
        break;
    case TWI_ON_GAVE:
        if (event->count == 0)
            twi_send(actions, event->peer, DENY);
        break;
    case TWI_ON_READ: // not asked for
    case TWI_ON_LOCK:
    case TWI_ON_LOAD:
    case TWI_ON_PASSIVE:
    case TWI_ON_ACTIVE:
        break;
    }
}

const struct twi_machine twi_policy_random = {
    .name = "random",
    .summary = "asks a random place for half of what it has; may be denied",
    .answers_all = 1,
    .size = size,
    .start = start,
    .step = step,
    .stats = twi_search_stats,
    .message_name = message_name,
};
