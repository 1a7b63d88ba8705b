// SPDX-License-Identifier: Apache-2.0
// Twill's own policy. Like success-only none is denied, and besides
//  - a thief reads a few loads at once and asks the place with the highest: one that it remembers as
//    loaded, near ones and far ones; if none is above the threshold, the next time any load will do;
//  - when nobody has anything it registers with its buddies on a hypercube too, so that the first
//    tasks spread in few steps however many places there are;
//  - a victim gives half of what it has more than the thief, less when others wait as well;
//  - a thief that has waited is looked at before it is served: one that has found load elsewhere
//    gets its request back instead (VOID), and no tasks that it does not need;
//  - a place asks before it is dry: when its load has been high and falls to one task a worker.
//
// Invariants, for two places t and v:
//  - v is among those that t contacted exactly while a request of t is on its way to v, waits there,
//    or has been answered and the answer is on its way back: tasks or VOID, one of them, once;
//  - one thief is served at a time: first looked at, then given to.
#include "steal/policies.h"
#include "steal/search.h"
#include "steal/thieves.h"

enum {
    READS = 4,  // loads read at once
    TRIES = 16, // to find so many places
    HINTS = 8,  // loads remembered
    ROUNDS = 2, // of reads before a pause
};

// To a REQUEST a place says QUEUED unless it gives at once, or LIFELINE is in its word. The rest of
// every word, with tasks too, is the load of the place that it comes from.
enum message { REQUEST = TWI_REQUEST, VOID = TWI_REFUSED, QUEUED = TWI_OWN_MESSAGE };

#define LIFELINE ((uint64_t)1 << 32)

enum service { NOBODY, LOOKED_AT, GIVEN_TO };

struct hint {
    uint32_t place, load;
};

struct adaptive {
    struct twi_search search;
    // As a thief.
    struct hint hints[HINTS];
    uint32_t next_hint;    // to be overwritten
    uint32_t reads[READS]; // places whose loads are awaited
    uint32_t reading;      // how many
    struct hint best;      // of those that were read
    uint32_t asking;       // who has to say QUEUED or give, or TWI_NO_PLACE
    uint32_t contacted;    // how many
    bool is_early;         // the search began while there was something to do
    // As a victim.
    enum service service;
    uint32_t served; // if there is a service
    bool is_told;    // it does not await QUEUED
    struct twi_thieves thieves;
    // What is watched.
    uint32_t high;   // tasks or more; 0: nothing
    bool is_rich;    // load was high: it is watched for being low
    uint64_t sets[]; // the victims contacted, then the thieves that wait here
};

static uint64_t *contacted(struct adaptive *self)
{
    return self->sets;
}

static uint64_t *waiting(struct adaptive *self)
{
    return self->sets + twi_set_words(self->search.rules.places);
}

static size_t size(const struct twi_rules *rules)
{
    return sizeof(struct adaptive) + 2 * twi_set_words(rules->places) * sizeof(uint64_t);
}

// A phase begins.
static void forget(struct adaptive *self)
{
    uint32_t places = self->search.rules.places;
    twi_search_forget(&self->search);
    twi_thieves_forget(&self->thieves, waiting(self), places);
    memset(contacted(self), 0, twi_set_words(places) * sizeof(uint64_t));
    memset(self->hints, 0, sizeof self->hints);
    self->next_hint = self->reading = self->contacted = self->high = 0;
    self->asking = TWI_NO_PLACE;
    self->service = NOBODY;
    self->is_early = self->is_rich = false;
}

static void start(void *state, const struct twi_rules *rules)
{
    struct adaptive *self = state;
    twi_search_start(&self->search, rules);
    forget(self);
}

static const struct twi_steal_stats *stats(const void *state)
{
    const struct adaptive *self = state;
    return &self->search.stats;
}

static const char *message_name(uint32_t message)
{
    static const char *const names[] = {
        [REQUEST] = "request", [VOID] = "void", [QUEUED] = "queued"};
    return message < sizeof names / sizeof names[0] ? names[message] : NULL;
}

