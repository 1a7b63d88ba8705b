// SPDX-License-Identifier: Apache-2.0
// The outcomes of a small program by the axioms of RC11: lists every candidate execution (what each
// read reads, in which order each location is written) and keeps the consistent ones.
//
// Consistent means
//   coherence    hb;eco? is irreflexive, where hb = (sb | sw)+ and eco = (rf | mo | rb)+
//   atomicity    an update comes directly behind the write it reads, in mo
//   order        sb | rf | psc is acyclic
// The last one joins RC11's "sb | rf acyclic" (no load buffering) and "psc acyclic": the engine's
// order of seq_cst events is its order of execution, see engine/memory.c.
#ifndef RC11_H
#define RC11_H

#include <string.h>

#include "random_program.h"
#include "relation.h"

enum { EVENTS = (int)OPERATIONS + LOCATIONS };
_Static_assert((int)EVENTS <= (int)RELATION_EVENTS, "a row of a relation is one word");

// ---- outcomes: what each operation read, and the last values, four bits each ----

static struct {
    int count;
    uint64_t key[20000];
} axiom_outcomes;

static inline int has_outcome(uint64_t key)
{
    for (int i = 0; i < axiom_outcomes.count; i++)
        if (axiom_outcomes.key[i] == key)
            return 1;
    return 0;
}

static inline uint64_t outcome_key(const uint32_t *read, const uint32_t *last)
{
    uint64_t key = 0;
    for (int i = 0; i < operations; i++)
        key = key << 4 | (program[i].observed ? read[i] : 0);
    for (int i = 0; i < LOCATIONS; i++)
        key = key << 4 | last[i];
    return key;
}

// ---- executions ----

// Events: the operations, then the initial writes.
static int from[EVENTS];    // rf backwards; -1
static int mo_rank[EVENTS]; // place in the order of its location; -1: writes nothing
static uint32_t active;     // events that happen: a guarded plain access may not

static inline int location_of(int e)
{
    return e < operations ? program[e].location : e - operations;
}

static inline int is_fence(int e)
{
    return e < operations && program[e].kind == FENCE;
}

static inline int is_read(int e)
{
    return e < operations && reads(&program[e]);
}

static inline int is_write(int e)
{
    return mo_rank[e] >= 0;
}

static inline int order_of(int e)
{
    if (e >= operations)
        return TWI_RELAXED;
    const struct operation *o = &program[e];
    return o->kind == CAS && !is_write(e) ? o->failure : o->order;
}

static inline int is_sc(int e)
{
    return e < operations && !is_plain(&program[e]) && order_of(e) == TWI_SEQ_CST;
}

static inline int acquires(int e)
{
    int o = order_of(e);
    return o == TWI_ACQUIRE || o == TWI_ACQ_REL || o == TWI_SEQ_CST;
}

static inline int releases(int e)
{
    int o = order_of(e);
    return o == TWI_RELEASE || o == TWI_ACQ_REL || o == TWI_SEQ_CST;
}

struct relations {
    struct relation sb, rf, mo, rb, eco, hb;
};

static inline int same_location(int a, int b)
{
    return !is_fence(a) && !is_fence(b) && location_of(a) == location_of(b);
}

static inline void base_relations(struct relations *r)
{
    memset(r, 0, sizeof *r);
    for (int a = 0; a < events; a++)
        for (int b = 0; b < events; b++) {
            if (a == b)
                continue;
            if (b < operations &&
                (a >= operations || (a < b && program[a].thread == program[b].thread)))
                add(&r->sb, a, b);
            if (is_write(a) && is_write(b) && same_location(a, b) && mo_rank[a] < mo_rank[b])
                add(&r->mo, a, b);
            if (is_read(b) && from[b] == a)
                add(&r->rf, a, b);
            if (is_read(a) && is_write(b) && same_location(a, b) && mo_rank[from[a]] < mo_rank[b])
                add(&r->rb, a, b);
        }
    struct relation step = both(&r->rf, &r->mo);
    r->eco = closure(both(&step, &r->rb));
}

// Whether the write a, or a fence before it, releases what b, or a fence behind it, acquires.
static inline void synchronize(struct relations *r, struct relation *sw, int write, int read)
{
    for (int a = 0; a < events; a++)
        for (int b = 0; b < events; b++) {
            int left = (a == write || (is_fence(a) && has(&r->sb, a, write))) && releases(a);
            int right = (b == read || (is_fence(b) && has(&r->sb, read, b))) && acquires(b);
            if (left && right)
                add(sw, a, b);
        }
}

static inline void happens_before(struct relations *r)
{
    struct relation sw = {{0}};
    for (int read = 0; read < operations; read++) {
        if (!is_read(read))
            continue;
        // Backwards along the release sequence: through updates only.
        int write = from[read];
        synchronize(r, &sw, write, read);
        while (is_read(write)) {
            write = from[write];
            synchronize(r, &sw, write, read);
        }
    }
    r->hb = closure(both(&r->sb, &sw));
}

static inline struct relation seq_cst_before(const struct relations *r)
{
    struct relation elsewhere = {{0}};
    struct relation scb = {{0}};
    for (int a = 0; a < events; a++)
        for (int b = 0; b < events; b++) {
            if (has(&r->sb, a, b) && !same_location(a, b))
                add(&elsewhere, a, b);
            if (has(&r->sb, a, b) || has(&r->mo, a, b) || has(&r->rb, a, b) ||
                (has(&r->hb, a, b) && same_location(a, b)))
                add(&scb, a, b);
        }
    struct relation around = then(&elsewhere, &r->hb);
    around = then(&around, &elsewhere);
    return both(&scb, &around);
}

