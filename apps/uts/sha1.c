// SPDX-License-Identifier: Apache-2.0
// UTS: SHA-1 of one short message, in portable C.
//
// A message of 20 or 24 bytes fills one block: its words, the bit 1, zeros, its length in bits. The
// 80 rounds are written out, so that the compiler folds the words that are constant.
#include "apps/uts/uts.h"

#include <string.h>

typedef uint32_t quad __attribute__((vector_size(16)));

static inline uint32_t rotate(uint32_t x, int bits)
{
    return x << bits | x >> (32 - bits);
}

static inline uint32_t choose(uint32_t b, uint32_t c, uint32_t d)
{
    return d ^ (b & (c ^ d));
}

static inline uint32_t parity(uint32_t b, uint32_t c, uint32_t d)
{
    return b ^ c ^ d;
}

// The two halves have no bit in common: adding them leaves the compiler free to reorder the sum.
static inline uint32_t majority(uint32_t b, uint32_t c, uint32_t d)
{
    return (b & c) + (d & (b ^ c));
}

static inline uint32_t given(uint32_t *w, int t)
{
    return w[t];
}

static inline uint32_t expanded(uint32_t *w, int t)
{
    uint32_t x = w[(t + 13) & 15] ^ w[(t + 8) & 15] ^ w[(t + 2) & 15] ^ w[t & 15];
    return w[t & 15] = rotate(x, 1);
}

// One round; instead of moving the five variables, the next round names them differently.
#define ROUND(a, b, c, d, e, mix, constant, word)                                                  \
    e += rotate(a, 5) + mix(b, c, d) + constant + word;                                            \
    b = rotate(b, 30)

#define FIVE(mix, constant, word, t)                                                               \
    ROUND(a, b, c, d, e, mix, constant, word(w, t));                                               \
    ROUND(e, a, b, c, d, mix, constant, word(w, t + 1));                                           \
    ROUND(d, e, a, b, c, mix, constant, word(w, t + 2));                                           \
    ROUND(c, d, e, a, b, mix, constant, word(w, t + 3));                                           \
    ROUND(b, c, d, e, a, mix, constant, word(w, t + 4))

#define TWENTY(mix, constant, t)                                                                   \
    FIVE(mix, constant, expanded, t);                                                              \
    FIVE(mix, constant, expanded, t + 5);                                                          \
    FIVE(mix, constant, expanded, t + 10);                                                         \
    FIVE(mix, constant, expanded, t + 15)

static inline __attribute__((always_inline)) void digest(uint32_t w[16], struct uts_state *out)
{
    const uint32_t start[5] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
    uint32_t a = start[0], b = start[1], c = start[2], d = start[3], e = start[4];

    FIVE(choose, 0x5a827999, given, 0);
    FIVE(choose, 0x5a827999, given, 5);
    FIVE(choose, 0x5a827999, given, 10);
    ROUND(a, b, c, d, e, choose, 0x5a827999, given(w, 15));
    ROUND(e, a, b, c, d, choose, 0x5a827999, expanded(w, 16));
    ROUND(d, e, a, b, c, choose, 0x5a827999, expanded(w, 17));
    ROUND(c, d, e, a, b, choose, 0x5a827999, expanded(w, 18));
    ROUND(b, c, d, e, a, choose, 0x5a827999, expanded(w, 19));
    TWENTY(parity, 0x6ed9eba1, 20);
    TWENTY(majority, 0x8f1bbcdc, 40);
    TWENTY(parity, 0xca62c1d6, 60);

    // The first four at once: who copies a state reads them so, and would wait for single words.
    quad first = (quad){a, b, c, d} + (quad){start[0], start[1], start[2], start[3]};
    memcpy(out->word, &first, sizeof first);
    out->word[4] = start[4] + e;
}

void uts_hash_portable(const struct uts_state *parent, uint32_t index, struct uts_state *child)
{
    const uint32_t *p = parent->word;
    uint32_t w[16] = {p[0], p[1], p[2], p[3], p[4], index, 0x80000000, [15] = 24 * 8};
    digest(w, child);
}

void uts_hash_root(uint32_t seed, struct uts_state *root)
{
    uint32_t w[16] = {0, 0, 0, 0, seed, 0x80000000, [15] = 20 * 8};
    digest(w, root);
}
