// SPDX-License-Identifier: Apache-2.0
// Fences.
//
// A membarrier is not an instant: each other thread passes its fence at a moment of its own between
// the call and the return, in any order. The caller passes a fence of its own each time; that it
// would pass them earlier and later still only forbids more. The fence forced on another thread
// orders its atomic accesses only, never its plain ones: those need a release and an acquire.
#include "internal.h"

void mc_next_epoch(int thread)
{
    struct mc_thread *t = &mc.thread[thread];
    if (t->now.at[thread] == UINT8_MAX)
        mc_fail(MODEL_BOUND, "T%d releases too often in one execution", thread);
    t->now.at[thread]++;
    t->acquired.at[thread] = t->now.at[thread];
}

static void copy(struct mc_view *into, const struct mc_view *from)
{
    memcpy(into, from, mc.view_size);
}

static void fence_sequence(int thread)
{
    struct mc_thread *t = &mc.thread[thread];
    copy(&t->now, &t->acquired);
    mc_view_join(&t->now, &mc.sequence);
    copy(&mc.sequence, &t->now);
    memset(mc.sequence.at, 0, MC_THREADS);
    copy(&t->acquired, &t->now);
    copy(&t->released, &t->now);
    mc_next_epoch(thread);
}

void model_fence(int order, const char *file, int line)
{
    if (mc.running == MC_CHECKER)
        return;
    mc_operation();
    struct mc_thread *me = mc_me();
    if (order == TWI_SEQ_CST) {
        mc_visible();
        fence_sequence(mc.running);
        mc_observe(0);
    } else {
        if (mc_acquires(order))
            copy(&me->now, &me->acquired);
        if (mc_releases(order)) {
            copy(&me->released, &me->now);
            mc_next_epoch(mc.running);
        }
    }
    if (mc.recording)
        mc_record(
            &(struct mc_event){.kind = MC_EVENT_FENCE, .order = order, .file = file, .line = line});
}

static void keep_epochs(struct mc_view *view, const struct mc_view *of)
{
    memcpy(view->at, of->at, MC_THREADS);
}

// The fence that another thread passes: positions only.
static void force_fence(int thread)
{
    struct mc_thread *t = &mc.thread[thread];
    struct mc_view known = t->acquired;
    mc_view_join(&known, &mc.sequence);
    copy(&mc.sequence, &known);
    memset(mc.sequence.at, 0, MC_THREADS);
    struct mc_view *views[] = {&t->now, &t->acquired, &t->released};
    for (int i = 0; i < 3; i++) {
        keep_epochs(&known, views[i]);
        copy(views[i], &known);
    }
}

// One thread more passes its fence. Finished ones have done all they will do: all at once.
static int reach_next(struct mc_thread *me)
{
    int candidate[MC_THREADS];
    unsigned count = 0;
    for (int i = 0; i < mc.program->threads; i++) {
        if (mc_thread_finished(i))
            me->barrier &= (uint8_t) ~(1u << i);
        else if (me->barrier & 1u << i)
            candidate[count++] = i;
    }
    mc_view_join(&mc.sequence, &mc.departed);
    if (!count)
        return MC_NOTHING;
    int reached = candidate[mc_choose(count)];
    force_fence(reached);
    me->barrier &= (uint8_t) ~(1u << reached);
    return reached;
}

void twi_membarrier(void)
{
    if (mc.running == MC_CHECKER)
        return;
    mc_learn(&mc.barriers);
    struct mc_thread *me = mc_me();
    me->barrier = (uint8_t)(((1u << mc.program->threads) - 1) & ~(1u << mc.running));
    do {
        mc_operation();
        mc_visible();
        fence_sequence(mc.running);
        int reached = reach_next(me);
        fence_sequence(mc.running);
        if (mc.recording)
            mc_record(&(struct mc_event){.kind = MC_EVENT_BARRIER, .value = (uint64_t)reached});
    } while (me->barrier);
    mc_observe(0); // once: how many steps it took is not the caller's to know
}
