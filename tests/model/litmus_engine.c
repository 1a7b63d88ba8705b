// SPDX-License-Identifier: Apache-2.0
// The rest of the engine by small programs: races of plain accesses, sleeping and spinning, the
// services to programs, and that mistakes of programs are noticed.
#include "litmus.h"

// ---- plain accesses ----

#define PLAIN(name, store, load)                                                                   \
    static void name(int id)                                                                       \
    {                                                                                              \
        if (id == 0) {                                                                             \
            TWI_WRITE(plain, 5);                                                                   \
            TWI_STORE(&y, 1, store);                                                               \
        } else if (TWI_LOAD(&y, load)) {                                                           \
            r[0] = TWI_READ(plain);                                                                \
        }                                                                                          \
    }

PLAIN(plain_ordered, REL, ACQ)
PLAIN(plain_relaxed_store, RLX, ACQ)
PLAIN(plain_relaxed_load, REL, RLX)

// The reader is done before the writer writes again, but nothing says so to the writer.
static void plain_reused(int id)
{
    if (id == 0) {
        TWI_WRITE(plain, 5);
        TWI_STORE(&y, 1, REL);
        while (!TWI_LOAD(&z, RLX))
            TWI_PAUSE();
        TWI_WRITE(plain, 6);
        return;
    }
    while (!TWI_LOAD(&y, ACQ))
        TWI_PAUSE();
    r[0] = TWI_READ(plain);
    TWI_STORE(&z, 1, REL);
}

// x is set plainly before it is published, which is fine, or after.
static void plain_init(int id)
{
    if (id == 0) {
        TWI_WRITE(x, 3);
        TWI_STORE(&y, 1, REL);
    } else if (TWI_LOAD(&y, ACQ)) {
        r[0] = TWI_LOAD(&x, RLX);
    }
}

static void plain_against_atomic(int id)
{
    if (id == 0) {
        TWI_STORE(&y, 1, REL);
        TWI_WRITE(x, 3);
    } else if (TWI_LOAD(&y, ACQ)) {
        r[0] = TWI_LOAD(&x, RLX);
    }
}

// A membarrier orders what atomics see; for plain accesses it is no release of the other thread.
static void plain_membarrier(int id)
{
    if (id == 0) {
        TWI_WRITE(plain, 5);
        TWI_STORE(&y, 1, RLX);
    } else {
        twi_membarrier();
        if (TWI_LOAD(&y, ACQ))
            r[0] = TWI_READ(plain);
    }
}

// ---- waiting ----

static void futex_handover(int id)
{
    if (id == 0) {
        TWI_STORE(&x, 1, REL);
        twi_futex_wake(&x, 1);
    } else {
        while (!TWI_LOAD(&x, ACQ))
            twi_futex_wait(&x, 0, -1);
    }
}

static void futex_no_wake(int id)
{
    if (id == 0)
        TWI_STORE(&x, 1, REL);
    else
        futex_handover(id);
}

// The sleeper announces itself in y; the waker looks there to save the call.
#define FUTEX_LAZY(name, between)                                                                  \
    static void name(int id)                                                                       \
    {                                                                                              \
        if (id == 0) {                                                                             \
            TWI_STORE(&x, 1, RLX);                                                                 \
            between;                                                                               \
            if (TWI_LOAD(&y, RLX)) {                                                               \
                TWI_FETCH_ADD(&z, 1, RLX);                                                         \
                twi_futex_wake(&z, 1);                                                             \
            }                                                                                      \
            return;                                                                                \
        }                                                                                          \
        uint32_t seen = TWI_LOAD(&z, RLX);                                                         \
        TWI_STORE(&y, 1, RLX);                                                                     \
        between;                                                                                   \
        if (!TWI_LOAD(&x, RLX))                                                                    \
            twi_futex_wait(&z, seen, -1);                                                          \
    }

FUTEX_LAZY(futex_lazy, TWI_FENCE(SC))
FUTEX_LAZY(futex_lost_wakeup, )

static void futex_two_sleepers(int id)
{
    if (id == 2) {
        TWI_STORE(&x, 1, REL);
        twi_futex_wake(&x, 1);
        return;
    }
    while (!TWI_LOAD(&x, ACQ))
        twi_futex_wait(&x, 0, -1);
}

