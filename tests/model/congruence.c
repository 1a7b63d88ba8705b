// SPDX-License-Identifier: Apache-2.0
// The search stops at a state whose canonical form it has seen, so states of the same form must go
// on in the same way. Here that is tried: random executions of random programs lead to states; for
// each, the forms of all states that can follow are gathered; wherever another execution leads to
// the same form, they must be the same. (Values are distinct, since whether an update that changes
// nothing is a write at all goes by more than the form, with no difference to anyone.)
#include <stdlib.h>

#include "internal.h"
#include "random_program.h"

enum { PROGRAMS = 2000, EXECUTIONS = 60, STATES_MAX = 256, KNOWN_SIZE = 1 << 16 };

// A state on the way of an execution.
struct waypoint {
    unsigned depth; // choices before it
    uint64_t form;
};

static struct waypoint way[STATES_MAX];
static unsigned way_length;
static unsigned states_met; // by the present execution
static unsigned stop_at;    // end when so many states were met

static uint64_t followers;

static struct known {
    uint64_t form; // 0: free
    uint64_t followers;
    int times;
} known[KNOWN_SIZE];

static void note_waypoint(void)
{
    if (way_length < STATES_MAX)
        way[way_length++] = (struct waypoint){mc.depth, mc_state_digest().high | 1};
}

static void stop_behind(void)
{
    if (states_met++ < stop_at)
        return;
    followers += mc_mix(mc_state_digest().high, 1);
    mc_end(MC_SEEN);
}

static void walk(void)
{
    way_length = 0;
    mc.known = 0;
    mc.random = true;
    mc.at_state = note_waypoint;
    mc_execute();
    mc.random = false;
}

static bool next_branch(unsigned depth)
{
    while (mc.depth > depth && mc.choice[mc.depth - 1].taken + 1 == mc.choice[mc.depth - 1].count)
        mc.depth--;
    if (mc.depth == depth)
        return false;
    mc.choice[mc.depth - 1].taken++;
    mc.known = mc.depth;
    return true;
}

// All that can follow the state `index` of the way, as a sum that does not depend on their order.
static uint64_t find_followers(unsigned index)
{
    static struct mc_choice prefix[MC_CHOICES];
    unsigned depth = way[index].depth;
    memcpy(prefix, mc.choice, sizeof prefix);
    followers = 0;
    stop_at = index + 1;
    mc.at_state = stop_behind;
    mc.known = depth;
    do {
        states_met = 0;
        if (mc_execute() == MC_FAILED)
            followers += mc_mix(mc.result->verdict, 2);
    } while (next_branch(depth));
    memcpy(mc.choice, prefix, sizeof prefix);
    return followers;
}

static struct known *find(uint64_t form)
{
    unsigned i = (unsigned)(form >> 20) % KNOWN_SIZE;
    while (known[i].form && known[i].form != form)
        i = (i + 1) % KNOWN_SIZE;
    return &known[i];
}

static long compared;

static bool same_as_before(unsigned index)
{
    struct known *k = find(way[index].form);
    if (k->times > 20)
        return true;
    uint64_t found = find_followers(index);
    bool same = !k->form || k->followers == found;
    compared += k->form != 0;
    *k = (struct known){way[index].form, found, k->times + 1};
    return same;
}

static bool try_program(void)
{
    static struct model_result result;
    random_program();
    const struct model_program p = {
        "random",         .threads = threads,  .setup = setup,
        .thread = thread, .ghost = read_value, .ghost_size = sizeof read_value};
    memset(known, 0, sizeof known);
    mc.at_state = NULL;
    model_run(&p, &result, 0); // to learn: it may fail by a race, as may what follows
    for (int i = 0; i < EXECUTIONS; i++) {
        unsigned facts = mc.facts;
        bool same = true;
        walk();
        for (unsigned k = 0; same && k < way_length; k++)
            same = same_as_before(k);
        if (facts != mc.facts)
            memset(known, 0, sizeof known); // forms were laid out anew
        else if (!same)
            return false;
    }
    return true;
}

int main(int argc, char **argv)
{
    int count = argc > 1 ? atoi(argv[1]) : PROGRAMS;
    int failed = 0;
    operations_max = OPERATIONS;
    membarriers = 1;
    distinct_values = 1;
    for (int i = 0; i < count; i++) {
        if (try_program())
            continue;
        failed++;
        printf("FAIL two states of one form go on differently:\n");
        print_program();
    }
    printf("%ld states compared\n", compared);
    printf("%d passed, %d failed\n", count - failed, failed);
    return failed != 0;
}
