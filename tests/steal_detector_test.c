// SPDX-License-Identifier: Apache-2.0
// Termination detectors in small networks: tasks run, spawn and wander between places, messages
// arrive in any order but that of their pair, and phases follow each other. Each seed is another
// order.
// ctest: workers=1 timeout=240
#include "support.h"

#include <stdbool.h>
#include <string.h>

#include "base/rng.h"
#include "steal/tree.h"

enum { PLACES_MOST = 20, LINE_MOST = 256, KINDS_MOST = 4, MOVES_MOST = 2000000 };

// Tasks, or a message of a detector.
struct packet {
    uint32_t epoch, tasks, message;
    uint64_t word;
};

struct line {
    uint32_t first, count;
    struct packet packets[LINE_MOST];
};

struct place {
    void *state;
    uint32_t epoch, tasks;
    bool is_over, is_told_passive;
};

struct network {
    const struct twi_machine *detector;
    struct twi_rng rng;
    uint32_t places, phases;
    uint32_t weights[5]; // of the moves
    struct place place[PLACES_MOST];
    struct line line[PLACES_MOST][PLACES_MOST]; // from, to
    uint64_t left[5];                           // tasks of each phase, under way or not
    uint32_t budget;                            // tasks that may still be spawned
    uint64_t gifts, sent[KINDS_MOST], sent_after_work;
    const char *trouble;
};

static uint32_t below(struct network *net, uint32_t n)
{
    return twi_rng_below(&net->rng, n);
}

static void complain(struct network *net, const char *what)
{
    if (!net->trouble)
        net->trouble = what;
}

static void push(struct network *net, uint32_t from, uint32_t to, struct packet packet)
{
    struct line *line = &net->line[from][to];
    if (line->count == LINE_MOST || to >= net->places) {
        complain(net, "too many messages between two places, or to one that is none");
        return;
    }
    packet.epoch = net->place[from].epoch;
    line->packets[(line->first + line->count++) % LINE_MOST] = packet;
}

// ---- steps ----

static void finish(struct network *net, uint32_t at)
{
    struct place *place = &net->place[at];
    if (place->is_over)
        complain(net, "a place is told twice");
    if (net->left[place->epoch])
        complain(net, "finished, but there is work left");
    for (uint32_t i = 0; i < net->places; i++)
        if (net->place[i].epoch < place->epoch)
            complain(net, "finished, but some have not begun");
    place->is_over = true;
}

static void tell(struct network *net, uint32_t at, struct twi_event event)
{
    struct twi_actions actions = {.count = 0};
    struct place *place = &net->place[at];
    net->detector->step(place->state, &event, &actions);
    for (uint32_t i = 0; i < actions.count; i++) {
        const struct twi_action *action = &actions.list[i];
        if (action->kind == TWI_DO_FINISH) {
            finish(net, at);
        } else if (action->kind != TWI_DO_SEND || action->message >= KINDS_MOST ||
                   !net->detector->message_name(action->message)) {
            complain(net, "what is no business of a detector");
        } else {
            net->sent[action->message]++;
            net->sent_after_work += net->left[place->epoch] == 0;
            push(net, at, action->peer,
                 (struct packet){.message = action->message, .word = action->word});
        }
    }
}

// ---- moves: each returns whether it could be made ----

static bool begin_phase(struct network *net, uint32_t at)
{
    struct place *place = &net->place[at];
    if (!place->is_over || place->epoch == net->phases)
        return false;
    place->is_over = false;
    place->epoch++;
    place->tasks = below(net, 3) ? 0 : below(net, 5);
    net->left[place->epoch] += place->tasks;
    net->budget += below(net, 10);
    place->is_told_passive = place->tasks == 0;
    tell(net, at, (struct twi_event){.kind = TWI_ON_START, .count = place->tasks != 0});
    return true;
}

static bool run_task(struct network *net, uint32_t at)
{
    struct place *place = &net->place[at];
    if (!place->tasks || place->is_over)
        return false;
    uint32_t spawned = below(net, 4);
    if (spawned > net->budget)
        spawned = net->budget;
    net->budget -= spawned;
    place->tasks += spawned;
    net->left[place->epoch] += spawned;
    place->tasks--;
    net->left[place->epoch]--;
    return true;
}

