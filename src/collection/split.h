// SPDX-License-Identifier: Apache-2.0
// The split queue of a worker of a collection: tasks of one size in a ring, sent straight from it.
//
//      ctail ... stail ... split ... head
//       being sent | shared | private | free
//
// The owner adds and takes at head: the newest first. A thief marks the oldest shared ones by one
// swap of `word`, reads them where they stand, and counts them in `itail` when it has. Others mark
// more meanwhile, and finish in any order. All positions count on; a ring of 2^order slots holds
// position p at p mod 2^order. What stands where:
//  - nobody but the owner writes slots, and it only from split on;
//  - itail == stail: nothing is being sent, so ctail may become stail. itail must be read first: a
//    thief that marks and counts between the two reads is then seen in stail.
//  - the ring doubles by a new one: `word` says in which ring a mark is, so the old one, which may
//    still be read, stays until nobody can steal (twi_split_calm).
//
// Edges:
//  [SQ1] word release/acquire: a thief sees the tasks that were shared, and the ring they are in.
//        The owner stores it only while nothing is shared; all else are read-modify-writes, which
//        continue that release.
//  [SQ2] itail release/acquire: the owner writes a slot again after its thief has read it, and sees
//        all marks of the transfers that it counts.
//  [SQ6] word release/acquire the other way: an owner that finds nothing sees what thieves did
//        before they marked. Only on machines that delay a read-modify-write (active.h).
#ifndef TWI_SPLIT_H
#define TWI_SPLIT_H

#include <stddef.h>
#include <stdint.h>
#include <string.h>

#include <twill/atomic.h>

#ifdef TWI_MODEL
#define TWI_SPLIT_BITS 4
#else
#define TWI_SPLIT_BITS 29 // of a position in `word`
#endif
#define TWI_SPLIT_MASK ((1u << TWI_SPLIT_BITS) - 1)
#define TWI_SPLIT_ORDER_MAX (TWI_SPLIT_BITS - 1) // so that a full ring is no empty one

enum twi_take {
    TWI_TAKE_GOT,
    TWI_TAKE_EMPTY, // nothing shared; perhaps something private
    TWI_TAKE_LOST,  // another thief, or the owner, was faster
};

struct twi_split {
    uint64_t word;  // stail, split and order. writers: all
    uint32_t itail; // tasks that have been sent, ever. writers: thieves; reader: the owner
    uint32_t task_size;
    unsigned char *ring[TWI_SPLIT_ORDER_MAX + 1]; // by order. writer: the owner; readers: thieves
    // The owner's own, in a line that thieves leave alone.
    uint32_t head __attribute__((aligned(64)));
    uint32_t split;      // as in word, which nobody else moves
    uint32_t ctail;      // everything before it has been sent
    uint32_t last;       // slot of the ring: 2^order - 1
    unsigned char *slot; // the ring now
};

struct twi_span {
    uint32_t stail, split, order;
};

static inline struct twi_span twi_split_span(uint64_t word)
{
    return (struct twi_span){(uint32_t)word & TWI_SPLIT_MASK,
                             (uint32_t)(word >> TWI_SPLIT_BITS) & TWI_SPLIT_MASK,
                             (uint32_t)(word >> 2 * TWI_SPLIT_BITS)};
}

static inline uint64_t twi_split_word(uint32_t stail, uint32_t split, uint32_t order)
{
    return (stail & TWI_SPLIT_MASK) | (uint64_t)(split & TWI_SPLIT_MASK) << TWI_SPLIT_BITS |
           (uint64_t)order << 2 * TWI_SPLIT_BITS;
}

static inline uint32_t twi_split_distance(uint32_t from, uint32_t to)
{
    return (to - from) & TWI_SPLIT_MASK;
}

// ---- the owner ----

static inline unsigned char *twi_split_slot(const struct twi_split *q, uint32_t position)
{
    return q->slot + (size_t)(position & q->last) * q->task_size;
}

// Learns what has been sent. Whether a slot is free.
static inline int twi_split_reap(struct twi_split *q)
{
    uint32_t itail = TWI_LOAD(&q->itail, TWI_ACQUIRE);                      // [SQ2]
    struct twi_span span = twi_split_span(TWI_LOAD(&q->word, TWI_RELAXED)); // rechecked by [SQ2]
    if (twi_split_distance(itail, span.stail) != 0)
        return 0;
    q->ctail = q->split - twi_split_distance(span.stail, span.split);
    return q->head - q->ctail <= q->last;
}

