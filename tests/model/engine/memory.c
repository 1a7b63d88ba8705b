// SPDX-License-Identifier: Apache-2.0
// Atomic operations on histories and views: C11 as repaired by RC11, without load buffering.
//
//  - A load reads any write that its thread's view allows: a choice. An acquire load joins the view
//    the write carries; a relaxed one keeps it for a later acquire fence.
//  - A release write carries its thread's view, a relaxed one the view at the last release fence.
//    A read-modify-write also carries what the write it read carried: the release sequence.
//  - A store lands behind anything its thread has seen, not always last in modification order: a
//    choice (so 2+2W and the like are there). A read-modify-write lands directly behind the write
//    it reads, which need not be the last one, and nothing comes between the two later.
//  - An update that changes neither the value nor what the write it reads carries is no new write:
//    nobody could tell, and a lock that is polled by exchange keeps a finite history.
//  - A failed compare-and-swap is a load. It never fails on the value it expects.
//  - seq_cst: `sequence` is the view of the total order S, which is the order of execution. A
//    seq_cst load or store of x respects sequence[x], a store advances it; fences (barrier.c) join
//    all of it. That is RC11's order, except that S agrees with reads-from: as on x86 and ARMv8.
//
// Loads and stores of half an 8-byte object: loads only.
#include "internal.h"

struct access {
    struct mc_location *x;
    unsigned slot;
    unsigned shift;
    size_t size;
    const char *file;
    int line;
};

void mc_view_join(struct mc_view *into, const struct mc_view *from)
{
    for (unsigned i = 0; i < mc.view_size; i += MC_LANE)
        for (unsigned k = i; k < i + MC_LANE; k++)
            into->at[k] = into->at[k] < from->at[k] ? from->at[k] : into->at[k];
}

static uint64_t sized(uint64_t value, size_t size)
{
    return size == 8 ? value : (uint32_t)value;
}

static uint64_t part(const struct access *a, uint64_t value)
{
    return sized(value >> a->shift, a->size);
}

// Others cannot notice a read of what no other writes, or anything done to what no other uses.
static bool unnoticed(const struct mc_location *x, enum mc_access_kind kind)
{
    unsigned others = kind == MC_READ ? x->writers : x->threads;
    return !mc.learning && !(others & ~(1u << mc.running));
}

static void arrive(struct access *a, const volatile void *object, enum mc_access_kind kind)
{
    mc_operation();
    a->x = mc_location_atomic(object, a->size, kind, &a->shift);
    a->slot = a->x->slot;
    if (!unnoticed(a->x, kind))
        mc_visible();
    mc_memory_touch(a->x);
}

void mc_memory_touch(struct mc_location *x)
{
    struct mc_write *newest = mc_newest(x->slot);
    uint64_t actual = mc_memory_read(x->address, x->size);
    if (actual != newest->value) {
        if (x->touched)
            mc_fail(MODEL_MISUSE, "%s was changed without the macros", mc_name(x->address));
        newest->value = actual;
    }
    x->touched = true;
}

// ---- reading ----

static unsigned oldest_readable(unsigned slot, int order)
{
    unsigned own = mc_me()->now.at[slot];
    unsigned ordered = order == TWI_SEQ_CST ? mc.sequence.at[slot] : 0;
    return own < ordered ? ordered : own;
}

static void raise_view(struct mc_view *view, unsigned slot, unsigned position)
{
    if (view->at[slot] < position)
        view->at[slot] = (uint8_t)position;
}

static void see(unsigned slot, unsigned position)
{
    struct mc_thread *me = mc_me();
    raise_view(&me->now, slot, position);
    raise_view(&me->acquired, slot, position);
    me->seen.at[slot] = (uint8_t)(position + 1);
}

static struct mc_write *read_at(unsigned slot, unsigned position, int order)
{
    struct mc_thread *me = mc_me();
    struct mc_write *w = mc_written(slot, position);
    see(slot, position);
    mc_view_join(&me->acquired, &w->view);
    if (mc_acquires(order))
        mc_view_join(&me->now, &w->view);
    return w;
}

uint64_t mc_memory_newest(struct mc_location *x)
{
    see(x->slot, mc.history[x->slot].last);
    return mc_newest(x->slot)->value;
}

// ---- writing ----

static void shift(struct mc_view *view, unsigned slot, unsigned position)
{
    view->at[slot] = (uint8_t)(view->at[slot] + (view->at[slot] >= position));
}

// A write comes in at `position`: all that stood there or later moves up in every view.
static void shift_views(unsigned slot, unsigned position)
{
    for (int i = 0; i < mc.program->threads; i++) {
        shift(&mc.thread[i].now, slot, position);
        shift(&mc.thread[i].acquired, slot, position);
        shift(&mc.thread[i].released, slot, position);
        shift(&mc.thread[i].seen, slot, position + 1);
    }
    shift(&mc.sequence, slot, position);
    shift(&mc.departed, slot, position);
    for (unsigned i = 0; i < mc.writes; i++)
        shift(&mc.write[i].view, slot, position);
}

