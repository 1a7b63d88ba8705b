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
// One thread calls the fabric and the host: the one that called tw_run, which is the communication
// worker of this place meanwhile. Workers reach it through the outbox.
//
// Edges:
//  [O2] on_idle release/acquire: the worker that calls it sees the place (sched/search.c).
#ifndef TWI_PLACE_H
#define TWI_PLACE_H

#include "core/scope.h"
#include "fabric/fabric.h"
#include "place/outbox.h"
#include "sched/sched.h"
#include "steal/host.h"

struct twi_place {
    struct twi_fabric *fabric;
    struct twi_host *host;
    struct twi_pool *pool;     // while a run is under way, else NULL
    struct tw_job *root;       // at place 0
    struct twi_letter *outbox; // writers: workers and the communication worker
    uint32_t neighbours;       // places on this host, itself included; 0: not known
    uint64_t pause_ns;         // the communication worker's next
    unsigned next_worker;      // whose bag the next task is put into
    unsigned next_victim;      // whose tasks leave first
    unsigned char *parcel;     // tasks that are about to leave
    size_t parcel_size, parcel_room;
    struct twi_gather *gather; // a collective sum that is under way
    uint64_t gathers;          // so many were begun
    int is_compared;           // its program is known to be that of all places
    int is_left;               // by a place that ended, ...
    uint32_t left;             // ... this one, ...
    uint64_t left_gathers;     // ... after so many sums
    int error;                 // why there is no fabric
    char message[1024];
};

// ---- open.c ----
// This process's. Opened by the first call.
struct twi_place *twi_place_here(void);
struct tw_options;
// The same, opened as the options say if it is not open yet.
struct twi_place *twi_place_open(const struct tw_options *options);
// The host of the next run. 0, or TW_E...
int twi_place_make_host(struct twi_place *place, const struct tw_options *options,
                        unsigned workers);

// Puts a letter into the outbox and wakes the communication worker. From any thread.
void twi_place_post(struct twi_place *place, struct twi_letter *letter);

// ---- travel.c ----
extern const struct twi_pool_calls twi_place_pool_calls;
// Sends what waits in the outbox. Returns how much.
unsigned twi_place_send_letters(struct twi_place *place);
// Owners that share nothing do so soon.
void twi_place_stir(struct twi_place *place);
// Whether any worker here has something to do, as far as can be seen.
int twi_place_is_busy(struct twi_place *place);
// One piece of the scope is done, elsewhere.
void twi_piece_done(struct tw_scope *scope);

enum twi_mail_kind { TWI_MAIL_DONE, TWI_MAIL_UP, TWI_MAIL_DOWN, TWI_MAIL_LEFT };

// ---- gather.c ----
void twi_gather_mail(struct twi_place *place, uint32_t from, const struct twi_packet *packet,
                     const void *bytes);

// ---- leave.c ----
// This place ends: those next to it are told.
void twi_leave(struct twi_place *place);
void twi_leave_mail(struct twi_place *place, uint32_t from, uint64_t gathers);
// Ends the program when a place that is waited for has ended.
void twi_leave_check(const struct twi_place *place);

// ---- serve.c ----
// The communication worker's loop, until `is_over`.
void twi_place_serve(struct twi_place *place, int (*is_over)(struct twi_place *place));

#endif