// The slot of the next task, to be filled and added; NULL: the ring is full.
static inline void *twi_split_next(struct twi_split *q)
{
    if (__builtin_expect(q->head - q->ctail > q->last, 0) && !twi_split_reap(q))
        return NULL;
    return twi_split_slot(q, q->head);
}

// How many slots are free.
static inline uint32_t twi_split_room(struct twi_split *q)
{
    (void)twi_split_reap(q);
    return q->last + 1 - (q->head - q->ctail);
}

// As many slots side by side, `want` at most: for tasks that are received. How many.
static inline uint32_t twi_split_stretch(struct twi_split *q, uint32_t want, unsigned char **first)
{
    *first = twi_split_next(q);
    uint32_t room = *first ? q->last + 1 - (q->head - q->ctail) : 0;
    uint32_t side_by_side = q->last + 1 - (q->head & q->last);
    room = room < side_by_side ? room : side_by_side;
    return room < want ? room : want;
}

// Adds what was filled, as private tasks.
static inline void twi_split_add(struct twi_split *q, uint32_t count)
{
    q->head += count;
}

// Shares the `count` oldest private tasks, when nothing is shared: then nobody else changes word.
static inline void twi_split_share(struct twi_split *q, uint32_t count)
{
    uint32_t order = twi_split_span(TWI_LOAD(&q->word, TWI_RELAXED)).order; // relaxed: owner-only
    uint32_t stail = q->split;
    q->split += count;
    TWI_STORE(&q->word, twi_split_word(stail, q->split, order), TWI_RELEASE); // [SQ1]
}

// Shares half of the private tasks if nothing is shared. `running` is 1 for who has just taken one
// to run it, and so can spare the last; else 0.
static inline void twi_split_offer(struct twi_split *q, uint32_t running)
{
    struct twi_span span = twi_split_span(TWI_LOAD(&q->word, TWI_RELAXED)); // hint
    uint32_t half = (q->head - q->split + running) / 2;
    if (__builtin_expect(span.stail == span.split && half, 0))
        twi_split_share(q, half);
}

// Makes half of what is shared private, one at least. 0: nothing is shared.
static inline int twi_split_regain(struct twi_split *q)
{
    uint64_t word = TWI_LOAD(&q->word, TWI_ACQUIRE); // [SQ6]
    for (;;) {
        struct twi_span span = twi_split_span(word);
        uint32_t shared = twi_split_distance(span.stail, span.split);
        uint32_t back = shared / 2 ? shared / 2 : 1;
        if (shared == 0)
            return 0;
        if (TWI_CAS(&q->word, &word, twi_split_word(span.stail, q->split - back, span.order),
                    TWI_ACQUIRE, TWI_ACQUIRE)) { // [SQ6]
            q->split -= back;
            return 1;
        }
    }
}

// The newest task, whose slot the next one added will be written to; NULL: there is none.
static inline void *twi_split_take(struct twi_split *q)
{
    if (__builtin_expect(q->head == q->split, 0) && !twi_split_regain(q))
        return NULL;
    return twi_split_slot(q, --q->head);
}

static inline void twi_split_copy(unsigned char *to, const unsigned char *from, size_t size)
{
#ifdef TWI_MODEL
    for (size_t i = 0; i < size; i += sizeof(uint64_t))
        TWI_WRITE(*(uint64_t *)(to + i), TWI_READ(*(const uint64_t *)(from + i)));
#else
    memcpy(to, from, size);
#endif
}

// Goes on in `ring`, which has twice the slots. All that nobody has marked is private then.
static inline void twi_split_move(struct twi_split *q, unsigned char *ring)
{
    uint64_t word = TWI_LOAD(&q->word, TWI_RELAXED); // rechecked by the swap
    struct twi_span span;
    do
        span = twi_split_span(word);
    while (!TWI_CAS(&q->word, &word, twi_split_word(span.stail, span.stail, span.order + 1),
                    TWI_RELAXED, TWI_RELAXED)); // relaxed: shares nothing; shared later by [SQ1]
    uint32_t first = q->split - twi_split_distance(span.stail, span.split);
    uint32_t last = 2 * q->last + 1;
    TWI_WRITE(q->ring[span.order + 1], ring);
    for (uint32_t at = first; at != q->head; at++)
        twi_split_copy(ring + (size_t)(at & last) * q->task_size, twi_split_slot(q, at),
                       q->task_size);
    q->split = q->ctail = first; // what is being sent is in the old ring
    q->slot = ring;
    q->last = last;
}

