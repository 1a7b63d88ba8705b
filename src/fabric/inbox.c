// SPDX-License-Identifier: Apache-2.0
#include "inbox.h"

#include <stdlib.h>
#include <string.h>

#include <twill/inline.h>

enum kind { PACKET, READ, LOCKED };

struct twi_letter {
    struct twi_letter *next;
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
    for (struct twi_letter *letter = inbox->first, *next; letter; letter = next) {
        next = letter->next;
        free(letter);
    }
    twi_inbox_init(inbox);
}

static struct twi_letter *put(struct twi_inbox *inbox, size_t size)
{
    struct twi_letter *letter = malloc(sizeof *letter + size);
    if (!letter)
        tw_misuse("no memory for a packet", "");
    letter->next = NULL;
    *inbox->end = letter;
    inbox->end = &letter->next;
    return letter;
}

void twi_inbox_packet(struct twi_inbox *inbox, const struct twi_packet *packet, const void *bytes)
{
    struct twi_letter *letter = put(inbox, packet->size);
    letter->kind = PACKET;
    letter->packet = *packet;
    if (packet->size)
        memcpy(letter->bytes, bytes, packet->size);
}

static void put_answer(struct twi_inbox *inbox, enum kind kind, uint32_t of, uint32_t value)
{
    struct twi_letter *letter = put(inbox, 0);
    letter->kind = kind;
    letter->of = of;
    letter->value = value;
}

void twi_inbox_read(struct twi_inbox *inbox, uint32_t of, uint32_t load)
{
    put_answer(inbox, READ, of, load);
}

void twi_inbox_locked(struct twi_inbox *inbox, uint32_t of, int is_ours)
{
    put_answer(inbox, LOCKED, of, (uint32_t)is_ours);
}

static void open_letter(const struct twi_letter *letter, struct twi_fabric *fabric)
{
    const struct twi_sink *sink = fabric->sink;
    switch (letter->kind) {
    case PACKET:
        sink->packet(fabric->host, fabric->place, &letter->packet, letter->bytes);
        break;
    case READ:
        sink->read(fabric->host, letter->of, letter->value);
        break;
    case LOCKED:
        sink->locked(fabric->host, letter->of, (int)letter->value);
        break;
    }
}

unsigned twi_inbox_hand_over(struct twi_inbox *inbox, struct twi_fabric *fabric)
{
    unsigned count = 0;
    struct twi_letter *letter = inbox->first, *next;
    twi_inbox_init(inbox);
    for (; letter; letter = next, count++) {
        next = letter->next;
        open_letter(letter, fabric);
        free(letter);
    }
    return count;
}