static void futex_timeout(int id)
{
    if (id == 0)
        twi_futex_wake(&x, 1);
    else
        r[0] = (uint32_t)-twi_futex_wait(&x, 0, 1000);
}

static void show_timeout(void)
{
    model_outcome("%s", r[0] ? "timed out" : "woken");
}

static void spin(int id)
{
    if (id == 0) {
        TWI_STORE(&x, 1, RLX);
        TWI_STORE(&y, 1, REL);
    } else {
        while (!TWI_LOAD(&y, ACQ))
            TWI_PAUSE();
        r[id - 1] = TWI_LOAD(&x, RLX);
    }
}

static void spin_for_ever(int id)
{
    if (id == 1)
        while (!TWI_LOAD(&y, ACQ))
            TWI_PAUSE();
}

static void spin_without_pause(int id)
{
    if (id == 0)
        TWI_STORE(&y, 1, REL);
    else
        while (!TWI_LOAD(&y, ACQ))
            ;
}

#define SPIN_LOCK(name, enter, leave)                                                              \
    static void name(int id)                                                                       \
    {                                                                                              \
        (void)id;                                                                                  \
        while (TWI_EXCHANGE(&lock, 1, enter))                                                      \
            TWI_PAUSE();                                                                           \
        TWI_WRITE(plain, TWI_READ(plain) + 1);                                                     \
        TWI_STORE(&lock, 0, leave);                                                                \
    }

SPIN_LOCK(spin_lock, ACQ, REL)
SPIN_LOCK(spin_lock_relaxed_leave, ACQ, RLX)
SPIN_LOCK(spin_lock_relaxed_enter, RLX, REL)

static void check_lock(void)
{
    model_assert(plain == 3, "three turns counted %u", plain);
}

static void lock_order(int id)
{
    uint32_t *first = id ? &y : &x;
    uint32_t *second = id ? &x : &y;
    while (TWI_EXCHANGE(first, 1, ACQ))
        TWI_PAUSE();
    while (TWI_EXCHANGE(second, 1, ACQ))
        TWI_PAUSE();
    TWI_STORE(second, 0, REL);
    TWI_STORE(first, 0, REL);
}

// Peterson's lock needs more than acquire and release.
#define PETERSON(name, order)                                                                      \
    static void name(int id)                                                                       \
    {                                                                                              \
        uint32_t *mine = id ? &y : &x;                                                             \
        uint32_t *other = id ? &x : &y;                                                            \
        TWI_STORE(mine, 1, order);                                                                 \
        TWI_STORE(&z, 1 - id, order);                                                              \
        while (TWI_LOAD(other, order) && TWI_LOAD(&z, order) == 1 - (uint32_t)id)                  \
            TWI_PAUSE();                                                                           \
        TWI_WRITE(plain, TWI_READ(plain) + 1);                                                     \
        TWI_STORE(mine, 0, order == SC ? SC : REL);                                                \
    }

PETERSON(peterson_sc, SC)
PETERSON(peterson_relaxed, RLX)

// ---- the engine's own services ----

static struct {
    uint32_t order[4];
    uint32_t count;
} ghost;

// Both orders of the two updates are found although neither thread can tell them apart.
static void ghost_order(int id)
{
    TWI_FETCH_ADD(&x, 0, RLX);
    ghost.order[ghost.count++] = (uint32_t)id + 1;
    model_forget(0);
}

static void show_ghost(void)
{
    model_outcome("%u %u", ghost.order[0], ghost.order[1]);
}

static void choices(int id)
{
    r[id] = model_choose(3);
}

static void allocated(int id)
{
    uint32_t *cell = model_alloc(sizeof *cell);
    if (id == 0) {
        TWI_WRITE(*cell, 4);
        TWI_STORE(&wide, (uintptr_t)cell, REL);
        return;
    }
    uint32_t *found = (uint32_t *)(uintptr_t)TWI_LOAD(&wide, ACQ);
    r[0] = found ? TWI_READ(*found) : 0;
    r[1] = *cell;
}

static void asserts(int id)
{
    (void)id;
    uint32_t found = TWI_FETCH_ADD(&x, 1, RLX);
    model_assert(found == 0, "the second one");
}

static uint32_t never_reset;

