// SPDX-License-Identifier: Apache-2.0
// Sums over all places: up the tree of places and down again.
#include <stdlib.h>
#include <string.h>

#include <twill/place.h>
#include <twill/runtime.h>

#include "place/place.h"
#include "steal/tree.h"

// A sum that is under way. Partial sums of children may come before this place has begun.
struct twi_gather {
    struct twi_gather *next;
    uint64_t number;
    uint64_t *sums;
    size_t count;
    uint32_t came; // children's
    int is_max;    // else a sum
    int is_over;
};

static struct twi_gather *find(struct twi_place *place, uint64_t number, size_t count)
{
    struct twi_gather **at = &place->gather;
    while (*at && (*at)->number != number)
        at = &(*at)->next;
    if (!*at) {
        *at = calloc(1, sizeof **at);
        if (*at)
            (*at)->sums = calloc(count + 1, sizeof *(*at)->sums);
        if (!*at || !(*at)->sums)
            tw_misuse("no memory for a sum over places", "");
        (*at)->number = number;
        (*at)->count = count;
    }
    return *at;
}

static void add(struct twi_gather *gather, const uint64_t *numbers, size_t count, int is_max)
{
    if (count != gather->count)
        tw_misuse("places add up different counts of numbers", "");
    for (size_t i = 0; i < count; i++)
        if (!is_max)
            gather->sums[i] += numbers[i];
        else if (gather->sums[i] < numbers[i])
            gather->sums[i] = numbers[i];
}

static void send(struct twi_place *place, const struct twi_gather *gather, uint32_t to,
                 enum twi_mail_kind kind)
{
    twi_host_post(place->host, to, (uint16_t)kind, gather->number << 1 | (uint64_t)gather->is_max,
                  gather->sums, (uint32_t)(gather->count * sizeof *gather->sums));
}

static void spread(struct twi_place *place, struct twi_gather *gather)
{
    struct twi_tree tree = twi_tree_of(place->fabric->place, place->fabric->places);
    for (uint32_t i = 0; i < tree.children; i++)
        send(place, gather, tree.first + i, TWI_MAIL_DOWN);
    gather->is_over = 1;
}

void twi_gather_mail(struct twi_place *place, uint32_t from, const struct twi_packet *packet,
                     const void *bytes)
{
    size_t count = packet->size / sizeof(uint64_t);
    struct twi_gather *gather = find(place, packet->word >> 1, count);
    (void)from;
    if (packet->message == TWI_MAIL_UP) {
        gather->came++;
        add(gather, bytes, count, (int)(packet->word & 1));
    } else {
        memcpy(gather->sums, bytes, packet->size);
        spread(place, gather);
    }
}

// Whether the sum that was begun last is complete; does what is to be done for it.
static int is_over(struct twi_place *place)
{
    struct twi_gather *gather = find(place, place->gathers, 0);
    struct twi_tree tree = twi_tree_of(place->fabric->place, place->fabric->places);
    if (!gather->is_over && gather->came == tree.children + 1) {
        gather->came++; // once
        if (tree.parent == TWI_NO_PLACE)
            spread(place, gather);
        else
            send(place, gather, tree.parent, TWI_MAIL_UP);
    }
    return gather->is_over;
}

static int gather_all(uint64_t *numbers, size_t count, int is_max)
{
    struct twi_place *place = twi_place_here();
    if (place->error || place->fabric->places == 1)
        return place->error;
    if (twi_worker_maybe() || place->pool)
        tw_misuse("a sum over places inside tw_run", "");
    struct twi_gather *gather = find(place, ++place->gathers, count);
    twi_leave_check(place);
    gather->came++; // its own
    gather->is_max = is_max;
    add(gather, numbers, count, is_max);
    twi_place_serve(place, is_over);
    memcpy(numbers, gather->sums, count * sizeof *numbers);
    struct twi_gather **at = &place->gather;
    while (*at != gather)
        at = &(*at)->next;
    *at = gather->next;
    free(gather->sums);
    free(gather);
    return 0;
}

int tw_places_sum(uint64_t *numbers, size_t count)
{
    return gather_all(numbers, count, 0);
}

int tw_places_max(uint64_t *numbers, size_t count)
{
    return gather_all(numbers, count, 1);
}
