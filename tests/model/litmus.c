// SPDX-License-Identifier: Apache-2.0
// The checker checked: classic litmus programs, each with the exact set of outcomes the model has.
// r0 to r3 are what threads read; x and y the final values. Names say what orders the accesses.
//
// Where C11 allows more than the model: lb (load buffering, which no compiler of ours produces on
// purpose and RC11 forbids).
#include <stdio.h>
#include <string.h>

#include <twill/atomic.h>

#define RLX TWI_RELAXED
#define ACQ TWI_ACQUIRE
#define REL TWI_RELEASE
#define SC TWI_SEQ_CST

static uint32_t x, y, z;
static uint32_t r[4];
static uint64_t wide;
static uint32_t plain;
static uint32_t lock;

static void setup(void)
{
    x = y = z = plain = lock = 0;
    wide = 0;
    memset(r, 0, sizeof r);
    model_name(&x, "x");
    model_name(&y, "y");
    model_name(&z, "z");
    model_name(&plain, "plain");
    model_name(&lock, "lock");
    model_name(&wide, "wide");
}

static void show2(void)
{
    model_outcome("%u %u", r[0], r[1]);
}

static void show3(void)
{
    model_outcome("%u %u %u", r[0], r[1], r[2]);
}

static void show4(void)
{
    model_outcome("%u %u %u %u", r[0], r[1], r[2], r[3]);
}

static void show_xy(void)
{
    model_outcome("%u %u", x, y);
}

static void show_x(void)
{
    model_outcome("%u", x);
}

// ---- store buffering: may both read 0? ----

#define SB(name, store, between, load)                                                             \
    static void name(int id)                                                                       \
    {                                                                                              \
        TWI_STORE(id ? &y : &x, 1, store);                                                         \
        between;                                                                                   \
        r[id] = TWI_LOAD(id ? &x : &y, load);                                                      \
    }

SB(sb_relaxed, RLX, , RLX)
SB(sb_acq_rel, REL, , ACQ)
SB(sb_sc, SC, , SC)
SB(sb_sc_stores, SC, , RLX)
SB(sb_sc_loads, RLX, , SC)
SB(sb_fences, RLX, TWI_FENCE(SC), RLX)
SB(sb_acq_rel_fences, RLX, TWI_FENCE(TWI_ACQ_REL), RLX)
SB(sb_compiler_fences, RLX, TWI_COMPILER_FENCE(), RLX)
SB(sb_one_fence, RLX, if (id) TWI_FENCE(SC), RLX)
SB(sb_membarrier, RLX, if (id) twi_membarrier(); else TWI_COMPILER_FENCE(), RLX)

static void sb_sc_updates(int id)
{
    TWI_EXCHANGE(id ? &y : &x, 1, SC);
    r[id] = TWI_LOAD(id ? &x : &y, SC);
}

// A third thread's membarrier does not stand between the store and the load of both others.
static void sb_membarrier_elsewhere(int id)
{
    if (id == 2)
        twi_membarrier();
    else
        sb_relaxed(id);
}

// Two threads with compiler fences only, a third that calls membarrier between its own accesses.
static void sb_membarrier_three(int id)
{
    if (id == 2) {
        TWI_STORE(&z, 1, RLX);
        twi_membarrier();
        r[2] = TWI_LOAD(&x, RLX);
        r[3] = TWI_LOAD(&y, RLX);
        return;
    }
    TWI_STORE(id ? &y : &x, 1, RLX);
    TWI_COMPILER_FENCE();
    r[id] = TWI_LOAD(&z, RLX);
}

static void check_membarrier_three(void)
{
    model_assert(r[0] || r[2], "T0 and T2 missed each other");
    model_assert(r[1] || r[3], "T1 and T2 missed each other");
    show4();
}

// ---- message passing: may the reader see the flag and not the message? ----

