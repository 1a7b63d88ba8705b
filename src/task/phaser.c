// SPDX-License-Identifier: Apache-2.0
// Phasers and barriers (include/twill/phaser.h). Tasks that start registered are in phased.c.
//
// All of a phaser is under the guard of its line. Signallers are a list; `missing` of them have not
// signalled the phase under way. Whoever brings that to zero, by a signal or by leaving, looks
// through the list for the slowest, which is where the next phase is: one look for as many signals.
//
// Invariants:
//  - Whoever stands in the line waits for the phase under way: a party has waited for all phases
//    before, or could not have signalled it. So the end of a phase, or of the last signaller, takes
//    all out.
//  - `missing` is zero only without signallers; then `phase` is `furthest`.
//  - Whoever wakes others has dropped the guard, and touches nothing of the phaser after: one of
//    them may free it.
//
// Edges:
//  [H1] phase release/acquire: see phaser.h. Who waits learns by the guard.
#include <twill/phaser.h>

#include "core/line.h"
#include "sched/wait.h"
#include "task/misuse.h"

// ---- misuse ----

static struct tw_phaser *phaser_of(const struct tw_party *party)
{
    if (!TWI_READ(party->mode))
        tw_misuse("a party of a phaser was used that is not registered, or not any more", "");
    return TWI_READ(party->phaser);
}

static void require_mode(const struct tw_party *party, enum tw_phase_mode mode, const char *what)
{
    struct tw_phaser *p = phaser_of(party);
    if (!(TWI_READ(party->mode) & mode))
        twi_misuse_of("phaser", p->name, what);
}

// ---- phases, all under the guard ----

static uint64_t phase_of(struct tw_phaser *p)
{
    return TWI_LOAD(&p->phase, TWI_RELAXED); // relaxed: under the guard
}

static struct twi_waiter *phase_ends(struct tw_phaser *p, uint64_t next)
{
    TWI_STORE(&p->phase, next, TWI_RELEASE); // [H1]
    return twi_line_pop_all(&p->line);
}

// Nobody is missing any more. Returns who is to be woken.
static struct twi_waiter *find_slowest(struct tw_phaser *p)
{
    uint64_t least = TWI_READ(p->furthest);
    uint32_t missing = 0;
    for (struct tw_party *party = TWI_READ(p->first); party; party = TWI_READ(party->next)) {
        uint64_t signalled = TWI_READ(party->signalled);
        if (signalled < least) {
            least = signalled;
            missing = 0;
        }
        missing += signalled == least;
    }
    TWI_WRITE(p->missing, missing);
    return phase_ends(p, least);
}

// One party less is missing.
static struct twi_waiter *one_came(struct tw_phaser *p)
{
    uint32_t missing = TWI_READ(p->missing) - 1;
    TWI_WRITE(p->missing, missing);
    return missing ? NULL : find_slowest(p);
}

// Without the guard. All at once, but for those of different pools.
static void wake(struct twi_waiter *waiter)
{
    struct twi_chain ready = {NULL, NULL};
    struct twi_pool *pool = NULL;
    for (; waiter; waiter = TWI_READ(waiter->next)) {
        struct twi_fiber *fiber = twi_fiber_of(TWI_READ(waiter->fiber));
        if (ready.first && fiber->pool != pool) {
            twi_ready_chain(pool, &ready);
            ready = (struct twi_chain){NULL, NULL};
        }
        pool = fiber->pool;
        twi_chain_append(&ready, &fiber->mail);
    }
    if (ready.first)
        twi_ready_chain(pool, &ready);
}

// ---- joining and leaving ----

void tw_phaser_init(struct tw_phaser *p, const char *name)
{
    *p = (struct tw_phaser)TW_PHASER_INIT(name);
}

void tw_phaser_destroy(struct tw_phaser *p)
{
    twi_line_lock(&p->line); // who ended the last phase has dropped it
    uint32_t parties = TWI_READ(p->parties);
    twi_line_unlock(&p->line);
    if (parties)
        twi_misuse_of("phaser", p->name, "destroyed while parties are registered");
}

