// SPDX-License-Identifier: Apache-2.0
// Waiting for one of several channels, or for one alone (include/twill/channel.h).
//
// A select holds the guards of all its channels, taken in the order of their addresses, while it
// looks for a case that can happen at once, and while it enters the lines. So it is in no line as
// long as it looks, nobody else can decide it then, and what it does to one channel and what it
// sees of the others are one step. It is armed under the guards too: who finds it in a line finds
// it parked.
//
// Who serves one of its parties decides the wait, and with that all others are void. When it goes
// on it takes every guard once more to leave the lines; so whoever enlisted it has dropped the last
// guard, and needs its frame no more. A single case that was served is in no line, and need not.
#include <limits.h>
#include <stdlib.h>

#include "base/rng.h"
#include "channel/channel.h"
#include "sched/wait.h"

enum { FEW = 8 };        // for which the stack has room
enum { NONE = INT_MIN }; // of the cases can happen now

struct place {
    struct twi_party party;   // of the case with the same number
    struct tw_channel *guard; // the next to be taken
};

struct select_wait {
    struct twi_wait wait; // first
    struct tw_case *cases;
    struct place *places;
    unsigned count, guards;
    unsigned start; // the case to be looked at first
};

// ---- guards ----

static void sort_guards(struct place *places, unsigned count)
{
    for (unsigned gap = count > FEW ? count / 2 : 1; gap; gap /= 2)
        for (unsigned i = gap; i < count; i++) {
            struct tw_channel *c = places[i].guard;
            unsigned k = i;
            for (; k >= gap && (uintptr_t)places[k - gap].guard > (uintptr_t)c; k -= gap)
                places[k].guard = places[k - gap].guard;
            places[k].guard = c;
        }
}

// Each channel once, however many cases it has.
static unsigned list_guards(const struct tw_case *cases, struct place *places, unsigned count)
{
    unsigned on = 0, guards = 0;
    for (unsigned i = 0; i < count; i++)
        if (cases[i].channel)
            places[on++].guard = cases[i].channel;
    sort_guards(places, on);
    for (unsigned i = 0; i < on; i++)
        if (i == 0 || places[i].guard != places[guards - 1].guard)
            places[guards++].guard = places[i].guard;
    return guards;
}

static void take_guards(struct select_wait *s)
{
    for (unsigned i = 0; i < s->guards; i++)
        twi_channel_lock(s->places[i].guard);
}

// When the last is dropped the select may be over, and its frame gone.
static void drop_guards(struct select_wait *s)
{
    struct place *places = s->places;
    for (unsigned i = 0, guards = s->guards; i < guards; i++)
        twi_channel_unlock(places[i].guard);
}

// ---- under the guards ----

static int is_on(const struct tw_case *this)
{
    return this->channel != NULL;
}

// The number of a case that has happened, or NONE.
static int look(struct select_wait *s, struct twi_deal *deal)
{
    for (unsigned n = 0; n < s->count; n++) {
        unsigned i = s->start + n < s->count ? s->start + n : s->start + n - s->count;
        struct tw_case *this = &s->cases[i];
        int error = is_on(this) ? twi_channel_step(this->channel, this->sends, this->message, deal)
                                : TWI_WOULD_WAIT;
        if (error != TWI_WOULD_WAIT) {
            this->error = error;
            return (int)i;
        }
    }
    return NONE;
}

static void enter_lines(struct select_wait *s)
{
    for (unsigned i = 0; i < s->count; i++) {
        struct tw_case *this = &s->cases[i];
        struct twi_party *party = &s->places[i].party;
        if (!is_on(this))
            continue;
        twi_waiter_init(&party->waiter, &s->wait);
        twi_line_append(this->sends ? &this->channel->senders : &this->channel->receivers,
                        &party->waiter);
    }
}

// ---- waiting ----

