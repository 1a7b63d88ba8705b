// SPDX-License-Identifier: Apache-2.0
// Pieces: tasks of this place's scopes that went away, and tasks of others' that came.
//
// Each that went is known here by a record, whose address is the piece's handle everywhere: its
// scope, the attempt around it, the future that awaits what it gives. There it has a scope and an
// attempt of its own, so the places that an attempt has reached form a tree. Pieces of one scope
// that leave together have one record, and one scope there: most that are stolen are small. An
// error goes up the tree at once, from attempt to attempt, and a cancellation goes down; DONE goes
// up last.
//
// All of it belongs to the communication worker, but for what workers do when a piece is over: they
// post a letter. The ends of stolen pieces wait there until somebody looks, and those of one home
// go in one message: a thief takes hundreds at once, and a message for each would interrupt two
// places. Nobody waits in vain, since a worker that has nothing else to do looks.
#ifndef TWI_PIECES_H
#define TWI_PIECES_H

#include "place/place.h"

struct tw_future;

// ---- away ----

struct twi_away {
    struct tw_scope *scope;
    struct tw_attempt *attempt; // around it
    struct tw_future *future;   // claimed; NULL: it gives nothing
    void *value;                // of the future
    size_t size;                // of that
    uint32_t place;
    uint32_t count; // pieces that it stands for
    int is_awaited; // its end is to be told at once
    int is_told;    // that it is cancelled
    struct twi_away *next, **at;
};

// Whether `to` is this place. If there is no such place the program ends, and also if the calling
// task's pool is not tw_run's while it is another.
int twi_is_place_here(unsigned to, const struct tw_task_type *type);
// Sends a task of the innermost scope; of `away` what concerns a future is used. From a task.
void twi_send_task(unsigned to, const struct tw_task_type *type, const void *args,
                   const struct twi_away *away);

// A piece leaves: its record, for as long as it is away.
struct twi_away *twi_piece_leaves(struct twi_place *place, const struct twi_away *away);

// ---- here ----

struct twi_arrival {
    struct twi_root root; // first
    struct twi_letter letter;
    struct tw_attempt attempt;
    uint32_t home;
    uint64_t handle;
    int is_awaited; // likewise
    int is_told;    // home knows that it failed, or said so
    struct twi_arrival *next, **at;
};

// Pieces with this handle come, each of which adds itself to the scope; then twi_piece_done says
// that all have. There is memory for it, or the program ends.
struct twi_arrival *twi_piece_arrives(struct twi_place *place, uint32_t home, uint64_t handle,
                                      int is_awaited);
// Tells homes which of their pieces have ended here since the last time.
void twi_pieces_tell_ends(struct twi_place *place);

// ---- both ----

// Of the kinds DONE, RESULT, FAILED, CANCEL and GIVE_UP.
void twi_piece_mail(struct twi_place *place, uint32_t from, const struct twi_packet *packet,
                    const void *bytes);
// Tells other places of what failed or was cancelled here since the last time.
void twi_pieces_heed(struct twi_place *place);
// One piece of the scope is done, elsewhere.
void twi_piece_done(struct tw_scope *scope);

#endif
