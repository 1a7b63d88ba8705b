// SPDX-License-Identifier: Apache-2.0
// Which memory the program touches, and how. Locations are found by address when they are first
// accessed and keep their number while the program is explored.
//
// What is learnt decides what may be left out: an operation on a location that no other thread
// uses is no point to switch threads at. So whenever the search learns something new, it begins
// again (explore.c runs some random executions beforehand, so that this is rare).
#include "internal.h"

enum { TABLE = 4096, GRANULE = 4 };

struct entry {
    const char *address;
    uint16_t location;
};

static struct entry table[TABLE];
static unsigned table_used;
static unsigned slots_cleared;

void mc_location_forget_all(void)
{
    memset(table, 0, sizeof table);
    table_used = 0;
    slots_cleared = 0;
    memset(mc.location, 0, sizeof mc.location);
    mc.locations = 0;
    mc.slots = MC_THREADS;
    mc.view_size = MC_LANE;
    mc.pausers = 0;
    mc.barriers = false;
}

static struct entry *find(const char *address)
{
    unsigned i =
        (unsigned)((uintptr_t)address / GRANULE * UINT64_C(0x9E3779B97F4A7C15) >> 40) % TABLE;
    while (table[i].address && table[i].address != address)
        i = (i + 1) % TABLE;
    return &table[i];
}

static void map(const char *address, unsigned location)
{
    struct entry *e = find(address);
    if (!e->address && ++table_used > TABLE / 2)
        mc_fail(MODEL_BOUND, "more than %d words of memory", TABLE / 2);
    *e = (struct entry){address, (uint16_t)location};
}

static struct mc_location *add(char *address, unsigned size)
{
    if (mc.locations == MC_LOCATIONS)
        mc_fail(MODEL_BOUND, "more than %d locations", MC_LOCATIONS);
    struct mc_location *x = &mc.location[mc.locations];
    *x = (struct mc_location){.address = address, .size = (uint8_t)size};
    for (unsigned i = 0; i < size; i += GRANULE)
        map(address + i, mc.locations);
    mc.locations++;
    return x;
}

static void learnt(void)
{
    if (!mc.learning)
        mc_end(MC_LEARNT);
}

void mc_learn(bool *fact)
{
    if (*fact)
        return;
    *fact = true;
    mc.facts++;
    learnt();
}

static void learn_access(struct mc_location *x, enum mc_access_kind kind)
{
    uint8_t bit = (uint8_t)(1u << mc.running);
    uint8_t writer = kind == MC_CHANGE ? bit : 0;
    if ((x->threads & bit) && (x->writers & writer) == writer)
        return;
    x->threads |= bit;
    x->writers |= writer;
    mc.facts++;
    learnt();
}

// Takes the place of whatever was known about this memory. Views and histories are laid out
// anew, so the execution ends here.
static void make_atomic(char *address, unsigned size)
{
    if (mc.slots == MC_VIEW)
        mc_fail(MODEL_BOUND, "more than %d atomic locations", MC_VIEW - MC_THREADS);
    struct mc_location known = {0};
    for (unsigned i = 0; i < size; i += GRANULE) {
        struct entry *e = find(address + i);
        if (!e->address)
            continue;
        struct mc_location *old = &mc.location[e->location];
        known.plain |= old->plain;
        known.threads |= old->threads;
        known.writers |= old->writers;
        old->address = NULL;
    }
    struct mc_location *x = add(address, size);
    x->slot = (uint8_t)mc.slots++;
    x->plain = known.plain;
    x->threads = known.threads;
    x->writers = known.writers;
    mc.view_size = (mc.slots + MC_LANE - 1) / MC_LANE * MC_LANE;
    mc.facts++;
    mc_end(MC_LEARNT);
}

struct mc_location *mc_location_atomic(const volatile void *object, size_t size,
                                       enum mc_access_kind kind, unsigned *shift)
{
    char *address = (char *)(uintptr_t)object;
    if ((size != 4 && size != 8) || (uintptr_t)address % size)
        mc_fail(MODEL_MISUSE, "%s: atomic of %zu bytes", mc_name(address), size);
    struct entry *e = find(address);
    struct mc_location *x = &mc.location[e->location];
    if (!e->address || !x->slot || x->size < size)
        make_atomic(address, (unsigned)size);
    if (x->size > size && kind == MC_CHANGE)
        mc_fail(MODEL_MISUSE, "%s: half of an 8-byte atomic is changed alone", mc_name(address));
    *shift = (unsigned)(address - x->address) * 8;
    learn_access(x, kind);
    return x;
}

struct mc_location *mc_location_plain(const char *address, enum mc_access_kind kind)
{
    struct entry *e = find(address);
    struct mc_location *x = e->address ? &mc.location[e->location] : NULL;
    if (!x)
        x = add((char *)(uintptr_t)address, GRANULE);
    mc_learn(&x->plain);
    learn_access(x, kind);
    return x;
}

// setup() has run: every location has one write, what is in memory.
void mc_location_begin_execution(void)
{
    if (slots_cleared != mc.slots) {
        memset(mc.write, 0, sizeof mc.write);
        slots_cleared = mc.slots;
    }
    mc.writes = mc.slots - MC_THREADS;
    for (unsigned i = 0; i < mc.locations; i++) {
        struct mc_location *x = &mc.location[i];
        x->touched = false;
        if (x->plain)
            memset(&x->marks, 0, sizeof x->marks);
        if (!x->slot || !x->address)
            continue;
        unsigned id = x->slot - MC_THREADS;
        mc.history[x->slot].last = 0;
        mc.history[x->slot].write[0] = (uint16_t)id;
        mc.write[id].value = mc_memory_read(x->address, x->size);
    }
}

uint64_t mc_memory_read(const volatile void *object, size_t size)
{
    return size == 8 ? *(const volatile uint64_t *)object : *(const volatile uint32_t *)object;
}

void mc_memory_write(volatile void *object, size_t size, uint64_t value)
{
    if (size == 8)
        *(volatile uint64_t *)object = value;
    else
        *(volatile uint32_t *)object = (uint32_t)value;
}