#define MP(name, store, before_store, load, after_load)                                            \
    static void name(int id)                                                                       \
    {                                                                                              \
        if (id == 0) {                                                                             \
            TWI_STORE(&x, 1, RLX);                                                                 \
            before_store;                                                                          \
            TWI_STORE(&y, 1, store);                                                               \
        } else {                                                                                   \
            r[0] = TWI_LOAD(&y, load);                                                             \
            after_load;                                                                            \
            r[1] = TWI_LOAD(&x, RLX);                                                              \
        }                                                                                          \
    }

MP(mp_relaxed, RLX, , RLX, )
MP(mp_rel_acq, REL, , ACQ, )
MP(mp_rel_relaxed, REL, , RLX, )
MP(mp_relaxed_acq, RLX, , ACQ, )
MP(mp_sc, SC, , SC, )
MP(mp_fences, RLX, TWI_FENCE(REL), RLX, TWI_FENCE(ACQ))
MP(mp_fence_acq, RLX, TWI_FENCE(REL), ACQ, )
MP(mp_rel_fence, REL, , RLX, TWI_FENCE(ACQ))
MP(mp_sc_fences, RLX, TWI_FENCE(SC), RLX, TWI_FENCE(SC))
MP(mp_wrong_fences, RLX, TWI_FENCE(ACQ), RLX, TWI_FENCE(REL))
MP(mp_membarrier, RLX, , RLX, twi_membarrier())

// ---- load buffering ----

static void lb(int id)
{
    r[id] = TWI_LOAD(id ? &x : &y, RLX);
    TWI_STORE(id ? &y : &x, 1, RLX);
}

// ---- four threads ----

#define IRIW(name, store, between, load)                                                           \
    static void name(int id)                                                                       \
    {                                                                                              \
        if (id < 2) {                                                                              \
            TWI_STORE(id ? &y : &x, 1, store);                                                     \
        } else {                                                                                   \
            int k = (id - 2) * 2;                                                                  \
            r[k] = TWI_LOAD(k ? &y : &x, load);                                                    \
            between;                                                                               \
            r[k + 1] = TWI_LOAD(k ? &x : &y, load);                                                \
        }                                                                                          \
    }

IRIW(iriw_acq, REL, , ACQ)
IRIW(iriw_sc, SC, , SC)
IRIW(iriw_sc_loads, RLX, , SC)
IRIW(iriw_fences, RLX, TWI_FENCE(SC), RLX)

static void check_iriw(void)
{
    model_outcome("%s", r[0] && !r[1] && r[2] && !r[3] ? "disagree" : "agree");
}

// ---- causality through a third thread ----

#define WRC(name, store, load)                                                                     \
    static void name(int id)                                                                       \
    {                                                                                              \
        if (id == 0) {                                                                             \
            TWI_STORE(&x, 1, RLX);                                                                 \
        } else if (id == 1) {                                                                      \
            r[0] = TWI_LOAD(&x, load);                                                             \
            TWI_STORE(&y, 1, store);                                                               \
        } else {                                                                                   \
            r[1] = TWI_LOAD(&y, load);                                                             \
            r[2] = TWI_LOAD(&x, RLX);                                                              \
        }                                                                                          \
    }

WRC(wrc_relaxed, RLX, RLX)
WRC(wrc_rel_acq, REL, ACQ)

#define ISA2(name, store, load)                                                                    \
    static void name(int id)                                                                       \
    {                                                                                              \
        if (id == 0) {                                                                             \
            TWI_STORE(&x, 1, RLX);                                                                 \
            TWI_STORE(&y, 1, store);                                                               \
        } else if (id == 1) {                                                                      \
            r[0] = TWI_LOAD(&y, load);                                                             \
            TWI_STORE(&z, 1, store);                                                               \
        } else {                                                                                   \
            r[1] = TWI_LOAD(&z, load);                                                             \
            r[2] = TWI_LOAD(&x, RLX);                                                              \
        }                                                                                          \
    }

