// SPDX-License-Identifier: Apache-2.0
#include "core/misplaced.h"

#include <stdint.h>
#include <stdlib.h>

enum { FIRST_BUCKETS = 16, SLOT_SHIFT = 6 };

static struct twi_misplaced_entry **bucket_of(const struct twi_misplaced *table,
                                              const struct tw_slot *handle)
{
    return &table->buckets[((uintptr_t)handle >> SLOT_SHIFT) & (table->bucket_count - 1)];
}

// Keeps the order within each chain, newest first: entries are moved oldest first.
static void chain_move(struct twi_misplaced *to, struct twi_misplaced_entry *entry)
{
    if (!entry)
        return;
    struct twi_misplaced_entry *reversed = NULL;
    while (entry) {
        struct twi_misplaced_entry *next = entry->next;
        entry->next = reversed;
        reversed = entry;
        entry = next;
    }
    while (reversed) {
        struct twi_misplaced_entry *next = reversed->next;
        struct twi_misplaced_entry **bucket = bucket_of(to, reversed->handle);
        reversed->next = *bucket;
        *bucket = reversed;
        reversed = next;
    }
}

static int grow(struct twi_misplaced *table)
{
    struct twi_misplaced larger = {NULL, table->bucket_count * 2, table->count};
    if (!larger.bucket_count)
        larger.bucket_count = FIRST_BUCKETS;
    larger.buckets = calloc(larger.bucket_count, sizeof *larger.buckets);
    if (!larger.buckets)
        return 0;
    for (size_t i = 0; i < table->bucket_count; i++)
        chain_move(&larger, table->buckets[i]);
    free(table->buckets);
    *table = larger;
    return 1;
}

int twi_misplaced_put(struct twi_misplaced *table, const struct tw_slot *handle,
                      struct tw_slot *slot)
{
    struct twi_misplaced_entry *entry = malloc(sizeof *entry);
    if (!entry || (table->count >= table->bucket_count && !grow(table))) {
        free(entry);
        return 0;
    }
    struct twi_misplaced_entry **bucket = bucket_of(table, handle);
    *entry = (struct twi_misplaced_entry){*bucket, handle, slot};
    *bucket = entry;
    table->count++;
    return 1;
}

struct tw_slot *twi_misplaced_take(struct twi_misplaced *table, const struct tw_slot *handle)
{
    if (!table->count)
        return NULL;
    struct twi_misplaced_entry **link = bucket_of(table, handle);
    while (*link && (*link)->handle != handle)
        link = &(*link)->next;
    struct twi_misplaced_entry *entry = *link;
    if (!entry)
        return NULL;
    struct tw_slot *slot = entry->slot;
    *link = entry->next;
    free(entry);
    table->count--;
    return slot;
}

void twi_misplaced_free(struct twi_misplaced *table)
{
    free(table->buckets);
    *table = (struct twi_misplaced){NULL, 0, 0};
}