static void say(struct twi_actions *actions, const struct twi_event *event, uint32_t peer,
                enum message message)
{
    twi_act(actions,
            (struct twi_action){
                .kind = TWI_DO_SEND, .peer = peer, .message = message, .word = event->load});
}

// ---- loads that were seen ----

static void remember(struct adaptive *self, uint32_t place, uint32_t load)
{
    struct hint *to = NULL;
    for (int i = 0; i < HINTS && !to; i++)
        if (self->hints[i].place == place)
            to = &self->hints[i];
    if (!to && load <= self->search.rules.threshold)
        return;
    if (!to)
        to = &self->hints[self->next_hint++ % HINTS];
    *to = (struct hint){place, load};
}

// The one with the highest load that may be asked; its load is 0 when there is none.
static struct hint best_hint(struct adaptive *self)
{
    struct hint best = {0, 0};
    for (int i = 0; i < HINTS; i++)
        if (self->hints[i].load > best.load && !twi_set_has(contacted(self), self->hints[i].place))
            best = self->hints[i];
    return best;
}

// ---- thief ----

static void forget_victim(struct adaptive *self, uint32_t victim)
{
    twi_set_remove(contacted(self), victim);
    self->contacted--;
}

static void contact(struct adaptive *self, const struct twi_event *event,
                    struct twi_actions *actions, uint32_t victim, uint64_t lifeline)
{
    if (twi_set_has(waiting(self), victim))
        self->search.stats.cyclic++;
    self->contacted++;
    twi_set_add(contacted(self), victim);
    twi_search_ask(&self->search, actions, victim, REQUEST, event->load | lifeline);
}

// Reads the load of a place, unless it is contacted or read already.
static void read_load(struct adaptive *self, struct twi_actions *actions, uint32_t place)
{
    for (uint32_t i = 0; i < self->reading; i++)
        if (self->reads[i] == place)
            return;
    if (twi_set_has(contacted(self), place))
        return;
    self->reads[self->reading++] = place;
    twi_search_read(&self->search, actions, place);
}

// Reads a remembered load, then near ones, then any.
static void read_loads(struct adaptive *self, struct twi_actions *actions)
{
    struct twi_search *search = &self->search;
    struct hint hint = best_hint(self);
    uint32_t first = 0, near = twi_search_near(search, &first);
    self->best = (struct hint){0, 0};
    if (hint.load > 0)
        read_load(self, actions, hint.place);
    for (int i = 0; i < TRIES && self->reading < READS; i++)
        read_load(self, actions,
                  near > 1 && self->reading < READS / 2 && i < TRIES / 2
                      ? twi_search_other(search, first, near)
                      : twi_search_next(search));
}

// Registers with the buddies, which are those whose number differs in one binary digit.
static void ask_buddies(struct adaptive *self, const struct twi_event *event,
                        struct twi_actions *actions)
{
    const struct twi_rules *rules = &self->search.rules;
    for (uint32_t bit = 1; bit && bit < rules->places; bit <<= 1) {
        uint32_t buddy = rules->place ^ bit;
        if (buddy < rules->places && !twi_set_has(contacted(self), buddy))
            contact(self, event, actions, buddy, LIFELINE);
    }
}

// Goes on with the search, if there is one and nothing is awaited.
static void look(struct adaptive *self, const struct twi_event *event, struct twi_actions *actions)
{
    struct twi_search *search = &self->search;
    if (!search->is_on || search->is_paused || self->reading || self->asking != TWI_NO_PLACE)
        return;
    if (self->is_early && search->row > 0) { // there is still something to do
        search->is_on = false;
        return;
    }
    if (search->row == ROUNDS)
        ask_buddies(self, event, actions);
    if (self->contacted + 1 == search->rules.places)
        return; // nothing is left but to wait
    if (search->row < ROUNDS)
        read_loads(self, actions);
    if (!self->reading)
        twi_search_pause(search, actions);
}