ISA2(isa2_relaxed, RLX, RLX)
ISA2(isa2_rel_acq, REL, ACQ)

static void check_causal(void)
{
    model_outcome("%s", r[0] && r[1] && !r[2] ? "broken" : "kept");
}

// ---- coherence of one location ----

static void corr(int id)
{
    if (id == 0) {
        TWI_STORE(&x, 1, RLX);
        TWI_STORE(&x, 2, RLX);
    } else {
        r[0] = TWI_LOAD(&x, RLX);
        r[1] = TWI_LOAD(&x, RLX);
    }
}

static void coww(int id)
{
    (void)id;
    TWI_STORE(&x, 1, RLX);
    TWI_STORE(&x, 2, RLX);
}

static void cowr(int id)
{
    TWI_STORE(&x, id + 1, RLX);
    r[id] = TWI_LOAD(&x, RLX);
}

static void corw(int id)
{
    if (id == 0) {
        r[0] = TWI_LOAD(&x, RLX);
        TWI_STORE(&x, 1, RLX);
    } else {
        TWI_STORE(&x, 2, RLX);
    }
}

static void show_corw(void)
{
    model_outcome("%u %u", r[0], x);
}

// Two readers agree on the order of two writes.
static void corr_two(int id)
{
    if (id < 2) {
        TWI_STORE(&x, id + 1, RLX);
    } else {
        int k = (id - 2) * 2;
        r[k] = TWI_LOAD(&x, RLX);
        r[k + 1] = TWI_LOAD(&x, RLX);
    }
}

static void check_corr_two(void)
{
    int one = r[0] == 1 && r[1] == 2 && r[2] == 2 && r[3] == 1;
    int two = r[0] == 2 && r[1] == 1 && r[2] == 1 && r[3] == 2;
    model_outcome("%s", one || two ? "disagree" : "agree");
}

// ---- the place of a store in modification order ----

#define TWO_WRITES(name, order, between)                                                           \
    static void name(int id)                                                                       \
    {                                                                                              \
        TWI_STORE(id ? &y : &x, 1, order);                                                         \
        between;                                                                                   \
        TWI_STORE(id ? &x : &y, 2, order);                                                         \
    }

TWO_WRITES(two_writes_relaxed, RLX, )
TWO_WRITES(two_writes_rel, REL, )
TWO_WRITES(two_writes_sc, SC, )
TWO_WRITES(two_writes_fences, RLX, TWI_FENCE(SC))

// S: T1 sees T0's second store and then overwrites the first: may the first still win?
#define SHAPE_S(name, store, load)                                                                 \
    static void name(int id)                                                                       \
    {                                                                                              \
        if (id == 0) {                                                                             \
            TWI_STORE(&x, 2, RLX);                                                                 \
            TWI_STORE(&y, 1, store);                                                               \
        } else {                                                                                   \
            r[0] = TWI_LOAD(&y, load);                                                             \
            TWI_STORE(&x, 1, RLX);                                                                 \
        }                                                                                          \
    }

SHAPE_S(s_relaxed, RLX, RLX)
SHAPE_S(s_rel_acq, REL, ACQ)

// R: stores of y in both, then T1 reads x.
#define SHAPE_R(name, between)                                                                     \
    static void name(int id)                                                                       \
    {                                                                                              \
        if (id == 0) {                                                                             \
            TWI_STORE(&x, 1, RLX);                                                                 \
            between;                                                                               \
            TWI_STORE(&y, 1, RLX);                                                                 \
        } else {                                                                                   \
            TWI_STORE(&y, 2, RLX);                                                                 \
            between;                                                                               \
            r[0] = TWI_LOAD(&x, RLX);                                                              \
        }                                                                                          \
    }

SHAPE_R(r_relaxed, )
SHAPE_R(r_fences, TWI_FENCE(SC))

static void show_r0_x(void)
{
    model_outcome("%u %u", r[0], x);
}

static void show_r0_y(void)
{
    model_outcome("%u %u", r[0], y);
}