static int enlist(struct twi_wait *wait)
{
    struct select_wait *s = (struct select_wait *)wait;
    struct twi_deal deal;
    deal.partner = NULL;
    take_guards(s);
    int which = look(s, &deal);
    int waits = which == NONE && twi_wait_arm(wait);
    if (waits)
        enter_lines(s);
    else if (which != NONE)
        TWI_WRITE(s->places[which].party.outcome, s->cases[which].error);
    drop_guards(s);
    twi_deal_finish(&deal);
    return waits;
}

static void leave_line(struct tw_channel *c, struct twi_waiter *waiter)
{
    twi_channel_lock(c);
    struct tw_line *line = TWI_READ(waiter->line);
    if (line)
        twi_line_unlink(line, waiter);
    twi_channel_unlock(c);
}

// The number of the case that happened, in whatever way the wait ended: one may have happened just
// when its time was up.
static int park_for(struct select_wait *s, const char *what, const void *on, uint64_t deadline_ns)
{
    s->wait.what = what;
    s->wait.on = on;
    s->wait.deadline_ns = deadline_ns;
    s->wait.enlist = enlist;
    s->wait.outside = 0;
    for (unsigned i = 0; i < s->count; i++) {
        struct twi_party *party = &s->places[i].party;
        TWI_WRITE(party->waiter.line, (struct tw_line *)NULL);
        TWI_WRITE(party->message, s->cases[i].message);
        TWI_WRITE(party->outcome, (int)TWI_WOULD_WAIT);
    }
    enum twi_waits how = twi_wait_for(&s->wait);
    int which = NONE;
    for (unsigned i = 0; i < s->count; i++) {
        struct tw_case *this = &s->cases[i];
        struct twi_party *party = &s->places[i].party;
        if (is_on(this) && (s->count > 1 || how != TWI_DONE))
            leave_line(this->channel, &party->waiter);
        int outcome = TWI_READ(party->outcome);
        if (outcome != TWI_WOULD_WAIT) {
            this->error = outcome;
            which = (int)i;
        }
    }
    return which == NONE ? twi_wait_error(how) : which;
}

int twi_select_one(struct tw_case *only, const char *what, uint64_t deadline_ns)
{
    struct place place;
    struct select_wait s;
    place.guard = only->channel;
    s.cases = only;
    s.places = &place;
    s.count = s.guards = 1;
    s.start = 0;
    return park_for(&s, what, only->channel, deadline_ns);
}

// ---- several ----

static unsigned any_below(unsigned count)
{
    struct twi_worker *w = twi_worker_maybe();
    struct twi_rng clock = {w ? 0 : twi_now_ns()};
    return twi_rng_below(w ? &w->rng : &clock, count);
}

static int look_at_once(struct select_wait *s)
{
    struct twi_deal deal;
    deal.partner = NULL;
    take_guards(s);
    int which = look(s, &deal);
    drop_guards(s);
    twi_deal_finish(&deal);
    return which;
}

static int select_some(struct tw_case *cases, unsigned count, int waits, uint64_t deadline_ns)
{
    struct place few[FEW];
    struct select_wait s;
    s.cases = cases;
    s.count = count;
    s.places = few;
    if (count > FEW && !(s.places = malloc(count * sizeof *s.places)))
        return TW_ENOMEM;
    int which = TW_EPIPE;
    s.guards = list_guards(cases, s.places, count);
    if (s.guards) {
        s.start = any_below(count);
        which = look_at_once(&s);
    }
    if (which == NONE)
        which = waits ? park_for(&s, "one of several channels", cases, deadline_ns) : TW_ETIMEDOUT;
    if (s.places != few)
        free(s.places);
    return which;
}

int tw_select(struct tw_case *cases, unsigned count, uint64_t deadline_ns)
{
    if (!tw_fiber_current())
        tw_misuse("tw_select was called outside a task", "");
    return select_some(cases, count, 1, deadline_ns);
}

int tw_select_try(struct tw_case *cases, unsigned count)
{
    return select_some(cases, count, 0, 0);
}
