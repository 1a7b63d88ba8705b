// SPDX-License-Identifier: Apache-2.0
// See parcel.h. The list is the place's: with its turn held, when there are several.
#include "collection/parcel.h"

#include <stdlib.h>
#include <string.h>

#include "collection/far.h"
#include "collection/mail.h"

void *twi_parcel_memory(size_t size)
{
    void *memory = malloc(size + 1);
    if (!memory)
        tw_misuse("no memory for a rebalance of places", "");
    return memory;
}

struct twi_parcel *twi_parcel_make(struct twi_label label, size_t size)
{
    struct twi_parcel *parcel = twi_parcel_memory(sizeof *parcel + size);
    parcel->next = NULL;
    parcel->size = size;
    parcel->label = label;
    return parcel;
}

static void put(struct twi_far *far, struct twi_parcel *parcel)
{
    struct twi_parcel **at = &far->parcels;
    while (*at)
        at = &(*at)->next;
    *at = parcel;
}

static int is_wanted(const struct twi_parcel *parcel, const struct twi_label *label)
{
    return parcel->label.what == label->what && parcel->label.level == label->level &&
           parcel->label.node == label->node;
}

static struct twi_parcel *take(struct twi_far *far, const struct twi_label *label)
{
    for (struct twi_parcel **at = &far->parcels; *at; at = &(*at)->next)
        if (is_wanted(*at, label)) {
            struct twi_parcel *parcel = *at;
            *at = parcel->next;
            return parcel;
        }
    return NULL;
}

void twi_far_parcel(struct tw_collection *c, const unsigned char *bytes, uint32_t size)
{
    struct twi_label label;
    memcpy(&label, bytes, sizeof label);
    struct twi_parcel *parcel = twi_parcel_make(label, size - sizeof label);
    memcpy(parcel->bytes, bytes + sizeof label, parcel->size);
    put(&c->far, parcel);
    if (tw_future_claim(&c->far.comes) == 0)
        tw_future_set(&c->far.comes, 0);
}

// Label and bytes stand side by side.
_Static_assert(offsetof(struct twi_parcel, bytes) ==
                   offsetof(struct twi_parcel, label) + sizeof(struct twi_label),
               "a parcel is sent from its label on");

void twi_parcel_send(struct tw_collection *c, uint32_t to, struct twi_parcel *parcel)
{
    if (to != tw_here()) {
        twi_far_post(to, twi_far_word(c, TWI_FAR_PARCEL, 0), &parcel->label,
                     sizeof parcel->label + parcel->size);
        free(parcel);
        return;
    }
    twi_far_lock(c);
    put(&c->far, parcel);
    twi_far_unlock(c);
}

struct twi_parcel *twi_parcel_wait(struct tw_collection *c, struct twi_label label, int *error)
{
    *error = 0;
    while (!*error) {
        twi_far_lock(c);
        struct twi_parcel *parcel = take(&c->far, &label);
        if (!parcel)
            c->far.comes = (struct tw_future){TWI_LINE_INIT, 0, 0, NULL};
        twi_far_unlock(c);
        if (parcel)
            return parcel;
        *error = tw_future_wait(&c->far.comes);
    }
    return NULL;
}

void twi_parcel_drop_all(struct tw_collection *c)
{
    struct twi_parcel *parcel = c->far.parcels, *next;
    for (; parcel; parcel = next) {
        next = parcel->next;
        free(parcel);
    }
    c->far.parcels = NULL;
}