static void begin_early(struct adaptive *self, const struct twi_event *event,
                        struct twi_actions *actions)
{
    if (self->search.is_on)
        return;
    twi_search_begin(&self->search);
    self->is_early = true;
    look(self, event, actions);
}

// A round of reads is over: asks the best place. In the first round its load has to be above the
// threshold.
static void choose(struct adaptive *self, const struct twi_event *event,
                   struct twi_actions *actions)
{
    struct twi_search *search = &self->search;
    uint32_t least = search->row == 0 ? search->rules.threshold : 0;
    if (self->best.load > least + event->load) {
        self->asking = self->best.place;
        contact(self, event, actions, self->best.place, 0);
    } else {
        search->row++;
    }
}

static void on_queued(struct adaptive *self, const struct twi_event *event,
                      struct twi_actions *actions)
{
    if (self->asking == event->peer)
        self->asking = TWI_NO_PLACE;
    look(self, event, actions);
}

// The answer to a request: tasks, or VOID.
static void end_request(struct adaptive *self, const struct twi_event *event)
{
    forget_victim(self, event->peer);
    remember(self, event->peer, (uint32_t)event->word);
    if (self->asking == event->peer)
        self->asking = TWI_NO_PLACE;
}

// ---- victim ----

// Half of what there is more than at the thief; less when others wait.
static uint32_t share(struct adaptive *self, const struct twi_event *event, uint32_t thief_load)
{
    uint32_t others = twi_thieves_count(&self->thieves);
    uint32_t surplus = event->load > thief_load ? event->load - thief_load : 0;
    uint32_t count = surplus / (others + 1);
    return count ? count : 1;
}

static bool can_give(const struct twi_event *event)
{
    return event->idle == 0 && event->load > 0;
}

// To the thief that is served.
static void give(struct adaptive *self, const struct twi_event *event, struct twi_actions *actions,
                 uint32_t thief_load)
{
    uint32_t count = share(self, event, thief_load);
    self->service = GIVEN_TO;
    twi_thieves_remove(&self->thieves, waiting(self), self->served);
    twi_act(actions,
            (struct twi_action){.kind = TWI_DO_GIVE,
                                .peer = self->served,
                                .count = count,
                                .word = event->load - (count < event->load ? count : event->load)});
}

// The next thief, if there is something to give: it is looked at first.
static void serve(struct adaptive *self, const struct twi_event *event, struct twi_actions *actions)
{
    if (self->service != NOBODY || !can_give(event) || !twi_thieves_count(&self->thieves))
        return;
    self->service = LOOKED_AT;
    self->is_told = true;
    self->served = twi_thieves_first(&self->thieves, waiting(self));
    twi_act(actions, (struct twi_action){.kind = TWI_DO_READ, .peer = self->served});
    self->search.stats.probes++;
}

static void on_looked_at(struct adaptive *self, const struct twi_event *event,
                         struct twi_actions *actions)
{
    self->service = NOBODY;
    if (event->count > self->search.rules.threshold) {
        twi_thieves_remove(&self->thieves, waiting(self), self->served);
        say(actions, event, self->served, VOID);
        serve(self, event, actions);
    } else if (can_give(event)) {
        give(self, event, actions, event->count);
    }
}

static void on_gave(struct adaptive *self, const struct twi_event *event,
                    struct twi_actions *actions)
{
    self->service = NOBODY;
    if (event->count > 0) {
        serve(self, event, actions);
        return;
    }
    twi_thieves_put_back(&self->thieves, waiting(self), event->peer); // somebody here was quicker
    if (!self->is_told)
        say(actions, event, event->peer, QUEUED);
}

static void on_request(struct adaptive *self, const struct twi_event *event,
                       struct twi_actions *actions)
{
    bool is_at_once =
        self->service == NOBODY && can_give(event) && !twi_thieves_count(&self->thieves);
    twi_thieves_add(&self->thieves, waiting(self), event->peer);
    if (is_at_once) {
        self->served = event->peer;
        self->is_told = (event->word & LIFELINE) != 0;
        give(self, event, actions, (uint32_t)event->word);
        return;
    }
    if (!(event->word & LIFELINE))
        say(actions, event, event->peer, QUEUED);
    serve(self, event, actions);
}

