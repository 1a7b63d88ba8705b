// SPDX-License-Identifier: Apache-2.0
// Lifelines, as in the global load balancing of X10: a thief asks a few random places, which give or
// deny. Then it asks its buddies, one after the other, each at most once until tasks came from it: a
// buddy that has nothing remembers the thief and gives when it can. Then it is quiet; no timer runs.
//
// Buddies are those whose number differs in one binary digit (a cyclic hypercube of base 2), so each
// place is reached from each other: clear digits down to place 0, set others up from there. All
// numbers on the way exist.
//
// Invariants:
//  - one answer is awaited at a time: to a REQUEST tasks or DENY, to a LIFELINE tasks or NOTED;
//  - a lifeline is pending at the thief exactly while its LIFELINE is on its way, waits at the
//    buddy, or is answered by tasks on their way back; the word of tasks says what they answer;
//  - one gift is under way at a time, so that TWI_ON_GAVE tells which.
#include "steal/policies.h"
#include "steal/search.h"

enum message { REQUEST, DENY, LIFELINE, NOTED };

struct lifeline {
    struct twi_search search;
    bool is_asking;
    uint32_t victim;        // whose answer is awaited ...
    enum message asked_for; // ... to what
    uint32_t digit;         // of the buddy in question
    uint32_t pending;       // lifelines, a bit each
    uint32_t waiting;       // buddies, likewise
    uint32_t turn;          // the first of these in question
    uint32_t given_to;      // the gift under way, or TWI_NO_PLACE ...
    enum message answers;   // ... to REQUEST, LIFELINE, or one that was NOTED
    bool is_watching;
};

static size_t size(const struct twi_rules *rules)
{
    (void)rules;
    return sizeof(struct lifeline);
}

// A phase begins.
static void forget(struct lifeline *self)
{
    twi_search_forget(&self->search);
    self->is_asking = false;
    self->pending = self->waiting = 0;
    self->given_to = TWI_NO_PLACE;
    self->is_watching = false;
}

static void start(void *state, const struct twi_rules *rules)
{
    struct lifeline *self = state;
    twi_search_start(&self->search, rules);
    forget(self);
}

static const struct twi_steal_stats *stats(const void *state)
{
    const struct lifeline *self = state;
    return &self->search.stats;
}

static const char *message_name(uint32_t message)
{
    static const char *const names[] = {
        [REQUEST] = "request", [DENY] = "deny", [LIFELINE] = "lifeline", [NOTED] = "noted"};
    return message < sizeof names / sizeof names[0] ? names[message] : NULL;
}

static uint32_t bit_of(const struct lifeline *self, uint32_t buddy)
{
    return self->search.rules.place ^ buddy;
}

// ---- thief ----

static void ask(struct lifeline *self, struct twi_actions *actions, uint32_t victim,
                enum message message)
{
    self->is_asking = true;
    self->victim = victim;
    self->asked_for = message;
    twi_search_ask(&self->search, actions, victim, message, 0);
}

// The next to ask, when the place searches and no answer is awaited: random places, then buddies.
static void look(struct lifeline *self, struct twi_actions *actions)
{
    struct twi_search *search = &self->search;
    if (!search->is_on || search->is_paused || self->is_asking)
        return;
    if (search->asked == 0)
        self->digit = 0;
    if (search->asked < search->rules.tries) {
        ask(self, actions, twi_search_next(search), REQUEST);
        return;
    }
    for (; self->digit < 32 && (search->rules.places - 1) >> self->digit; self->digit++) {
        uint32_t bit = (uint32_t)1 << self->digit, buddy = search->rules.place ^ bit;
        if (buddy < search->rules.places && !(self->pending & bit)) {
            self->pending |= bit;
            ask(self, actions, buddy, LIFELINE);
            return;
        }
    }
}

// To a REQUEST, or to a LIFELINE that was not noted, this is the awaited answer. It may also be the
// late one to a lifeline that was, while a request is open, even at the same place.
static void on_tasks(struct lifeline *self, const struct twi_event *event,
                     struct twi_actions *actions)
{
    if (event->word == LIFELINE)
        self->pending &= ~bit_of(self, event->peer);
    if (self->victim == event->peer && self->asked_for == event->word)
        self->is_asking = false;
    twi_search_tasks(&self->search, event, actions);
    look(self, actions);
}

