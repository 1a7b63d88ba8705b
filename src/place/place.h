// SPDX-License-Identifier: Apache-2.0
// A place: the joint of the scheduler and the fabric.
//
// Tasks that may leave are ordinary tasks in fibers' deques, whose types travel (registry.h). The
// communication worker takes them as a thief does, the oldest of a deque, and sends their bytes. So
// spawning one costs what a tw_async costs, and a finish knows a piece that went to another place
// as it knows a stolen one: by position. There the piece runs under a root scope of its own; when
// that is over, with all that the piece started, a message goes back, and takes one off the scope
// it came from.
//
//      here                                  there
//      take: steal a slot, send its bytes
//                                            add: a detached task under a root, in a bag
//                                            over: the root is done -> outbox -> DONE
//      DONE: twi_scope_done on its scope
//
// One thread at a time calls the fabric and the host, by its turn. That is the one that called
// tw_run, which is the communication worker of this place meanwhile; workers reach it through the
// outbox. A worker that finds nothing to do looks for messages itself while it searches: so a task
// that is stolen goes from one worker to the other without waking anybody in between.
//
// Edges:
//  [O2] outside release/acquire: the worker that calls it sees the place (sched/search.c).
#ifndef TWI_PLACE_H
#define TWI_PLACE_H

#include <pthread.h>

#include <twill/runtime.h>

#include "core/scope.h"
#include "fabric/plugin.h"
#include "place/outbox.h"
#include "place/report.h"
#include "sched/sched.h"
#include "steal/host.h"
#include "steal/rest.h"

struct tw_collection;

struct twi_place {
    struct twi_fabric *fabric;
    struct twi_host *host;
    struct twi_pool *pool;     // while a run is under way, else NULL
    struct tw_job *root;       // at place 0; at each when they all run the task
    struct twi_letter *outbox; // writers: workers and the communication worker
    struct twi_pieces *pieces; // that are away, and that came (pieces.c)
    uint32_t neighbours;       // places on this host, itself included; 0: not known
    struct twi_sharing shared; // processors, with these; sharers 0: not known
    uint64_t spin_ns;          // the communication worker looks for so long before it sleeps
    uint64_t pause_ns;         // its next
    uint64_t until_ns;         // it sleeps, at most (repose.h). writer: it; readers: workers
    uint32_t helpers;          // workers that look for messages. writers: they; a hint
    unsigned processors;       // that it shares
    unsigned crowd;            // workers of all that share them for each, at least 1
    int is_crowded;            // they are more than processors
    struct twi_rest rest;      // of idle workers, where it is crowded
    unsigned next_worker;      // whose bag the next task is put into
    unsigned next_victim;      // whose tasks leave first
    unsigned char *parcel;     // tasks that are about to leave
    size_t parcel_size, parcel_room;
    const struct tw_task_type *last_type; // of a task that left, ...
    uint32_t last_number;                 // ... and its number
    struct tw_collection *collections;    // of this place (src/collection/)
    uint32_t collections_made;
    void (*items)(struct twi_place *place, uint32_t from, const struct twi_packet *packet,
                  const void *bytes); // messages of collections; NULL: there are none
    struct twi_gather *gather;        // collective operations that are under way
    uint64_t gathers;                 // so many were begun outside runs ...
    uint64_t run_gathers;             // ... and in this one
    int is_bare;                      // a thief found nothing, since the last look
    int is_main_only;                 // only one thread may call the fabric: ...
    pthread_t main;                   // ... that which opened it
    int is_spmd;                      // the run: every place has a root
    int is_told;                      // that this place's root has failed
    struct twi_report report;         // of the last run
    int is_left;                      // by a place that ended, ...
    uint32_t left;                    // ... this one, ...
    uint64_t left_gathers;            // ... after so many sums
    int error;                        // why there is no fabric
    char message[1024];
};

// ---- open.c ----
// What the fabric is opened with. Tests and benchmarks change it before that.
extern struct twi_mpi_settings twi_place_settings;
// This process's. Opened by the first call.
struct twi_place *twi_place_here(void);
// The same, opened as the options say if it is not open yet.
struct twi_place *twi_place_open(const struct tw_options *options);
// 0, or why the calling thread, outside runs, cannot do anything together with other places.
int twi_place_refuse(struct twi_place *place);
// The host of the next run. 0, or TW_E...
int twi_place_make_host(struct twi_place *place, const struct tw_options *options,
                        unsigned workers);

// Puts a letter into the outbox and wakes the communication worker. From any thread.
void twi_place_post(struct twi_place *place, struct twi_letter *letter);
// Delivers what waits in the outbox. Returns how much.
unsigned twi_place_deliver(struct twi_place *place);

// ---- travel.c ----
extern const struct twi_pool_calls twi_place_pool_calls;
// Lets a worker of the pool run it. By the communication worker.
void twi_place_put(struct twi_place *place, struct twi_detached *task);
// A new look at what there is. Where owners cannot be nudged, those that share nothing do so soon.
void twi_place_stir(struct twi_place *place);
// Workers that have nothing to do, as far as can be seen.
uint32_t twi_place_idle(const struct twi_pool *pool);

// ---- comm.c ----
// Divides processors between workers and the communication worker: sets options->workers, and how
// long the latter spins in this run.
void twi_place_divide(struct twi_place *place, struct tw_options *options);

// ---- crowd.c ----
// How many of its idle workers are to look for tasks at other places: `idle`, or none where others
// use all processors.
uint32_t twi_crowd_hungry(struct twi_place *place, uint32_t idle);
// A worker here has something to do again.
void twi_crowd_busy(struct twi_place *place, const struct twi_pool *pool);

// ---- leave.c ----
// This place ends: those next to it are told.
void twi_leave(struct twi_place *place);
void twi_leave_mail(struct twi_place *place, uint32_t from, uint64_t gathers);
// Ends the program when a place that is waited for has ended.
void twi_leave_check(const struct twi_place *place);

// ---- serve.c ----
extern const struct twi_outside twi_place_outside;
// The communication worker's loop, until `is_over`.
void twi_place_serve(struct twi_place *place, int (*is_over)(struct twi_place *place));

// ---- messages between the communication workers ----
enum twi_mail_kind {
    TWI_MAIL_DONE,    // pieces are done, with all that they started; word: how many; their handles
    TWI_MAIL_RESULT,  // what a called function gave; word: its handle at home
    TWI_MAIL_FAILED,  // a piece has failed, or its part was cancelled; likewise
    TWI_MAIL_CANCEL,  // what a piece is inside of was cancelled; word: its handle at the sender
    TWI_MAIL_GIVE_UP, // a place's root has failed
    TWI_MAIL_UP,      // for a gathering; word: its number
    TWI_MAIL_DOWN,    // likewise
    TWI_MAIL_COLLECT, // the views of a shared reducer are wanted
    TWI_MAIL_VIEWS,   // ... and here they are
    TWI_MAIL_LEFT,    // the sender's program ends; word: how many gatherings it has begun
    TWI_MAIL_GET,     // bytes of global memory are wanted; word: the transfer at the sender, ...
    TWI_MAIL_PUT,     // ... are to be stored there, ...
    TWI_MAIL_ADD,     // ... or added; likewise
    TWI_MAIL_GOT,     // the bytes; word: the transfer at the receiver
    TWI_MAIL_STORED,  // they are stored or added; likewise
    TWI_MAIL_ITEMS,   // of a collection, for `items`
};

#endif
