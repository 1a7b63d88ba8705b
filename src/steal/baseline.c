// SPDX-License-Identifier: Apache-2.0
// BaselineWS of "Optimized distributed work-stealing", Algorithms 1 and 2 as printed: the thief
// reads loads until one is above the threshold, tries that place's lock, asks, and waits. The
// victim serves one thief at a time and may say no.
//
// Invariants:
//  - one thing is awaited at a time: a load, a lock or an answer;
//  - the lock of the victim is held exactly while its answer is awaited;
//  - each REQUEST is answered once, by tasks or by DENY.
//
// The thief waits for what it awaits even when the place is fed meanwhile, so a lock that comes
// late is given back, and an answer that comes late still opens it.
#include "steal/policies.h"
#include "steal/search.h"

enum message { REQUEST = TWI_REQUEST, DENY = TWI_REFUSED };

enum awaited { NOTHING, LOAD, LOCK, ANSWER };

struct baseline {
    struct twi_search search;
    enum awaited awaited;
    uint32_t victim; // of whom it is awaited
};

static size_t size(const struct twi_rules *rules)
{
    (void)rules;
    return sizeof(struct baseline);
}

static void start(void *state, const struct twi_rules *rules)
{
    struct baseline *self = state;
    twi_search_start(&self->search, rules);
}

static const char *message_name(uint32_t message)
{
    static const char *const names[] = {[REQUEST] = "request", [DENY] = "deny"};
    return message < sizeof names / sizeof names[0] ? names[message] : NULL;
}

// ---- thief ----

static void unlock(const struct baseline *self, struct twi_actions *actions)
{
    twi_act(actions, (struct twi_action){.kind = TWI_DO_UNLOCK, .peer = self->victim});
}

// The next victim, when the place searches and nothing is awaited.
static void look(struct baseline *self, struct twi_actions *actions)
{
    struct twi_search *search = &self->search;
    if (!search->is_on || search->is_paused || self->awaited != NOTHING)
        return;
    if (twi_search_is_in_vain(search)) {
        twi_search_pause(search, actions);
        return;
    }
    self->victim = twi_search_next(search);
    self->awaited = LOAD;
    twi_search_read(search, actions, self->victim);
}

static void on_read(struct baseline *self, const struct twi_event *event,
                    struct twi_actions *actions)
{
    self->awaited = NOTHING;
    if (event->count <= self->search.rules.threshold) {
        self->search.row++;
    } else if (self->search.is_on) {
        self->search.row = 0;
        self->awaited = LOCK;
        twi_act(actions, (struct twi_action){.kind = TWI_DO_LOCK, .peer = self->victim});
    }
    look(self, actions);
}

static void on_lock(struct baseline *self, const struct twi_event *event,
                    struct twi_actions *actions)
{
    self->awaited = NOTHING;
    if (event->count && self->search.is_on) {
        self->awaited = ANSWER;
        twi_search_ask(&self->search, actions, self->victim, REQUEST, 0);
    } else if (event->count) {
        unlock(self, actions);
    }
    look(self, actions);
}

static void end_request(struct baseline *self, struct twi_actions *actions)
{
    self->awaited = NOTHING;
    unlock(self, actions);
}

// ---- victim ----

static void on_request(const struct baseline *self, const struct twi_event *event,
                       struct twi_actions *actions)
{
    if (event->idle == 0 && event->load > 0)
        twi_give(actions, event->peer, self->search.rules.batch);
    else
        twi_send(actions, event->peer, DENY);
}

// ---- both ----

static void on_message(struct baseline *self, const struct twi_event *event,
                       struct twi_actions *actions)
{
    switch ((enum message)event->message) {
    case REQUEST:
        on_request(self, event, actions);
        break;
    case DENY:
        self->search.stats.failed++;
        end_request(self, actions);
        look(self, actions);
        break;
    }
}

static void step(void *state, const struct twi_event *event, struct twi_actions *actions)
{
    struct baseline *self = state;
    struct twi_search *search = &self->search;
    switch (event->kind) {
    case TWI_ON_START:
        self->awaited = NOTHING;
        twi_search_forget(search);
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
    case TWI_ON_LOCK:
        on_lock(self, event, actions);
        break;
    case TWI_ON_TASKS:
        end_request(self, actions);
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
    case TWI_ON_LOAD: // not watched
    case TWI_ON_PASSIVE:
    case TWI_ON_ACTIVE:
        break;
    }
}

const struct twi_machine twi_policy_baseline = {
    .name = "baseline",
    .summary = "reads loads, locks a victim, asks and waits; may be denied",
    .answers_all = 1,
    .size = size,
    .start = start,
    .step = step,
    .stats = twi_search_stats,
    .message_name = message_name,
};
