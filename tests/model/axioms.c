// SPDX-License-Identifier: Apache-2.0
// The checker against the axioms: random small programs, whose outcomes and races are computed a
// second time from the definition of RC11 (rc11.h), in no common code.
#include <stdio.h>
#include <stdlib.h>

#include "rc11.h"

enum { PROGRAMS = 10000 };

static struct outcomes engine_outcomes;

// ---- random programs ----

static uint64_t seed = 20240229;

static int below(int count)
{
    seed = seed * UINT64_C(6364136223846793005) + UINT64_C(1442695040888963407);
    return (int)((seed >> 33) % (unsigned)count);
}

static int pick_order(const int *orders, int count)
{
    return orders[below(count)];
}

static const int load_orders[] = {TWI_RELAXED, TWI_RELAXED, TWI_ACQUIRE, TWI_SEQ_CST};
static const int store_orders[] = {TWI_RELAXED, TWI_RELAXED, TWI_RELEASE, TWI_SEQ_CST};
static const int update_orders[] = {TWI_RELAXED, TWI_ACQUIRE, TWI_RELEASE, TWI_ACQ_REL,
                                    TWI_SEQ_CST};
static const int fence_orders[] = {TWI_ACQUIRE, TWI_RELEASE, TWI_ACQ_REL, TWI_SEQ_CST, TWI_SEQ_CST};

static struct operation random_operation(int index, int plain)
{
    static const enum kind kinds[] = {LOAD,  LOAD,  LOAD,       STORE,       STORE,    STORE,
                                      FENCE, FENCE, PLAIN_READ, PLAIN_WRITE, EXCHANGE, CAS};
    struct operation o = {.thread = below(threads), .location = below(LOCATIONS)};
    do
        o.kind = kinds[below(sizeof kinds / sizeof kinds[0])];
    while (is_plain(&o) && !plain);
    o.value = below(2) ? (uint32_t)index + 1 : 1 + (uint32_t)below(2);
    o.observed = !forgetful || below(2);
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

static void random_program(void)
{
    threads = 2 + below(2);
    operations = 5 + below(OPERATIONS - 4);
    forgetful = below(3) > 0;
    int plain = below(3) == 0;
    for (int i = 0; i < operations; i++)
        program[i] = random_operation(i, plain);
}

// ---- by the engine ----

static uint32_t memory[LOCATIONS];
static uint32_t plain_memory;
static uint32_t read_value[OPERATIONS];

static void setup(void)
{
    memset(memory, 0, sizeof memory);
    plain_memory = 0;
}

static uint32_t perform(const struct operation *o)
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
    }
    return 0;
}

// A plain access is left out when the last value its thread read was 0: so that some do not race.
static void thread(int id)
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
            model_forget((uint64_t)i << 1 | (last != 0));
    }
}

static void check(void)
{
    add_outcome(&engine_outcomes, outcome_key(read_value, memory));
}

// ---- the comparison ----

static void print_program(void)
{
    static const char *const kinds[] = {"load",  "store",      "exchange",   "cas",
                                        "fence", "plain read", "plain write"};
    for (int t = 0; t < threads; t++)
        for (int i = 0; i < operations; i++)
            if (program[i].thread == t)
                printf("  T%d %s x%d order %d/%d value %u expected %u\n", t, kinds[program[i].kind],
                       program[i].location, program[i].order, program[i].failure, program[i].value,
                       program[i].expected);
}

static int compare_keys(const void *a, const void *b)
{
    const uint64_t *x = a;
    const uint64_t *y = b;
    return (*x > *y) - (*x < *y);
}

static int equal(struct outcomes *a, struct outcomes *b)
{
    qsort(a->key, (size_t)a->count, sizeof a->key[0], compare_keys);
    qsort(b->key, (size_t)b->count, sizeof b->key[0], compare_keys);
    return a->count == b->count && !memcmp(a->key, b->key, (size_t)a->count * sizeof a->key[0]);
}

static void print_outcomes(const char *whose, const struct outcomes *set)
{
    printf("  %s: %d:", whose, set->count);
    for (int i = 0; i < set->count; i++)
        printf(" %llx", (unsigned long long)set->key[i]);
    putchar('\n');
}

static int agree(struct model_result *result)
{
    random_program();
    const struct model_program p = {"random",
                                    .threads = threads,
                                    .setup = setup,
                                    .thread = thread,
                                    .check = check,
                                    .ghost = read_value,
                                    .ghost_size = sizeof read_value};
    engine_outcomes.count = 0;
    enum model_verdict verdict = model_run(&p, result, 0);
    run_axioms();
    int good = race_found ? verdict == MODEL_RACE
                          : verdict == MODEL_PASS && equal(&engine_outcomes, &axiom_outcomes);
    if (!good) {
        printf("FAIL verdict %d (%s), race by the axioms: %d\n", verdict, result->message,
               race_found);
        print_program();
        print_outcomes("engine", &engine_outcomes);
        print_outcomes("axioms", &axiom_outcomes);
    }
    return good;
}

int main(int argc, char **argv)
{
    static struct model_result result;
    int count = argc > 1 ? atoi(argv[1]) : PROGRAMS;
    seed = argc > 2 ? strtoull(argv[2], NULL, 10) : seed;
    int failed = 0;
    int racy = 0;
    long outcomes = 0;
    for (int i = 0; i < count; i++) {
        failed += !agree(&result);
        racy += race_found;
        outcomes += axiom_outcomes.count;
    }
    printf("%d programs, %d of them with races, %ld outcomes\n", count, racy, outcomes);
    printf("%d passed, %d failed\n", count - failed, failed);
    return failed != 0;
}