static struct mc_write *insert(const struct mc_location *x, unsigned position)
{
    struct mc_history *h = &mc.history[x->slot];
    if (h->last + 1 == MC_HISTORY || mc.writes == MC_WRITES)
        mc_fail(MODEL_BOUND, "too many writes in one execution (%s)", mc_name(x->address));
    if (position <= h->last) {
        memmove(&h->write[position + 1], &h->write[position],
                (h->last + 1 - position) * sizeof h->write[0]);
        shift_views(x->slot, position);
    }
    h->last++;
    h->write[position] = (uint16_t)mc.writes;
    return &mc.write[mc.writes++];
}

static void publish(const struct mc_location *x, unsigned position, int order)
{
    if (order == TWI_SEQ_CST)
        mc.sequence.at[x->slot] = (uint8_t)position;
    if (mc_releases(order))
        mc_next_epoch(mc.running);
}

static struct mc_write *write_at(const struct mc_location *x, unsigned position, uint64_t value,
                                 int order)
{
    struct mc_thread *me = mc_me();
    struct mc_write *w = insert(x, position);
    me->now.at[x->slot] = (uint8_t)position;
    raise_view(&me->acquired, x->slot, position);
    if (me->seen.at[x->slot])
        me->seen.at[x->slot] = (uint8_t)(position + 1);
    memcpy(&w->view, mc_releases(order) ? &me->now : &me->released, mc.view_size);
    w->view.at[x->slot] = (uint8_t)position;
    w->update = false;
    w->value = value;
    if (position == mc.history[x->slot].last)
        mc_memory_write(x->address, x->size, value);
    return w;
}

static bool carries_all(const struct mc_write *w, const struct mc_view *view, unsigned slot)
{
    for (unsigned i = 0; i < mc.view_size; i++)
        if (view->at[i] > w->view.at[i] && i != slot)
            return false;
    return true;
}

// A read-modify-write of what stands at `position`, which the thread has read.
static struct mc_write *update_at(const struct mc_location *x, unsigned position, uint64_t value,
                                  int order)
{
    struct mc_write *source = mc_written(x->slot, position);
    if (source->value == value && !mc_releases(order) &&
        carries_all(source, &mc_me()->released, x->slot))
        return source;
    struct mc_write *w = write_at(x, position + 1, value, order);
    mc_view_join(&w->view, &source->view);
    w->update = true;
    publish(x, position + 1, order);
    return w;
}

void mc_memory_plain_write(struct mc_location *x)
{
    x->touched = true;
    write_at(x, mc.history[x->slot].last + 1, mc_memory_read(x->address, x->size), TWI_RELAXED);
}

// Whether a write may come directly behind the one at `position`.
static bool open_behind(unsigned slot, unsigned position)
{
    unsigned last = mc.history[slot].last;
    if (position == last)
        return true;
    return !mc.program->append_only && !mc_written(slot, position + 1)->update;
}

// ---- the operations ----

static unsigned newer(const struct access *a, unsigned position)
{
    return mc.history[a->slot].last - position;
}

static unsigned record(const struct access *a, struct mc_event event, const struct mc_write *from)
{
    if (!mc.recording)
        return 0;
    event.location = a->x;
    event.address = a->x->address + a->shift / 8;
    event.from = from ? (int)from->step : -1;
    event.file = a->file;
    event.line = a->line;
    return mc_record(&event);
}

uint64_t model_load(const volatile void *object, size_t size, int order, const char *file, int line)
{
    if (mc.running == MC_CHECKER)
        return mc_memory_read(object, size);
    struct access a = {.size = size, .file = file, .line = line};
    arrive(&a, object, MC_READ);
    mc_race_atomic(a.x, MC_READ, file, line);
    unsigned oldest = oldest_readable(a.slot, order);
    unsigned last = mc.history[a.slot].last;
    unsigned position = last - mc_choose(last - oldest + 1);
    const struct mc_write *w = read_at(a.slot, position, order);
    uint64_t value = part(&a, w->value);
    mc_observe(value);
    record(&a,
           (struct mc_event){
               .kind = MC_EVENT_LOAD, .order = order, .old = value, .newer = newer(&a, position)},
           w);
    return value;
}

