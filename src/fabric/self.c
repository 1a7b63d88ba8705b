// SPDX-License-Identifier: Apache-2.0
// The fabric of a program that runs alone: one place, whose packets come back to it.
#include <stdlib.h>
#include <string.h>

#include <twill/inline.h>

#include "doze.h"
#include "fabric/fabric.h"

enum kind { PACKET, READ, LOCK };

// Something that the next progress hands over.
struct item {
    struct item *next;
    enum kind kind;
    int is_ours;
    struct twi_packet packet;
    unsigned char bytes[];
};

struct self {
    struct twi_fabric fabric;
    struct item *first, **end;
    uint64_t timer_ns;
    uint32_t load;
    int is_locked;
    struct twi_doze doze;
};

static struct self *self_of(struct twi_fabric *fabric)
{
    return (struct self *)fabric;
}

static void put(struct self *self, enum kind kind, const struct twi_packet *packet,
                const void *bytes)
{
    size_t size = packet ? packet->size : 0;
    struct item *item = malloc(sizeof *item + size);
    if (!item)
        tw_misuse("no memory for a packet", "");
    *item = (struct item){.kind = kind};
    if (packet)
        item->packet = *packet;
    if (size)
        memcpy(item->bytes, bytes, size);
    if (kind == LOCK) {
        item->is_ours = !self->is_locked;
        self->is_locked = 1;
    }
    *self->end = item;
    self->end = &item->next;
}

static uint64_t self_now(struct twi_fabric *fabric)
{
    (void)fabric;
    return twi_now_ns();
}

static void self_send(struct twi_fabric *fabric, uint32_t to, const struct twi_packet *packet,
                      const void *bytes)
{
    if (to != 0)
        tw_misuse("a packet to a place that is not there", "");
    put(self_of(fabric), PACKET, packet, bytes);
}

static void self_read(struct twi_fabric *fabric, uint32_t of)
{
    (void)of;
    put(self_of(fabric), READ, NULL, NULL);
}

static void self_lock(struct twi_fabric *fabric, uint32_t of)
{
    (void)of;
    put(self_of(fabric), LOCK, NULL, NULL);
}

static void self_unlock(struct twi_fabric *fabric, uint32_t of)
{
    (void)of;
    self_of(fabric)->is_locked = 0;
}

static void self_publish(struct twi_fabric *fabric, uint32_t load)
{
    self_of(fabric)->load = load;
}

static void self_timer(struct twi_fabric *fabric, uint64_t at_ns)
{
    self_of(fabric)->timer_ns = at_ns;
}

static void hand_over(struct self *self, const struct item *item)
{
    const struct twi_sink *sink = self->fabric.sink;
    void *host = self->fabric.host;
    switch (item->kind) {
    case PACKET:
        sink->packet(host, 0, &item->packet, item->bytes);
        break;
    case READ:
        sink->read(host, 0, self->load);
        break;
    case LOCK:
        sink->locked(host, 0, item->is_ours);
        break;
    }
}

static unsigned self_progress(struct twi_fabric *fabric)
{
    struct self *self = self_of(fabric);
    unsigned count = 0;
    if (self->timer_ns && twi_now_ns() >= self->timer_ns) {
        self->timer_ns = 0;
        fabric->sink->timer(fabric->host);
        count++;
    }
    struct item *item = self->first, *next; // what comes of them waits for the next progress
    self->first = NULL;
    self->end = &self->first;
    for (; item; item = next, count++) {
        next = item->next;
        hand_over(self, item);
        free(item);
    }
    return count;
}

static void self_wait(struct twi_fabric *fabric, uint64_t until_ns)
{
    struct self *self = self_of(fabric);
    if (self->timer_ns && self->timer_ns < until_ns)
        until_ns = self->timer_ns;
    uint64_t now = twi_now_ns();
    if (self->first || until_ns <= now)
        return;
    twi_doze_wait(&self->doze, (int64_t)(until_ns - now));
}

static void self_wake(struct twi_fabric *fabric)
{
    twi_doze_call(&self_of(fabric)->doze);
}

static const struct twi_fabric_calls calls = {
    .name = "self",
    .now_ns = self_now,
    .send = self_send,
    .read = self_read,
    .lock = self_lock,
    .unlock = self_unlock,
    .publish = self_publish,
    .timer = self_timer,
    .progress = self_progress,
    .wait = self_wait,
    .wake = self_wake,
};

struct twi_fabric *twi_self_create(void)
{
    struct self *self = calloc(1, sizeof *self);
    if (!self)
        return NULL;
    self->fabric = (struct twi_fabric){.calls = &calls, .place = 0, .places = 1};
    self->end = &self->first;
    return &self->fabric;
}

void twi_self_destroy(struct twi_fabric *fabric)
{
    struct self *self = self_of(fabric);
    if (!self)
        return;
    for (struct item *item = self->first, *next; item; item = next) {
        next = item->next;
        free(item);
    }
    free(self);
}