static void forgets_setup(int id)
{
    (void)id;
    if (never_reset++ % 3 == 0)
        TWI_STORE(&x, 1, RLX);
    TWI_STORE(&y, 1, RLX);
}

static void bypasses(int id)
{
    TWI_STORE(&x, (uint32_t)id, RLX);
    x = 17;
    TWI_STORE(&x, 3, RLX);
}

static const struct litmus litmus[] = {
    {{"plain_ordered", TWO, .thread = plain_ordered, .check = show2}, "0 0|5 0", 0, 0},
    {{"plain_relaxed_store", TWO, .thread = plain_relaxed_store},
     "",
     MODEL_RACE,
     "data race on plain: a plain write by T0"},
    {{"plain_relaxed_load", TWO, .thread = plain_relaxed_load}, "", MODEL_RACE, "race on plain"},
    {{"plain_reused", TWO, .thread = plain_reused}, "", MODEL_RACE, "a plain read by T1"},
    {{"plain_init", TWO, .thread = plain_init, .check = show2}, "0 0|3 0", 0, 0},
    {{"plain_against_atomic", TWO, .thread = plain_against_atomic}, "", MODEL_RACE, "race on x"},
    {{"plain_membarrier", TWO, .thread = plain_membarrier}, "", MODEL_RACE, "race on plain"},

    {{"futex_handover", TWO, .thread = futex_handover}, "", 0, 0},
    {{"futex_no_wake", TWO, .thread = futex_no_wake}, "", MODEL_DEADLOCK, "T1 sleeps on x"},
    {{"futex_lazy", TWO, .thread = futex_lazy}, "", 0, 0},
    {{"futex_lost_wakeup", TWO, .thread = futex_lost_wakeup}, "", MODEL_DEADLOCK, "T1 sleeps on z"},
    {{"futex_two_sleepers", THREE, .thread = futex_two_sleepers},
     "",
     MODEL_DEADLOCK,
     "sleeps on x"},
    {{"futex_timeout", TWO, .thread = futex_timeout, .check = show_timeout},
     "timed out|woken",
     0,
     0},
    {{"spin", THREE, .thread = spin, .check = show2}, "1 1", 0, 0},
    {{"spin_for_ever", TWO, .thread = spin_for_ever}, "", MODEL_DEADLOCK, "T1 spins"},
    {{"spin_without_pause", TWO, .thread = spin_without_pause}, "", MODEL_BOUND, "TWI_PAUSE"},
    {{"spin_lock", THREE, .thread = spin_lock, .check = check_lock}, "", 0, 0},
    {{"spin_lock_relaxed_leave", THREE, .thread = spin_lock_relaxed_leave},
     "",
     MODEL_RACE,
     "race on plain"},
    {{"spin_lock_relaxed_enter", THREE, .thread = spin_lock_relaxed_enter},
     "",
     MODEL_RACE,
     "race on plain"},
    {{"lock_order", TWO, .thread = lock_order}, "", MODEL_DEADLOCK, "T0 spins, T1 spins"},
    {{"peterson_sc", TWO, .thread = peterson_sc}, "", 0, 0},
    {{"peterson_relaxed", TWO, .thread = peterson_relaxed}, "", MODEL_RACE, "race on plain"},

    {{"ghost_order", TWO, .thread = ghost_order, .check = show_ghost, .ghost = &ghost,
      .ghost_size = sizeof ghost},
     "1 2|2 1",
     0,
     0},
    {{"choices", TWO, .thread = choices, .check = show2},
     "0 0|0 1|0 2|1 0|1 1|1 2|2 0|2 1|2 2",
     0,
     0},
    {{"allocated", TWO, .thread = allocated, .check = show2}, "0 0|4 0", 0, 0},
    {{"asserts", TWO, .thread = asserts}, "", MODEL_ASSERT, "the second one (found == 0, "},
    {{"too_many_states", THREE, .thread = spin_lock, .states_max = 10},
     "",
     MODEL_BOUND,
     "more than 10 states"},
    {{"forgets_setup", TWO, .thread = forgets_setup}, "", MODEL_MISUSE, "reset everything"},
    {{"bypasses", TWO, .thread = bypasses}, "", MODEL_MISUSE, "x was changed without the macros"},
};

int main(int argc, char **argv)
{
    return run_all(litmus, sizeof litmus / sizeof litmus[0], argc, argv);
}
