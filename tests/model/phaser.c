// SPDX-License-Identifier: Apache-2.0
// Phasers and barriers (the real src/task/phaser.c): nobody waits for ever, who waited sees what
// was done before the signals, no phase ends early, and the phaser is not touched once it may be
// freed. A fiber that parks spins until it is readied; the wait around it is written out here.
#include <sched.h>
#define sched_yield() TWI_PAUSE()

#include "fibers.h"

#include "task/phaser.c"

#include "internal.h" // mc.running: which thread calls

enum {
    THREADS = 3,
    FREED = 77,
    SIGNALLED = 1,
    WAITED,
    JOINED,
    AGAIN,
    WAITS = 100,
    PARKED = 200,
    FIRST_TICKET = TWI_WAITS_MASK + 1
};

static struct tw_phaser phaser;
static struct tw_barrier barrier;
static struct tw_party party[THREADS];
static uint32_t readied[FIBERS]; // stands for the mailbox
static uint32_t done[THREADS];   // plain: how far each has come
static uint64_t deadline_ns;     // of all waits
static unsigned parks[THREADS];
static struct twi_waiter waits_already;

// ---- what the real code calls ----

struct tw_fiber *tw_fiber_current(void)
{
    return &fibers[mc.running].fiber.deque;
}

static void ready(const struct twi_mail *mail)
{
    int i = 0;
    while (&fibers[i].fiber.mail != mail)
        i++;
    TWI_STORE(&readied[i], 1u, TWI_RELEASE);
}

void twi_ready_chain(struct twi_pool *pool, const struct twi_chain *chain)
{
    struct twi_mail *mail = chain->first, *next;
    (void)pool;
    for (; mail != chain->last; mail = next) {
        next = TWI_LOAD(&mail->next, TWI_RELAXED);
        ready(mail);
    }
    ready(mail);
}

// What a task does from here on depends on the phase, and on how often it was parked.
static void forget(uint64_t at, const struct twi_wait *wait)
{
    model_forget(at + 10 * ((const struct phase_wait *)wait)->phase + parks[mc.running]);
}

enum twi_waits twi_wait_for(struct twi_wait *wait)
{
    struct twi_fiber *self = &fibers[mc.running].fiber;
    forget(WAITS, wait);
    TWI_WRITE(wait->fiber, &self->deque);
    TWI_WRITE(wait->ticket, twi_waits_begin(&self->waits));
    if (!wait->enlist(wait)) {
        (void)twi_waits_decide(&self->waits, TWI_READ(wait->ticket), TWI_DONE);
        return twi_waits_decided(&self->waits);
    }
    parks[mc.running]++;
    forget(PARKED, wait);
    while (!TWI_LOAD(&readied[mc.running], TWI_ACQUIRE))
        TWI_PAUSE();
    TWI_STORE(&readied[mc.running], 0u, TWI_RELAXED);
    return twi_waits_decided(&self->waits);
}

int twi_wait_error(enum twi_waits how)
{
    return how == TWI_DONE ? 0 : TW_ETIMEDOUT;
}

void tw_misuse(const char *what, const char *task)
{
    model_assert_failed("not reached", __FILE__, __LINE__, "%s", what);
    __builtin_unreachable();
    (void)task;
}

// ---- set-up ----

static void setup(void)
{
    fibers_reset();
    memset(party, 0, sizeof party);
    memset(readied, 0, sizeof readied);
    memset(done, 0, sizeof done);
    memset(parks, 0, sizeof parks);
    deadline_ns = TW_NEVER;
    phaser = (struct tw_phaser)TW_PHASER_INIT("phaser");
    barrier = (struct tw_barrier)TW_BARRIER_INIT("barrier", 2);
    model_name(&phaser.line.guard, "guard");
    model_name(&phaser.line.first, "first");
    model_name(&phaser.phase, "phase");
    model_name(&phaser.missing, "missing");
    model_name(&barrier.phaser.line.guard, "barrier.guard");
    model_name(&barrier.phaser.phase, "barrier.phase");
    for (int i = 0; i < THREADS; i++) {
        model_name(&readied[i], "readied[%d]", i);
        model_name(&done[i], "done[%d]", i);
    }
}

// As it stands after joins that came before all threads.
static void registered(int i, enum tw_phase_mode mode)
{
    party[i] = (struct tw_party){.phaser = &phaser, .mode = mode, .next = phaser.first};
    phaser.parties++;
    if (!(mode & TW_SIGNAL))
        return;
    if (phaser.first)
        phaser.first->before = &party[i];
    phaser.first = &party[i];
    phaser.signallers++;
    phaser.missing++;
}

