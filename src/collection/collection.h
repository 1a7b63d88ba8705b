// SPDX-License-Identifier: Apache-2.0
// A collection at one place, and the calls between the files of this layer.
//
// Each worker of a collection has a seat: its split queue, and a record of what it ran. A process
// runs one task for each seat (run.c), which takes from its queue and steals from the others'. An
// item is a task with its header, as it stands in queues, in records and in messages.
//
//      begun   items as the process found them        restored by steal, steal-all, none
//      ran     seeds that this seat ran, with cost    restored by retentive
//      extra   costs of created items that ran here   added to their seeds' at the end
//
// Edges:
//  [SQ4] has_come release/acquire: the seat sees the items that others left for it.
#ifndef TWI_COLLECTION_H
#define TWI_COLLECTION_H

#include <twill/collection.h>
#include <twill/wait.h>

#include "balance/auto.h"
#include "base/lock.h"
#include "base/rng.h"
#include "collection/split.h"

enum {
    TWI_TASK_SIZE_MAX = 64 * 1024,
    TWI_ITEM_ALIGN = 16,
};

enum twi_item_flags {
    TWI_ITEM_CREATED = 1, // no seed
    TWI_ITEM_NULL = 2,    // of a record: it turned out null
    TWI_ITEM_MOVED = 4,   // of a record: it is about to be elsewhere
    TWI_ITEM_NEW = 8,     // a seed that no process has run, and no plan has seen
};

struct twi_item {
    uint32_t type; // its number among those that travel
    uint32_t flags;
    uint64_t cost_ns; // of a record: measured; of a seed: the last time, or the hint; 0: not known
    // Where the record is that is its own: of a seed in `begun`, of a created item its seed's in
    // `ran`.
    uint32_t place, seat, index;
    uint32_t unused;
    unsigned char args[] __attribute__((aligned(TWI_ITEM_ALIGN)));
};

// Items side by side.
struct twi_shelf {
    unsigned char *first;
    uint32_t count, room;
};

// What is to be told to a record: that its seed was null, or what a created item cost.
struct twi_note {
    uint32_t place, seat, index;
    uint32_t is_null;
    uint64_t cost_ns;
};

struct twi_notes {
    struct twi_note *first;
    uint32_t count, room;
};

struct twi_tally {
    uint64_t run, seeds, nulls, attempted, stole, stolen, work_ns;
    uint64_t stealing_ns; // until it got something, each time
};

// What the last process taught about the tasks of a seat's queue: how long they will take.
struct twi_ledger {
    uint32_t seeds;    // that are not new
    uint32_t is_vague; // tasks have stood here of which nothing is known. writers: as came_ns
    uint64_t came_ns;  // with them, and with those that were stolen. writers: the seat; while that
                       // waits, with the turn held; readers: as a hint
    uint64_t gone_ns;  // to other seats. writers: thieves; readers: as a hint
    uint64_t done_ns;  // here. writer: the seat; readers: as a hint
};

struct twi_seat {
    struct twi_split queue;
    struct twi_lock guard; // of `came`; and of the queue, for seeds
    uint32_t has_come;     // writers: who adds, the seat
    struct twi_shelf came; // from tasks on other fibers. under the guard
    // The runner's own while there is one.
    struct tw_collection *collection __attribute__((aligned(64)));
    struct tw_fiber *fiber; // the runner's; NULL: there is none
    uint32_t number;
    struct twi_rng rng;
    struct twi_item *now;     // what runs
    struct twi_item *created; // room for one that is in no record
    struct twi_note seed;     // the record that what runs now counts for
    uint32_t is_null;         // what runs now said so
    uint32_t is_fertile;      // ... or created something. writers: it and its asyncs
    struct twi_shelf begun, ran;
    struct twi_ledger ledger;
    struct twi_notes extra;
    struct twi_tally tally;
    // What it has asked another place for. writers: the seat; then the communication worker
    struct tw_future answer;
    uint32_t answered; // items
};

struct twi_traffic {
    uint64_t sent, received; // items and notes
};

