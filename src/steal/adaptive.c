// SPDX-License-Identifier: Apache-2.0
// Twill's own policy. Like success-only it denies nobody, and besides
//  - a thief reads a few loads at once and asks the place with the highest: one that it remembers
//    as loaded, near ones, and any;
//  - when they have nothing it registers with its buddies on a hypercube too, so that the first
//    tasks spread in few steps however many places there are;
//  - a victim gives half of what it has more than the thief, less when others wait as well;
//  - a place asks before it is dry: when its load has been high and falls to two tasks a worker;
//    not again before the longest pause is over, for a load may go up and down all the time.
//
// Invariants, for two places t and v:
//  - v is among those that t contacted exactly while a request of t is on its way to v, waits
//    there, or has been answered by tasks that are on their way back;
//  - t waits at v at most once.
#include "steal/contacts.h"
#include "steal/policies.h"
#include "steal/search.h"

enum {
    READS = 4,   // loads read at once
    TRIES = 16,  // to find so many places
    HINTS = 8,   // loads remembered
    ROUNDS = 4,  // of reads before a pause
    BUDDIES = 2, // ... and before the buddies are asked
};

// To a REQUEST a place says QUEUED unless it gives at once, or LIFELINE is in its word. The rest of
// every word, with tasks too, is the load of the place that it comes from.
enum message { REQUEST = TWI_REQUEST, QUEUED = TWI_OWN_MESSAGE };

#define LIFELINE ((uint64_t)1 << 32)

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
    // As a victim.
    uint32_t served; // a thief to whom tasks are given: waits no more, unless there are none
    bool is_told;    // it does not await QUEUED
    // What is watched.
    uint32_t high;     // tasks or more; 0: nothing
    bool is_rich;      // load was high: it is watched for being low
    uint64_t early_ns; // when the place may ask early again
    struct twi_contacts contacts;
};

static size_t size(const struct twi_rules *rules)
{
    return sizeof(struct adaptive) + twi_contacts_size(rules->places);
}

// A phase begins.
static void forget(struct adaptive *self)
{
    twi_search_forget(&self->search);
    twi_contacts_forget(&self->contacts, self->search.rules.places);
    memset(self->hints, 0, sizeof self->hints);
    self->next_hint = self->reading = self->high = 0;
    self->asking = TWI_NO_PLACE;
    self->served = TWI_NO_PLACE;
    self->is_rich = false;
    self->early_ns = 0;
}

static void start(void *state, const struct twi_rules *rules)
{
    struct adaptive *self = state;
    twi_search_start(&self->search, rules);
    forget(self);
}

static const char *message_name(uint32_t message)
{
    static const char *const names[] = {[REQUEST] = "request", [QUEUED] = "queued"};
    return message < sizeof names / sizeof names[0] ? names[message] : NULL;
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
        if (self->hints[i].load > best.load &&
            !twi_victims_have(&self->contacts, self->hints[i].place))
            best = self->hints[i];
    return best;
}

// ---- thief ----

static void contact(struct adaptive *self, const struct twi_event *event,
                    struct twi_actions *actions, uint32_t victim, uint64_t lifeline)
{
    if (twi_thieves_have(&self->contacts, victim))
        self->search.stats.cyclic++;
    twi_victims_add(&self->contacts, victim);
    twi_search_ask(&self->search, actions, victim, REQUEST, event->load | lifeline);
}

// Reads the load of a place, unless it is contacted or read already.
static void read_load(struct adaptive *self, struct twi_actions *actions, uint32_t place)
{
    for (uint32_t i = 0; i < self->reading; i++)
        if (self->reads[i] == place)
            return;
    if (twi_victims_have(&self->contacts, place))
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
        if (buddy < rules->places && !twi_victims_have(&self->contacts, buddy))
            contact(self, event, actions, buddy, LIFELINE);
    }
}

// Goes on with the search, if there is one and nothing is awaited.
static void look(struct adaptive *self, const struct twi_event *event, struct twi_actions *actions)
{
    struct twi_search *search = &self->search;
    if (!search->is_on || search->is_paused || self->reading || self->asking != TWI_NO_PLACE)
        return;
    bool is_early = !search->is_hungry; // there is still something to do
    if (is_early && search->row > 0) {
        search->is_on = false;
        return;
    }
    if (search->row == BUDDIES)
        ask_buddies(self, event, actions);
    if (self->contacts.victims + 1 == search->rules.places)
        return; // nothing is left but to wait
    if (search->row < ROUNDS)
        read_loads(self, actions);
    if (!self->reading && !is_early)
        twi_search_pause(search, actions);
    search->is_on = self->reading || !is_early;
}

static void begin_early(struct adaptive *self, const struct twi_event *event,
                        struct twi_actions *actions)
{
    twi_search_begin(&self->search);
    look(self, event, actions);
}