// ---- read-modify-writes ----

// A release continues through another thread's relaxed update, not through its store.
static void release_sequence(int id)
{
    if (id == 0) {
        TWI_STORE(&x, 1, RLX);
        TWI_STORE(&y, 1, REL);
    } else if (id == 1) {
        uint32_t one = 1;
        TWI_CAS(&y, &one, 2, RLX, RLX);
    } else {
        r[0] = TWI_LOAD(&y, ACQ);
        r[1] = TWI_LOAD(&x, RLX);
    }
}

static void release_cut(int id)
{
    if (id == 1) {
        if (TWI_LOAD(&y, RLX) == 1)
            TWI_STORE(&y, 2, RLX);
    } else {
        release_sequence(id);
    }
}

static void cas_once(int id)
{
    uint32_t free = 0;
    r[id] = (uint32_t)TWI_CAS(&x, &free, id + 1, RLX, RLX);
}

static void add_both(int id)
{
    r[id] = TWI_FETCH_ADD(&x, 1, RLX);
}

// The swap that fails is a load, and may be of an old value; the one that expects it is not.
static void cas_stale(int id)
{
    if (id == 0) {
        TWI_STORE(&x, 1, RLX);
        TWI_STORE(&y, 1, RLX);
        return;
    }
    uint32_t expected = 7;
    r[0] = TWI_LOAD(&y, RLX);
    TWI_CAS(&x, &expected, 9, RLX, RLX);
    r[1] = expected;
}

static void operations(int id)
{
    (void)id;
    r[0] = TWI_EXCHANGE(&x, 12, RLX);
    r[1] = TWI_FETCH_SUB(&x, 13, RLX);
    r[2] = TWI_FETCH_AND(&x, 0xf0, RLX);
    r[3] = TWI_FETCH_OR(&x, 3, RLX);
}

static void show_operations(void)
{
    model_outcome("%u %u %x %x %x", r[0], r[1], r[2], r[3], x);
}

// ---- half of an 8-byte object ----

static void half(int id)
{
    if (id == 0) {
        TWI_STORE(&wide, UINT64_C(0x100000002), REL);
        return;
    }
    r[0] = TWI_LOAD((uint32_t *)&wide, RLX);
    uint64_t whole = TWI_LOAD(&wide, RLX);
    r[1] = (uint32_t)(whole >> 32);
}

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

#define TWO .threads = 2, .setup = setup
#define THREE .threads = 3, .setup = setup
#define FOUR .threads = 4, .setup = setup

