// SPDX-License-Identifier: Apache-2.0
// See registry.h. Constructors register before main(), one after the other; a library that is
// loaded later is too late for a program whose places talk already, or that has a collection.
#include "place/registry.h"

#include <stdlib.h>
#include <string.h>

#include <twill/place.h>

#include "place/mix.h"

static const struct tw_task_type *types[TWI_TYPES_MOST];
static uint32_t count;
static int is_closed;
static const void *seen[64]; // modules, by the beginning of their references
static uint32_t seen_count;

// Each translation unit registers the references of its whole module.
static int is_new(const void *first)
{
    for (uint32_t i = 0; i < seen_count; i++)
        if (seen[i] == first)
            return 0;
    if (seen_count == sizeof seen / sizeof *seen)
        tw_misuse("too many libraries have tasks that travel", "");
    seen[seen_count++] = first;
    return 1;
}

void tw_tasks_register(const struct tw_task_type *const *first,
                       const struct tw_task_type *const *end)
{
    if (!is_new(first))
        return;
    if (is_closed)
        tw_misuse("a library with tasks that travel was loaded when they had been numbered: places "
                  "talk already, or there was a collection",
                  "");
    for (; first != end; first++) {
        if (!*first) // what a sanitizer puts between
            continue;
        if (count == TWI_TYPES_MOST)
            tw_misuse("too many tasks that travel", (*first)->name);
        types[count++] = *first;
    }
}

static int compare(const void *left, const void *right)
{
    const struct tw_task_type *a = *(const struct tw_task_type *const *)left;
    const struct tw_task_type *b = *(const struct tw_task_type *const *)right;
    int order = strcmp(a->name, b->name);
    if (!order)
        order = strcmp(a->file, b->file);
    return order ? order : (a->line > b->line) - (a->line < b->line);
}

void twi_registry_close(void)
{
    qsort(types, count, sizeof *types, compare);
    is_closed = 1;
}

uint32_t twi_registry_number(const struct tw_task_type *type)
{
    uint32_t low = 0, high = count;
    while (low < high) {
        uint32_t middle = (low + high) / 2;
        int order = compare(&type, &types[middle]);
        if (order == 0)
            return middle;
        if (order < 0)
            high = middle;
        else
            low = middle + 1;
    }
    return UINT32_MAX;
}

const struct tw_task_type *twi_registry_type(uint32_t number)
{
    return number < count ? types[number] : NULL;
}

uint64_t twi_registry_sum(void)
{
    uint64_t sum = count;
    for (uint32_t i = 0; i < count; i++) {
        const struct tw_task_type *type = types[i];
        sum = twi_mix(twi_mix(sum, type->args_size), type->result_size);
        sum = twi_mix(twi_mix(sum, type->args_align), type->result_align);
        sum = twi_mix_text(twi_mix(sum, type->line), type->name);
    }
    return sum;
}
