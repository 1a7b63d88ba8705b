// SPDX-License-Identifier: Apache-2.0
// Plain accesses. Two of them, or a plain and an atomic one, of the same four bytes, one a write,
// by different threads, race unless one happens before the other.
//
// Each thread counts epochs: a new one begins when it has released something. An access is marked
// with its thread's epoch, and views say up to which epoch of each thread their holder is ordered
// after it. So a race is found in any order of execution, and a plain access is no point to switch
// threads at.
#include "internal.h"

static unsigned epoch(void)
{
    return mc_me()->now.at[mc.running];
}

static const char *wording(const struct mc_event *event)
{
    if (!event)
        return "an access";
    switch (event->kind) {
    case MC_EVENT_PLAIN_READ:
        return "a plain read";
    case MC_EVENT_PLAIN_WRITE:
        return "a plain write";
    case MC_EVENT_LOAD:
    case MC_EVENT_CAS_FAILED:
        return "an atomic load";
    case MC_EVENT_STORE:
        return "an atomic store";
    case MC_EVENT_UPDATE:
    case MC_EVENT_CAS:
    case MC_EVENT_FENCE:
    case MC_EVENT_BARRIER:
    case MC_EVENT_WAIT:
    case MC_EVENT_WAIT_ENDS:
    case MC_EVENT_WAKE:
    case MC_EVENT_PAUSE:
    case MC_EVENT_CHOICE:
    case MC_EVENT_FINISH:
        break;
    }
    return "an atomic update";
}

struct site {
    const char *what;
    const char *file;
    int line;
};

static void require_ordered(const struct mc_location *x, int thread, unsigned mark,
                            const struct site *here)
{
    if (thread == mc.running || mark <= mc_me()->now.at[thread])
        return;
    const struct mc_event *other = mc_record_find(x, thread);
    mc_fail(MODEL_RACE, "data race on %s: %s by T%d (%s:%d) and %s by T%d (%s:%d)",
            mc_name(x->address), wording(other), thread, other ? other->file : "?",
            other ? other->line : 0, here->what, mc.running, here->file, here->line);
}

static void require_all_ordered(const struct mc_location *x, const uint8_t *marks,
                                const struct site *here)
{
    for (int i = 0; i < mc.program->threads; i++)
        require_ordered(x, i, marks[i], here);
}

static void plain_read(struct mc_location *x, const struct site *here)
{
    struct mc_marks *m = &x->marks;
    require_ordered(x, m->writer, m->write, here);
    m->read[mc.running] = (uint8_t)epoch();
    if (!x->slot)
        return;
    require_all_ordered(x, m->atomic_write, here);
    mc_memory_touch(x);
    mc_memory_newest(x);
}

// All accesses before are ordered before this one, so it alone need be remembered.
static void plain_write(struct mc_location *x, const struct site *here)
{
    struct mc_marks *m = &x->marks;
    require_ordered(x, m->writer, m->write, here);
    require_all_ordered(x, m->read, here);
    if (x->slot) {
        require_all_ordered(x, m->atomic_read, here);
        require_all_ordered(x, m->atomic_write, here);
        mc_memory_plain_write(x);
    }
    memset(m, 0, sizeof *m);
    m->writer = (uint8_t)mc.running;
    m->write = (uint8_t)epoch();
}

void mc_race_atomic(struct mc_location *x, enum mc_access_kind kind, const char *file, int line)
{
    if (!x->plain)
        return;
    struct mc_marks *m = &x->marks;
    struct site here = {kind == MC_READ ? "an atomic load" : "an atomic change", file, line};
    require_ordered(x, m->writer, m->write, &here);
    if (kind == MC_CHANGE) {
        require_all_ordered(x, m->read, &here);
        m->atomic_write[mc.running] = (uint8_t)epoch();
    } else {
        m->atomic_read[mc.running] = (uint8_t)epoch();
    }
}

static void visit(const volatile void *object, size_t size, enum mc_access_kind kind,
                  const struct site *here)
{
    const char *first = (const char *)((uintptr_t)object & ~(uintptr_t)3);
    const char *end = (const char *)(uintptr_t)object + size;
    struct mc_location *before = NULL;
    for (const char *p = first; p < end; p += 4) {
        struct mc_location *x = mc_location_plain(p, kind);
        if (x == before)
            continue;
        before = x;
        if (kind == MC_READ)
            plain_read(x, here);
        else
            plain_write(x, here);
        if (mc.recording)
            mc_record(&(struct mc_event){.kind = kind == MC_READ ? MC_EVENT_PLAIN_READ
                                                                 : MC_EVENT_PLAIN_WRITE,
                                         .location = x,
                                         .address = x->address,
                                         .old = mc_memory_read(x->address, x->size),
                                         .file = here->file,
                                         .line = here->line});
    }
}

void *model_plain_read(const volatile void *object, size_t size, const char *file, int line)
{
    void *same = (void *)(uintptr_t)object;
    if (mc.running == MC_CHECKER)
        return same;
    mc_operation();
    visit(object, size, MC_READ, &(struct site){"a plain read", file, line});
    for (size_t i = 0; i < size; i += 8) {
        uint64_t word = 0;
        memcpy(&word, (const char *)same + i, size - i < 8 ? size - i : 8);
        mc_observe(word);
    }
    return same;
}

void model_plain_write(const volatile void *object, size_t size, const char *file, int line)
{
    if (mc.running == MC_CHECKER)
        return;
    mc_operation();
    visit(object, size, MC_CHANGE, &(struct site){"a plain write", file, line});
}