// ---- what is watched ----

// Tasks for those who wait, else whether the place is rich: then it is poor when its load is low.
static void watch(struct adaptive *self, struct twi_actions *actions)
{
    uint32_t high = self->is_rich ? 0 : 2 * self->search.rules.workers + 1;
    if (self->service != NOBODY)
        return;
    if (twi_thieves_count(&self->thieves))
        high = 1;
    if (high != self->high)
        twi_act(actions, (struct twi_action){.kind = TWI_DO_WATCH, .count = high});
    self->high = high;
}

static void on_load(struct adaptive *self, const struct twi_event *event,
                    struct twi_actions *actions)
{
    uint32_t workers = self->search.rules.workers;
    if (event->idle == 0 && event->load >= self->high)
        self->high = 0;
    if (self->is_rich && event->load <= workers) {
        self->is_rich = false;
        begin_early(self, event, actions);
    } else if (!self->is_rich && event->load > 2 * workers) {
        self->is_rich = true;
        twi_act(actions, (struct twi_action){.kind = TWI_DO_WATCH_LOW, .count = workers});
    }
    serve(self, event, actions);
}

// ---- both ----

static void on_read(struct adaptive *self, const struct twi_event *event,
                    struct twi_actions *actions)
{
    uint32_t i = 0;
    remember(self, event->peer, event->count);
    while (i < self->reading && self->reads[i] != event->peer)
        i++;
    if (i == self->reading) {
        if (self->service == LOOKED_AT && self->served == event->peer)
            on_looked_at(self, event, actions);
        return;
    }
    self->reads[i] = self->reads[--self->reading];
    if (event->count > self->best.load)
        self->best = (struct hint){event->peer, event->count};
    if (self->reading == 0 && self->search.is_on)
        choose(self, event, actions);
    look(self, event, actions);
}

static void on_message(struct adaptive *self, const struct twi_event *event,
                       struct twi_actions *actions)
{
    switch ((enum message)event->message) {
    case REQUEST:
        on_request(self, event, actions);
        break;
    case QUEUED:
        on_queued(self, event, actions);
        break;
    case VOID:
        self->search.stats.withdrawn++;
        end_request(self, event);
        look(self, event, actions);
        break;
    }
}

static void step(void *state, const struct twi_event *event, struct twi_actions *actions)
{
    struct adaptive *self = state;
    struct twi_search *search = &self->search;
    switch (event->kind) {
    case TWI_ON_START:
        forget(self);
        break;
    case TWI_ON_HUNGRY:
        self->is_early = false;
        twi_search_hungry(search, actions);
        look(self, event, actions);
        break;
    case TWI_ON_FED:
        twi_search_fed(search, actions);
        break;
    case TWI_ON_TIMER:
        twi_search_timer(search);
        look(self, event, actions);
        break;
    case TWI_ON_READ:
        on_read(self, event, actions);
        break;
    case TWI_ON_TASKS:
        end_request(self, event);
        twi_search_tasks(search, event, actions);
        look(self, event, actions);
        break;
    case TWI_ON_MESSAGE:
        on_message(self, event, actions);
        break;
    case TWI_ON_GAVE:
        on_gave(self, event, actions);
        break;
    case TWI_ON_LOAD:
        on_load(self, event, actions);
        break;
    case TWI_ON_LOCK: // not asked for
    case TWI_ON_PASSIVE:
    case TWI_ON_ACTIVE:
        break;
    }
    watch(self, actions);
}

const struct twi_machine twi_policy_adaptive = {
    .name = "adaptive",
    .summary = "asks the most loaded of a few, early; victims give by surplus; none is denied",
    .size = size,
    .start = start,
    .step = step,
    .stats = stats,
    .message_name = message_name,
};