static void link_signaller(struct tw_phaser *p, struct tw_party *party)
{
    struct tw_party *first = TWI_READ(p->first);
    TWI_WRITE(party->next, first);
    TWI_WRITE(party->before, (struct tw_party *)NULL);
    if (first)
        TWI_WRITE(first->before, party);
    TWI_WRITE(p->first, party);
    TWI_WRITE(p->signallers, TWI_READ(p->signallers) + 1);
    TWI_WRITE(p->missing, TWI_READ(p->missing) + 1);
}

static void unlink_signaller(struct tw_phaser *p, struct tw_party *party)
{
    struct tw_party *next = TWI_READ(party->next), *before = TWI_READ(party->before);
    if (before)
        TWI_WRITE(before->next, next);
    else
        TWI_WRITE(p->first, next);
    if (next)
        TWI_WRITE(next->before, before);
    TWI_WRITE(p->signallers, TWI_READ(p->signallers) - 1);
}

void tw_phaser_join(struct tw_phaser *p, struct tw_party *party, enum tw_phase_mode mode)
{
    if (mode < TW_SIGNAL || mode > TW_SIGNAL_WAIT)
        twi_misuse_of("phaser", p->name, "joined in a mode that there is not");
    TWI_WRITE(party->phaser, p);
    TWI_WRITE(party->mode, mode);
    twi_line_lock(&p->line);
    uint64_t phase = phase_of(p);
    TWI_WRITE(party->signalled, phase);
    TWI_WRITE(party->waited, phase);
    TWI_WRITE(p->parties, TWI_READ(p->parties) + 1);
    if (mode & TW_SIGNAL)
        link_signaller(p, party);
    twi_line_unlock(&p->line);
}

void tw_phaser_drop(struct tw_party *party)
{
    struct tw_phaser *p = phaser_of(party);
    struct twi_waiter *waiters = NULL;
    twi_line_lock(&p->line);
    TWI_WRITE(p->parties, TWI_READ(p->parties) - 1);
    if (TWI_READ(party->mode) & TW_SIGNAL) {
        unlink_signaller(p, party);
        if (TWI_READ(party->signalled) == phase_of(p))
            waiters = one_came(p);
    }
    twi_line_unlock(&p->line);
    TWI_WRITE(party->mode, (enum tw_phase_mode)0);
    wake(waiters);
}

// ---- signalling ----

static void signal_phase(struct tw_party *party)
{
    struct tw_phaser *p = TWI_READ(party->phaser);
    struct twi_waiter *waiters = NULL;
    twi_line_lock(&p->line);
    uint64_t phase = TWI_READ(party->signalled);
    TWI_WRITE(party->signalled, phase + 1);
    if (TWI_READ(p->furthest) == phase)
        TWI_WRITE(p->furthest, phase + 1);
    if (phase == phase_of(p))
        waiters = one_came(p);
    twi_line_unlock(&p->line);
    wake(waiters);
}

// Of a party that waits as well: it has signalled, and has still to wait.
static int has_signalled(const struct tw_party *party)
{
    return TWI_READ(party->signalled) != TWI_READ(party->waited);
}

void tw_phaser_signal(struct tw_party *party)
{
    require_mode(party, TW_SIGNAL, "signalled by a party that only waits");
    if ((TWI_READ(party->mode) & TW_WAIT) && has_signalled(party))
        twi_misuse_of("phaser", party->phaser->name,
                      "signalled again by a party that has not waited for the phase it signalled");
    signal_phase(party);
}

// ---- waiting ----

struct phase_wait {
    struct twi_wait wait; // first
    struct twi_waiter waiter;
    struct tw_phaser *phaser;
    uint64_t phase;
};

// Under the guard: somebody may still end that phase.
static int is_open(struct tw_phaser *p, uint64_t phase)
{
    return phase_of(p) == phase && TWI_READ(p->signallers);
}

static int enlist(struct twi_wait *wait)
{
    struct phase_wait *this = (struct phase_wait *)wait;
    struct tw_phaser *p = TWI_READ(this->phaser);
    twi_line_lock(&p->line);
    int waits = is_open(p, TWI_READ(this->phase)) && twi_wait_arm(wait);
    if (waits) {
        twi_waiter_init(&this->waiter, wait);
        twi_line_append(&p->line, &this->waiter);
    }
    twi_line_unlock(&p->line);
    return waits;
}