void model_store(volatile void *object, size_t size, uint64_t value, int order, const char *file,
                 int line)
{
    value = sized(value, size);
    if (mc.running == MC_CHECKER) {
        mc_memory_write(object, size, value);
        return;
    }
    struct access a = {.size = size, .file = file, .line = line};
    arrive(&a, object, MC_CHANGE);
    mc_race_atomic(a.x, MC_CHANGE, file, line);
    uint8_t places[MC_HISTORY];
    unsigned count = 0;
    for (unsigned p = mc.history[a.slot].last + 1; p-- > oldest_readable(a.slot, order);)
        if (open_behind(a.slot, p))
            places[count++] = (uint8_t)(p + 1);
    unsigned position = places[mc_choose(count)];
    struct mc_write *w = write_at(a.x, position, value, order);
    publish(a.x, position, order);
    mc_observe(0);
    w->step = record(
        &a,
        (struct mc_event){
            .kind = MC_EVENT_STORE, .order = order, .value = value, .newer = newer(&a, position)},
        NULL);
}

static uint64_t changed(enum model_change change, uint64_t old, uint64_t operand)
{
    switch (change) {
    case MODEL_SET:
        return operand;
    case MODEL_ADD:
        return old + operand;
    case MODEL_SUB:
        return old - operand;
    case MODEL_AND:
        return old & operand;
    case MODEL_OR:
        return old | operand;
    }
    return old;
}

static void update(const struct access *a, enum mc_event_kind kind, unsigned position,
                   uint64_t value, int order)
{
    const struct mc_write *source = read_at(a->slot, position, order);
    struct mc_write *w = update_at(a->x, position, value, order);
    mc_observe(source->value);
    unsigned step =
        record(a,
               (struct mc_event){.kind = kind,
                                 .order = order,
                                 .old = source->value,
                                 .value = value,
                                 .newer = mc.history[a->slot].last - position - (w != source)},
               source);
    if (w != source)
        w->step = step;
}

uint64_t model_update(volatile void *object, size_t size, enum model_change change,
                      uint64_t operand, int order, const char *file, int line)
{
    if (mc.running == MC_CHECKER) {
        uint64_t old = mc_memory_read(object, size);
        mc_memory_write(object, size, changed(change, old, operand));
        return old;
    }
    struct access a = {.size = size, .file = file, .line = line};
    arrive(&a, object, MC_CHANGE);
    mc_race_atomic(a.x, MC_CHANGE, file, line);
    uint8_t places[MC_HISTORY];
    unsigned count = 0;
    for (unsigned p = mc.history[a.slot].last + 1; p-- > oldest_readable(a.slot, order);)
        if (open_behind(a.slot, p))
            places[count++] = (uint8_t)p;
    unsigned position = places[mc_choose(count)];
    uint64_t old = mc_written(a.slot, position)->value;
    update(&a, MC_EVENT_UPDATE, position, sized(changed(change, old, operand), size), order);
    return old;
}

static int cas_direct(volatile void *object, size_t size, void *expected, uint64_t value)
{
    uint64_t found = mc_memory_read(object, size);
    bool equal = found == mc_memory_read(expected, size);
    if (equal)
        mc_memory_write(object, size, value);
    mc_memory_write(expected, size, found);
    return equal;
}

// Where a compare-and-swap may read: behind a value it expects there must be room.
static unsigned cas_choose(const struct access *a, uint64_t expected, int success, int failure)
{
    uint8_t places[MC_HISTORY];
    unsigned count = 0;
    unsigned succeeds_from = oldest_readable(a->slot, success);
    unsigned fails_from = oldest_readable(a->slot, failure);
    for (unsigned p = mc.history[a->slot].last + 1; p-- > 0;) {
        bool equal = mc_written(a->slot, p)->value == expected;
        if (equal ? p >= succeeds_from && open_behind(a->slot, p) : p >= fails_from)
            places[count++] = (uint8_t)p;
    }
    return places[mc_choose(count)];
}

int model_cas(volatile void *object, size_t size, void *expected, uint64_t value, int success,
              int failure, const char *file, int line)
{
    value = sized(value, size);
    if (mc.running == MC_CHECKER)
        return cas_direct(object, size, expected, value);
    struct access a = {.size = size, .file = file, .line = line};
    uint64_t wanted = mc_memory_read(expected, size);
    arrive(&a, object, MC_CHANGE);
    unsigned position = cas_choose(&a, wanted, success, failure);
    uint64_t found = mc_written(a.slot, position)->value;
    mc_race_atomic(a.x, found == wanted ? MC_CHANGE : MC_READ, file, line);
    if (found == wanted) {
        update(&a, MC_EVENT_CAS, position, value, success);
        return 1;
    }
    mc_observe(found);
    const struct mc_write *w = read_at(a.slot, position, failure);
    mc_memory_write(expected, size, found);
    record(&a,
           (struct mc_event){.kind = MC_EVENT_CAS_FAILED,
                             .order = failure,
                             .old = found,
                             .value = wanted,
                             .newer = newer(&a, position)},
           w);
    return 0;
}