// Some go, or none: the workers were quicker.
static bool give(struct network *net, uint32_t at)
{
    struct place *place = &net->place[at];
    if (!place->tasks || place->is_over || net->places == 1)
        return false;
    uint32_t to = (at + 1 + below(net, net->places - 1)) % net->places;
    uint32_t count = below(net, place->tasks + 1);
    if (count && net->line[at][to].count < LINE_MOST - 8) {
        place->tasks -= count;
        net->gifts++;
        push(net, at, to, (struct packet){.tasks = count});
    } else {
        count = 0;
    }
    tell(net, at, (struct twi_event){.kind = TWI_ON_GAVE, .peer = to, .count = count});
    return true;
}

static bool say_passive(struct network *net, uint32_t at)
{
    struct place *place = &net->place[at];
    if (place->tasks || place->is_told_passive || place->is_over)
        return false;
    place->is_told_passive = true;
    tell(net, at, (struct twi_event){.kind = TWI_ON_PASSIVE, .peer = TWI_NO_PLACE});
    return true;
}

static void arrive(struct network *net, uint32_t from, uint32_t to, const struct packet *packet)
{
    struct place *place = &net->place[to];
    if (packet->epoch < place->epoch || (place->is_over && packet->tasks)) {
        complain(net, "something was under way at the end");
    } else if (packet->tasks) {
        place->tasks += packet->tasks;
        place->is_told_passive = false;
        tell(net, to,
             (struct twi_event){.kind = TWI_ON_TASKS, .peer = from, .count = packet->tasks});
    } else {
        tell(net, to,
             (struct twi_event){.kind = TWI_ON_MESSAGE,
                                .peer = from,
                                .message = packet->message,
                                .word = packet->word});
    }
}

// What belongs to a later phase stays where it is until the place gets there.
static bool deliver(struct network *net, uint32_t to)
{
    uint32_t first = below(net, net->places);
    for (uint32_t i = 0; i < net->places; i++) {
        uint32_t from = (first + i) % net->places;
        struct line *line = &net->line[from][to];
        struct packet packet = line->packets[line->first];
        if (!line->count || packet.epoch > net->place[to].epoch)
            continue;
        line->first = (line->first + 1) % LINE_MOST;
        line->count--;
        arrive(net, from, to, &packet);
        return true;
    }
    return false;
}

// ---- networks ----

static bool (*const moves[])(struct network *net, uint32_t at) = {deliver, run_task, give,
                                                                  say_passive, begin_phase};

enum { MOVES = sizeof moves / sizeof *moves };

static bool move(struct network *net)
{
    uint32_t sum = 0, first = below(net, net->places), kind = 0;
    for (int i = 0; i < MOVES; i++)
        sum += net->weights[i];
    uint32_t drawn = below(net, sum);
    while (drawn >= net->weights[kind])
        drawn -= net->weights[kind++];
    for (uint32_t k = 0; k < MOVES; k++)
        for (uint32_t i = 0; i < net->places; i++)
            if (moves[(kind + k) % MOVES](net, (first + i) % net->places))
                return true;
    return false;
}

static bool all_over(const struct network *net)
{
    for (uint32_t i = 0; i < net->places; i++)
        if (net->place[i].epoch < net->phases || !net->place[i].is_over)
            return false;
    return true;
}

static void open_network(struct network *net, const struct twi_machine *detector, uint64_t seed,
                         uint32_t phases)
{
    memset(net, 0, sizeof *net);
    net->detector = detector;
    net->rng.counter = seed;
    net->places = 1 + below(net, PLACES_MOST);
    net->phases = phases;
    for (int i = 0; i < MOVES; i++)
        net->weights[i] = 1 + below(net, 10) * below(net, 10);
    for (uint32_t i = 0; i < net->places; i++) {
        struct twi_rules rules = {.place = i, .places = net->places};
        net->place[i].state = calloc(1, detector->size(&rules));
        net->place[i].is_over = true;
        detector->start(net->place[i].state, &rules);
    }
}