// How a wait for `phase` ended, whose fiber now has the guard. Not TWI_DONE if it ended early: but
// the phase may have, too.
static int outcome_of(struct tw_phaser *p, uint64_t phase, enum twi_waits how)
{
    if (phase_of(p) > phase)
        return 0;
    return how == TWI_DONE ? TW_EPIPE : twi_wait_error(how);
}

// The guard is taken before and after, not meanwhile.
static int wait_for_phase(struct tw_phaser *p, uint64_t phase, uint64_t deadline_ns,
                          const char *what)
{
    enum twi_waits how = TWI_DONE;
    if (is_open(p, phase)) {
        twi_line_unlock(&p->line);
        struct phase_wait wait = {
            .wait = {.what = what, .on = p, .deadline_ns = deadline_ns, .enlist = enlist},
            .phaser = p,
            .phase = phase};
        how = twi_wait_for(&wait.wait);
        twi_line_lock(&p->line);
        if (how != TWI_DONE && TWI_READ(wait.waiter.line))
            twi_line_unlink(&p->line, &wait.waiter);
    }
    return outcome_of(p, phase, how);
}

int tw_phaser_wait_until(struct tw_party *party, uint64_t deadline_ns)
{
    require_mode(party, TW_WAIT, "waited for by a party that only signals");
    (void)twi_fiber_here(NULL);
    if ((TWI_READ(party->mode) & TW_SIGNAL) && !has_signalled(party))
        return TW_EDEADLK;
    struct tw_phaser *p = TWI_READ(party->phaser);
    uint64_t phase = TWI_READ(party->waited);
    twi_line_lock(&p->line);
    int error = wait_for_phase(p, phase, deadline_ns, "phaser");
    twi_line_unlock(&p->line);
    if (!error)
        TWI_WRITE(party->waited, phase + 1);
    return error;
}

int tw_phaser_wait(struct tw_party *party)
{
    return tw_phaser_wait_until(party, TW_NEVER);
}

int tw_phaser_next_until(struct tw_party *party, uint64_t deadline_ns)
{
    (void)phaser_of(party);
    enum tw_phase_mode mode = TWI_READ(party->mode);
    if (mode == TW_SIGNAL || (mode == TW_SIGNAL_WAIT && !has_signalled(party)))
        signal_phase(party);
    return mode == TW_SIGNAL ? 0 : tw_phaser_wait_until(party, deadline_ns);
}

int tw_phaser_next(struct tw_party *party)
{
    return tw_phaser_next_until(party, TW_NEVER);
}

// ---- barriers ----

void tw_barrier_init(struct tw_barrier *b, const char *name, uint32_t parties)
{
    *b = (struct tw_barrier)TW_BARRIER_INIT(name, parties);
}

void tw_barrier_destroy(struct tw_barrier *b)
{
    struct tw_phaser *p = &b->phaser;
    twi_line_lock(&p->line); // who came last has dropped it
    int waited = TWI_READ(p->missing) != TWI_READ(p->signallers);
    twi_line_unlock(&p->line);
    if (waited)
        twi_misuse_of("barrier", p->name, "destroyed while tasks wait for it");
}

// Under the guard. 1: the party was the last, and *waiters are to be woken.
static int is_last(struct tw_phaser *p, struct twi_waiter **waiters)
{
    uint32_t missing = TWI_READ(p->missing) - 1;
    TWI_WRITE(p->missing, missing ? missing : TWI_READ(p->signallers));
    if (!missing)
        *waiters = phase_ends(p, phase_of(p) + 1);
    return !missing;
}

int tw_barrier_wait_until(struct tw_barrier *b, uint64_t deadline_ns)
{
    struct tw_phaser *p = &b->phaser;
    struct twi_waiter *waiters = NULL;
    int error = 0;
    (void)twi_fiber_here(NULL);
    if (!TWI_READ(p->signallers))
        twi_misuse_of("barrier", p->name, "made for no parties");
    twi_line_lock(&p->line);
    if (!is_last(p, &waiters))
        error = wait_for_phase(p, phase_of(p), deadline_ns, "barrier");
    if (error) // it did not come
        TWI_WRITE(p->missing, TWI_READ(p->missing) + 1);
    twi_line_unlock(&p->line);
    wake(waiters);
    return error;
}

int tw_barrier_wait(struct tw_barrier *b)
{
    return tw_barrier_wait_until(b, TW_NEVER);
}