static const struct litmus {
    struct model_program program;
    const char *outcomes; // all of them, sorted
    enum model_verdict verdict;
    const char *message; // a part of it
} litmus[] = {
    {{"sb_relaxed", TWO, .thread = sb_relaxed, .check = show2}, "0 0|0 1|1 0|1 1", 0, 0},
    {{"sb_acq_rel", TWO, .thread = sb_acq_rel, .check = show2}, "0 0|0 1|1 0|1 1", 0, 0},
    {{"sb_sc", TWO, .thread = sb_sc, .check = show2}, "0 1|1 0|1 1", 0, 0},
    {{"sb_sc_stores", TWO, .thread = sb_sc_stores, .check = show2}, "0 0|0 1|1 0|1 1", 0, 0},
    {{"sb_sc_loads", TWO, .thread = sb_sc_loads, .check = show2}, "0 0|0 1|1 0|1 1", 0, 0},
    {{"sb_sc_updates", TWO, .thread = sb_sc_updates, .check = show2}, "0 1|1 0|1 1", 0, 0},
    {{"sb_fences", TWO, .thread = sb_fences, .check = show2}, "0 1|1 0|1 1", 0, 0},
    {{"sb_acq_rel_fences", TWO, .thread = sb_acq_rel_fences, .check = show2},
     "0 0|0 1|1 0|1 1", 0, 0},
    {{"sb_compiler_fences", TWO, .thread = sb_compiler_fences, .check = show2},
     "0 0|0 1|1 0|1 1", 0, 0},
    {{"sb_one_fence", TWO, .thread = sb_one_fence, .check = show2}, "0 0|0 1|1 0|1 1", 0, 0},
    {{"sb_membarrier", TWO, .thread = sb_membarrier, .check = show2}, "0 1|1 0|1 1", 0, 0},
    {{"sb_membarrier_elsewhere", THREE, .thread = sb_membarrier_elsewhere, .check = show2},
     "0 0|0 1|1 0|1 1", 0, 0},
    {{"sb_membarrier_three", THREE, .thread = sb_membarrier_three,
      .check = check_membarrier_three},
     "0 0 1 1|0 1 1 0|0 1 1 1|1 0 0 1|1 0 1 1|1 1 0 0|1 1 0 1|1 1 1 0|1 1 1 1", 0, 0},

    {{"mp_relaxed", TWO, .thread = mp_relaxed, .check = show2}, "0 0|0 1|1 0|1 1", 0, 0},
    {{"mp_rel_acq", TWO, .thread = mp_rel_acq, .check = show2}, "0 0|0 1|1 1", 0, 0},
    {{"mp_rel_relaxed", TWO, .thread = mp_rel_relaxed, .check = show2}, "0 0|0 1|1 0|1 1", 0, 0},
    {{"mp_relaxed_acq", TWO, .thread = mp_relaxed_acq, .check = show2}, "0 0|0 1|1 0|1 1", 0, 0},
    {{"mp_sc", TWO, .thread = mp_sc, .check = show2}, "0 0|0 1|1 1", 0, 0},
    {{"mp_fences", TWO, .thread = mp_fences, .check = show2}, "0 0|0 1|1 1", 0, 0},
    {{"mp_fence_acq", TWO, .thread = mp_fence_acq, .check = show2}, "0 0|0 1|1 1", 0, 0},
    {{"mp_rel_fence", TWO, .thread = mp_rel_fence, .check = show2}, "0 0|0 1|1 1", 0, 0},
    {{"mp_sc_fences", TWO, .thread = mp_sc_fences, .check = show2}, "0 0|0 1|1 1", 0, 0},
    {{"mp_wrong_fences", TWO, .thread = mp_wrong_fences, .check = show2},
     "0 0|0 1|1 0|1 1", 0, 0},
    {{"mp_membarrier", TWO, .thread = mp_membarrier, .check = show2}, "0 0|0 1|1 1", 0, 0},

    {{"lb", TWO, .thread = lb, .check = show2}, "0 0|0 1|1 0", 0, 0},

    {{"iriw_acq", FOUR, .thread = iriw_acq, .check = check_iriw}, "agree|disagree", 0, 0},
    {{"iriw_sc", FOUR, .thread = iriw_sc, .check = check_iriw}, "agree", 0, 0},
    {{"iriw_sc_loads", FOUR, .thread = iriw_sc_loads, .check = check_iriw},
     "agree|disagree", 0, 0},
    {{"iriw_fences", FOUR, .thread = iriw_fences, .check = check_iriw}, "agree", 0, 0},
    {{"wrc_relaxed", THREE, .thread = wrc_relaxed, .check = check_causal}, "broken|kept", 0, 0},
    {{"wrc_rel_acq", THREE, .thread = wrc_rel_acq, .check = check_causal}, "kept", 0, 0},
    {{"isa2_relaxed", THREE, .thread = isa2_relaxed, .check = check_causal}, "broken|kept", 0, 0},
    {{"isa2_rel_acq", THREE, .thread = isa2_rel_acq, .check = check_causal}, "kept", 0, 0},

    {{"corr", TWO, .thread = corr, .check = show2}, "0 0|0 1|0 2|1 1|1 2|2 2", 0, 0},
    {{"coww", .threads = 1, .setup = setup, .thread = coww, .check = show_x}, "2", 0, 0},
    {{"cowr", TWO, .thread = cowr, .check = show2}, "1 1|1 2|2 2", 0, 0},
    {{"corw", TWO, .thread = corw, .check = show_corw}, "0 1|0 2|2 1", 0, 0},
    {{"corr_two", FOUR, .thread = corr_two, .check = check_corr_two}, "agree", 0, 0},

    {{"two_writes_relaxed", TWO, .thread = two_writes_relaxed, .check = show_xy},
     "1 1|1 2|2 1|2 2", 0, 0},
    {{"two_writes_rel", TWO, .thread = two_writes_rel, .check = show_xy},
     "1 1|1 2|2 1|2 2", 0, 0},
    {{"two_writes_sc", TWO, .thread = two_writes_sc, .check = show_xy}, "1 2|2 1|2 2", 0, 0},
    {{"two_writes_fences", TWO, .thread = two_writes_fences, .check = show_xy},
     "1 2|2 1|2 2", 0, 0},
    {{"two_writes_append_only", TWO, .thread = two_writes_relaxed, .check = show_xy,
      .append_only = 1},
     "1 2|2 1|2 2", 0, 0},
    {{"s_relaxed", TWO, .thread = s_relaxed, .check = show_r0_x}, "0 1|0 2|1 1|1 2", 0, 0},
    {{"s_rel_acq", TWO, .thread = s_rel_acq, .check = show_r0_x}, "0 1|0 2|1 1", 0, 0},
    {{"r_relaxed", TWO, .thread = r_relaxed, .check = show_r0_y}, "0 1|0 2|1 1|1 2", 0, 0},
    {{"r_fences", TWO, .thread = r_fences, .check = show_r0_y}, "0 1|1 1|1 2", 0, 0},

    {{"release_sequence", THREE, .thread = release_sequence, .check = show2},
     "0 0|0 1|1 1|2 1", 0, 0},
    {{"release_cut", THREE, .thread = release_cut, .check = show2}, "0 0|0 1|1 1|2 0|2 1", 0, 0},
    {{"cas_once", THREE, .thread = cas_once, .check = show3}, "0 0 1|0 1 0|1 0 0", 0, 0},
    {{"add_both", TWO, .thread = add_both, .check = show2}, "0 1|1 0", 0, 0},
    {{"cas_stale", TWO, .thread = cas_stale, .check = show2}, "0 0|0 1|1 0|1 1", 0, 0},
    {{"operations", .threads = 1, .setup = setup, .thread = operations,
      .check = show_operations},
     "0 12 ffffffff f0 f3", 0, 0},
    {{"half", TWO, .thread = half, .check = show2}, "0 0|0 1|2 1", 0, 0},

    {{"plain_ordered", TWO, .thread = plain_ordered, .check = show2}, "0 0|5 0", 0, 0},
    {{"plain_relaxed_store", TWO, .thread = plain_relaxed_store}, "", MODEL_RACE,
     "data race on plain: a plain write by T0"},
    {{"plain_relaxed_load", TWO, .thread = plain_relaxed_load}, "", MODEL_RACE, "race on plain"},
    {{"plain_reused", TWO, .thread = plain_reused}, "", MODEL_RACE, "a plain read by T1"},
    {{"plain_init", TWO, .thread = plain_init, .check = show2}, "0 0|3 0", 0, 0},
    {{"plain_against_atomic", TWO, .thread = plain_against_atomic}, "", MODEL_RACE, "race on x"},
    {{"plain_membarrier", TWO, .thread = plain_membarrier}, "", MODEL_RACE, "race on plain"},

    {{"futex_handover", TWO, .thread = futex_handover}, "", 0, 0},
    {{"futex_no_wake", TWO, .thread = futex_no_wake}, "", MODEL_DEADLOCK, "T1 sleeps on x"},
    {{"futex_lazy", TWO, .thread = futex_lazy}, "", 0, 0},
    {{"futex_lost_wakeup", TWO, .thread = futex_lost_wakeup}, "", MODEL_DEADLOCK,
     "T1 sleeps on z"},
    {{"futex_two_sleepers", THREE, .thread = futex_two_sleepers}, "", MODEL_DEADLOCK, "sleeps on x"},
    {{"futex_timeout", TWO, .thread = futex_timeout, .check = show_timeout},
     "timed out|woken", 0, 0},
    {{"spin", THREE, .thread = spin, .check = show2}, "1 1", 0, 0},
    {{"spin_for_ever", TWO, .thread = spin_for_ever}, "", MODEL_DEADLOCK, "T1 spins"},
    {{"spin_without_pause", TWO, .thread = spin_without_pause}, "", MODEL_BOUND, "TWI_PAUSE"},
    {{"spin_lock", THREE, .thread = spin_lock, .check = check_lock}, "", 0, 0},
    {{"spin_lock_relaxed_leave", THREE, .thread = spin_lock_relaxed_leave}, "", MODEL_RACE,
     "race on plain"},
    {{"spin_lock_relaxed_enter", THREE, .thread = spin_lock_relaxed_enter}, "", MODEL_RACE,
     "race on plain"},
    {{"lock_order", TWO, .thread = lock_order}, "", MODEL_DEADLOCK, "T0 spins, T1 spins"},
    {{"peterson_sc", TWO, .thread = peterson_sc}, "", 0, 0},
    {{"peterson_relaxed", TWO, .thread = peterson_relaxed}, "", MODEL_RACE, "race on plain"},

    {{"ghost_order", TWO, .thread = ghost_order, .check = show_ghost, .ghost = &ghost,
      .ghost_size = sizeof ghost},
     "1 2|2 1", 0, 0},
    {{"choices", TWO, .thread = choices, .check = show2},
     "0 0|0 1|0 2|1 0|1 1|1 2|2 0|2 1|2 2", 0, 0},
    {{"allocated", TWO, .thread = allocated, .check = show2}, "0 0|4 0", 0, 0},
    {{"asserts", TWO, .thread = asserts}, "", MODEL_ASSERT, "the second one (found == 0, "},
    {{"too_many_states", THREE, .thread = spin_lock, .states_max = 10}, "", MODEL_BOUND,
     "more than 10 states"},
    {{"forgets_setup", TWO, .thread = forgets_setup}, "", MODEL_MISUSE, "reset everything"},
    {{"bypasses", TWO, .thread = bypasses}, "", MODEL_MISUSE, "x was changed without the macros"},
};