// A collection among several places (far.h). Everything with the turn of the place held.
struct twi_far {
    struct tw_collection *next; // of this place
    uint32_t number;            // of the collection, the same at all places
    uint32_t round;             // of the process, likewise
    int is_open;                // a process is under way
    struct twi_traffic traffic; // of this place
    struct twi_notes notes;     // that came
    int has_joined;             // the wave
    uint32_t came;              // children, to the wave
    struct twi_traffic below;   // ... and what they found
    uint64_t received;          // in the wave before; UINT64_MAX: there was none
    struct twi_shelf arrived;   // records that were moved here
    uint64_t awaited;           // ... and how many there will be
    struct tw_future all;       // set when they are there
    struct twi_parcel *parcels; // that nobody has waited for yet
    struct tw_future comes;     // set when there is one more
    uint64_t *first_core;       // of each place, and one more: seats of all places, in order
};

struct tw_collection {
    struct tw_collection_options options;
    uint32_t item_size;
    uint32_t seats;
    uint32_t place;            // this one
    uint32_t next_seat;        // of the next seed. under `guard`
    struct twi_lock guard;     //
    struct twi_seat *reserved; // of tw_collection_slot; its guard is held
    uint32_t active;           // as active.h has it. writers: runners
    uint32_t is_processing;    // writer: who processes it
    int is_processed;          // ... and not restored since
    struct tw_future over;     // set when nothing is left anywhere
    uint32_t is_stopped;       // a task failed, here or elsewhere. writer: who hears of it
    struct twi_far far;
    struct tw_collection_stats stats;
    // Where seeds begin (rebalance.c).
    int is_stealing;              // in this process, idle workers do
    int is_rebalanced;            // the records were, ...
    int is_planned;               // ... and are what the queues were filled with
    struct twi_measured measured; // of the last process, the same at all places, ...
    uint64_t rebalance_ns;        // ... as what the last rebalance took; 0: there was none
    struct twi_auto rule;
    struct twi_seat *seat; // so many as `seats`
};

// ---- item.c ----
struct twi_item *twi_shelf_at(const struct tw_collection *c, const struct twi_shelf *shelf,
                              uint32_t index);
// Makes room for so many more items. 0 or TW_ENOMEM.
int twi_shelf_room(const struct tw_collection *c, struct twi_shelf *shelf, uint32_t more);
// Room for one more item, uninitialised; NULL: no memory.
struct twi_item *twi_shelf_add(const struct tw_collection *c, struct twi_shelf *shelf);
void twi_shelf_free(struct twi_shelf *shelf);
// 0 or TW_ENOMEM.
int twi_notes_add(struct twi_notes *notes, const struct twi_note *note);
// The next slot of a seat's queue, which grows; NULL and TW_E... : full.
struct twi_item *twi_seat_next(struct tw_collection *c, struct twi_seat *seat, int *error);

// ---- add.c ----
// The seat whose task calls; NULL: none.
struct twi_seat *twi_seat_here(void);
extern const struct tw_local twi_seat_key;

// ---- run.c ----
extern const struct tw_task_type twi_runner_type;
struct twi_runner {
    struct twi_seat *seat;
};
// Moves what others left for the seat to its queue. How much.
uint32_t twi_seat_collect(struct twi_seat *seat);

// ---- ledger.c ----
// What so many items side by side will take, as far as that is known; `is_vague`, which may be
// NULL, is set if it is not of all of them.
uint64_t twi_items_cost(const struct tw_collection *c, const unsigned char *items, uint32_t count,
                        uint32_t *is_vague);
// What the seat has still to do.
uint64_t twi_ledger_left(const struct twi_ledger *ledger);
// Items have come that take so long.
void twi_ledger_come(struct twi_ledger *ledger, uint64_t cost_ns, uint32_t is_vague);
// The newest `got` items of a seat's queue were another seat's.
void twi_ledger_move(struct twi_seat *from, struct twi_seat *to, uint32_t got);

// ---- rebalance.c ----
// Whether costs say where seeds begin: persist-central, persist-tree.
int twi_balance_is_persistent(enum tw_balance balance);
// Before a process, if the balance plans and all seeds have a cost, some of them only as a hint.
// Collective; 0 or TW_E..., as this place knows of it. May suspend.
int twi_rebalance_before(struct tw_collection *collection);
// After a process, if the balance wants it. Collective; 0, or the same TW_E... at all places. May
// suspend.
int twi_rebalance_after(struct tw_collection *collection);

// ---- create.c ----
// Whether each process starts as the one before it.
int twi_balance_is_memoryless(enum tw_balance balance);

// ---- search.c ----
// For a seat that has nothing: 1, it has something now; 0: nothing is left anywhere.
int twi_seat_search(struct twi_seat *seat);

#endif