static inline struct relation partial_sc(const struct relations *r)
{
    struct relation enter = {{0}};
    struct relation leave = {{0}};
    struct relation hb = reflexive(r->hb);
    for (int a = 0; a < events; a++)
        for (int b = 0; b < events; b++) {
            if (is_sc(a) && (is_fence(a) ? has(&hb, a, b) : a == b))
                add(&enter, a, b);
            if (is_sc(b) && (is_fence(b) ? has(&hb, a, b) : a == b))
                add(&leave, a, b);
        }
    struct relation scb = seq_cst_before(r);
    struct relation psc = then(&enter, &scb);
    psc = then(&psc, &leave);
    struct relation through = then(&r->hb, &r->eco);
    through = then(&through, &r->hb);
    through = both(&through, &r->hb);
    for (int a = 0; a < events; a++)
        for (int b = 0; b < events; b++)
            if (is_fence(a) && is_sc(a) && is_fence(b) && is_sc(b) && has(&through, a, b))
                add(&psc, a, b);
    return psc;
}

static inline int atomic_updates(void)
{
    for (int e = 0; e < operations; e++)
        if (is_read(e) && is_write(e) && mo_rank[from[e]] + 1 != mo_rank[e])
            return 0;
    return 1;
}

static inline int consistent(struct relations *r)
{
    if (!atomic_updates())
        return 0;
    base_relations(r);
    happens_before(r);
    struct relation eco = reflexive(r->eco);
    struct relation coherence = then(&r->hb, &eco);
    if (!irreflexive(&coherence))
        return 0;
    struct relation psc = partial_sc(r);
    struct relation order = both(&r->sb, &r->rf);
    order = closure(both(&order, &psc));
    return irreflexive(&order);
}

static inline uint32_t value_of(int e)
{
    return e < operations ? program[e].value : 0;
}

static inline void find_active(void)
{
    active = 0;
    for (int t = 0; t < threads; t++) {
        uint32_t last = 1;
        for (int e = 0; e < operations; e++) {
            if (program[e].thread != t)
                continue;
            if (is_read(e))
                last = value_of(from[e]);
            if (!is_plain(&program[e]) || last)
                active |= 1u << e;
        }
    }
}

static inline int races(const struct relations *r)
{
    for (int a = 0; a < operations; a++)
        for (int b = 0; b < a; b++) {
            int write = program[a].kind == PLAIN_WRITE || program[b].kind == PLAIN_WRITE;
            if (write && is_plain(&program[a]) && is_plain(&program[b]) && active >> a & 1 &&
                active >> b & 1 && program[a].thread != program[b].thread && !has(&r->hb, a, b) &&
                !has(&r->hb, b, a))
                return 1;
        }
    return 0;
}

static int race_found;

static inline void candidate(void)
{
    struct relations r;
    if (!consistent(&r))
        return;
    find_active();
    race_found |= races(&r);
    uint32_t read[OPERATIONS] = {0};
    uint32_t last[LOCATIONS] = {0};
    int highest[LOCATIONS] = {0};
    for (int e = 0; e < events; e++) {
        if (is_read(e))
            read[e] = value_of(from[e]);
        if (is_write(e) && mo_rank[e] >= highest[location_of(e)]) {
            highest[location_of(e)] = mo_rank[e];
            last[location_of(e)] = value_of(e);
        }
    }
    uint64_t key = outcome_key(read, last);
    if (!has_outcome(key))
        axiom_outcomes.key[axiom_outcomes.count++] = key;
}

// Every modification order: each write gets a place not yet taken.
static inline void order_writes(int e, uint32_t *taken)
{
    while (e < operations && mo_rank[e] < 0)
        e++;
    if (e == operations) {
        candidate();
        return;
    }
    int x = location_of(e);
    int count = 0;
    for (int i = 0; i < operations; i++)
        count += mo_rank[i] >= 0 && location_of(i) == x;
    for (int place = 1; place <= count; place++) {
        if (taken[x] >> place & 1)
            continue;
        taken[x] |= 1u << place;
        mo_rank[e] = place;
        order_writes(e + 1, taken);
        taken[x] &= ~(1u << place);
    }
    mo_rank[e] = 0;
}

static inline int may_write(int e)
{
    enum kind k = program[e].kind;
    return k == STORE || k == EXCHANGE || k == CAS;
}

// Every source of every read; a compare-and-swap writes when its source has the expected value.
static inline void choose_sources(int e)
{
    if (e == operations) {
        uint32_t taken[LOCATIONS] = {0};
        for (int i = 0; i < operations; i++)
            if (is_read(i) && !is_write(from[i]))
                return;
        order_writes(0, taken);
        return;
    }
    mo_rank[e] = may_write(e) ? 0 : -1;
    if (!is_read(e)) {
        choose_sources(e + 1);
        return;
    }
    for (int w = 0; w < events; w++) {
        if (w == e || (w < operations && !may_write(w)) || location_of(w) != location_of(e))
            continue;
        from[e] = w;
        if (program[e].kind == CAS)
            mo_rank[e] = value_of(w) == program[e].expected ? 0 : -1;
        choose_sources(e + 1);
    }
}

static inline void run_axioms(void)
{
    events = operations + LOCATIONS;
    axiom_outcomes.count = 0;
    race_found = 0;
    for (int e = operations; e < events; e++)
        mo_rank[e] = 0;
    choose_sources(0);
}

#endif
