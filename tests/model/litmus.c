// SPDX-License-Identifier: Apache-2.0
// The memory model by the classic litmus programs, each with the exact set of outcomes it has.
// r[0] to r[3] are what threads read. Names say what orders the accesses.
//
// Where C11 allows more than the model: lb (load buffering, which RC11 forbids).
#include "litmus.h"

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

static const struct litmus litmus[] = {
    {{"sb_relaxed", TWO, .thread = sb_relaxed, .check = show2}, "0 0|0 1|1 0|1 1", 0, 0},
    {{"sb_acq_rel", TWO, .thread = sb_acq_rel, .check = show2}, "0 0|0 1|1 0|1 1", 0, 0},
    {{"sb_sc", TWO, .thread = sb_sc, .check = show2}, "0 1|1 0|1 1", 0, 0},
    {{"sb_sc_stores", TWO, .thread = sb_sc_stores, .check = show2}, "0 0|0 1|1 0|1 1", 0, 0},
    {{"sb_sc_loads", TWO, .thread = sb_sc_loads, .check = show2}, "0 0|0 1|1 0|1 1", 0, 0},
    {{"sb_sc_updates", TWO, .thread = sb_sc_updates, .check = show2}, "0 1|1 0|1 1", 0, 0},
    {{"sb_fences", TWO, .thread = sb_fences, .check = show2}, "0 1|1 0|1 1", 0, 0},
    {{"sb_acq_rel_fences", TWO, .thread = sb_acq_rel_fences, .check = show2},
     "0 0|0 1|1 0|1 1",
     0,
     0},
    {{"sb_compiler_fences", TWO, .thread = sb_compiler_fences, .check = show2},
     "0 0|0 1|1 0|1 1",
     0,
     0},
    {{"sb_one_fence", TWO, .thread = sb_one_fence, .check = show2}, "0 0|0 1|1 0|1 1", 0, 0},
    {{"sb_membarrier", TWO, .thread = sb_membarrier, .check = show2}, "0 1|1 0|1 1", 0, 0},
    {{"sb_membarrier_elsewhere", THREE, .thread = sb_membarrier_elsewhere, .check = show2},
     "0 0|0 1|1 0|1 1",
     0,
     0},
    {{"sb_membarrier_three", THREE, .thread = sb_membarrier_three, .check = check_membarrier_three},
     "0 0 1 1|0 1 1 0|0 1 1 1|1 0 0 1|1 0 1 1|1 1 0 0|1 1 0 1|1 1 1 0|1 1 1 1",
     0,
     0},

    {{"mp_relaxed", TWO, .thread = mp_relaxed, .check = show2}, "0 0|0 1|1 0|1 1", 0, 0},
    {{"mp_rel_acq", TWO, .thread = mp_rel_acq, .check = show2}, "0 0|0 1|1 1", 0, 0},
    {{"mp_rel_relaxed", TWO, .thread = mp_rel_relaxed, .check = show2}, "0 0|0 1|1 0|1 1", 0, 0},
    {{"mp_relaxed_acq", TWO, .thread = mp_relaxed_acq, .check = show2}, "0 0|0 1|1 0|1 1", 0, 0},
    {{"mp_sc", TWO, .thread = mp_sc, .check = show2}, "0 0|0 1|1 1", 0, 0},
    {{"mp_fences", TWO, .thread = mp_fences, .check = show2}, "0 0|0 1|1 1", 0, 0},
    {{"mp_fence_acq", TWO, .thread = mp_fence_acq, .check = show2}, "0 0|0 1|1 1", 0, 0},
    {{"mp_rel_fence", TWO, .thread = mp_rel_fence, .check = show2}, "0 0|0 1|1 1", 0, 0},
    {{"mp_sc_fences", TWO, .thread = mp_sc_fences, .check = show2}, "0 0|0 1|1 1", 0, 0},
    {{"mp_wrong_fences", TWO, .thread = mp_wrong_fences, .check = show2}, "0 0|0 1|1 0|1 1", 0, 0},
    {{"mp_membarrier", TWO, .thread = mp_membarrier, .check = show2}, "0 0|0 1|1 1", 0, 0},

    {{"lb", TWO, .thread = lb, .check = show2}, "0 0|0 1|1 0", 0, 0},

    {{"iriw_acq", FOUR, .thread = iriw_acq, .check = check_iriw}, "agree|disagree", 0, 0},
    {{"iriw_sc", FOUR, .thread = iriw_sc, .check = check_iriw}, "agree", 0, 0},
    {{"iriw_sc_loads", FOUR, .thread = iriw_sc_loads, .check = check_iriw}, "agree|disagree", 0, 0},
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
     "1 1|1 2|2 1|2 2",
     0,
     0},
    {{"two_writes_rel", TWO, .thread = two_writes_rel, .check = show_xy}, "1 1|1 2|2 1|2 2", 0, 0},
    {{"two_writes_sc", TWO, .thread = two_writes_sc, .check = show_xy}, "1 2|2 1|2 2", 0, 0},
    {{"two_writes_fences", TWO, .thread = two_writes_fences, .check = show_xy},
     "1 2|2 1|2 2",
     0,
     0},
    {{"two_writes_append_only", TWO, .thread = two_writes_relaxed, .check = show_xy,
      .append_only = 1},
     "1 2|2 1|2 2",
     0,
     0},
    {{"s_relaxed", TWO, .thread = s_relaxed, .check = show_r0_x}, "0 1|0 2|1 1|1 2", 0, 0},
    {{"s_rel_acq", TWO, .thread = s_rel_acq, .check = show_r0_x}, "0 1|0 2|1 1", 0, 0},
    {{"r_relaxed", TWO, .thread = r_relaxed, .check = show_r0_y}, "0 1|0 2|1 1|1 2", 0, 0},
    {{"r_fences", TWO, .thread = r_fences, .check = show_r0_y}, "0 1|1 1|1 2", 0, 0},

    {{"release_sequence", THREE, .thread = release_sequence, .check = show2},
     "0 0|0 1|1 1|2 1",
     0,
     0},
    {{"release_cut", THREE, .thread = release_cut, .check = show2}, "0 0|0 1|1 1|2 0|2 1", 0, 0},
    {{"cas_once", THREE, .thread = cas_once, .check = show3}, "0 0 1|0 1 0|1 0 0", 0, 0},
    {{"add_both", TWO, .thread = add_both, .check = show2}, "0 1|1 0", 0, 0},
    {{"cas_stale", TWO, .thread = cas_stale, .check = show2}, "0 0|0 1|1 0|1 1", 0, 0},
    {{"operations", .threads = 1, .setup = setup, .thread = operations, .check = show_operations},
     "0 12 ffffffff f0 f3",
     0,
     0},
    {{"half", TWO, .thread = half, .check = show2}, "0 0|0 1|2 1", 0, 0},
};

int main(int argc, char **argv)
{
    return run_all(litmus, sizeof litmus / sizeof litmus[0], argc, argv);
}