static void setup_step(void)
{
    setup();
    registered(0, TW_SIGNAL_WAIT);
    registered(1, TW_SIGNAL_WAIT);
}

static void setup_makers(void)
{
    setup();
    registered(0, TW_SIGNAL);
    registered(1, TW_SIGNAL);
    registered(2, TW_WAIT);
}

static void setup_ahead(void)
{
    setup();
    registered(0, TW_SIGNAL);
    registered(1, TW_WAIT);
}

// A third waits already.
static void setup_takers(void)
{
    struct twi_fiber *third = &fibers[2].fiber;
    setup_ahead();
    registered(2, TW_WAIT);
    third->waits = FIRST_TICKET | TWI_WAITING;
    waits_already = (struct twi_waiter){.line = &phaser.line,
                                        .word = &third->waits,
                                        .ticket = FIRST_TICKET,
                                        .fiber = &third->deque};
    phaser.line.first = phaser.line.last = &waits_already;
}

static void setup_left(void)
{
    setup_ahead();
    registered(2, TW_SIGNAL);
}

static void setup_timed(void)
{
    setup_ahead();
    deadline_ns = 5;
}

// ---- programs ----

static void came(int id, uint32_t far)
{
    TWI_WRITE(done[id], far);
}

static void see(int id, uint32_t far)
{
    uint32_t seen = TWI_READ(done[id]);
    model_assert(seen >= far, "%d was at %u of %u", id, seen, far);
}

// Plain memory of the other is its own again once the next phase is signalled.
static void two_in_step(int id)
{
    came(id, 1);
    tw_phaser_signal(&party[id]);
    model_forget(SIGNALLED);
    model_assert(tw_phaser_wait(&party[id]) == 0, "an error came from nowhere");
    model_forget(WAITED);
    see(!id, 1);
    tw_phaser_signal(&party[id]);
    model_forget(AGAIN);
    model_assert(tw_phaser_wait(&party[id]) == 0, "an error came from nowhere");
    came(id, 2);
}

// One of them is ahead.
static void two_make(int id)
{
    if (id < 2) {
        came(id, 1);
        tw_phaser_signal(&party[id]);
        model_forget(SIGNALLED);
        if (id == 0)
            tw_phaser_signal(&party[id]);
        return;
    }
    model_assert(tw_phaser_wait(&party[id]) == 0, "an error came from nowhere");
    see(0, 1);
    see(1, 1);
}

static void two_take(int id)
{
    if (id == 0) {
        came(0, 1);
        tw_phaser_signal(&party[0]);
        return;
    }
    model_assert(tw_phaser_wait(&party[id]) == 0, "an error came from nowhere");
    see(0, 1);
}

// Two phases ahead of who waits, if it likes.
static void make_ahead(int id)
{
    came(id ? 2 : 0, 1);
    if (id == 0) {
        tw_phaser_signal(&party[0]);
        model_forget(SIGNALLED);
        came(1, 1);
        tw_phaser_signal(&party[0]);
        return;
    }
    model_assert(tw_phaser_wait(&party[1]) == 0, "the first phase is missed");
    model_forget(WAITED);
    see(0, 1);
    model_assert(tw_phaser_wait(&party[1]) == 0, "the second phase is missed");
    see(1, 1);
}

// Who waits is told, whether it came before the others left or after.
static void nobody_left(int id)
{
    if (id != 1)
        tw_phaser_drop(&party[id]);
    else
        model_assert(tw_phaser_wait(&party[1]) == TW_EPIPE, "it is not told");
}

// One signals, the other leaves without: that ends the phase as well.
static void one_leaves(int id)
{
    if (id == 0) {
        came(0, 1);
        tw_phaser_signal(&party[0]);
    } else if (id == 1) {
        model_assert(tw_phaser_wait(&party[1]) == 0, "an error came from nowhere");
        see(0, 1);
        see(2, 1);
    } else {
        came(2, 1);
        tw_phaser_drop(&party[2]);
    }
}

// Who comes is waited for from then on, or comes too late for the phase.
static void one_joins(int id)
{
    if (id == 0) {
        came(0, 1);
        tw_phaser_signal(&party[0]);
        model_forget(SIGNALLED);
        tw_phaser_drop(&party[0]);
        return;
    }
    tw_phaser_join(&phaser, &party[2], TW_SIGNAL_WAIT);
    model_forget(JOINED);
    tw_phaser_signal(&party[2]);
    model_forget(AGAIN);
    model_assert(tw_phaser_wait(&party[2]) == 0, "an error came from nowhere");
    see(0, 1);
}

