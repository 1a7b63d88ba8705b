// SPDX-License-Identifier: Apache-2.0
// Channels: tasks send and receive messages, any number of them at both ends.
//
//     TW_CHANNEL(long, numbers)                        // a channel of longs
//
//     tw_channel(numbers) c;
//     int error = tw_channel_make(numbers, &c, "numbers", 16);
//     error = tw_send(numbers, c, 42);                 // waits while there are 16
//     error = tw_receive(numbers, c, &value);          // waits while there are none
//     tw_channel_close(c.channel);                     // receivers get what is left
//
// Capacity 0 is a rendezvous: a send ends when its message was received. Messages are taken in the
// order in which they were sent; tasks that wait are served first come, first served. A message
// goes straight from the memory of the sender to that of a receiver that waits.
//
// Results: 0; TW_EPIPE, the channel is closed (and empty, for who receives); TW_ETIMEDOUT, the
// deadline passed; TW_ECANCELED, what the task is inside of was cancelled; TW_ENOMEM, there is no
// memory for the deadline. But for 0 nothing was sent or received. What can happen at once happens,
// even after the deadline, and in a task that is cancelled.
#ifndef TWILL_CHANNEL_H
#define TWILL_CHANNEL_H

#include <stddef.h>
#include <stdint.h>

#include <twill/api.h>

struct tw_channel; // opaque: where its messages are is its own affair

// One case of a select. tw_case_send and tw_case_receive fill it in.
struct tw_case {
    struct tw_channel *channel; // NULL: the case is off
    void *message;              // sent from here, or received into here
    int sends;                  // 0: it receives
    int error; // of the case that happened: 0, or TW_EPIPE, its channel is closed (and empty)
};

#ifdef TWILL_SERIAL
#include <twill/serial_channel.h>
#else

#ifdef __cplusplus
extern "C" {
#endif

// Makes a channel for messages of `size` bytes, of which it keeps up to `capacity`. The name is not
// copied. 0, TW_EINVAL (too large) or TW_ENOMEM. Never suspends; any thread.
TW_API int tw_channel_create(struct tw_channel **channel, const char *name, size_t size,
                             uint32_t capacity);

// The channel is used no more, and what is left in it is dropped. One that is waited for is a
// misuse. Who got the last message of a channel may destroy it at once, unless the other side is a
// select. Never suspends; any thread.
TW_API void tw_channel_destroy(struct tw_channel *channel);

// From now on nothing can be sent. Tasks that wait go on with TW_EPIPE; what is in the channel can
// be received. 0, or TW_EALREADY. Never suspends; any thread.
TW_API int tw_channel_close(struct tw_channel *channel);

// Sends the message at `message`, which is not needed any more when the call returns. May suspend;
// from a task.
TW_API int tw_channel_send(struct tw_channel *channel, const void *message);
TW_API int tw_channel_send_until(struct tw_channel *channel, const void *message,
                                 uint64_t deadline_ns);

// Receives a message into `message`. May suspend; from a task.
TW_API int tw_channel_receive(struct tw_channel *channel, void *message);
TW_API int tw_channel_receive_until(struct tw_channel *channel, void *message,
                                    uint64_t deadline_ns);

// The same as if the deadline had passed: TW_ETIMEDOUT where they would have to wait. Never
// suspend; any thread.
TW_API int tw_channel_try_send(struct tw_channel *channel, const void *message);
TW_API int tw_channel_try_receive(struct tw_channel *channel, void *message);

// Waits until one of the cases can happen, and lets it happen, and no other: its number, and its
// `error`. A case with a closed channel happens, with TW_EPIPE. Of several that can, any is taken.
// Else TW_ETIMEDOUT, TW_ECANCELED or TW_ENOMEM as above, or TW_EPIPE: all cases are off. The
// channels have to be there until it returns. May suspend; from a task.
TW_API int tw_select(struct tw_case *cases, unsigned count, uint64_t deadline_ns);

// The same as if the deadline had passed. Never suspends; any thread.
TW_API int tw_select_try(struct tw_case *cases, unsigned count);

#ifdef __cplusplus
}
#endif
#endif

// ---- with types ----

// TW_CHANNEL(type, name)  defines tw_channel(name), a handle the size of a pointer: copies of it
// mean the same channel.
#define TW_CHANNEL(type, name)                                                                     \
    typedef type twi_sent_##name;                                                                  \
    struct tw_channel_##name {                                                                     \
        struct tw_channel *channel;                                                                \
    };
#define tw_channel(name) struct tw_channel_##name

// tw_channel_make(name, &handle, text, capacity)  is tw_channel_create.
#define tw_channel_make(name, handle, text, capacity)                                              \
    (__extension__({                                                                               \
        struct tw_channel_##name *twi_handle = (handle);                                           \
        tw_channel_create(&twi_handle->channel, (text), sizeof(twi_sent_##name), (capacity));      \
    }))

// tw_send(name, handle, value) and so on  are the functions above, with a value to be sent, or the
// address of a variable of the channel's type.
#define tw_send(name, handle, ...) TWI_SEND(name, handle, tw_channel_send, (__VA_ARGS__))
#define tw_try_send(name, handle, ...) TWI_SEND(name, handle, tw_channel_try_send, (__VA_ARGS__))
#define tw_send_until(name, handle, deadline_ns, ...)                                              \
    TWI_SEND(name, handle, tw_channel_send_until, (__VA_ARGS__), (deadline_ns))
#define tw_receive(name, handle, out) TWI_RECEIVE(name, handle, tw_channel_receive, out)
#define tw_try_receive(name, handle, out) TWI_RECEIVE(name, handle, tw_channel_try_receive, out)
#define tw_receive_until(name, handle, deadline_ns, out)                                           \
    TWI_RECEIVE(name, handle, tw_channel_receive_until, out, (deadline_ns))

// tw_case_send(name, handle, &variable), tw_case_receive(name, handle, &variable)  is a case of a
// select; the variable has to be there until it returns.
#define tw_case_send(name, handle, from)                                                           \
    (__extension__({                                                                               \
        struct tw_channel_##name twi_handle = (handle);                                            \
        const twi_sent_##name *twi_from = (from);                                                  \
        struct tw_case twi_case = {twi_handle.channel, (void *)twi_from, 1, 0};                    \
        twi_case;                                                                                  \
    }))
#define tw_case_receive(name, handle, to)                                                          \
    (__extension__({                                                                               \
        struct tw_channel_##name twi_handle = (handle);                                            \
        twi_sent_##name *twi_to = (to);                                                            \
        struct tw_case twi_case = {twi_handle.channel, twi_to, 0, 0};                              \
        twi_case;                                                                                  \
    }))

// `call` may have the deadline as third argument.
#define TWI_SEND(name, handle, call, value, ...)                                                   \
    (__extension__({                                                                               \
        struct tw_channel_##name twi_handle = (handle);                                            \
        const twi_sent_##name twi_value = value;                                                   \
        call(twi_handle.channel, &twi_value, ##__VA_ARGS__);                                       \
    }))
#define TWI_RECEIVE(name, handle, call, out, ...)                                                  \
    (__extension__({                                                                               \
        struct tw_channel_##name twi_handle = (handle);                                            \
        twi_sent_##name *twi_out = (out);                                                          \
        call(twi_handle.channel, twi_out, ##__VA_ARGS__);                                          \
    }))

#endif
