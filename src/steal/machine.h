// SPDX-License-Identifier: Apache-2.0
// What every steal policy and every termination detector is: a pure machine.
//
//      step(state, event) -> actions
//
// A machine belongs to one place. It knows no clock, no memory but its own state (which the host
// provides), no tasks and no fabric: time comes with the event, randomness from the seed in its
// rules, and what it wants done it says in actions. So the same object code runs on a cluster and
// in the simulator, and a recorded run can be replayed event by event.
//
// Rules for machines:
//  - step() uses its state, the event and the actions, and nothing else.
//  - A switch over kinds is total: each kind is handled, or named as one that does not matter.
//  - TWI_DO_READ, TWI_DO_LOCK and TWI_DO_GIVE are each answered by one event, in any order, and
//    perhaps after other events; messages between two places come in the order they were sent.
//  - A policy asks for tasks and gives them; it never says when all is over. A detector says that,
//    and never moves tasks.
//  - TWI_ON_START begins a phase: all that was remembered of places is void. Messages and answers
//    of another phase never arrive; locks that were held have been given back, timers are off.
#ifndef TWI_MACHINE_H
#define TWI_MACHINE_H

#include <stddef.h>
#include <stdint.h>

// Nobody: as a peer.
#define TWI_NO_PLACE UINT32_MAX

enum { TWI_ACTIONS_MOST = 40 };

// Victims are looked for ...
enum twi_order {
    TWI_ORDER_RANDOM, // evenly among all
    TWI_ORDER_RING,   // one after the other, from the next place on
    TWI_ORDER_NEAR,   // near ones first, by chance among those
};

// What a machine is told once, before its first event. Constant.
struct twi_rules {
    uint32_t place, places;
    uint32_t workers;   // that compute, here
    uint32_t threshold; // a place is a victim when its load is above
    uint32_t batch;     // tasks of a steal, at most
    uint32_t hungry;    // so many idle workers start a search
    uint32_t tries;     // lifeline: random victims before the lifelines
    uint32_t lifelines; // of a place; 0: the logarithm of the places
    uint32_t near;      // places p and q are near each other when p / near == q / near; 0: none is
    enum twi_order order;
    uint64_t backoff_ns, backoff_most_ns; // first and longest pause of a search in vain
    uint64_t seed;                        // differs from place to place
};

// ---- events ----

enum twi_on {
    TWI_ON_START,   // a phase begins; count: 1 when there is work here from the start
    TWI_ON_HUNGRY,  // rules.hungry workers or more have become idle, and are still
    TWI_ON_FED,     // that is over: tasks came or were found here
    TWI_ON_LOAD,    // what TWI_DO_WATCH or TWI_DO_WATCH_LOW waited for is so
    TWI_ON_MESSAGE, // from `peer`: message, word
    TWI_ON_TASKS,   // `count` tasks came from `peer`; word: as its TWI_DO_GIVE had it
    TWI_ON_READ,    // answers TWI_DO_READ of `peer`; count: its load
    TWI_ON_LOCK,    // answers TWI_DO_LOCK of `peer`; count: 1 when it is ours, else 0
    TWI_ON_GAVE,    // answers TWI_DO_GIVE to `peer`; count: tasks that went, perhaps 0
    TWI_ON_TIMER,   // the time set by TWI_DO_TIMER has come
    TWI_ON_PASSIVE, // for detectors: nothing is left to run here
    TWI_ON_ACTIVE,  // for detectors: there is again
};

struct twi_event {
    enum twi_on kind;
    uint32_t peer;
    uint32_t message; // of the machine's own enum
    uint32_t count;
    uint64_t word;
    uint64_t now_ns;
    uint32_t load; // tasks here that could leave; at every event
    uint32_t idle; // workers here that have nothing to do; likewise
};

// ---- actions ----

enum twi_do {
    TWI_DO_SEND,      // message and word to `peer`
    TWI_DO_READ,      // the load of `peer`, without its help
    TWI_DO_LOCK,      // try the lock of `peer`
    TWI_DO_UNLOCK,    // which the place holds
    TWI_DO_GIVE,      // up to `count` tasks to `peer`, oldest first; word goes with them
    TWI_DO_TIMER,     // TWI_ON_TIMER after word nanoseconds; instead of one that is set already;
                      // 0: none
    TWI_DO_WATCH,     // TWI_ON_LOAD once, when `count` tasks or more could leave and no worker is
                      // idle; at once if it is so; 0: not any more
    TWI_DO_WATCH_LOW, // TWI_ON_LOAD once, when `count` tasks or fewer could leave; likewise;
                      // UINT32_MAX: not any more
    TWI_DO_FINISH,    // for detectors: the phase is over here
};

struct twi_action {
    enum twi_do kind;
    uint32_t peer;
    uint32_t message;
    uint32_t count;
    uint64_t word;
};

struct twi_actions {
    uint32_t count;
    struct twi_action list[TWI_ACTIONS_MOST];
};

static inline void twi_act(struct twi_actions *actions, struct twi_action action)
{
    actions->list[actions->count++] = action;
}

// ---- messages of policies ----

// Each policy numbers its own, after these two, which mean the same to all; so the host can tell
// which requests are open.
enum { TWI_REQUEST, TWI_REFUSED, TWI_OWN_MESSAGE };

// ---- what a policy counts ----

enum { TWI_VICTIMS_MOST = 8 }; // in the histogram: so many, or more

// Of one place. A search begins with TWI_ON_HUNGRY, or when the policy looks for work earlier, and
// ends when tasks come or the place is fed.
struct twi_steal_stats {
    uint64_t searches;
    uint64_t victims[TWI_VICTIMS_MOST + 1]; // searches that tasks ended, by victims asked in them
    uint64_t probes;                        // loads read
    uint64_t requests;                      // sent
    uint64_t failed;                        // answered without tasks
    uint64_t withdrawn;                     // taken back by agreement, neither served nor failed
    uint64_t cyclic;                        // sent to a place whose own request waits here
    uint64_t steals;                        // answers with tasks
    uint64_t backoffs;
};

// ---- machines ----

struct twi_machine {
    const char *name;
    const char *summary; // a line of help
    int answers_all;     // of a policy: a request is answered at once, if only by TWI_REFUSED
    int is_acyclic;      // of a policy: never do the requests of two places wait at each other
    // Bytes of state for a place with these rules.
    size_t (*size)(const struct twi_rules *rules);
    // Before the first event; the state is zeroed.
    void (*start)(void *state, const struct twi_rules *rules);
    // Adds to `actions`, which is empty, TWI_ACTIONS_MOST at most.
    void (*step)(void *state, const struct twi_event *event, struct twi_actions *actions);
    // Of a policy; NULL for a detector.
    const struct twi_steal_stats *(*stats)(const void *state);
    // Names a message, for traces and recordings. NULL: there is none of that number.
    const char *(*message_name)(uint32_t message);
};

// The table of policies and that of detectors end with NULL; the first is the default.
extern const struct twi_machine *const twi_policies[];
extern const struct twi_machine *const twi_detectors[];

#endif