// The last party frees it.
static void wait_and_free(int id)
{
    if (id == 0) {
        tw_phaser_signal(&party[0]);
        return;
    }
    model_assert(tw_phaser_wait(&party[1]) == 0, "an error came from nowhere");
    TWI_STORE(&phaser.line.guard, (uint32_t)FREED, TWI_RELAXED);
    TWI_STORE(&phaser.phase, (uint64_t)FREED, TWI_RELAXED);
}

static void look_and_read(int id)
{
    if (id == 0) {
        came(0, 1);
        tw_phaser_signal(&party[0]);
    } else if (tw_phaser_phase(&phaser) > 0) {
        see(0, 1);
    }
}

// What an alarm does, at any moment of the first wait of thread 1.
static void ring(void)
{
    if (twi_waits_decide(&fibers[1].fiber.waits, FIRST_TICKET, TWI_LATE) == TWI_DECIDED)
        ready(&fibers[1].fiber.mail);
}

static void deadline(int id)
{
    if (id == 0) {
        came(0, 1);
        tw_phaser_signal(&party[0]);
    } else if (id == 2) {
        ring();
    } else {
        int error = tw_phaser_wait_until(&party[1], deadline_ns);
        model_assert(error == 0 || error == TW_ETIMEDOUT, "error %d", error);
        model_assert(!error || tw_phaser_wait(&party[1]) == 0, "the phase is lost");
        see(0, 1);
    }
}

static void two_meet(int id)
{
    came(id, 1);
    model_assert(tw_barrier_wait(&barrier) == 0, "an error came from nowhere");
    model_forget(WAITED);
    see(!id, 1);
    model_assert(tw_barrier_wait(&barrier) == 0, "an error came from nowhere");
    came(id, 2);
}

// Who gave up comes again.
static void meet_late(int id)
{
    if (id == 2) {
        ring();
        return;
    }
    came(id, 1);
    int error = id == 0 ? tw_barrier_wait(&barrier) : tw_barrier_wait_until(&barrier, 5);
    if (error)
        error = tw_barrier_wait(&barrier);
    model_assert(!error, "error %d", error);
    see(!id, 1);
}

static void check_line(const struct tw_phaser *p)
{
    model_assert(!p->line.guard && !p->line.first && !p->line.last, "the line is not empty");
}

static void check_phaser(void)
{
    check_line(&phaser);
    model_assert(phaser.phase <= phaser.furthest && (phaser.missing || !phaser.signallers),
                 "phase %u of %u, %u of %u are missing", (unsigned)phaser.phase,
                 (unsigned)phaser.furthest, phaser.missing, phaser.signallers);
}

static void check_two_take(void)
{
    check_phaser();
    model_assert(readied[2] == 1, "the third still waits");
}

static void check_two_make(void)
{
    check_phaser();
    model_assert(phaser.phase == 1 && phaser.furthest == 2, "phase %u", (unsigned)phaser.phase);
}

static void check_freed(void)
{
    model_assert(phaser.line.guard == FREED && phaser.phase == FREED,
                 "a phaser was touched that had been freed");
}

static void check_barrier(void)
{
    check_line(&barrier.phaser);
    model_assert(barrier.phaser.missing == 2, "%u are missing", barrier.phaser.missing);
}

#define PROGRAM(test, count, before, after)                                                        \
    {                                                                                              \
        .name = #test, .threads = count, .setup = before, .thread = test, .check = after,          \
        .ghost = &ghost, .ghost_size = sizeof ghost,                                               \
    }

static const struct model_program programs[] = {
    PROGRAM(two_in_step, 2, setup_step, check_phaser),
    PROGRAM(two_make, 3, setup_makers, check_two_make),
    PROGRAM(two_take, 2, setup_takers, check_two_take),
    PROGRAM(make_ahead, 2, setup_ahead, check_phaser),
    PROGRAM(nobody_left, 3, setup_left, check_phaser),
    PROGRAM(one_leaves, 3, setup_left, check_phaser),
    PROGRAM(one_joins, 2, setup_ahead, check_phaser),
    PROGRAM(wait_and_free, 2, setup_ahead, check_freed),
    PROGRAM(look_and_read, 2, setup_ahead, check_phaser),
    PROGRAM(deadline, 3, setup_timed, check_phaser),
    PROGRAM(two_meet, 2, setup, check_barrier),
    PROGRAM(meet_late, 3, setup, check_barrier),
};

int main(int argc, char **argv)
{
    return model_main(programs, sizeof programs / sizeof *programs, argc, argv);
}
