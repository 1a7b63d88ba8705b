// SPDX-License-Identifier: Apache-2.0
// Termination by waves of votes in a tree, as in the persistence paper (after Dijkstra's).
//
// In each wave every place votes once, after its children in the tree, when nothing runs here and
// all it gave has arrived. A vote is tainted when the place, or one below it, gave or got tasks or
// ran any since its vote before. The root announces the end after a wave without taint, else it
// begins the next.
//
//   Say the last wave is clean and a task remains. Somebody ran it or sent it after voting in that
//   wave, though not in between with its vote before; so it got it after its vote, from a place
//   that had not voted yet or that had got it likewise. The first of these had it when it voted, or
//   gave it before: it was active, or waited for the news that it had arrived, or was tainted.
//
// That news is what the paper's detector lacks: a place that votes while a gift is under way can
// vote twice before it arrives, when policies push work.
#include "steal/tree.h"

enum message { ARRIVED, VOTE, WAVE, OVER };

struct waves {
    struct twi_tree tree;
    uint64_t wave;
    uint32_t owed;  // gifts that have not arrived, as far as is known
    uint32_t votes; // of children, in this wave
    int is_tainted, below_is_tainted;
    int is_passive, has_voted;
    int is_over;
};

static size_t waves_size(const struct twi_rules *rules)
{
    (void)rules;
    return sizeof(struct waves);
}

static void waves_start(void *state, const struct twi_rules *rules)
{
    struct waves *s = state;
    s->tree = twi_tree_of(rules->place, rules->places);
}

// All places begin with the first wave, without being told.
static void begin(struct waves *s, int has_work)
{
    struct twi_tree tree = s->tree;
    *s = (struct waves){.tree = tree, .wave = 1, .is_tainted = 1, .is_passive = !has_work};
}

static void next_wave(struct waves *s, uint64_t wave, struct twi_actions *actions)
{
    s->wave = wave;
    s->has_voted = 0;
    s->votes = 0;
    s->below_is_tainted = 0;
    twi_tree_send_down(&s->tree, WAVE, wave, actions);
}

static int can_vote(const struct waves *s)
{
    return !s->has_voted && s->is_passive && !s->owed && s->votes == s->tree.children;
}

static void vote(struct waves *s, struct twi_actions *actions)
{
    int tainted = s->is_tainted || s->below_is_tainted;
    s->has_voted = 1;
    s->is_tainted = 0;
    if (s->tree.parent != TWI_NO_PLACE)
        twi_tree_send_up(&s->tree, VOTE, (uint64_t)tainted, actions);
    else if (tainted)
        next_wave(s, s->wave + 1, actions);
    else
        s->is_over = 1;
}

static void hear(struct waves *s, const struct twi_event *event, struct twi_actions *actions)
{
    switch ((enum message)event->message) {
    case ARRIVED:
        s->owed--;
        break;
    case VOTE:
        s->votes++;
        s->below_is_tainted |= event->word != 0;
        break;
    case WAVE:
        next_wave(s, event->word, actions);
        break;
    case OVER:
        s->is_over = 1;
        break;
    }
}

static void waves_step(void *state, const struct twi_event *event, struct twi_actions *actions)
{
    struct waves *s = state;
    switch (event->kind) {
    case TWI_ON_START:
        begin(s, event->count != 0);
        break;
    case TWI_ON_MESSAGE:
        hear(s, event, actions);
        break;
    case TWI_ON_TASKS:
        s->is_passive = 0;
        s->is_tainted = 1;
        twi_act(actions,
                (struct twi_action){.kind = TWI_DO_SEND, .peer = event->peer, .message = ARRIVED});
        break;
    case TWI_ON_GAVE:
        s->owed += event->count != 0;
        s->is_tainted |= event->count != 0;
        break;
    case TWI_ON_PASSIVE:
        s->is_passive = 1;
        break;
    case TWI_ON_ACTIVE:
        s->is_passive = 0;
        s->is_tainted = 1;
        break;
    case TWI_ON_HUNGRY:
    case TWI_ON_FED:
    case TWI_ON_LOAD:
    case TWI_ON_READ:
    case TWI_ON_LOCK:
    case TWI_ON_TIMER:
        break;
    }
    while (can_vote(s))
        vote(s, actions);
    if (s->is_over) {
        s->is_over = 0;
        twi_tree_finish(&s->tree, OVER, actions);
    }
}

static const char *waves_message_name(uint32_t message)
{
    static const char *const names[] = {"arrived", "vote", "wave", "over"};
    return message < sizeof names / sizeof *names ? names[message] : NULL;
}

const struct twi_machine twi_waves = {
    .name = "waves",
    .summary = "votes in a tree, again and again until a wave is clean",
    .size = waves_size,
    .start = waves_start,
    .step = waves_step,
    .message_name = waves_message_name,
};
