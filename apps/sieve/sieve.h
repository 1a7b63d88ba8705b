// SPDX-License-Identifier: Apache-2.0
// The first primes, by a pipeline of filters: numbers flow in ascending order, the first of them
// that come to a stage are primes and become its filters, of the rest it lets through what none of
// them divides. There are as many stages as filters are needed; what leaves the last is prime.
// plain.c is the sieve of Eratosthenes and knows nothing of Twill.
#ifndef APPS_SIEVE_H
#define APPS_SIEVE_H

#include <stdbool.h>
#include <stdint.h>

#include <twill/runtime.h>

#define SIEVE_PRIMES_MAX 5000000
#define SIEVE_STAGE_MAX 64 // filters of one stage

struct sieve {
    // in
    uint32_t count;    // of primes
    uint32_t filters;  // of each stage
    enum tw_wake wake; // of the network
    // out
    uint32_t *prime; // room for `count`
    uint32_t stages;
};

// ---- plain.c ----

// The prime of that number, from 1, is not above this.
uint32_t sieve_limit(uint32_t count);
// Odd primes whose square is not above `limit`.
uint32_t sieve_filters_needed(uint32_t limit);
// The first `count` primes. False: no memory.
bool sieve_plain(uint32_t *prime, uint32_t count);

// ---- sieve.c ----

// 0 or a TW_E... code.
int sieve_network(const struct tw_options *options, struct sieve *job);

#endif
