// SPDX-License-Identifier: Apache-2.0
// The fabric of a program that runs alone: one place, whose packets come back to it.
#include <stdlib.h>

#include <twill/inline.h>

#include "doze.h"
#include "inbox.h"

struct self {
    struct twi_fabric fabric;
    struct twi_inbox inbox;
    uint64_t timer_ns;
    uint32_t load;
    int is_locked;
    struct twi_doze doze;
};

static struct self *self_of(struct twi_fabric *fabric)
{
    return (struct self *)fabric;
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
    twi_inbox_packet(&self_of(fabric)->inbox, packet, bytes);
}

static void self_read(struct twi_fabric *fabric, uint32_t of)
{
    struct self *self = self_of(fabric);
    twi_inbox_read(&self->inbox, of, self->load);
}

static void self_lock(struct twi_fabric *fabric, uint32_t of)
{
    struct self *self = self_of(fabric);
    twi_inbox_locked(&self->inbox, of, !self->is_locked);
    self->is_locked = 1;
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

static unsigned self_progress(struct twi_fabric *fabric)
{
    struct self *self = self_of(fabric);
    unsigned count = 0;
    if (self->timer_ns && twi_now_ns() >= self->timer_ns) {
        self->timer_ns = 0;
        fabric->sink->timer(fabric->host);
        count++;
    }
    return count + twi_inbox_hand_over(&self->inbox, fabric);
}

static void self_wait(struct twi_fabric *fabric, uint64_t until_ns)
{
    struct self *self = self_of(fabric);
    if (self->timer_ns && self->timer_ns < until_ns)
        until_ns = self->timer_ns;
    uint64_t now = twi_now_ns();
    if (!twi_inbox_is_empty(&self->inbox) || until_ns <= now)
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
    twi_inbox_init(&self->inbox);
    return &self->fabric;
}

void twi_self_destroy(struct twi_fabric *fabric)
{
    struct self *self = self_of(fabric);
    if (!self)
        return;
    twi_inbox_destroy(&self->inbox);
    free(self);
}
