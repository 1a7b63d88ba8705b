// SPDX-License-Identifier: Apache-2.0
// The model's threads: coroutines that hand over to each other before each visible operation. At
// such a point every thread is about to do its next visible operation, waits, or has finished; who
// goes next is a choice.
#include "internal.h"

#include <stdio.h>

enum { ARENA = 64 * 1024, ARENA_ALIGN = 64 };

static _Alignas(ARENA_ALIGN) char arena[MC_THREADS + 1][ARENA];

void mc_operation(void)
{
    if (++mc.operations <= mc.operations_max)
        return;
    if (mc.learning)
        mc_end(MC_DONE); // the search will find it, or will find that chance was against it
    mc_fail(MODEL_BOUND, "more than %u operations: a spin loop without TWI_PAUSE()?",
            mc.operations_max);
}

void mc_observe(uint64_t value)
{
    struct mc_thread *me = mc_me();
    me->history = mc_mix(me->history, value);
    me->turn = mc_mix(me->turn, value);
}

// ---- who goes next ----

static bool something_newer(const struct mc_thread *t)
{
    for (unsigned slot = MC_THREADS; slot < mc.slots; slot++)
        if (t->seen.at[slot] && t->seen.at[slot] <= mc.history[slot].last)
            return true;
    return false;
}

static bool enabled(int id)
{
    const struct mc_thread *t = &mc.thread[id];
    switch (t->waiting) {
    case MC_READY:
    case MC_FUTEX_TIMED:
    case MC_WOKEN:
        return true;
    case MC_PAUSED:
        return something_newer(t);
    case MC_FUTEX:
    case MC_FINISHED:
        return false;
    }
    return false;
}

static void fail_deadlock(void)
{
    char text[300];
    size_t used = 0;
    for (int i = 0; i < mc.program->threads; i++) {
        const struct mc_thread *t = &mc.thread[i];
        if (t->waiting == MC_FINISHED || used >= sizeof text)
            continue;
        const char *what = t->waiting == MC_PAUSED ? "spins" : "sleeps on ";
        const char *where =
            t->waiting == MC_PAUSED ? "" : mc_name(mc.location[t->waits_for].address);
        used += (size_t)snprintf(text + used, sizeof text - used, "%sT%d %s%s", used ? ", " : "", i,
                                 what, where);
    }
    mc_fail(MODEL_DEADLOCK, "deadlock: %s for ever", text);
}

static int pick(void)
{
    int candidate[MC_THREADS];
    unsigned count = 0;
    bool unfinished = false;
    // The running thread first: the search begins with few switches.
    for (int i = 0; i < mc.program->threads; i++) {
        unfinished |= !mc_thread_finished(i);
        if (!enabled(i))
            continue;
        candidate[count++] = i;
        if (i == mc.running) {
            candidate[count - 1] = candidate[0];
            candidate[0] = i;
        }
    }
    if (mc.at_state)
        mc.at_state();
    else if (mc.depth >= mc.known && !mc.learning && !mc.recording && mc_state_seen())
        mc_end(MC_SEEN);
    if (!unfinished)
        mc_end(MC_DONE);
    if (!count)
        fail_deadlock();
    return candidate[mc_choose(count)];
}

static struct mc_coroutine *coroutine_of(int id)
{
    return id == MC_CHECKER ? &mc.checker : &mc.thread[id].coroutine;
}

static void switch_to(int id)
{
    int from = mc.running;
    mc.running = id;
    mc_coroutine_switch(coroutine_of(from), coroutine_of(id));
}

void mc_visible(void)
{
    int next = mc.launching ? MC_CHECKER : pick();
    if (next != mc.running)
        switch_to(next);
}

void mc_end(enum mc_ending ending)
{
    mc.ending = ending;
    mc_coroutine_switch(coroutine_of(mc.running), &mc.explorer);
    __builtin_unreachable();
}

// ---- from first to last ----

static void thread_entry(void)
{
    mc.program->thread(mc.running);
    mc_me()->waiting = MC_FINISHED;
    mc_view_join(&mc.departed, &mc_me()->acquired);
    memset(mc.departed.at, 0, MC_THREADS);
    if (mc.recording)
        mc_record(&(struct mc_event){.kind = MC_EVENT_FINISH});
    mc_visible();
    __builtin_unreachable();
}

static void prepare(int id)
{
    struct mc_thread *t = &mc.thread[id];
    *t = (struct mc_thread){.history = 1};
    t->now.at[id] = t->acquired.at[id] = 1;
    mc_coroutine_prepare(&t->coroutine, id, thread_entry);
}

void mc_thread_run_all(void)
{
    memset(&mc.sequence, 0, sizeof mc.sequence);
    memset(&mc.departed, 0, sizeof mc.departed);
    for (int i = 0; i < mc.program->threads; i++)
        prepare(i);
    mc.launching = true;
    for (int i = 0; i < mc.program->threads; i++)
        switch_to(i);
    mc.launching = false;
    switch_to(pick());
    __builtin_unreachable();
}

