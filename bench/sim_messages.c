// SPDX-License-Identifier: Apache-2.0
// Suite sim: the same traffic on Twill's simulator and on SimGrid (messages.h): what a message, an
// event and an actor cost.
#include "messages.h"
#include "sim.h"

#define TWILL_MESSAGES 1000000 // of a run, about
#define PEER_MESSAGES 100000
#define QUICK_FEWER 10

// A number of places and actors that figures are given for.
struct size {
    const char *name;
    struct sim_traffic_shape shape;
};

static const struct size whole = {"512x48", {512, 48}}; // the actors of the figure
static const struct size sparse = {"512x2", {512, 2}};  // its places with few
static const struct size cores = {"512x24", {512, 24}}; // Edison's workers
static const struct size large = {"7000x24", {7000, 24}};

// A case as lanes need it; it must live as long as the group.
struct served {
    const struct size *size;
    const char *serve;
    char name[40];
};

static struct served served(const char *serve, const struct size *size)
{
    struct served served = {.size = size, .serve = serve};
    twb_messages_name(served.name, sizeof served.name, serve, &size->shape);
    return served;
}

// With as many rounds as there are about `messages`; at least 2.
static struct twb_lane lane_of(const struct twb_bench *bench, const struct served *served,
                               long messages)
{
    long actors = sim_traffic_actors(&served->size->shape);
    long rounds = (bench->quick ? messages / QUICK_FEWER : messages) / actors;
    if (rounds < 2)
        rounds = 2;
    return (struct twb_lane){.case_name = "messages",
                             .size_name = served->size->name,
                             .runtime = "twill",
                             .serve = served->name,
                             .workers = 1,
                             .size = rounds,
                             .scale = 1e9 / ((double)actors * (double)rounds),
                             .unit = "ns/message",
                             .expected = twb_messages_sum(&served->size->shape, rounds)};
}

// The peer, under the name `runtime` in rows.
static size_t add_peer(struct twb_group *group, const struct served *served, const char *runtime)
{
    struct twb_lane lane = lane_of(group->bench, served, PEER_MESSAGES);
    lane.runtime = runtime;
    lane.program = "simgrid";
    return twb_group_lane(group, &lane);
}

static void run_messages(struct twb_bench *bench, const struct size *size, const char *goal)
{
    struct twb_group group;
    struct served ours = served("messages", size), constant = served("messages_constant", size);
    struct twb_lane lane = lane_of(bench, &ours, TWILL_MESSAGES);
    twb_group_start(&group, bench, "messages", TWB_ROUNDS_FAR);
    size_t twill = twb_group_lane(&group, &lane);
    if (twb_wanted(bench, "simgrid")) {
        size_t peer = add_peer(&group, &ours, "simgrid");
        add_peer(&group, &constant, "simgrid-constant");
        if (goal)
            twb_claim_beside(&group, goal, twill, peer);
    }
    twb_group_run(&group);
}

void twb_section_messages(struct twb_bench *bench)
{
    run_messages(bench, &whole, "sim_vs_simgrid");
    run_messages(bench, &sparse, NULL);
}

static size_t add_events(struct twb_group *group, const struct served *served)
{
    struct twb_lane lane = lane_of(group->bench, served, TWILL_MESSAGES);
    lane.case_name = "event";
    lane.scale = 1e9;
    lane.unit = "ns/event";
    return twb_group_lane(group, &lane);
}

void twb_section_growth(struct twb_bench *bench)
{
    struct twb_group group;
    struct served few = served("messages_event", &cores), many = served("messages_event", &large);
    twb_group_start(&group, bench, "growth", TWB_ROUNDS_FAR);
    size_t base = add_events(&group, &few);
    size_t more = add_events(&group, &many);
    twb_group_claim(&group, "event_growth", TWB_RATIO, more, base);
    twb_group_run(&group);
}

static size_t add_bytes(struct twb_group *group, const struct served *served, const char *program)
{
    struct twb_lane lane = lane_of(group->bench, served, 0);
    lane.case_name = "core_bytes";
    lane.scale = 1;
    lane.unit = "bytes";
    if (program)
        lane.runtime = lane.program = program;
    return twb_group_lane(group, &lane);
}

void twb_section_core_bytes(struct twb_bench *bench)
{
    struct twb_group group;
    struct served few = served("messages_bytes", &cores), many = served("messages_bytes", &large);
    twb_group_start(&group, bench, "memory", 1);
    group.rounds_least = group.rounds_most = 1;
    add_bytes(&group, &few, NULL);
    add_bytes(&group, &many, NULL);
    if (twb_wanted(bench, "simgrid"))
        add_bytes(&group, &few, "simgrid");
    twb_group_run(&group);
    twb_report_count(&bench->report, "core_bytes", "core_bytes", cores.name);
    twb_report_count(&bench->report, "core_bytes", "core_bytes", large.name);
}
