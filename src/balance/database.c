// SPDX-License-Identifier: Apache-2.0
#include "balance/database.h"

#include <string.h>

size_t twi_database_size(uint32_t room)
{
    return sizeof(struct twi_database) + room * sizeof(uint32_t);
}

struct twi_database *twi_database_make(void *memory, uint32_t room)
{
    struct twi_database *database = memory;
    memset(database->groups, 0, sizeof database->groups);
    memset(database->filled, 0, sizeof database->filled);
    database->load_ns = 0;
    database->count = 0;
    database->room = room;
    return database;
}

// Touches only what was used, since one database may serve many modelled cores in turn.
void twi_database_clear(struct twi_database *database)
{
    for (uint32_t group = 0; group < TWI_BIN_GROUPS; group++) {
        for (uint64_t left = database->groups[group]; left; left &= left - 1)
            database->filled[group * 64 + (uint32_t)__builtin_ctzll(left)] = 0;
        database->groups[group] = 0;
    }
    database->load_ns = 0;
    database->count = 0;
}

void twi_database_add(struct twi_database *database, uint32_t index, uint64_t duration_ns)
{
    uint32_t bin = twi_bin_of(duration_ns), word = bin / 64;
    uint64_t bit = UINT64_C(1) << bin % 64;
    database->next[index] = database->filled[word] & bit ? database->first[bin] : 0;
    database->first[bin] = index + 1;
    database->filled[word] |= bit;
    database->groups[word / 64] |= UINT64_C(1) << word % 64;
    database->load_ns += twi_bin_ns(bin);
    database->count++;
}

// The first bin from `least` on that is not empty, or TWI_BINS.
static uint32_t find(const struct twi_database *database, uint32_t least)
{
    uint32_t word = least / 64;
    if (least >= TWI_BINS)
        return TWI_BINS;
    uint64_t bits = database->filled[word] & ~UINT64_C(0) << least % 64;
    if (bits)
        return word * 64 + (uint32_t)__builtin_ctzll(bits);
    word++;
    uint64_t mask = ~UINT64_C(0) << word % 64;
    for (uint32_t group = word / 64; group < TWI_BIN_GROUPS; group++, mask = ~UINT64_C(0)) {
        uint64_t words = database->groups[group] & mask;
        if (words) {
            word = group * 64 + (uint32_t)__builtin_ctzll(words);
            return word * 64 + (uint32_t)__builtin_ctzll(database->filled[word]);
        }
    }
    return TWI_BINS;
}

uint32_t twi_database_take(struct twi_database *database, uint32_t least, uint32_t *index)
{
    uint32_t bin = find(database, least), word = bin / 64;
    if (bin == TWI_BINS)
        return TWI_BINS;
    *index = database->first[bin] - 1;
    database->first[bin] = database->next[*index];
    if (database->first[bin] == 0) {
        database->filled[word] &= ~(UINT64_C(1) << bin % 64);
        if (database->filled[word] == 0)
            database->groups[word / 64] &= ~(UINT64_C(1) << word % 64);
    }
    database->load_ns -= twi_bin_ns(bin);
    database->count--;
    return bin;
}
