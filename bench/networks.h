// SPDX-License-Identifier: Apache-2.0
// The sections of the suite networks, and what they share.
#ifndef TWB_NETWORKS_H
#define TWB_NETWORKS_H

#include "experiments.h"
#include "lanes.h"

void twb_section_message_cost(struct twb_bench *bench); // networks_cost.c
void twb_section_two_workers(struct twb_bench *bench);  // networks_cost.c
void twb_section_speedup_1us(struct twb_bench *bench);  // networks_speedup.c
void twb_section_speedup_10us(struct twb_bench *bench); // networks_speedup.c
void twb_section_policies(struct twb_bench *bench);     // networks_policies.c
void twb_section_steal_rate(struct twb_bench *bench);   // networks_policies.c
void twb_section_no_harm(struct twb_bench *bench);      // networks_harm.c

extern const struct twb_goal twb_network_goals[]; // networks_goals.c

// The numbers of tasks that figures are given for, and the goals about each.
struct twb_network_size {
    long tasks; // 0 ends a table
    const char *name;
    const char *vs_go, *vs_tokio, *vs_boost;
    const char *two_workers, *speedup_1us;
};
extern const struct twb_network_size twb_network_sizes[];

// A wake policy and the name of its lanes.
struct twb_wake_lane {
    const char *wake, *runtime;
};

// A cell of scatter-gather as lanes need it.
struct twb_scatter_cell {
    struct twb_cell cell;
    char serve[32];
};

// With as many rounds as take about `run_ns` on one worker.
struct twb_scatter_cell twb_scatter_cell(const struct twb_bench *bench, long tasks, long work_ns,
                                         double run_ns);

// Adds `lane` for a cell, which must live as long as the group; its names, program, wake and
// workers are given, the rest follows. Its unit is ns for each message.
size_t twb_add_scatter(struct twb_group *group, struct twb_lane lane,
                       const struct twb_scatter_cell *cell);
// The same with fewer rounds where it is the lane of a slow peer.
size_t twb_add_scatter_peer(struct twb_group *group, struct twb_lane lane,
                            const struct twb_scatter_cell *cell, const char *peer);
// Is this peer wanted, and can it do that many tasks?
bool twb_scatter_wanted(const struct twb_bench *bench, const char *peer, long tasks);

extern const char *const twb_network_peers[]; // ends with NULL

#endif
