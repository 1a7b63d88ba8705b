// SPDX-License-Identifier: Apache-2.0
// Channels (include/twill/channel.h): a ring of messages, and lines of who waits for a message or
// for room. All that happens to a channel happens under its guard, in one short section; channel.h
// has the invariants.
//
// Where a partner waits, the message goes from the sender's memory to the receiver's, after the
// guard. Only what meets nobody goes through the ring; a receiver that makes room moves the message
// of the oldest waiting sender there, so that nobody gets in between.
#include <stdlib.h>

#include "channel/channel.h"
#include "sched/wait.h"
#include "task/misuse.h"

static void require(int good, const char *name, const char *what)
{
    if (!good)
        twi_misuse_of("channel", name, what);
}

// ---- moving messages ----

typedef uint32_t four_bytes __attribute__((may_alias, aligned(1)));
typedef uint64_t eight_bytes __attribute__((may_alias, aligned(1)));

static inline void move_message(void *to, const void *from, size_t size)
{
    if (size == sizeof(eight_bytes))
        TWI_WRITE(*(eight_bytes *)to, TWI_READ(*(const eight_bytes *)from));
    else if (size == sizeof(four_bytes))
        TWI_WRITE(*(four_bytes *)to, TWI_READ(*(const four_bytes *)from));
    else if (size)
        memcpy(to, from, size);
}

static void *place_in_ring(struct tw_channel *c, uint32_t behind_head)
{
    uint64_t place = (uint64_t)TWI_READ(c->head) + behind_head;
    return c->ring + (place < c->capacity ? place : place - c->capacity) * c->size;
}

static struct twi_party *pop_party(struct tw_line *line)
{
    int early; // never: parties are armed before anyone can see them
    return (struct twi_party *)twi_line_pop(line, &early);
}

TWI_INLINE int put(struct tw_channel *c, const void *message, struct twi_deal *deal)
{
    if (TWI_READ(c->closed))
        return TW_EPIPE;
    struct twi_party *receiver = pop_party(&c->receivers);
    uint32_t count = TWI_READ(c->count);
    if (receiver) {
        *deal = (struct twi_deal){receiver, TWI_READ(receiver->message), message, c->size};
    } else if (count < c->capacity) {
        move_message(place_in_ring(c, count), message, c->size);
        TWI_WRITE(c->count, count + 1);
    } else {
        return TWI_WOULD_WAIT;
    }
    return 0;
}

// The oldest message leaves the ring, and the oldest sender's takes its room.
static void take_from_ring(struct tw_channel *c, void *message, struct twi_deal *deal)
{
    uint32_t head = TWI_READ(c->head), count = TWI_READ(c->count);
    move_message(message, place_in_ring(c, 0), c->size);
    TWI_WRITE(c->head, head + 1 < c->capacity ? head + 1 : 0);
    struct twi_party *sender = pop_party(&c->senders);
    if (sender) {
        move_message(place_in_ring(c, count - 1), TWI_READ(sender->message), c->size);
        *deal = (struct twi_deal){sender, NULL, NULL, 0};
    } else {
        TWI_WRITE(c->count, count - 1);
    }
}

TWI_INLINE int take(struct tw_channel *c, void *message, struct twi_deal *deal)
{
    if (TWI_READ(c->count)) {
        take_from_ring(c, message, deal);
        return 0;
    }
    struct twi_party *sender = pop_party(&c->senders);
    if (sender) {
        *deal = (struct twi_deal){sender, message, TWI_READ(sender->message), c->size};
        return 0;
    }
    return TWI_READ(c->closed) ? TW_EPIPE : TWI_WOULD_WAIT;
}

int twi_channel_step(struct tw_channel *c, int sends, void *message, struct twi_deal *deal)
{
    return sends ? put(c, message, deal) : take(c, message, deal);
}

