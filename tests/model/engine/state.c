// SPDX-License-Identifier: Apache-2.0
// The canonical form of a state, and the set of those seen. Two states with the same form have the
// same future, so one is explored.
//
// A thread's local state stands for itself by the hash of all it observed: it is deterministic.
// Left out of the form is what no thread can tell any more: writes older than every unfinished
// thread's view, the views of finished threads, the true numbers of epochs (only which accesses a
// view is ordered after can matter).
//
// The set keeps 128-bit hashes: two states of ten million share one with probability 1e-25, two
// local states their 64 bits with 1e-6 at worst.
#include "internal.h"

#include <stdlib.h>

enum { FORM_SIZE = 64 * 1024, WRITE_SIZE = 2 * MC_VIEW };

static _Alignas(16) uint8_t form[FORM_SIZE + WRITE_SIZE];
static size_t form_used;

static struct mc_view base;               // what every unfinished thread that uses a location knows
static struct mc_view unused[MC_THREADS]; // 255: this thread does not use the location
static unsigned facts_known;
static uint8_t rank[MC_THREADS][UINT8_MAX + 1]; // of the epochs that still matter

uint64_t mc_mix(uint64_t a, uint64_t b)
{
    unsigned __int128 product =
        (unsigned __int128)(a ^ UINT64_C(0x9E3779B97F4A7C15)) * (b ^ UINT64_C(0xD1B54A32D192ED03));
    return (uint64_t)product ^ (uint64_t)(product >> 64);
}

// ---- what can still matter ----

static void find_unused(void)
{
    memset(unused, 0, sizeof unused);
    for (unsigned i = 0; i < mc.locations; i++)
        for (int k = 0; k < MC_THREADS; k++)
            if (mc.location[i].slot && !(mc.location[i].threads & 1u << k))
                unused[k].at[mc.location[i].slot] = UINT8_MAX;
    facts_known = mc.facts;
}

static void lower(struct mc_view *low, const struct mc_view *view, const struct mc_view *unused_by)
{
    for (unsigned i = 0; i < mc.view_size; i += MC_LANE)
        for (unsigned k = i; k < i + MC_LANE; k++) {
            uint8_t at = view->at[k] | unused_by->at[k];
            low->at[k] = low->at[k] < at ? low->at[k] : at;
        }
}

static void find_base(void)
{
    if (facts_known != mc.facts)
        find_unused();
    for (unsigned slot = MC_THREADS; slot < mc.view_size; slot++)
        base.at[slot] = slot < mc.slots ? (uint8_t)mc.history[slot].last : 0;
    memset(base.at, UINT8_MAX, MC_THREADS);
    for (int i = 0; i < mc.program->threads; i++) {
        if (mc_thread_finished(i))
            continue;
        uint8_t own = base.at[i]; // its own accesses are always ordered before a thread
        lower(&base, &mc.thread[i].now, &unused[i]);
        base.at[i] = own;
    }
}

static bool contended(const struct mc_location *x)
{
    return x->plain && x->address && (x->threads & (x->threads - 1));
}

static void mark_all(const uint8_t *marks)
{
    for (int i = 0; i < mc.program->threads; i++)
        rank[i][marks[i]] = 1;
}

static void rank_epochs(void)
{
    int threads = mc.program->threads;
    for (int i = 0; i < threads; i++)
        memset(rank[i], 0, mc.thread[i].now.at[i] + 1u);
    for (unsigned i = 0; i < mc.locations; i++) {
        const struct mc_location *x = &mc.location[i];
        if (!contended(x))
            continue;
        rank[x->marks.writer][x->marks.write] = 1;
        mark_all(x->marks.read);
        if (x->slot) {
            mark_all(x->marks.atomic_read);
            mark_all(x->marks.atomic_write);
        }
    }
    for (int i = 0; i < threads; i++) {
        uint8_t below = 0;
        for (unsigned e = 0; e <= mc.thread[i].now.at[i]; e++)
            rank[i][e] = e > base.at[i] ? below = (uint8_t)(below + rank[i][e]) : 0;
    }
}

// ---- the form ----

static void put(const void *data, size_t size)
{
    memcpy(form + form_used, data, size);
    form_used += size;
}

static void put_byte(unsigned value)
{
    form[form_used++] = (uint8_t)value;
}

static void put_view(const struct mc_view *view)
{
    uint8_t *to = form + form_used;
    uint8_t any = 0;
    for (unsigned i = 0; i < mc.view_size; i += MC_LANE)
        for (unsigned k = i; k < i + MC_LANE; k++)
            to[1 + k] = (uint8_t)(view->at[k] > base.at[k] ? view->at[k] - base.at[k] : 0);
    for (int i = 0; i < MC_THREADS; i++)
        to[1 + i] = i < mc.program->threads ? rank[i][view->at[i]] : 0;
    for (unsigned i = 0; i < mc.view_size; i++)
        any |= to[1 + i];
    to[0] = any != 0;
    form_used += any ? 1 + mc.view_size : 1;
}

