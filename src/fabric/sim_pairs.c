// SPDX-License-Identifier: Apache-2.0
// See sim_pairs.h: a table with open addressing that forgets the past when it is full.
#include "sim_pairs.h"

#include <stdlib.h>

enum { ROOM_FIRST = 256 };

static struct twi_sim_pair *find(const struct twi_sim_pairs *pairs, uint64_t key)
{
    size_t i = (key * UINT64_C(0x9e3779b97f4a7c15) >> 32) & (pairs->room - 1);
    while (pairs->table[i].key && pairs->table[i].key != key)
        i = (i + 1) & (pairs->room - 1);
    return &pairs->table[i];
}

// Into a table of twice the size that those need who are still under way.
static int rebuild(struct twi_sim_pairs *pairs, uint64_t now_ns)
{
    struct twi_sim_pairs fresh = {.room = ROOM_FIRST};
    size_t alive = 0;
    for (size_t i = 0; i < pairs->room; i++)
        alive += pairs->table[i].key && pairs->table[i].arrives_ns >= now_ns;
    while (fresh.room < 4 * alive)
        fresh.room *= 2;
    fresh.table = calloc(fresh.room, sizeof *fresh.table);
    if (!fresh.table)
        return -1;
    for (size_t i = 0; i < pairs->room; i++)
        if (pairs->table[i].key && pairs->table[i].arrives_ns >= now_ns) {
            *find(&fresh, pairs->table[i].key) = pairs->table[i];
            fresh.used++;
        }
    free(pairs->table);
    *pairs = fresh;
    return 0;
}

uint64_t *twi_sim_pair(struct twi_sim_pairs *pairs, uint32_t from, uint32_t to, uint64_t now_ns)
{
    uint64_t key = ((uint64_t)from << 32 | to) + 1;
    if (2 * pairs->used >= pairs->room && rebuild(pairs, now_ns) != 0)
        return NULL;
    struct twi_sim_pair *pair = find(pairs, key);
    if (!pair->key) {
        pair->key = key;
        pairs->used++;
    }
    return &pair->arrives_ns;
}

void twi_sim_pairs_destroy(struct twi_sim_pairs *pairs)
{
    free(pairs->table);
}

size_t twi_sim_pairs_bytes(const struct twi_sim_pairs *pairs)
{
    return pairs->room * sizeof *pairs->table;
}
