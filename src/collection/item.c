// SPDX-License-Identifier: Apache-2.0
// Items and where they stand: shelves of records, notes, slots of queues.
#include "collection/collection.h"

#include <stdlib.h>
#include <string.h>

struct twi_item *twi_shelf_at(const struct tw_collection *c, const struct twi_shelf *shelf,
                              uint32_t index)
{
    return (struct twi_item *)(shelf->first + (size_t)index * c->item_size);
}

// Twice the room, and 16 at least. NULL: no memory.
static void *enlarge(void *first, uint32_t *room, size_t size)
{
    uint32_t more = *room ? 2 * *room : 16;
    void *moved = more > *room ? realloc(first, more * size) : NULL;
    if (moved)
        *room = more;
    return moved;
}

int twi_shelf_room(const struct tw_collection *c, struct twi_shelf *shelf, uint32_t more)
{
    while (shelf->room - shelf->count < more) {
        unsigned char *moved = enlarge(shelf->first, &shelf->room, c->item_size);
        if (!moved)
            return TW_ENOMEM;
        shelf->first = moved;
    }
    return 0;
}

struct twi_item *twi_shelf_add(const struct tw_collection *c, struct twi_shelf *shelf)
{
    if (twi_shelf_room(c, shelf, 1) != 0)
        return NULL;
    return twi_shelf_at(c, shelf, shelf->count++);
}

void twi_shelf_free(struct twi_shelf *shelf)
{
    free(shelf->first);
    *shelf = (struct twi_shelf){NULL, 0, 0};
}

int twi_notes_add(struct twi_notes *notes, const struct twi_note *note)
{
    if (notes->count == notes->room) {
        struct twi_note *moved = enlarge(notes->first, &notes->room, sizeof *note);
        if (!moved)
            return TW_ENOMEM;
        notes->first = moved;
    }
    notes->first[notes->count++] = *note;
    return 0;
}

struct twi_item *twi_seat_next(struct tw_collection *c, struct twi_seat *seat, int *error)
{
    struct twi_split *q = &seat->queue;
    size_t most = c->options.tasks_max;
    *error = most && twi_split_count(q) >= most ? TW_ERANGE : 0;
    if (*error)
        return NULL;
    struct twi_item *item = twi_split_next(q);
    if (!item && twi_split_grow(q, TWI_SPLIT_ORDER_MAX) == 0)
        item = twi_split_next(q);
    if (!item)
        *error = TW_ENOMEM;
    return item;
}
