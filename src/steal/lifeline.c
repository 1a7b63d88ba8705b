// SPDX-License-Identifier: Apache-2.0
// Lifelines, as in the global load balancing of X10: a thief asks a few random places, which give
// half of what they have, or deny. Then it asks its buddies, one after the other: a buddy that has
// nothing remembers the thief and gives when it can. A lifeline is asked for again only when tasks
// came by it. Then the thief is quiet; no timer runs.
//
// Buddies are those whose number differs in one binary digit (a cyclic hypercube of base 2), so
// each place is reached from each other: clear digits down to place 0, set others up from there.
// All numbers on the way exist. With fewer lifelines than digits places begin with different ones.
//
// Invariants:
//  - one answer is awaited at a time: tasks or DENY, to a lifeline tasks or NOTED;
//  - a lifeline is pending at the thief exactly while its request is on its way, waits at the
//    buddy, or is answered by tasks on their way back; meanwhile that place is asked nothing else;
//  - one gift is under way at a time, so that TWI_ON_GAVE tells which.
#include "steal/policies.h"
#include "steal/search.h"

enum message { REQUEST = TWI_REQUEST, DENY = TWI_REFUSED, NOTED = TWI_OWN_MESSAGE };

// The word of a REQUEST; NOTED_LIFELINE: and it has been answered by NOTED.
enum kind { DIRECT, LIFELINE, NOTED_LIFELINE };

struct lifeline {
    struct twi_search search;
    bool is_asking;
    uint32_t victim;   // whose answer is awaited
    uint32_t tries;    // in this search
    uint32_t digit;    // of the buddy in question
    uint32_t pending;  // lifelines, a bit each
    uint32_t waiting;  // buddies, likewise
    uint32_t turn;     // the first of these in question
    uint32_t given_to; // the gift under way, or TWI_NO_PLACE ...
    enum kind given;   // ... and the request that it answers
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

static const char *message_name(uint32_t message)
{
    static const char *const names[] = {[REQUEST] = "request", [DENY] = "deny", [NOTED] = "noted"};
    return message < sizeof names / sizeof names[0] ? names[message] : NULL;
}

static uint32_t bit_of(const struct lifeline *self, uint32_t buddy)
{
    return self->search.rules.place ^ buddy;
}

// ---- thief ----

static bool is_pending(const struct lifeline *self, uint32_t place)
{
    uint32_t bit = bit_of(self, place);
    return (bit & (bit - 1)) == 0 && self->pending & bit;
}

static void ask(struct lifeline *self, struct twi_actions *actions, uint32_t victim, enum kind kind)
{
    self->is_asking = true;
    self->victim = victim;
    twi_search_ask(&self->search, actions, victim, REQUEST, kind);
}

// Asks a random place. false: there were tries enough.
static bool try_any(struct lifeline *self, struct twi_actions *actions)
{
    struct twi_search *search = &self->search;
    while (self->tries < search->rules.tries) {
        uint32_t victim = twi_search_next(search);
        self->tries++;
        if (!is_pending(self, victim)) {
            ask(self, actions, victim, DIRECT);
            return true;
        }
    }
    return false;
}

static uint32_t digits_of(const struct twi_rules *rules)
{
    return rules->places > 1 ? 32 - (uint32_t)__builtin_clz(rules->places - 1) : 0;
}

// The next to ask, when the place searches and no answer is awaited: random places, then buddies.
static void look(struct lifeline *self, struct twi_actions *actions)
{
    struct twi_search *search = &self->search;
    if (!search->is_on || search->is_paused || self->is_asking)
        return;
    if (search->asked == 0)
        self->tries = self->digit = 0;
    if (try_any(self, actions))
        return;
    uint32_t digits = digits_of(&search->rules), most = search->rules.lifelines;
    for (; self->digit < digits && (!most || self->digit < most); self->digit++) {
        uint32_t turned = most ? (self->digit + search->rules.place) % digits : self->digit;
        uint32_t bit = (uint32_t)1 << turned, buddy = search->rules.place ^ bit;
        if (buddy < search->rules.places && !(self->pending & bit)) {
            self->pending |= bit;
            ask(self, actions, buddy, LIFELINE);
            return;
        }
    }
}

// The awaited answer, or the late one of a lifeline.
static void on_tasks(struct lifeline *self, const struct twi_event *event,
                     struct twi_actions *actions)
{
    if (is_pending(self, event->peer))
        self->pending &= ~bit_of(self, event->peer);
    if (self->victim == event->peer)
        self->is_asking = false;
    twi_search_tasks(&self->search, event, actions);
    look(self, actions);
}

// ---- victim ----

static bool can_give(const struct lifeline *self, const struct twi_event *event)
{
    return self->given_to == TWI_NO_PLACE && event->idle == 0 && event->load > 0;
}

static void give(struct lifeline *self, struct twi_actions *actions, uint32_t load, uint32_t thief,
                 enum kind kind)
{
    self->given_to = thief;
    self->given = kind;
    twi_give(actions, thief, load - load / 2);
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
    self->waiting ^= (uint32_t)1 << self->turn;
    give(self, actions, event->load, self->search.rules.place ^ (uint32_t)1 << self->turn,
         NOTED_LIFELINE);
    self->turn = (self->turn + 1) % 32;
}

// One who cannot be given anything now: denied, or remembered.
static void put_off(struct lifeline *self, struct twi_actions *actions, uint32_t thief,
                    enum kind kind)
{
    if (kind == DIRECT)
        twi_send(actions, thief, DENY);
    else
        self->waiting |= bit_of(self, thief);
    if (kind == LIFELINE)
        twi_send(actions, thief, NOTED);
    watch(self, actions);
}

static void on_gave(struct lifeline *self, const struct twi_event *event,
                    struct twi_actions *actions)
{
    self->given_to = TWI_NO_PLACE;
    if (event->count > 0)
        serve(self, event, actions);
    else // somebody here was quicker
        put_off(self, actions, event->peer, self->given);
}

// ---- both ----

static void on_message(struct lifeline *self, const struct twi_event *event,
                       struct twi_actions *actions)
{
    switch ((enum message)event->message) {
    case REQUEST:
        if (can_give(self, event))
            give(self, actions, event->load, event->peer, (enum kind)event->word);
        else
            put_off(self, actions, event->peer, (enum kind)event->word);
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
    case TWI_ON_FED:
    case TWI_ON_TIMER:
        twi_search_turn(search, event, actions);
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
    .stats = twi_search_stats,
    .message_name = message_name,
};
