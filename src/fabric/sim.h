// SPDX-License-Identifier: Apache-2.0
// The simulated fabric: many places in one process, in virtual time, deterministic.
//
// The simulator owns a queue of events, ordered by nanosecond and then by the order in which they
// were made, and one end of a fabric for each place. Whoever models the places (sim/) is called
// when its own events come due; the hosts are called through their sinks.
//
// The network is LogGP over a topology. A packet costs its sender's communication worker
// `overhead`, leaves when its network interface is free, for `gap` and its bytes, and arrives a
// latency later, which grows with the hops. It is handled when the receiving communication worker
// has polled, and is free. One-sided operations are answered by the network interface.
#ifndef TWI_SIM_H
#define TWI_SIM_H

#include "fabric/fabric.h"

enum twi_topology {
    TWI_TOPOLOGY_FLAT,
    TWI_TOPOLOGY_TORUS,     // of three dimensions
    TWI_TOPOLOGY_DRAGONFLY, // groups of routers, all groups connected
};

enum { TWI_SIM_NAME = 32 };

// A machine. Times in nanoseconds; all are whole numbers, so that results do not depend on who
// calculates.
struct twi_sim_machine {
    char name[TWI_SIM_NAME];
    uint32_t places;
    uint32_t workers;     // that compute, at each place
    int dedicated;        // the communication worker has a processor of its own
    uint32_t cores;       // that the workers of all places share; 0: each has one
    uint64_t latency_ns;  // between neighbours
    uint64_t hop_ns;      // for each further hop
    uint64_t overhead_ns; // of the communication worker, for each packet sent or received
    uint64_t gap_ns;      // of the network interface, for each packet
    uint64_t gap_ps_per_byte;
    uint64_t read_ns; // a one-sided read or lock, there and back, between neighbours
    uint64_t poll_ns; // between two polls of the communication worker
    // Instead of polling it sleeps, and looks so long after something came: 0: it polls.
    uint64_t notice_ns;
    uint64_t notice_busy_ns; // the same while all cores are busy
    uint64_t wake_ns;        // until an idle worker runs a task that came
    uint64_t task_ns;        // of the runtime, for each task
    uint64_t node_ns;        // work of a tree's node, unless the user says otherwise
    uint64_t start_ns;       // of a run: its beginning and its end ...
    uint64_t start_place_ns; // ... and more for each place
    enum twi_topology topology;
    uint32_t shape[3]; // torus: its three sizes; dragonfly: places of a router, routers of a group;
                       // 0: chosen by the number of places
};

// What disturbs a run.
struct twi_sim_trouble {
    uint64_t
        jitter_ns; // packets are late by up to this, at random; those of one pair stay in order
    uint64_t seed;
};

// Who models the places.
struct twi_sim_client {
    void *self;
    // An event made by twi_sim_at has come due.
    void (*due)(void *self, uint32_t place, uint32_t what);
    // The communication worker of a place comes by, after twi_sim_poke.
    void (*poked)(void *self, uint32_t place);
    // When the place's communication worker, which shares a processor with a worker that computes,
    // comes by next; now_ns if at once. Not called for dedicated ones.
    uint64_t (*shared_until)(void *self, uint32_t place, uint64_t now_ns);
    // The load a one-sided read finds now.
    uint32_t (*load)(void *self, uint32_t place);
    // Of a machine that has `cores`, else never called: whether all are busy; and that a
    // communication worker takes so much of them.
    int (*is_crowded)(void *self);
    void (*spent)(void *self, uint64_t ns);
};

struct twi_sim;

// NULL: no memory.
struct twi_sim *twi_sim_create(const struct twi_sim_machine *machine,
                               const struct twi_sim_trouble *trouble,
                               const struct twi_sim_client *client);
void twi_sim_destroy(struct twi_sim *sim);

struct twi_fabric *twi_sim_fabric(struct twi_sim *sim, uint32_t place);

uint64_t twi_sim_now(const struct twi_sim *sim);
// client.due(place, what) at `at_ns`, not before now.
void twi_sim_at(struct twi_sim *sim, uint64_t at_ns, uint32_t place, uint32_t what);
// client.poked when the place's communication worker polls next; once, however often it is called
// before.
void twi_sim_poke(struct twi_sim *sim, uint32_t place);
// Nothing happens at the place before `until_ns`: what comes due is put off.
void twi_sim_stall(struct twi_sim *sim, uint32_t place, uint64_t until_ns);

// Handles the next event. 0: there is none, or memory is out.
int twi_sim_step(struct twi_sim *sim);
int twi_sim_is_out_of_memory(const struct twi_sim *sim);

uint64_t twi_sim_events(const struct twi_sim *sim); // handled so far
uint64_t twi_sim_packets_in_flight(const struct twi_sim *sim);
size_t twi_sim_bytes(const struct twi_sim *sim); // memory it uses

// ---- sim_network.c ----
// Chooses what is 0 in the shape; twi_sim_create does it for its own. Hops, ways and who is near
// want it done.
void twi_sim_settle(struct twi_sim_machine *machine);
uint32_t twi_sim_hops(const struct twi_sim_machine *machine, uint32_t from, uint32_t to);
// From place to place, when that between neighbours takes `first_ns`.
uint64_t twi_sim_way_ns(const struct twi_sim_machine *machine, uint32_t from, uint32_t to,
                        uint64_t first_ns);
// When the place polls next.
uint64_t twi_sim_next_poll(const struct twi_sim_machine *machine, uint32_t place, uint64_t now_ns);
// How many places of consecutive numbers are near each other (struct twi_rules.near).
uint32_t twi_sim_near(const struct twi_sim_machine *machine);

#endif
