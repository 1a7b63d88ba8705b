// SPDX-License-Identifier: Apache-2.0
#include "inbox.h"

#include <stdlib.h>
#include <string.h>

#include <twill/inline.h>

enum kind { PACKET, READ, LOCKED };

struct twi_inbox_item {
    struct twi_inbox_item *next;
    enum kind kind;
    uint32_t of;    // whose
    uint32_t value; // its load, or whether the lock is ours
    struct twi_packet packet;
    _Alignas(max_align_t) unsigned char bytes[];
};

void twi_inbox_init(struct twi_inbox *inbox)
{
    inbox->first = NULL;
    inbox->end = &inbox->first;
}

void twi_inbox_destroy(struct twi_inbox *inbox)
{
    for (struct twi_inbox_item *item = inbox->first, *next; item; item = next) {
        next = item->next;
        free(item);
    }
    twi_inbox_init(inbox);
}

static struct twi_inbox_item *put(struct twi_inbox *inbox, size_t size)
{
    struct twi_inbox_item *item = malloc(sizeof *item + size);
    if (!item)
        tw_misuse("no memory for a packet", "");
    item->next = NULL;
    *inbox->end = item;
    inbox->end = &item->next;
    return item;
}

void twi_inbox_packet(struct twi_inbox *inbox, const struct twi_packet *packet, const void *bytes)
{
    struct twi_inbox_item *item = put(inbox, packet->size);
    item->kind = PACKET;
    item->packet = *packet;
    if (packet->size)
        memcpy(item->bytes, bytes, packet->size);
}

static void put_answer(struct twi_inbox *inbox, enum kind kind, uint32_t of, uint32_t value)
{
    struct twi_inbox_item *item = put(inbox, 0);
    item->kind = kind;
    item->of = of;
    item->value = value;
}

void twi_inbox_read(struct twi_inbox *inbox, uint32_t of, uint32_t load)
{
    put_answer(inbox, READ, of, load);
}

void twi_inbox_locked(struct twi_inbox *inbox, uint32_t of, int is_ours)
{
    put_answer(inbox, LOCKED, of, (uint32_t)is_ours);
}

static void open_item(const struct twi_inbox_item *item, struct twi_fabric *fabric)
{
    const struct twi_sink *sink = fabric->sink;
    switch (item->kind) {
    case PACKET:
        sink->packet(fabric->host, fabric->place, &item->packet, item->bytes);
        break;
    case READ:
        sink->read(fabric->host, item->of, item->value);
        break;
    case LOCKED:
        sink->locked(fabric->host, item->of, (int)item->value);
        break;
    }
}

unsigned twi_inbox_hand_over(struct twi_inbox *inbox, struct twi_fabric *fabric)
{
    unsigned count = 0;
    struct twi_inbox_item *item = inbox->first, *next;
    twi_inbox_init(inbox);
    for (; item; item = next, count++) {
        next = item->next;
        open_item(item, fabric);
        free(item);
    }
    return count;
}