// ---- victim ----

static bool can_give(const struct lifeline *self, const struct twi_event *event)
{
    return self->given_to == TWI_NO_PLACE && event->idle == 0 && event->load > 0;
}

static void give(struct lifeline *self, struct twi_actions *actions, uint32_t thief,
                 enum message answers)
{
    self->given_to = thief;
    self->answers = answers;
    twi_act(actions, (struct twi_action){.kind = TWI_DO_GIVE,
                                         .peer = thief,
                                         .count = self->search.rules.batch,
                                         .word = answers == NOTED ? LIFELINE : answers});
}

static void watch(struct lifeline *self, struct twi_actions *actions)
{
    if (self->waiting && !self->is_watching) {
        self->is_watching = true;
        twi_act(actions, (struct twi_action){.kind = TWI_DO_WATCH, .count = 1});
    }
}

// Gives to the next buddy that waits, or sees to it that this happens when it can.
static void serve(struct lifeline *self, const struct twi_event *event, struct twi_actions *actions)
{
    if (!self->waiting || self->given_to != TWI_NO_PLACE)
        return;
    if (!can_give(self, event)) {
        watch(self, actions);
        return;
    }
    while (!(self->waiting >> self->turn & 1))
        self->turn = (self->turn + 1) % 32;
    give(self, actions, self->search.rules.place ^ (uint32_t)1 << self->turn, NOTED);
    self->turn = (self->turn + 1) % 32;
}

// One who cannot be given anything now: denied, or remembered.
static void put_off(struct lifeline *self, struct twi_actions *actions, uint32_t thief,
                    enum message message)
{
    if (message == LIFELINE) {
        self->waiting |= bit_of(self, thief);
        twi_send(actions, thief, NOTED);
    } else if (message == REQUEST) {
        twi_send(actions, thief, DENY);
    }
    watch(self, actions);
}

static void on_gave(struct lifeline *self, const struct twi_event *event,
                    struct twi_actions *actions)
{
    if (event->peer != self->given_to)
        return; // of an earlier phase
    self->given_to = TWI_NO_PLACE;
    if (event->count == 0) {
        put_off(self, actions, event->peer, self->answers);
        return;
    }
    if (self->answers == NOTED)
        self->waiting &= ~bit_of(self, event->peer);
    serve(self, event, actions);
}

// ---- both ----

static void on_message(struct lifeline *self, const struct twi_event *event,
                       struct twi_actions *actions)
{
    enum message message = (enum message)event->message;
    switch (message) {
    case REQUEST:
    case LIFELINE:
        if (can_give(self, event))
            give(self, actions, event->peer, message);
        else
            put_off(self, actions, event->peer, message);
        break;
    case DENY:
        self->search.stats.failed++;
        self->search.row++;
        self->is_asking = false;
        look(self, actions);
        break;
    case NOTED:
        self->is_asking = false;
        look(self, actions);
        break;
    }
}

static void step(void *state, const struct twi_event *event, struct twi_actions *actions)
{
    struct lifeline *self = state;
    struct twi_search *search = &self->search;
    switch (event->kind) {
    case TWI_ON_START:
        forget(self);
        break;
    case TWI_ON_HUNGRY:
        twi_search_hungry(search, actions);
        look(self, actions);
        break;
    case TWI_ON_FED:
        twi_search_fed(search, actions);
        break;
    case TWI_ON_TIMER:
        twi_search_timer(search);
        look(self, actions);
        break;
    case TWI_ON_TASKS:
        on_tasks(self, event, actions);
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
    case TWI_ON_READ: // not asked for
    case TWI_ON_LOCK:
    case TWI_ON_PASSIVE:
    case TWI_ON_ACTIVE:
        break;
    }
}

const struct twi_machine twi_policy_lifeline = {
    .name = "lifeline",
    .summary = "asks random places, then buddies on a hypercube, which give when they can",
    .size = size,
    .start = start,
    .step = step,
    .stats = stats,
    .message_name = message_name,
};
