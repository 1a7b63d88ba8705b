// SPDX-License-Identifier: Apache-2.0
// Every steal policy in small networks, in thousands of orders of events.
// ctest: workers=1 timeout=240
#include "steal_network.h"

enum { NET_MOVES = 400000 };

static uint64_t sum(const struct net *net, size_t offset)
{
    uint64_t total = 0;
    for (uint32_t i = 0; i < net->places; i++) {
        const char *stats = (const char *)net->machine->stats(net->place[i].state);
        total += *(const uint64_t *)(const void *)(stats + offset);
    }
    return total;
}

#define SUM(net, field) sum(net, offsetof(struct twi_steal_stats, field))

static uint32_t open_requests(const struct net *net)
{
    uint32_t total = 0;
    for (uint32_t i = 0; i < net->places; i++)
        for (uint32_t k = 0; k < net->places; k++)
            total += net->open[i][k];
    return total;
}

// ---- moves ----

static bool deliver(struct net *net, uint32_t to)
{
    uint32_t first = net_below(net, net->places);
    for (uint32_t i = 0; i < net->places; i++) {
        uint32_t from = (first + i) % net->places;
        struct net_line *line = &net->line[from][to];
        if (line->count == 0)
            continue;
        struct twi_event event = line->items[0];
        memmove(line->items, line->items + 1, --line->count * sizeof line->items[0]);
        if (event.kind == TWI_ON_TASKS) {
            net->in_flight -= event.count;
            net->place[to].load += event.count;
        }
        if (event.kind == TWI_ON_TASKS || event.message == TWI_REFUSED) {
            net->open[to][from] = false;
            net->answered[to][from] = 0;
        }
        net_feed(net, to, event);
        return true;
    }
    return false;
}

static bool answer(struct net *net, uint32_t to)
{
    struct net_place *place = &net->place[to];
    if (place->answers == 0)
        return false;
    uint32_t i = net_below(net, place->answers);
    struct twi_event event = place->answer[i];
    place->answer[i] = place->answer[--place->answers];
    if (event.kind == TWI_ON_READ)
        event.count = net->place[event.peer].load;
    else if (event.kind == TWI_ON_GAVE)
        place->gifts_to[event.peer]--;
    net_feed(net, to, event);
    return true;
}

static void timer(struct net *net, uint32_t at)
{
    if (net->place[at].has_timer) {
        net->place[at].has_timer = false;
        net_feed(net, at, (struct twi_event){.kind = TWI_ON_TIMER});
    }
}

static void work(struct net *net, uint32_t at)
{
    struct net_place *place = &net->place[at];
    if (place->load && net_idle(place) && net_below(net, 2)) {
        place->load--;
        place->running++;
    } else if (place->running && net_below(net, 4) == 0) {
        uint32_t children = net_below(net, 4);
        place->running--;
        for (; children && net->budget; children--, net->budget--)
            place->load++;
    }
}

// What a host notices.
static void notice(struct net *net, uint32_t at)
{
    struct net_place *place = &net->place[at];
    bool is_hungry = net_idle(place) >= net->hungry[at];
    if (is_hungry != place->is_hungry) {
        place->is_hungry = is_hungry;
        net_feed(net, at, (struct twi_event){.kind = is_hungry ? TWI_ON_HUNGRY : TWI_ON_FED});
    } else if (place->high && place->load >= place->high && net_idle(place) == 0) {
        place->high = 0;
        net_feed(net, at, (struct twi_event){.kind = TWI_ON_LOAD});
    } else if (place->low != UINT32_MAX && place->load <= place->low) {
        place->low = UINT32_MAX;
        net_feed(net, at, (struct twi_event){.kind = TWI_ON_LOAD});
    }
}

static void move(struct net *net)
{
    uint32_t at = net_below(net, net->places);
    net->now_ns++;
    switch (net_below(net, 6)) {
    case 0:
    case 1:
        deliver(net, at);
        break;
    case 2:
        answer(net, at);
        break;
    case 3:
        timer(net, at);
        break;
    case 4:
        work(net, at);
        break;
    case 5:
        notice(net, at);
        break;
    }
}

// Delivers until nothing is on its way; no work is done and no timer runs out.
static void settle(struct net *net)
{
    for (bool moved = true; moved;) {
        moved = false;
        for (uint32_t i = 0; i < net->places; i++) {
            moved |= deliver(net, i);
            moved |= answer(net, i);
        }
    }
}

// ---- what must hold ----

static bool is_work_left(const struct net *net)
{
    uint64_t left = net->in_flight;
    for (uint32_t i = 0; i < net->places; i++)
        left += net->place[i].load + net->place[i].running;
    return left > 0;
}

static bool is_acyclic(const struct net *net)
{
    return net->machine == &twi_policy_success_only_acyclic;
}