static void put_seen(const struct mc_thread *t)
{
    for (unsigned slot = MC_THREADS; slot < mc.slots; slot++) {
        unsigned seen = t->seen.at[slot];
        put_byte(!seen ? 0 : seen <= base.at[slot] ? 1 : seen - base.at[slot] + 1);
    }
}

static void put_thread(int id)
{
    const struct mc_thread *t = &mc.thread[id];
    put_byte(t->waiting);
    put(&t->history, sizeof t->history);
    if (t->waiting == MC_FINISHED)
        return;
    if (t->waiting == MC_FUTEX || t->waiting == MC_FUTEX_TIMED)
        put(&t->waits_for, sizeof t->waits_for);
    put_byte(t->barrier);
    put_view(&t->now);
    put_view(&t->acquired);
    put_view(&t->released);
    if (mc.pausers & 1u << id)
        put_seen(t);
}

static void put_history(const struct mc_location *x)
{
    const struct mc_history *h = &mc.history[x->slot];
    unsigned first = base.at[x->slot];
    put_byte(h->last - first);
    if (!x->touched) {
        uint64_t actual = mc_memory_read(x->address, x->size);
        put(&actual, sizeof actual);
        return;
    }
    for (unsigned p = first; p <= h->last; p++) {
        if (form_used > FORM_SIZE)
            mc_fail(MODEL_BOUND, "a state of more than %d bytes", FORM_SIZE);
        const struct mc_write *w = mc_written(x->slot, p);
        put(&w->value, sizeof w->value);
        put_byte(p > first && w->update);
        put_view(&w->view);
    }
}

static void put_marks(const struct mc_location *x)
{
    const struct mc_marks *m = &x->marks;
    int threads = mc.program->threads;
    unsigned write = rank[m->writer][m->write];
    put_byte(write ? m->writer + 1u : 0);
    put_byte(write);
    for (int i = 0; i < threads; i++)
        put_byte(rank[i][m->read[i]]);
    if (!x->slot)
        return;
    for (int i = 0; i < threads; i++) {
        put_byte(rank[i][m->atomic_read[i]]);
        put_byte(rank[i][m->atomic_write[i]]);
    }
}

static void put_location(const struct mc_location *x)
{
    if (!x->address)
        return;
    if (form_used > FORM_SIZE)
        mc_fail(MODEL_BOUND, "a state of more than %d bytes", FORM_SIZE);
    if (x->slot)
        put_history(x);
    else if (x->writers)
        put(x->address, x->size);
    if (contended(x))
        put_marks(x);
}

static void build_form(void)
{
    form_used = 0;
    find_base();
    rank_epochs();
    for (int i = 0; i < mc.program->threads; i++)
        put_thread(i);
    put_view(&mc.sequence);
    if (mc.barriers)
        put_view(&mc.departed);
    for (unsigned i = 0; i < mc.locations; i++)
        put_location(&mc.location[i]);
    size_t ghost = mc.program->ghost_size;
    if (form_used + ghost > FORM_SIZE)
        mc_fail(MODEL_BOUND, "a state of more than %d bytes", FORM_SIZE);
    if (ghost)
        put(mc.program->ghost, ghost);
    while (form_used % 16)
        put_byte(0);
}

// ---- the set ----

static struct mc_digest *set; // low is 0: a free place
static size_t set_size;
static uint64_t set_used;

struct mc_digest mc_state_digest(void)
{
    build_form();
    struct mc_digest d = {form_used, ~(uint64_t)form_used};
    for (size_t i = 0; i < form_used; i += 16) {
        uint64_t a;
        uint64_t b;
        memcpy(&a, form + i, 8);
        memcpy(&b, form + i + 8, 8);
        d.high = mc_mix(a ^ UINT64_C(0xA0761D6478BD642F), b ^ d.high) + a;
        d.low = mc_mix(a ^ d.low, b ^ UINT64_C(0xE7037ED1A0B428DB)) + b;
    }
    d.low |= 1;
    return d;
}

static struct mc_digest *place_of(struct mc_digest d)
{
    size_t i = d.high & (set_size - 1);
    while (set[i].low && (set[i].low != d.low || set[i].high != d.high))
        i = (i + 1) & (set_size - 1);
    return &set[i];
}

static void grow(void)
{
    struct mc_digest *old = set;
    size_t old_size = set_size;
    set_size = old_size ? old_size * 2 : 1 << 12;
    set = calloc(set_size, sizeof *set);
    if (!set)
        mc_fail(MODEL_BOUND, "no memory for %zu states", set_size);
    for (size_t i = 0; i < old_size; i++)
        if (old[i].low)
            *place_of(old[i]) = old[i];
    free(old);
}

void mc_state_forget_all(void)
{
    free(set);
    set = NULL;
    set_size = 0;
    set_used = 0;
}

uint64_t mc_state_count(void)
{
    return set_used;
}

bool mc_state_seen(void)
{
    if (set_used * 8 >= set_size * 5)
        grow();
    struct mc_digest d = mc_state_digest();
    struct mc_digest *place = place_of(d);
    if (place->low)
        return true;
    if (set_used == mc.states_max)
        mc_fail(MODEL_BOUND, "more than %llu states", (unsigned long long)mc.states_max);
    *place = d;
    set_used++;
    return false;
}
