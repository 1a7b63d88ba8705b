// SPDX-License-Identifier: Apache-2.0
// See transfer.h. All by the communication worker, but for the copies of rows.
#include "place/transfer.h"

#include <stdlib.h>
#include <string.h>

#include <twill/inline.h>

enum {
    CHUNK = 128 << 10, // bytes
    AHEAD = 8,         // chunks that are asked for before the first has come
};

// ---- rows ----

size_t twi_rows_at(const struct twi_rows *rows, size_t offset, size_t left, unsigned char **at)
{
    if (rows->columns == rows->stride) {
        *at = rows->base + offset;
        return left;
    }
    size_t row = offset / rows->columns, column = offset % rows->columns;
    *at = rows->base + row * rows->stride + column;
    return left < rows->columns - column ? left : rows->columns - column;
}

void twi_rows_copy(const struct twi_rows *to, size_t to_offset, const struct twi_rows *from,
                   size_t from_offset, size_t size)
{
    for (size_t done = 0, now; done < size; done += now) {
        unsigned char *into, *out;
        now = twi_rows_at(to, to_offset + done, size - done, &into);
        now = twi_rows_at(from, from_offset + done, now, &out);
        memcpy(into, out, now);
    }
}

void twi_rows_add(struct twi_segment *segment, enum tw_element type, const struct twi_rows *to,
                  size_t to_offset, const struct twi_rows *from, size_t from_offset, size_t size)
{
    for (size_t done = 0, now; done < size; done += now) {
        unsigned char *into, *out;
        now = twi_rows_at(to, to_offset + done, size - done, &into);
        now = twi_rows_at(from, from_offset + done, now, &out);
        twi_segment_add(segment, type, (size_t)(into - segment->elements), out, now);
    }
}

static struct twi_rows packed(const void *bytes)
{
    return (struct twi_rows){.base = (unsigned char *)(uintptr_t)bytes};
}

// ---- here ----

static void *memory(void *got)
{
    if (!got)
        tw_misuse("no memory for a transfer of global memory", "");
    return got;
}

static void ask(struct twi_place *place, const struct twi_transfer *transfer)
{
    twi_host_post(place->host, transfer->place, TWI_MAIL_GET, (uintptr_t)transfer, &transfer->there,
                  sizeof transfer->there);
}

static void give(struct twi_place *place, const struct twi_transfer *transfer)
{
    size_t size = transfer->there.size;
    unsigned char *bytes = memory(malloc(sizeof transfer->there + size));
    struct twi_rows body = packed(bytes + sizeof transfer->there);
    memcpy(bytes, &transfer->there, sizeof transfer->there);
    twi_rows_copy(&body, 0, &transfer->here, transfer->asked, size);
    twi_host_post(place->host, transfer->place, (uint16_t)transfer->kind, (uintptr_t)transfer,
                  bytes, (uint32_t)(sizeof transfer->there + size));
    free(bytes);
}

static size_t chunk_at(const struct twi_transfer *transfer, size_t offset)
{
    return transfer->size - offset < CHUNK ? transfer->size - offset : CHUNK;
}

static void go_on(struct twi_place *place, struct twi_transfer *transfer)
{
    while (transfer->asked < transfer->size && transfer->asked - transfer->done < AHEAD * CHUNK) {
        transfer->there.offset = transfer->asked;
        transfer->there.size = chunk_at(transfer, transfer->asked);
        if (transfer->kind == TWI_MAIL_GET)
            ask(place, transfer);
        else
            give(place, transfer);
        transfer->asked += transfer->there.size;
    }
}

void twi_transfer_begin(struct twi_place *place, struct twi_letter *letter)
{
    go_on(place, (struct twi_transfer *)letter);
}

// The oldest chunk that has no answer yet has one now.
static void answered(struct twi_place *place, struct twi_transfer *transfer, const void *bytes)
{
    size_t size = chunk_at(transfer, transfer->done);
    struct twi_rows body = packed(bytes);
    if (transfer->kind == TWI_MAIL_GET)
        twi_rows_copy(&transfer->here, transfer->done, &body, 0, size);
    transfer->done += size;
    if (transfer->done == transfer->size)
        transfer->over(place, transfer);
    else
        go_on(place, transfer);
}

// ---- there ----

static void serve_get(struct twi_place *place, uint32_t to, uint64_t word,
                      const struct twi_sent_rows *wanted, const struct twi_rows *rows)
{
    unsigned char *at, *copy = NULL;
    if (twi_rows_at(rows, wanted->offset, wanted->size, &at) < wanted->size) {
        at = copy = memory(malloc(wanted->size));
        struct twi_rows body = packed(copy);
        twi_rows_copy(&body, 0, rows, wanted->offset, wanted->size);
    }
    twi_host_post(place->host, to, TWI_MAIL_GOT, word, at, (uint32_t)wanted->size);
    free(copy);
}

static void serve(struct twi_place *place, uint32_t from, const struct twi_packet *packet,
                  const unsigned char *bytes)
{
    struct twi_sent_rows sent;
    memcpy(&sent, bytes, sizeof sent);
    const struct twi_global *array = twi_global_find(sent.global);
    struct twi_rows rows = {array->own->elements + sent.base, sent.columns, sent.stride};
    struct twi_rows body = packed(bytes + sizeof sent);
    if (packet->message == TWI_MAIL_GET) {
        serve_get(place, from, packet->word, &sent, &rows);
        return;
    }
    if (packet->message == TWI_MAIL_PUT)
        twi_rows_copy(&rows, sent.offset, &body, 0, sent.size);
    else
        twi_rows_add(array->own, array->type, &rows, sent.offset, &body, 0, sent.size);
    twi_host_post(place->host, from, TWI_MAIL_STORED, packet->word, NULL, 0);
}

void twi_transfer_mail(struct twi_place *place, uint32_t from, const struct twi_packet *packet,
                       const void *bytes)
{
    if (packet->message == TWI_MAIL_GOT || packet->message == TWI_MAIL_STORED)
        answered(place, (struct twi_transfer *)(uintptr_t)packet->word, bytes);
    else
        serve(place, from, packet, bytes);
}
