// SPDX-License-Identifier: Apache-2.0
// channel.h in the sequential elision: a ring of messages. Nobody else runs, so a wait without a
// deadline would never end, and is a misuse; one with a deadline may as well be over.
#ifndef TWILL_SERIAL_CHANNEL_H
#define TWILL_SERIAL_CHANNEL_H
#ifdef TWILL_SERIAL

#include <stdint.h>
#include <stdlib.h>
#include <string.h>

#include <twill/api.h>
#include <twill/channel.h> // cases
#include <twill/serial_sync.h>

struct tw_channel {
    const char *name;
    unsigned char *ring;
    size_t size, capacity, head, count;
    int closed;
};

static inline int tw_channel_create(struct tw_channel **channel, const char *name, size_t size,
                                    uint32_t capacity)
{
    if (size > UINT32_MAX || (size && capacity > PTRDIFF_MAX / 2 / size))
        return TW_EINVAL;
    struct tw_channel *c = (struct tw_channel *)calloc(1, sizeof *c + size * capacity);
    if (!c)
        return TW_ENOMEM;
    c->name = name;
    c->ring = (unsigned char *)(c + 1);
    c->size = size;
    c->capacity = capacity;
    *channel = c;
    return 0;
}

static inline void tw_channel_destroy(struct tw_channel *channel)
{
    free(channel);
}

static inline int tw_channel_close(struct tw_channel *channel)
{
    int before = channel->closed;
    channel->closed = 1;
    return before ? (int)TW_EALREADY : 0;
}

static inline int tw_channel_try_send(struct tw_channel *channel, const void *message)
{
    if (channel->closed)
        return TW_EPIPE;
    if (channel->count == channel->capacity)
        return TW_ETIMEDOUT;
    size_t place = (channel->head + channel->count++) % channel->capacity;
    if (channel->size)
        memcpy(channel->ring + place * channel->size, message, channel->size);
    return 0;
}

static inline int tw_channel_try_receive(struct tw_channel *channel, void *message)
{
    if (!channel->count)
        return channel->closed ? TW_EPIPE : TW_ETIMEDOUT;
    if (channel->size)
        memcpy(message, channel->ring + channel->head * channel->size, channel->size);
    channel->head = (channel->head + 1) % channel->capacity;
    channel->count--;
    return 0;
}

static inline int tw_channel_send_until(struct tw_channel *channel, const void *message,
                                        uint64_t deadline_ns)
{
    int error = tw_channel_try_send(channel, message);
    twi_serial_require(error != TW_ETIMEDOUT || deadline_ns != TW_NEVER, "channel", channel->name,
                       "sent to while it is full: in a sequential program nobody receives");
    return error;
}

static inline int tw_channel_send(struct tw_channel *channel, const void *message)
{
    return tw_channel_send_until(channel, message, TW_NEVER);
}

static inline int tw_channel_receive_until(struct tw_channel *channel, void *message,
                                           uint64_t deadline_ns)
{
    int error = tw_channel_try_receive(channel, message);
    twi_serial_require(error != TW_ETIMEDOUT || deadline_ns != TW_NEVER, "channel", channel->name,
                       "received from while it is empty: in a sequential program nobody sends");
    return error;
}

static inline int tw_channel_receive(struct tw_channel *channel, void *message)
{
    return tw_channel_receive_until(channel, message, TW_NEVER);
}

// Begins with another case each time.
static inline int tw_select_try(struct tw_case *cases, unsigned count)
{
    static unsigned turn;
    int on = 0;
    turn++;
    for (unsigned n = 0; n < count; n++) {
        unsigned i = (turn + n) % count;
        struct tw_case *one = &cases[i];
        if (!one->channel)
            continue;
        on = 1;
        one->error = one->sends ? tw_channel_try_send(one->channel, one->message)
                                : tw_channel_try_receive(one->channel, one->message);
        if (one->error != TW_ETIMEDOUT)
            return (int)i;
    }
    return on ? TW_ETIMEDOUT : TW_EPIPE;
}

static inline int tw_select(struct tw_case *cases, unsigned count, uint64_t deadline_ns)
{
    int which = tw_select_try(cases, count);
    const char *name = "none";
    for (unsigned i = 0; i < count; i++)
        if (cases[i].channel)
            name = cases[i].channel->name;
    twi_serial_require(which != TW_ETIMEDOUT || deadline_ns != TW_NEVER, "channel", name,
                       "waited for by a select: in a sequential program no case would ever happen");
    return which;
}

#endif
#endif
