// SPDX-License-Identifier: Apache-2.0
// A steal policy fed by hand, event by event.
#ifndef STEAL_HAND_H
#define STEAL_HAND_H

#include <stdlib.h>
#include <string.h>

#include "steal/policies.h"
#include "support.h"

struct hand {
    const struct twi_machine *machine;
    void *state;
    uint32_t load, idle;        // of the place
    uint32_t next;              // action to be expected
    struct twi_actions actions; // of the last event
};

// Place 2 of 5, in the order of a ring: 3, 4, 0, 1.
static inline struct twi_rules hand_rules(void)
{
    return (struct twi_rules){.place = 2,
                              .places = 5,
                              .workers = 4,
                              .threshold = 8,
                              .batch = 3,
                              .hungry = 1,
                              .tries = 1,
                              .order = TWI_ORDER_RING,
                              .backoff_ns = 100,
                              .backoff_most_ns = 400,
                              .seed = 1};
}

static inline void hand_feed(struct hand *hand, struct twi_event event)
{
    event.load = hand->load;
    event.idle = hand->idle;
    hand->actions.count = hand->next = 0;
    hand->machine->step(hand->state, &event, &hand->actions);
}

static inline void hand_start(struct hand *hand, const struct twi_machine *machine,
                              struct twi_rules rules)
{
    memset(hand, 0, sizeof *hand);
    hand->machine = machine;
    hand->state = calloc(1, machine->size(&rules));
    assert_non_null(hand->state);
    machine->start(hand->state, &rules);
    hand_feed(hand, (struct twi_event){.kind = TWI_ON_START});
}

static inline void hand_end(struct hand *hand)
{
    free(hand->state);
}

static inline const struct twi_steal_stats *hand_stats(const struct hand *hand)
{
    return hand->machine->stats(hand->state);
}

// ---- events ----

static inline void hand_hungry(struct hand *hand)
{
    hand->idle = 4;
    hand->load = 0;
    hand_feed(hand, (struct twi_event){.kind = TWI_ON_HUNGRY});
}

static inline void hand_fed(struct hand *hand)
{
    hand->idle = 0;
    hand_feed(hand, (struct twi_event){.kind = TWI_ON_FED});
}

static inline void hand_get(struct hand *hand, enum twi_on kind, uint32_t peer, uint32_t count)
{
    hand_feed(hand, (struct twi_event){.kind = kind, .peer = peer, .count = count});
}

static inline void hand_message(struct hand *hand, uint32_t peer, const char *name)
{
    for (uint32_t i = 0; i < 8; i++) {
        const char *is = hand->machine->message_name(i);
        if (is && strcmp(is, name) == 0) {
            hand_feed(hand, (struct twi_event){.kind = TWI_ON_MESSAGE, .peer = peer, .message = i});
            return;
        }
    }
    fail_msg("%s has no message %s", hand->machine->name, name);
}

// ---- what comes of them, in order ----

static inline const struct twi_action *hand_expect(struct hand *hand, enum twi_do kind,
                                                   uint32_t peer)
{
    assert_true(hand->next < hand->actions.count);
    const struct twi_action *action = &hand->actions.list[hand->next++];
    assert_int_equal(action->kind, kind);
    assert_int_equal(action->peer, peer);
    return action;
}

static inline void hand_expect_message(struct hand *hand, uint32_t peer, const char *name)
{
    const struct twi_action *action = hand_expect(hand, TWI_DO_SEND, peer);
    assert_string_equal(hand->machine->message_name(action->message), name);
}

static inline void hand_expect_count(struct hand *hand, enum twi_do kind, uint32_t peer,
                                     uint32_t count)
{
    assert_int_equal(hand_expect(hand, kind, peer)->count, count);
}

static inline void hand_expect_timer(struct hand *hand, uint64_t ns)
{
    assert_int_equal(hand_expect(hand, TWI_DO_TIMER, 0)->word, ns);
}

static inline void hand_expect_no_more(struct hand *hand)
{
    assert_int_equal(hand->next, hand->actions.count);
}

#endif
