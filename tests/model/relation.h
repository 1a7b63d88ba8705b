// SPDX-License-Identifier: Apache-2.0
// Relations between a few events, as rows of bits: what axioms.c calculates with.
#ifndef RELATION_H
#define RELATION_H

#include <stdint.h>

enum { RELATION_EVENTS = 32 };

struct relation {
    uint32_t row[RELATION_EVENTS];
};

static int events; // how many there are

static inline int has(const struct relation *r, int a, int b)
{
    return r->row[a] >> b & 1;
}

static inline void add(struct relation *r, int a, int b)
{
    r->row[a] |= 1u << b;
}

static inline struct relation both(const struct relation *a, const struct relation *b)
{
    struct relation r = {{0}};
    for (int i = 0; i < events; i++)
        r.row[i] = a->row[i] | b->row[i];
    return r;
}

static inline struct relation then(const struct relation *a, const struct relation *b)
{
    struct relation r = {{0}};
    for (int i = 0; i < events; i++)
        for (int k = 0; k < events; k++)
            if (has(a, i, k))
                r.row[i] |= b->row[k];
    return r;
}

static inline struct relation closure(struct relation r)
{
    for (int k = 0; k < events; k++)
        for (int i = 0; i < events; i++)
            if (has(&r, i, k))
                r.row[i] |= r.row[k];
    return r;
}

static inline struct relation reflexive(struct relation r)
{
    for (int i = 0; i < events; i++)
        add(&r, i, i);
    return r;
}

static inline int irreflexive(const struct relation *r)
{
    for (int i = 0; i < events; i++)
        if (has(r, i, i))
            return 0;
    return 1;
}

#endif