static int run(const struct litmus *l)
{
    static struct model_result result;
    char found[MODEL_OUTCOMES * MODEL_OUTCOME_SIZE] = "";
    enum model_verdict verdict = model_run(&l->program, &result, l->verdict == MODEL_PASS);
    for (int i = 0; i < result.outcomes; i++) {
        strcat(found, i ? "|" : "");
        strcat(found, result.outcome[i]);
    }
    int good = verdict == l->verdict && (verdict != MODEL_PASS || !strcmp(found, l->outcomes)) &&
               (!l->message || strstr(result.message, l->message));
    printf("%s %s: %s%s, %llu states, %llu executions\n", good ? "ok  " : "FAIL", l->program.name,
           found, result.message, (unsigned long long)result.states,
           (unsigned long long)result.executions);
    if (!good)
        printf("     expected %s%s\n", l->outcomes, l->message ? l->message : "");
    return good;
}

int main(int argc, char **argv)
{
    int passed = 0;
    int failed = 0;
    for (size_t i = 0; i < sizeof litmus / sizeof litmus[0]; i++) {
        if (argc > 1 && strcmp(argv[1], litmus[i].program.name) != 0)
            continue;
        if (run(&litmus[i]))
            passed++;
        else
            failed++;
    }
    printf("%d passed, %d failed\n", passed, failed);
    return failed != 0;
}
