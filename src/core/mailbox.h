// SPDX-License-Identifier: Apache-2.0
// A stack of fibers that are ready to go on: anyone puts one in, anyone takes one out, newest
// first.
//
// `newest` is {tag, fiber}: the upper half counts takes, so that a fiber taken and put back between
// a taker's read and its compare-and-swap does not go unnoticed; the lower half is the fiber's
// address without the bits that are the same for all fibers. Fibers are never unmapped while a pool
// lives, so reading `next` of one that was just taken is safe, and the tag makes it harmless.
//
// Edges:
//  [M1] newest release/acquire: the taker sees all that happened before the fiber was put in. Every
//       change of newest is a read-modify-write, so each continues the releases before it.
//  [M2] put, then look for sleepers, against lie down, then look into mailboxes (sched/sleep.h).
#ifndef TWI_MAILBOX_H
#define TWI_MAILBOX_H

#include <stddef.h>
#include <stdint.h>

#include <twill/atomic.h>

// Fibers stand at addresses that leave this remainder (src/core/fiber.c): one of some, which the
// rest of the address tells, so that the headers of many fibers are not all in the same few places
// of a cache.
#define TWI_FIBER_SHIFT 16
#ifdef TWI_MODEL
#define TWI_FIBER_OFFSETS 1u
#elif defined(TWI_UCONTEXT) // whose context takes a quarter of the page
#define TWI_FIBER_OFFSETS 16u
#else
#define TWI_FIBER_OFFSETS 32u
#endif

static inline uintptr_t twi_fiber_offset(uintptr_t address)
{
    uint32_t high = (uint32_t)(address >> TWI_FIBER_SHIFT);
    return 1280 + 64 * ((high * UINT32_C(0x9E3779B1) >> 20) % TWI_FIBER_OFFSETS);
}

struct twi_mail {
    struct twi_mail *next; // writer: who puts it in; readers: takers
};

struct twi_mailbox {
    uint64_t newest;
};

static inline uint64_t twi_mail_pack(uint64_t tag, const struct twi_mail *mail)
{
    return tag << 32 | (mail ? (uint32_t)((uintptr_t)mail >> TWI_FIBER_SHIFT) : 0);
}

static inline struct twi_mail *twi_mail_unpack(uint64_t word)
{
    uintptr_t high = (uintptr_t)(uint32_t)word << TWI_FIBER_SHIFT;
    return high ? (struct twi_mail *)(high | twi_fiber_offset(high)) : NULL;
}

// Fibers that go in together; `first` will be taken first.
struct twi_chain {
    struct twi_mail *first, *last;
};

static inline void twi_chain_append(struct twi_chain *chain, struct twi_mail *mail)
{
    if (chain->last)
        TWI_STORE(&chain->last->next, mail, TWI_RELAXED); // published by [M1]
    else
        chain->first = mail;
    chain->last = mail;
}

static inline void twi_mailbox_put_chain(struct twi_mailbox *box, const struct twi_chain *chain)
{
    struct twi_mail *last = chain->last;
    uint64_t newest = TWI_LOAD(&box->newest, TWI_RELAXED); // rechecked by [M1]
    do
        TWI_STORE(&last->next, twi_mail_unpack(newest), TWI_RELAXED); // published by [M1]
    while (!TWI_CAS(&box->newest, &newest, twi_mail_pack(newest >> 32, chain->first), TWI_SEQ_CST,
                    TWI_RELAXED)); // [M1] [M2]
}

static inline void twi_mailbox_put(struct twi_mailbox *box, struct twi_mail *mail)
{
    twi_mailbox_put_chain(box, &(struct twi_chain){mail, mail});
}

static inline struct twi_mail *twi_mailbox_take(struct twi_mailbox *box)
{
    uint64_t newest = TWI_LOAD(&box->newest, TWI_ACQUIRE); // [M1] to read next
    for (;;) {
        struct twi_mail *mail = twi_mail_unpack(newest);
        if (!mail)
            return NULL;
        struct twi_mail *next = TWI_LOAD(&mail->next, TWI_RELAXED); // rechecked by the tag
        if (TWI_CAS(&box->newest, &newest, twi_mail_pack((newest >> 32) + 1, next), TWI_ACQ_REL,
                    TWI_ACQUIRE)) // [M1]
            return mail;
    }
}

// All of them, as a list by `next`, the newest first.
static inline struct twi_mail *twi_mailbox_take_all(struct twi_mailbox *box)
{
    uint64_t newest = TWI_LOAD(&box->newest, TWI_RELAXED); // rechecked by [M1]
    while (twi_mail_unpack(newest))
        if (TWI_CAS(&box->newest, &newest, twi_mail_pack((newest >> 32) + 1, NULL), TWI_ACQ_REL,
                    TWI_RELAXED)) // [M1]
            return twi_mail_unpack(newest);
    return NULL;
}

// Takes half of what is in the box, but at most `most`: the first is returned, *rest has the others
// (its first may be NULL). A walk along links that others change ends somewhere among the pool's
// fibers, and the tag tells.
static inline struct twi_mail *twi_mailbox_take_half(struct twi_mailbox *box, unsigned most,
                                                     struct twi_chain *rest)
{
    uint64_t newest = TWI_LOAD(&box->newest, TWI_ACQUIRE); // [M1] to read next
    for (;;) {
        struct twi_mail *first = twi_mail_unpack(newest), *last = first, *mail = first;
        unsigned seen = 0;
        if (!first)
            return NULL;
        for (; mail && seen < 2 * most; seen++)
            mail = TWI_LOAD(&mail->next, TWI_RELAXED); // rechecked by the tag
        for (unsigned taken = 1; last && taken < (seen + 1) / 2; taken++)
            last = TWI_LOAD(&last->next, TWI_RELAXED); // rechecked by the tag
        struct twi_mail *left = NULL;
        if (last)
            left = TWI_LOAD(&last->next, TWI_RELAXED); // rechecked by the tag
        if (TWI_CAS(&box->newest, &newest, twi_mail_pack((newest >> 32) + 1, left), TWI_ACQ_REL,
                    TWI_ACQUIRE)) { // [M1]
            rest->first = first == last ? NULL : first->next;
            rest->last = last;
            return first;
        }
    }
}

static inline int twi_mailbox_seems_empty(struct twi_mailbox *box)
{
    return (uint32_t)TWI_LOAD(&box->newest, TWI_RELAXED) == 0; // hint
}

static inline int twi_mailbox_empty(struct twi_mailbox *box)
{
    return (uint32_t)TWI_LOAD(&box->newest, TWI_SEQ_CST) == 0; // [M2]
}

#endif
