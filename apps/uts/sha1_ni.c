// SPDX-License-Identifier: Apache-2.0
// UTS: a child's hash by the SHA instructions of x86-64. The file is compiled everywhere; the
// processor is asked at run time.
#include "apps/uts/uts.h"

#ifdef __x86_64__

#include <cpuid.h>
#include <immintrin.h>

bool uts_hash_ni_available(void)
{
    unsigned a, b, c, d;
    bool sse41 = __get_cpuid(1, &a, &b, &c, &d) && (c & bit_SSE4_1);
    return sse41 && __get_cpuid_count(7, 0, &a, &b, &c, &d) && (b & bit_SHA);
}

// Four rounds: group g of 20, with the words w[g % 4]. e[g % 2] becomes the group's fifth variable
// plus its words; the other one keeps the state it will be derived from two groups later.
#define GROUP(g)                                                                                   \
    e[(g) % 2] = _mm_sha1nexte_epu32(e[(g) % 2], w[(g) % 4]);                                      \
    e[((g) + 1) % 2] = abcd;                                                                       \
    abcd = _mm_sha1rnds4_epu32(abcd, e[(g) % 2], (g) / 5)

#define EXPAND(g)                                                                                  \
    w[(g) % 4] = _mm_sha1msg2_epu32(                                                               \
        _mm_xor_si128(_mm_sha1msg1_epu32(w[(g) % 4], w[((g) + 1) % 4]), w[((g) + 2) % 4]),         \
        w[((g) + 3) % 4]);                                                                         \
    GROUP(g)

#define FOUR(g)                                                                                    \
    EXPAND(g);                                                                                     \
    EXPAND(g + 1);                                                                                 \
    EXPAND(g + 2);                                                                                 \
    EXPAND(g + 3)

#define REVERSED 0x1b // the instructions want the first word in the highest lane

__attribute__((target("sha,sse4.1"))) void uts_hash_ni(const struct uts_state *parent,
                                                       uint32_t index, struct uts_state *child)
{
    const __m128i start = _mm_set_epi32(0x67452301, (int)0xefcdab89, (int)0x98badcfe, 0x10325476);
    const __m128i start_e = _mm_set_epi32((int)0xc3d2e1f0, 0, 0, 0);
    const __m128i *from = (const __m128i *)parent->word;
    __m128i w[4] = {
        _mm_shuffle_epi32(_mm_loadu_si128(from), REVERSED),
        _mm_set_epi32((int)parent->word[4], (int)index, (int)0x80000000, 0),
        _mm_setzero_si128(),
        _mm_set_epi32(0, 0, 0, 24 * 8),
    };
    __m128i abcd = start;
    __m128i e[2] = {_mm_add_epi32(start_e, w[0]), abcd};

    abcd = _mm_sha1rnds4_epu32(abcd, e[0], 0);
    GROUP(1);
    GROUP(2);
    GROUP(3);
    FOUR(4);
    FOUR(8);
    FOUR(12);
    FOUR(16);

    abcd = _mm_add_epi32(abcd, start);
    _mm_storeu_si128((__m128i *)child->word, _mm_shuffle_epi32(abcd, REVERSED));
    child->word[4] = (uint32_t)_mm_extract_epi32(_mm_sha1nexte_epu32(e[0], start_e), 3);
}

#else

bool uts_hash_ni_available(void)
{
    return false;
}

void uts_hash_ni(const struct uts_state *parent, uint32_t index, struct uts_state *child)
{
    uts_hash_portable(parent, index, child);
}

#endif