// A round of reads is over: asks the best place. Its load has to be above the threshold while there
// is something to do here; else any will do.
static void choose(struct adaptive *self, const struct twi_event *event,
                   struct twi_actions *actions)
{
    struct twi_search *search = &self->search;
    uint32_t least = search->is_hungry ? 0 : search->rules.threshold;
    if (self->best.load > (uint64_t)least + event->load) {
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

static void on_tasks(struct adaptive *self, const struct twi_event *event,
                     struct twi_actions *actions)
{
    twi_victims_remove(&self->contacts, event->peer);
    remember(self, event->peer, (uint32_t)event->word);
    if (self->asking == event->peer)
        self->asking = TWI_NO_PLACE;
    twi_search_tasks(&self->search, event, actions);
    look(self, event, actions);
}

// ---- victim ----

static bool can_give(const struct adaptive *self, const struct twi_event *event)
{
    return self->served == TWI_NO_PLACE && event->idle == 0 && event->load > 0;
}

// Half of what there is more than at the thief; less when others wait, but not less than a batch
// unless that is more than half of what there is.
static uint32_t share(const struct adaptive *self, uint32_t load, uint32_t thief_load)
{
    uint32_t least = load - load / 2, batch = self->search.rules.batch;
    uint32_t surplus = load > thief_load ? load - thief_load : 0;
    uint32_t count = surplus / (twi_thieves_count(&self->contacts) + 1);
    if (least > batch)
        least = batch;
    return count > least ? count : least;
}

static void give(struct adaptive *self, const struct twi_event *event, struct twi_actions *actions,
                 uint32_t thief, uint32_t thief_load)
{
    uint32_t count = share(self, event->load, thief_load);
    self->served = thief;
    twi_thieves_remove(&self->contacts, thief);
    twi_act(actions,
            (struct twi_action){
                .kind = TWI_DO_GIVE, .peer = thief, .count = count, .word = event->load - count});
}

// Gives to the first thief, if there is one and something to give.
static void serve(struct adaptive *self, const struct twi_event *event, struct twi_actions *actions)
{
    if (!twi_thieves_count(&self->contacts) || !can_give(self, event))
        return;
    self->is_told = true;
    give(self, event, actions, twi_thieves_first(&self->contacts), 0);
}

static void say_queued(const struct twi_event *event, struct twi_actions *actions)
{
    twi_act(actions,
            (struct twi_action){
                .kind = TWI_DO_SEND, .peer = event->peer, .message = QUEUED, .word = event->load});
}

static void on_gave(struct adaptive *self, const struct twi_event *event,
                    struct twi_actions *actions)
{
    self->served = TWI_NO_PLACE;
    if (event->count > 0) {
        serve(self, event, actions);
        return;
    }
    twi_thieves_put_back(&self->contacts, event->peer); // somebody here was quicker
    if (!self->is_told)
        say_queued(event, actions);
}

static void on_request(struct adaptive *self, const struct twi_event *event,
                       struct twi_actions *actions)
{
    bool is_first = twi_thieves_count(&self->contacts) == 0;
    bool is_told = (event->word & LIFELINE) != 0;
    twi_thieves_add(&self->contacts, event->peer);
    if (is_first && can_give(self, event)) {
        self->is_told = is_told;
        give(self, event, actions, event->peer, (uint32_t)event->word);
        return;
    }
    if (!is_told)
        say_queued(event, actions);
    serve(self, event, actions);
}

// ---- what is watched ----

static uint32_t low_load(const struct adaptive *self)
{
    return 2 * self->search.rules.workers;
}

// Tasks for those who wait, else whether load is high: then, whether it is low.
static void watch(struct adaptive *self, struct twi_actions *actions)
{
    uint32_t high = self->is_rich ? 0 : 2 * low_load(self) + 1;
    if (self->served != TWI_NO_PLACE)
        return;
    if (twi_thieves_count(&self->contacts))
        high = 1;
    if (high != self->high)
        twi_act(actions, (struct twi_action){.kind = TWI_DO_WATCH, .count = high});
    self->high = high;
}

static void on_load(struct adaptive *self, const struct twi_event *event,
                    struct twi_actions *actions)
{
    uint32_t low = low_load(self);
    if (event->idle == 0 && event->load >= self->high)
        self->high = 0;
    if (self->is_rich && event->load <= low) {
        self->is_rich = false;
        if (event->now_ns >= self->early_ns) {
            self->early_ns = event->now_ns + self->search.rules.backoff_most_ns;
            begin_early(self, event, actions);
        }
    } else if (!self->is_rich && event->load > 2 * low) {
        self->is_rich = true;
        twi_act(actions, (struct twi_action){.kind = TWI_DO_WATCH_LOW, .count = low});
    }
    serve(self, event, actions);
}

// ---- both ----

static void on_read(struct adaptive *self, const struct twi_event *event,
                    struct twi_actions *actions)
{
    uint32_t i = 0;
    remember(self, event->peer, event->count);
    while (self->reads[i] != event->peer)
        i++;
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
    remember(self, event->peer, (uint32_t)event->word);
    switch ((enum message)event->message) {
    case REQUEST:
        on_request(self, event, actions);
        break;
    case QUEUED:
        on_queued(self, event, actions);
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
    case TWI_ON_FED:
    case TWI_ON_TIMER:
        twi_search_turn(search, event, actions);
        look(self, event, actions);
        break;
    case TWI_ON_READ:
        on_read(self, event, actions);
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
    .stats = twi_search_stats,
    .message_name = message_name,
};