// ---- waiting ----

void model_pause(const char *file, int line)
{
    if (mc.running == MC_CHECKER)
        return;
    mc_operation();
    struct mc_thread *me = mc_me();
    uint64_t site = mc_mix((uintptr_t)file, (uint64_t)line);
    if (!(mc.pausers & 1u << mc.running)) {
        bool known = false;
        mc.pausers |= (uint8_t)(1u << mc.running);
        mc_learn(&known);
    }
    // A turn that observed what the turn before observed has changed nothing locally.
    if (me->turn == me->turn_before && me->pause_site == site)
        me->history = me->history_at_pause;
    me->history_at_pause = me->history;
    me->turn_before = me->turn;
    me->pause_site = site;
    me->turn = 0;
    me->waiting = MC_PAUSED;
    mc_visible();
    me->waiting = MC_READY;
    memset(&me->seen, 0, sizeof me->seen);
    if (mc.recording)
        mc_record(&(struct mc_event){.kind = MC_EVENT_PAUSE, .file = file, .line = line});
}

static void record_futex(enum mc_event_kind kind, const struct mc_location *x, uint64_t value)
{
    if (mc.recording)
        mc_record(
            &(struct mc_event){.kind = kind, .location = x, .address = x->address, .value = value});
}

int twi_futex_wait(uint32_t *word, uint32_t expected, int64_t timeout_ns)
{
    if (mc.running == MC_CHECKER)
        return -EAGAIN;
    mc_operation();
    struct mc_thread *me = mc_me();
    unsigned shift;
    struct mc_location *x = mc_location_atomic(word, sizeof *word, MC_READ, &shift);
    mc_visible();
    mc_memory_touch(x);
    bool equal = (uint32_t)(mc_memory_newest(x) >> shift) == expected;
    record_futex(MC_EVENT_WAIT, x, equal);
    mc_observe(equal);
    if (!equal)
        return -EAGAIN;
    me->waits_for = (unsigned)(x - mc.location);
    me->waiting = timeout_ns < 0 ? MC_FUTEX : MC_FUTEX_TIMED;
    mc_visible();
    bool woken = me->waiting == MC_WOKEN;
    me->waiting = MC_READY;
    record_futex(MC_EVENT_WAIT_ENDS, x, woken);
    mc_observe(woken);
    return woken ? 0 : -ETIMEDOUT;
}

static struct mc_thread *choose_sleeper(const struct mc_location *x)
{
    struct mc_thread *sleeper[MC_THREADS];
    unsigned count = 0;
    for (int i = 0; i < mc.program->threads; i++) {
        struct mc_thread *t = &mc.thread[i];
        if ((t->waiting == MC_FUTEX || t->waiting == MC_FUTEX_TIMED) &&
            &mc.location[t->waits_for] == x)
            sleeper[count++] = t;
    }
    return count ? sleeper[mc_choose(count)] : NULL;
}

int twi_futex_wake(uint32_t *word, int count)
{
    if (mc.running == MC_CHECKER)
        return 0;
    mc_operation();
    unsigned shift;
    struct mc_location *x = mc_location_atomic(word, sizeof *word, MC_READ, &shift);
    mc_visible();
    int woken = 0;
    for (struct mc_thread *t; woken < count && (t = choose_sleeper(x)); woken++)
        t->waiting = MC_WOKEN;
    record_futex(MC_EVENT_WAKE, x, (uint64_t)woken);
    mc_observe((uint64_t)woken);
    return woken;
}

// ---- services to programs ----

unsigned model_choose(unsigned count)
{
    unsigned taken = mc_choose(count);
    if (mc.running == MC_CHECKER)
        return taken;
    mc_observe(taken);
    if (mc.recording)
        mc_record(&(struct mc_event){.kind = MC_EVENT_CHOICE, .value = taken});
    return taken;
}

void model_observe(uint64_t value)
{
    if (mc.running != MC_CHECKER)
        mc_observe(value);
}

void model_forget_at(uint64_t key, const char *file, int line)
{
    if (mc.running != MC_CHECKER)
        mc_me()->history = mc_mix(mc_mix((uintptr_t)file, (uint64_t)line), key);
}

void *model_alloc(size_t size)
{
    size_t *allocated = &mc.allocated[mc.running];
    size_t rounded = (size + ARENA_ALIGN - 1) / ARENA_ALIGN * ARENA_ALIGN;
    if (rounded > ARENA - *allocated)
        mc_fail(MODEL_BOUND, "model_alloc: more than %d bytes by one thread", ARENA);
    void *memory = &arena[mc.running][*allocated];
    *allocated += rounded;
    return memset(memory, 0, rounded);
}