void twi_deal_finish(const struct twi_deal *deal)
{
    struct twi_party *partner = deal->partner;
    if (!partner)
        return;
    if (deal->to)
        move_message(deal->to, deal->from, deal->size);
    TWI_WRITE(partner->outcome, 0);
    twi_ready_anywhere(TWI_READ(partner->waiter.fiber));
}

// ---- the life of a channel ----

int tw_channel_create(struct tw_channel **channel, const char *name, size_t size, uint32_t capacity)
{
    if (size > UINT32_MAX || (size && capacity > PTRDIFF_MAX / 2 / size))
        return TW_EINVAL;
    struct tw_channel *c = malloc(sizeof *c + size * capacity);
    if (!c)
        return TW_ENOMEM;
    *c = (struct tw_channel){.name = name, .size = (uint32_t)size, .capacity = capacity};
    *channel = c;
    return 0;
}

void tw_channel_destroy(struct tw_channel *c)
{
    require(twi_line_empty(&c->receivers) && twi_line_empty(&c->senders), c->name,
            "destroyed while tasks wait for it");
    free(c);
}

static void wake_closed(struct twi_waiter *waiter)
{
    for (struct twi_waiter *next; waiter; waiter = next) {
        next = TWI_READ(waiter->next); // gone once it is woken
        TWI_WRITE(((struct twi_party *)waiter)->outcome, (int)TW_EPIPE);
        twi_ready_anywhere(TWI_READ(waiter->fiber));
    }
}

int tw_channel_close(struct tw_channel *c)
{
    twi_channel_lock(c);
    int before = TWI_READ(c->closed) != 0;
    TWI_WRITE(c->closed, 1u);
    struct twi_waiter *receivers = twi_line_pop_all(&c->receivers);
    struct twi_waiter *senders = twi_line_pop_all(&c->senders);
    twi_channel_unlock(c);
    wake_closed(receivers);
    wake_closed(senders);
    return before ? TW_EALREADY : 0;
}

// ---- sending and receiving ----

TWI_INLINE int at_once(struct tw_channel *c, int sends, void *message)
{
    struct twi_deal deal;
    deal.partner = NULL;
    twi_channel_lock(c);
    int error = sends ? put(c, message, &deal) : take(c, message, &deal);
    twi_channel_unlock(c);
    twi_deal_finish(&deal);
    return error;
}

static int wait_until(struct tw_channel *c, int sends, void *message, uint64_t deadline_ns)
{
    struct tw_case only = {c, message, sends, 0};
    int which =
        twi_select_one(&only, sends ? "room in a channel" : "message of a channel", deadline_ns);
    return which == 0 ? only.error : which;
}

int tw_channel_send_until(struct tw_channel *c, const void *message, uint64_t deadline_ns)
{
    require(tw_fiber_current() != NULL, c->name, "sent to outside a task");
    int error = at_once(c, 1, (void *)message);
    return error == TWI_WOULD_WAIT ? wait_until(c, 1, (void *)message, deadline_ns) : error;
}

int tw_channel_send(struct tw_channel *c, const void *message)
{
    return tw_channel_send_until(c, message, TW_NEVER);
}

int tw_channel_try_send(struct tw_channel *c, const void *message)
{
    int error = at_once(c, 1, (void *)message);
    return error == TWI_WOULD_WAIT ? (int)TW_ETIMEDOUT : error;
}

int tw_channel_receive_until(struct tw_channel *c, void *message, uint64_t deadline_ns)
{
    require(tw_fiber_current() != NULL, c->name, "received from outside a task");
    int error = at_once(c, 0, message);
    return error == TWI_WOULD_WAIT ? wait_until(c, 0, message, deadline_ns) : error;
}

int tw_channel_receive(struct tw_channel *c, void *message)
{
    return tw_channel_receive_until(c, message, TW_NEVER);
}

int tw_channel_try_receive(struct tw_channel *c, void *message)
{
    int error = at_once(c, 0, message);
    return error == TWI_WOULD_WAIT ? (int)TW_ETIMEDOUT : error;
}