static void check_rest(struct net *net)
{
    uint64_t answered = SUM(net, steals) + SUM(net, failed) + SUM(net, withdrawn);
    for (uint32_t i = 0; i < net->places; i++) {
        NET_CHECK(net, net->place[i].lock == TWI_NO_PLACE, "a lock is left");
        for (uint32_t k = 0; k < i; k++)
            NET_CHECK(net, !is_acyclic(net) || !net->open[i][k] || !net->open[k][i],
                      "two places wait for each other");
    }
    NET_CHECK(net, SUM(net, requests) - net->lost == answered + open_requests(net),
              "requests and answers do not match");
    if (net->never_denies)
        NET_CHECK(net, SUM(net, failed) == 0, "a request failed");
    else if (net->machine->answers_all)
        NET_CHECK(net, open_requests(net) == 0, "a request is left");
}

static void run_phase(struct net *net, uint32_t budget)
{
    net_phase(net, budget);
    int moves = 0;
    for (; moves < NET_MOVES && is_work_left(net); moves++)
        move(net);
    NET_CHECK(net, moves < NET_MOVES, "work is left");
    settle(net);
    check_rest(net);
}

// One move, after which all places have plenty, or all but one, or only one.
enum wealth { ALL, ALL_BUT, ONLY };

static void move_with(struct net *net, enum wealth wealth, uint32_t one)
{
    for (uint32_t i = 0; i < net->places; i++) {
        bool is_rich = wealth == ALL || (i == one) == (wealth == ONLY);
        net->place[i].load = is_rich ? 50 : 0;
        net->place[i].running = is_rich ? NET_WORKERS : 0;
    }
    move(net);
}

static bool is_any_hungry(const struct net *net)
{
    bool is_any = false;
    for (uint32_t i = 0; i < net->places; i++)
        is_any |= net->place[i].is_hungry;
    return is_any;
}

// Whoever waits is served, so that in the end nobody waits.
static void run_rich(struct net *net)
{
    for (uint32_t i = 0; i < net->places; i++)
        net->place[i].is_hungry = true; // so that they are told they are not
    for (int moves = 0; moves < NET_MOVES && (open_requests(net) || is_any_hungry(net)); moves++)
        move_with(net, ALL, 0);
    NET_CHECK(net, open_requests(net) == 0, "somebody waits in the midst of plenty");
    settle(net);
    check_rest(net);
}

static uint64_t steals_of(const struct net *net, uint32_t place)
{
    return net->machine->stats(net->place[place].state)->steals;
}

// A place that is poor gets tasks, more often than it has others to ask.
static void run_poor(struct net *net, enum wealth wealth, uint32_t poor, uint32_t rich)
{
    uint64_t enough = steals_of(net, poor) + net->places;
    for (int moves = 0; moves < NET_MOVES && steals_of(net, poor) < enough; moves++)
        move_with(net, wealth, wealth == ONLY ? rich : poor);
    NET_CHECK(net, steals_of(net, poor) >= enough, "a place starves");
}

static void run_unequal(struct net *net)
{
    uint32_t poor = net_below(net, net->places);
    run_poor(net, ALL_BUT, poor, 0);
    // Lifelines may take more steps than there are here: what comes vanishes.
    if (net->machine != &twi_policy_lifeline)
        run_poor(net, ONLY, poor, (poor + 1) % net->places);
}

static void check_policy(const struct twi_machine *machine)
{
    static struct net net;
    int seeds = test_scaled(1000);
    for (int seed = 1; seed <= seeds; seed++) {
        net_start(&net, (uint64_t)seed, machine);
        run_phase(&net, net_below(&net, 300));
        run_unequal(&net);
        run_rich(&net);
        // A phase that is left in the middle.
        net_phase(&net, 50);
        for (uint32_t i = net_below(&net, 500); i; i--)
            move(&net);
        net.lost =
            SUM(&net, requests) - SUM(&net, steals) - SUM(&net, failed) - SUM(&net, withdrawn);
        run_phase(&net, net_below(&net, 100));
        run_rich(&net);
        net_end(&net);
    }
}

static void test_steal_network_baseline(void **state)
{
    (void)state;
    check_policy(&twi_policy_baseline);
}

static void test_steal_network_success_only(void **state)
{
    (void)state;
    check_policy(&twi_policy_success_only);
}

static void test_steal_network_success_only_acyclic(void **state)
{
    (void)state;
    check_policy(&twi_policy_success_only_acyclic);
}

static void test_steal_network_lifeline(void **state)
{
    (void)state;
    check_policy(&twi_policy_lifeline);
}

static void test_steal_network_random(void **state)
{
    (void)state;
    check_policy(&twi_policy_random);
}

static void test_steal_network_adaptive(void **state)
{
    (void)state;
    check_policy(&twi_policy_adaptive);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steal_network_baseline),
        cmocka_unit_test(test_steal_network_success_only),
        cmocka_unit_test(test_steal_network_success_only_acyclic),
        cmocka_unit_test(test_steal_network_lifeline),
        cmocka_unit_test(test_steal_network_random),
        cmocka_unit_test(test_steal_network_adaptive),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