// Tasks that nobody has marked, as far as can be seen. By the owner.
static inline uint32_t twi_split_count(struct twi_split *q)
{
    struct twi_span span = twi_split_span(TWI_LOAD(&q->word, TWI_RELAXED)); // hint
    return q->head - q->split + twi_split_distance(span.stail, span.split);
}

// ---- thieves ----

// Tasks that could be stolen just now.
static inline uint32_t twi_split_shared(struct twi_split *q)
{
    struct twi_span span = twi_split_span(TWI_LOAD(&q->word, TWI_RELAXED)); // hint
    return twi_split_distance(span.stail, span.split);
}

// Marks half of what `*word` says is shared, rounded up, the oldest ones, `most` at most, as far as
// they stand side by side; `*word` is then what the mark left. How many; 0: `*word` was old.
static inline uint32_t twi_split_mark(struct twi_split *q, uint64_t *word, uint32_t most)
{
    struct twi_span span = twi_split_span(*word);
    uint32_t slots = 1u << span.order;
    uint32_t side_by_side = slots - (span.stail & (slots - 1));
    uint32_t take = (twi_split_distance(span.stail, span.split) + 1) / 2;
    take = take < most ? take : most;
    take = take < side_by_side ? take : side_by_side;
    uint64_t marked = twi_split_word(span.stail + take, span.split, span.order);
    if (!TWI_CAS(&q->word, word, marked, TWI_ACQ_REL, TWI_RELAXED)) // [SQ1] [SQ6]
        return 0;
    *word = marked;
    return take;
}

// Marks half of what is shared. The thief then reads the tasks, from `*first` on, and says so by
// twi_split_sent. `*word` is for twi_split_steal_more.
static inline enum twi_take twi_split_steal(struct twi_split *q, uint32_t most,
                                            unsigned char **first, uint32_t *count, uint64_t *word)
{
    *word = TWI_LOAD(&q->word, TWI_RELAXED); // rechecked by [SQ1]
    struct twi_span span = twi_split_span(*word);
    *first = NULL;
    *count = 0;
    if (span.stail == span.split || most == 0)
        return TWI_TAKE_EMPTY;
    if ((*count = twi_split_mark(q, word, most)) == 0)
        return TWI_TAKE_LOST;
    size_t at = span.stail & ((1u << span.order) - 1);
    *first = TWI_READ(q->ring[span.order]) + at * q->task_size;
    return TWI_TAKE_GOT;
}

// Marks half of what is still shared, if that follows what the thief marked last, to be read with
// it. How many; 0 as well if anybody has changed what is shared since.
static inline uint32_t twi_split_steal_more(struct twi_split *q, uint32_t most, uint64_t *word)
{
    struct twi_span span = twi_split_span(*word);
    int begins_anew = (span.stail & ((1u << span.order) - 1)) == 0;
    return begins_anew || span.stail == span.split || most == 0 ? 0 : twi_split_mark(q, word, most);
}

// So many marked tasks have been read: their slots are the owner's again.
static inline void twi_split_sent(struct twi_split *q, uint32_t count)
{
    TWI_FETCH_ADD(&q->itail, count, TWI_RELEASE); // [SQ2]
}

// Steals half of what `from` shares, `most` at most and as far as `to` has room, and adds it there,
// private. How many tasks. By the owner of `to`.
static inline uint32_t twi_split_rob(struct twi_split *from, struct twi_split *to, uint32_t most)
{
    unsigned char *task, *slot;
    uint64_t word;
    uint32_t count, fits, room = twi_split_room(to);
    if (twi_split_steal(from, room < most ? room : most, &task, &count, &word) != TWI_TAKE_GOT)
        return 0;
    for (uint32_t left = count; left; left -= fits) {
        fits = twi_split_stretch(to, left, &slot);
        size_t size = (size_t)fits * to->task_size;
        twi_split_copy(slot, task, size);
        task += size;
        twi_split_add(to, fits);
    }
    twi_split_sent(from, count);
    return count;
}

// ---- split.c: memory ----

// An empty queue of 2^order slots for tasks of `task_size` bytes, a multiple of 8. 0, or -1: no
// memory.
int twi_split_open(struct twi_split *q, uint32_t task_size, uint32_t order);
// Doubles the ring, up to 2^order_max slots. 0, or -1: it has them, or there is no memory. By the
// owner.
int twi_split_grow(struct twi_split *q, uint32_t order_max);
// Nobody steals and nothing is being sent: frees rings that are not used any more.
void twi_split_calm(struct twi_split *q);
void twi_split_close(struct twi_split *q);

#endif
