// SPDX-License-Identifier: Apache-2.0
// Termination by proxy scopes and one barrier (Dijkstra and Scholten, 1980).
//
// Every place begins as the root of a tree of its own. A place that gets tasks while it is in no
// tree joins the sender's, and tells the sender when it leaves; one that is in a tree already tells
// at once. A place leaves when nothing runs here and all it gave has been told of; a root that
// leaves for the first time enters the barrier. While it waits there it still steals, runs and
// serves, and may join other trees.
//
//   When all roots have left, nothing runs and nothing is under way: a task runs, or is under way,
//   only in a tree, and a tree has no members without its root.
//
//      state      tasks come           nothing left, all told
//      none       child, tell later    -
//      child      tell at once         none, tell the parent
//      root       tell at once         none, enter the barrier
//
// So a steal costs one message more, and the end a barrier; nothing polls.
#include "steal/tree.h"

enum message { TOLD, ENTERED, OVER };
enum member { NONE, CHILD, ROOT };

struct scopes {
    struct twi_tree tree;
    enum member member;
    uint32_t parent;  // of a child
    uint32_t owed;    // gifts that have not been told of
    uint32_t entered; // children in the barrier
    int is_passive, has_entered, is_over;
};

static size_t scopes_size(const struct twi_rules *rules)
{
    (void)rules;
    return sizeof(struct scopes);
}

static void scopes_start(void *state, const struct twi_rules *rules)
{
    struct scopes *s = state;
    s->tree = twi_tree_of(rules->place, rules->places);
}

static void begin(struct scopes *s, int has_work)
{
    struct twi_tree tree = s->tree;
    *s = (struct scopes){.tree = tree, .member = ROOT, .is_passive = !has_work};
}

static void enter_barrier(struct scopes *s, struct twi_actions *actions)
{
    if (s->has_entered || s->member == ROOT || s->entered < s->tree.children)
        return;
    s->has_entered = 1;
    if (s->tree.parent != TWI_NO_PLACE)
        twi_tree_send_up(&s->tree, ENTERED, 0, actions);
    else
        s->is_over = 1;
}

// Leaves the tree if it can.
static void leave(struct scopes *s, struct twi_actions *actions)
{
    if (s->member == NONE || !s->is_passive || s->owed)
        return;
    if (s->member == CHILD)
        twi_act(actions,
                (struct twi_action){.kind = TWI_DO_SEND, .peer = s->parent, .message = TOLD});
    s->member = NONE;
}

static void take_in(struct scopes *s, uint32_t from, struct twi_actions *actions)
{
    s->is_passive = 0;
    if (s->member == NONE) {
        s->member = CHILD;
        s->parent = from;
    } else {
        twi_act(actions, (struct twi_action){.kind = TWI_DO_SEND, .peer = from, .message = TOLD});
    }
}

static void hear(struct scopes *s, const struct twi_event *event)
{
    switch ((enum message)event->message) {
    case TOLD:
        s->owed--;
        break;
    case ENTERED:
        s->entered++;
        break;
    case OVER:
        s->is_over = 1;
        break;
    }
}

static void scopes_step(void *state, const struct twi_event *event, struct twi_actions *actions)
{
    struct scopes *s = state;
    switch (event->kind) {
    case TWI_ON_START:
        begin(s, event->count != 0);
        break;
    case TWI_ON_MESSAGE:
        hear(s, event);
        break;
    case TWI_ON_TASKS:
        take_in(s, event->peer, actions);
        break;
    case TWI_ON_GAVE:
        s->owed += event->count != 0;
        break;
    case TWI_ON_PASSIVE:
        s->is_passive = 1;
        break;
    case TWI_ON_ACTIVE:
        s->is_passive = 0;
        break;
    case TWI_ON_HUNGRY:
    case TWI_ON_FED:
    case TWI_ON_LOAD:
    case TWI_ON_READ:
    case TWI_ON_LOCK:
    case TWI_ON_TIMER:
        break;
    }
    leave(s, actions);
    enter_barrier(s, actions);
    if (s->is_over) {
        s->is_over = 0;
        twi_tree_finish(&s->tree, OVER, actions);
    }
}

static const char *scopes_message_name(uint32_t message)
{
    static const char *const names[] = {"told", "entered", "over"};
    return message < sizeof names / sizeof *names ? names[message] : NULL;
}

const struct twi_machine twi_scopes = {
    .name = "scopes",
    .summary = "a tree of those who gave work, and a barrier",
    .size = scopes_size,
    .start = scopes_start,
    .step = scopes_step,
    .message_name = scopes_message_name,
};
