// SPDX-License-Identifier: Apache-2.0
// Random small programs, for what checks the checker: a few atomic operations of all orders on two
// locations, fences, some plain accesses, in two or three threads.
#ifndef RANDOM_PROGRAM_H
#define RANDOM_PROGRAM_H

#include <stdio.h>
#include <string.h>

#include <twill/atomic.h>

enum { OPERATIONS = 14, LOCATIONS = 2 };

enum kind { LOAD, STORE, EXCHANGE, CAS, FENCE, PLAIN_READ, PLAIN_WRITE, MEMBARRIER };

struct operation {
    enum kind kind;
    int thread;
    int location;
    int order;
    int failure;       // order of a CAS that fails
    uint32_t value;    // what it writes
    uint32_t expected; // by a CAS
    int observed;      // what it reads is part of the outcome
};

static struct operation program[OPERATIONS];
static int operations;
static int operations_max;
static int threads;
static int forgetful;      // threads forget what is not observed, so that more states are the same
static int plain_accesses; // there may be some
static int membarriers;    // there may be some
static int distinct_values;

static inline int reads(const struct operation *o)
{
    return o->kind == LOAD || o->kind == EXCHANGE || o->kind == CAS;
}

static inline int is_plain(const struct operation *o)
{
    return o->kind == PLAIN_READ || o->kind == PLAIN_WRITE;
}

static uint64_t seed = 20240229;

static inline int below(int count)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int)((seed >> 33) % (unsigned)count);
}

static inline int pick_order(const int *orders, int count)
{
    return orders[below(count)];
}

static const int load_orders[] = {TWI_RELAXED, TWI_RELAXED, TWI_ACQUIRE, TWI_SEQ_CST};
static const int store_orders[] = {TWI_RELAXED, TWI_RELAXED, TWI_RELEASE, TWI_SEQ_CST};
static const int update_orders[] = {TWI_RELAXED, TWI_ACQUIRE, TWI_RELEASE, TWI_ACQ_REL,
                                    TWI_SEQ_CST};
static const int fence_orders[] = {TWI_ACQUIRE, TWI_RELEASE, TWI_ACQ_REL, TWI_SEQ_CST, TWI_SEQ_CST};

static inline struct operation random_operation(int index)
{
    static const enum kind kinds[] = {LOAD,  LOAD,     LOAD,      STORE,      STORE,
                                      STORE, FENCE,    FENCE,     PLAIN_READ, PLAIN_WRITE,
                                      CAS,   EXCHANGE, MEMBARRIER};
    struct operation o = {.thread = below(threads), .location = below(LOCATIONS)};
    do
        o.kind = kinds[below(sizeof kinds / sizeof kinds[0])];
    while ((is_plain(&o) && !plain_accesses) || (o.kind == MEMBARRIER && !membarriers));
    o.value = distinct_values || below(2) ? (uint32_t)index + 1 : 1 + (uint32_t)below(2);
    o.observed = !forgetful || below(3) == 0;
    o.expected = (uint32_t)below(3);
    o.failure = pick_order(load_orders, 4);
    if (o.kind == LOAD)
        o.order = pick_order(load_orders, 4);
    else if (o.kind == STORE)
        o.order = pick_order(store_orders, 4);
    else if (o.kind == FENCE)
        o.order = pick_order(fence_orders, 5);
    else
        o.order = pick_order(update_orders, 5);
    return o;
}

static inline void random_program(void)
{
    threads = 2 + below(2);
    operations = 5 + below(operations_max - 4);
    forgetful = below(3) > 0;
    plain_accesses = below(3) == 0;
    for (int i = 0; i < operations; i++)
        program[i] = random_operation(i);
}

// ---- running them ----

static uint32_t memory[LOCATIONS];
static uint32_t plain_memory;
static uint32_t read_value[OPERATIONS];

static inline void setup(void)
{
    memset(memory, 0, sizeof memory);
    plain_memory = 0;
}

static inline uint32_t perform(const struct operation *o)
{
    uint32_t *x = &memory[o->location];
    uint32_t found = o->expected;
    switch (o->kind) {
    case LOAD:
        return TWI_LOAD(x, o->order);
    case STORE:
        TWI_STORE(x, o->value, o->order);
        return 0;
    case EXCHANGE:
        return TWI_EXCHANGE(x, o->value, o->order);
    case CAS:
        TWI_CAS(x, &found, o->value, o->order, o->failure);
        return found;
    case FENCE:
        TWI_FENCE(o->order);
        return 0;
    case PLAIN_READ:
        (void)TWI_READ(plain_memory);
        return 0;
    case PLAIN_WRITE:
        TWI_WRITE(plain_memory, o->value);
        return 0;
    case MEMBARRIER:
        twi_membarrier();
        return 0;
    }
    return 0;
}

// A plain access is left out when the last value its thread read was 0: so that some do not race.
static inline void thread(int id)
{
    uint32_t last = 1;
    for (int i = 0; i < operations; i++) {
        const struct operation *o = &program[i];
        if (o->thread != id || (is_plain(o) && !last))
            continue;
        uint32_t found = perform(o);
        read_value[i] = o->observed ? found : 0;
        if (reads(o))
            last = found;
        if (forgetful)
            model_forget((uint64_t)i << 1 | (plain_accesses && last));
    }
}

static inline void print_program(void)
{
    static const char *const kinds[] = {"load",  "store",      "exchange",    "cas",
                                        "fence", "plain read", "plain write", "membarrier"};
    for (int t = 0; t < threads; t++)
        for (int i = 0; i < operations; i++)
            if (program[i].thread == t)
                printf("  T%d %s x%d order %d/%d value %u expected %u\n", t, kinds[program[i].kind],
                       program[i].location, program[i].order, program[i].failure, program[i].value,
                       program[i].expected);
}

#endif