// NULL, or what was wrong. What was sent is in *net.
static const char *run_network(struct network *net, const struct twi_machine *detector,
                               uint64_t seed, uint32_t phases)
{
    open_network(net, detector, seed, phases);
    uint32_t moves_left = MOVES_MOST;
    while (!net->trouble && !all_over(net)) {
        if (!move(net))
            complain(net, "nothing is left, but not all are told");
        if (!--moves_left)
            complain(net, "it does not end");
    }
    for (uint32_t i = 0; i < net->places; i++)
        free(net->place[i].state);
    return net->trouble;
}

static struct network network;

static void check_network(const struct twi_machine *detector, uint64_t seed, uint32_t phases)
{
    const char *trouble = run_network(&network, detector, seed, phases);
    if (trouble)
        fail_msg("%s, seed %llu, %u places: %s", detector->name, (unsigned long long)seed,
                 network.places, trouble);
}

// ---- tests ----

static uint64_t sent_in_all(void)
{
    uint64_t sum = 0;
    for (int i = 0; i < KINDS_MOST; i++)
        sum += network.sent[i];
    return sum;
}

static void test_steal_detector_scopes(void **state)
{
    (void)state;
    for (int seed = 0; seed < test_scaled(4000); seed++) {
        uint32_t phases = 1 + (uint32_t)seed % 4;
        check_network(&twi_scopes, (uint64_t)seed, phases);
        uint64_t others = (network.places - 1) * phases;
        assert_int_equal(network.sent[0], network.gifts); // told
        assert_int_equal(network.sent[1], others);        // entered
        assert_int_equal(network.sent[2], others);        // over
        assert_int_equal(sent_in_all(), network.gifts + 2 * others);
    }
}

// Once the work is gone, two waves find it out after the one that was going on.
static void test_steal_detector_waves(void **state)
{
    (void)state;
    for (int seed = 0; seed < test_scaled(4000); seed++) {
        uint32_t phases = 1 + (uint32_t)seed % 4;
        check_network(&twi_waves, (uint64_t)seed, phases);
        uint64_t others = (network.places - 1) * phases;
        assert_int_equal(network.sent[0], network.gifts);            // arrived
        assert_int_equal(network.sent[1], network.sent[2] + others); // votes, waves but the first
        assert_int_equal(network.sent[3], others);                   // over
        assert_true(network.sent_after_work <= network.gifts + 7 * others);
    }
}

// ---- can it fail? ----

static void forget_gifts(void *state, const struct twi_event *event, struct twi_actions *actions)
{
    if (event->kind != TWI_ON_GAVE)
        twi_scopes.step(state, event, actions);
}

static void be_passive(void *state, const struct twi_event *event, struct twi_actions *actions)
{
    struct twi_event changed = *event;
    if (changed.kind == TWI_ON_START)
        changed.count = 0;
    twi_waves.step(state, &changed, actions);
}

static void hear_nothing(void *state, const struct twi_event *event, struct twi_actions *actions)
{
    if (event->kind != TWI_ON_MESSAGE || event->message != 0 || event->peer % 3)
        twi_waves.step(state, event, actions);
}

static void expect_caught(const struct twi_machine *like, const char *expected,
                          void (*step)(void *, const struct twi_event *, struct twi_actions *))
{
    struct twi_machine broken = *like;
    broken.step = step;
    int caught = 0;
    for (uint64_t seed = 0; seed < 200; seed++) {
        const char *trouble = run_network(&network, &broken, seed, 1);
        caught += trouble && strcmp(trouble, expected) == 0;
    }
    assert_true(caught > 20);
}

static void test_steal_detector_wrong_ones_are_caught(void **state)
{
    (void)state;
    expect_caught(&twi_scopes, "finished, but there is work left", forget_gifts);
    expect_caught(&twi_waves, "finished, but there is work left", be_passive);
    expect_caught(&twi_waves, "nothing is left, but not all are told", hear_nothing);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steal_detector_scopes),
        cmocka_unit_test(test_steal_detector_waves),
        cmocka_unit_test(test_steal_detector_wrong_ones_are_caught),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
