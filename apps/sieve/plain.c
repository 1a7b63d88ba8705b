// SPDX-License-Identifier: Apache-2.0
// The sieve of Eratosthenes, a byte for each odd number.
#include "apps/sieve/sieve.h"

#include <math.h>
#include <stdlib.h>

// Rosser's bound: from the sixth prime on it is below n (ln n + ln ln n).
uint32_t sieve_limit(uint32_t count)
{
    double n = count;
    return count < 6 ? 11 : (uint32_t)(n * (log(n) + log(log(n)))) + 1;
}

uint32_t sieve_filters_needed(uint32_t limit)
{
    uint32_t needed = 0;
    for (uint64_t i = 3; i * i <= limit; i += 2) {
        uint64_t divisor = 3;
        while (divisor * divisor <= i && i % divisor != 0)
            divisor += 2;
        needed += divisor * divisor > i;
    }
    return needed;
}

bool sieve_plain(uint32_t *prime, uint32_t count)
{
    uint64_t limit = sieve_limit(count);
    unsigned char *divided = calloc(limit / 2 + 1, 1); // [i / 2]: of the odd number i
    if (!divided)
        return false;
    for (uint64_t i = 3; i * i <= limit; i += 2)
        for (uint64_t j = i * i; j <= limit && !divided[i / 2]; j += 2 * i)
            divided[j / 2] = 1;
    uint32_t found = 0;
    prime[found++] = 2;
    for (uint64_t i = 3; i <= limit && found < count; i += 2)
        if (!divided[i / 2])
            prime[found++] = (uint32_t)i;
    free(divided);
    return true;
}
