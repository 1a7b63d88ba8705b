// SPDX-License-Identifier: Apache-2.0
// What the files of the engine share. model.h is the outside.
//
//   location.c   which memory is atomic, which plain, who touches it (learnt while running)
//   memory.c     atomic operations: histories and views
//   race.c       plain accesses
//   barrier.c    fences, membarrier
//   thread.c     threads as coroutines, choices, waiting (pause, futex)
//   state.c      the canonical form of a state, the set of states seen
//   explore.c    one execution, the search, model_run
//   report.c     the failing schedule, model_main
#ifndef MODEL_INTERNAL_H
#define MODEL_INTERNAL_H

#include <errno.h>
#include <stdbool.h>
#include <string.h>

#include "coroutine.h"
#include "model.h"

enum {
    MC_THREADS = 8,
    MC_CHECKER = MC_THREADS, // the coroutine of setup() and check()
    MC_VIEW = 128,
    MC_LANE = 16, // views are handled in lanes of this many bytes
    MC_LOCATIONS = 768,
    MC_HISTORY = 128,
    MC_WRITES = 2048,
    MC_CHOICES = 16384,
    MC_NOTHING = 255,
};

// What a thread or a message knows. at[0..7]: how far it is ordered after each thread, in epochs;
// at[slot]: the oldest write of that atomic location it may still read, by modification order.
struct mc_view {
    _Alignas(MC_LANE) uint8_t at[MC_VIEW];
};

struct mc_write {
    struct mc_view view; // what an acquire load of this write learns
    uint64_t value;
    bool update;   // by a read-modify-write: nothing may come between it and the write before
    unsigned step; // of the recorded schedule
};

// The writes of an atomic location in modification order.
struct mc_history {
    unsigned last;
    uint16_t write[MC_HISTORY];
};

// The latest accesses of a location by each thread, as epochs of that thread; 0 is none. Kept for
// locations that see plain accesses.
struct mc_marks {
    uint8_t writer; // of the last plain write
    uint8_t write;
    uint8_t read[MC_THREADS];
    uint8_t atomic_read[MC_THREADS];
    uint8_t atomic_write[MC_THREADS];
};

// An atomic object, or four bytes of plain memory. Everything but `marks` and `touched` is
// knowledge that outlives an execution.
struct mc_location {
    char *address;
    uint8_t size;
    uint8_t slot;    // in views; 0: no atomic access seen
    bool plain;      // plain accesses seen
    uint8_t threads; // that access it
    uint8_t writers; // that may change it
    bool touched;    // accessed in this execution
    struct mc_marks marks;
};

enum mc_access_kind { MC_READ, MC_CHANGE };

enum mc_waiting {
    MC_READY,
    MC_PAUSED,      // until something it read has a newer write
    MC_FUTEX,       // until woken
    MC_FUTEX_TIMED, // or until its time is over: at any moment
    MC_WOKEN,
    MC_FINISHED,
};

struct mc_thread {
    struct mc_view now;      // what it knows
    struct mc_view acquired; // what it would know after an acquire fence
    struct mc_view released; // what its relaxed stores pass on: known at its last release fence
    struct mc_view seen;     // position + 1 of what it read since its last pause
    uint64_t history;        // hash of all it observed: stands for its local state
    uint64_t turn;           // the same since its last pause
    uint64_t turn_before;
    uint64_t history_at_pause;
    uint64_t pause_site;
    enum mc_waiting waiting;
    unsigned waits_for; // location of the futex word
    uint8_t barrier;    // threads its membarrier has yet to reach
    struct mc_coroutine coroutine;
};

enum mc_ending {
    MC_DONE,
    MC_SEEN,   // met a state that was explored before
    MC_LEARNT, // knowledge changed: what was explored with less does not count
    MC_FAILED,
};

struct mc_choice {
    uint8_t taken;
    uint8_t count;
    uint16_t situation; // of the running thread, to notice when it does not repeat
};

enum mc_event_kind {
    MC_EVENT_LOAD,
    MC_EVENT_STORE,
    MC_EVENT_UPDATE,
    MC_EVENT_CAS,
    MC_EVENT_CAS_FAILED,
    MC_EVENT_PLAIN_READ,
    MC_EVENT_PLAIN_WRITE,
    MC_EVENT_FENCE,
    MC_EVENT_BARRIER,
    MC_EVENT_WAIT,
    MC_EVENT_WAIT_ENDS,
    MC_EVENT_WAKE,
    MC_EVENT_PAUSE,
    MC_EVENT_CHOICE,
    MC_EVENT_FINISH,
};

struct mc_event {
    enum mc_event_kind kind;
    uint8_t thread;
    const struct mc_location *location;
    const void *address;
    int order;
    uint64_t old; // what was read
    uint64_t value;
    int from;       // step that wrote what was read; 0: the initial value
    unsigned newer; // writes passed over by the read, or by the place of the store
    const char *file;
    int line;
};

struct mc_engine {
    const struct model_program *program;
    struct model_result *result;
    int running; // thread id, or MC_CHECKER
    unsigned operations;
    unsigned operations_max;
    uint64_t states_max;
    bool random;    // choices are made by chance
    bool learning;  // executions that gather knowledge: every operation is a point to switch at
    bool recording; // the failing execution once more, for the report
    bool launching; // threads go up to their first visible operation, one after the other
    void (*at_state)(void); // instead of the search: a test of the engine looks at each state
    enum mc_ending ending;
    struct mc_coroutine explorer; // the caller of model_run
    struct mc_coroutine checker;
    struct mc_thread thread[MC_THREADS];
    size_t allocated[MC_THREADS + 1];

    struct mc_view sequence; // of seq_cst fences and stores; holds no epochs
    struct mc_view departed; // what finished threads knew, for membarriers; holds no epochs
    unsigned view_size;      // bytes of views in use, a multiple of MC_LANE
    unsigned writes;
    struct mc_history history[MC_VIEW]; // by slot
    struct mc_write write[MC_WRITES];   // the first ones are the initial values, by slot

    unsigned slots; // first free
    unsigned locations;
    struct mc_location location[MC_LOCATIONS];
    uint8_t pausers; // threads that call TWI_PAUSE
    bool barriers;   // someone calls membarrier
    unsigned facts;  // how much was learnt

    unsigned depth; // choices made in this execution
    unsigned known; // of which these are prescribed
    struct mc_choice choice[MC_CHOICES];
};

extern struct mc_engine mc;

// ---- location.c ----
void mc_location_forget_all(void);
void mc_location_begin_execution(void);
// The atomic object that holds `object`; *shift is where in it. Learns.
struct mc_location *mc_location_atomic(const volatile void *object, size_t size,
                                       enum mc_access_kind kind, unsigned *shift);
// What stands at the four bytes at `address`, atomic or plain. Learns.
struct mc_location *mc_location_plain(const char *address, enum mc_access_kind kind);
void mc_learn(bool *fact);
uint64_t mc_memory_read(const volatile void *object, size_t size);
void mc_memory_write(volatile void *object, size_t size, uint64_t value);

// ---- memory.c ----
static inline bool mc_acquires(int order)
{
    return order == TWI_ACQUIRE || order == TWI_ACQ_REL || order == TWI_SEQ_CST;
}
static inline bool mc_releases(int order)
{
    return order == TWI_RELEASE || order == TWI_ACQ_REL || order == TWI_SEQ_CST;
}
void mc_view_join(struct mc_view *into, const struct mc_view *from);
static inline struct mc_write *mc_written(unsigned slot, unsigned position)
{
    return &mc.write[mc.history[slot].write[position]];
}
static inline struct mc_write *mc_newest(unsigned slot)
{
    return mc_written(slot, mc.history[slot].last);
}
// Brings the history into line with what is in memory: an initial value set late is adopted.
void mc_memory_touch(struct mc_location *x);
// A plain write of an atomic object, already in memory.
void mc_memory_plain_write(struct mc_location *x);
// The running thread reads the newest value of x without ordering.
uint64_t mc_memory_newest(struct mc_location *x);

// ---- race.c ----
void mc_race_atomic(struct mc_location *x, enum mc_access_kind kind, const char *file, int line);

// ---- barrier.c ----
// What the thread knows is passed on by what it does next: later accesses are a new epoch.
void mc_next_epoch(int thread);

// ---- thread.c ----
static inline struct mc_thread *mc_me(void)
{
    return &mc.thread[mc.running];
}
static inline bool mc_thread_finished(int id)
{
    return mc.thread[id].waiting == MC_FINISHED;
}
// From the checker's coroutine: brings every thread to its first visible operation, then runs them
// until the execution ends. Does not return.
void mc_thread_run_all(void) __attribute__((noreturn));
// Counts an operation of the running thread.
void mc_operation(void);
// The running thread is about to do something that others can notice.
void mc_visible(void);
void mc_observe(uint64_t value);
void mc_end(enum mc_ending ending) __attribute__((noreturn));

// ---- explore.c ----
// Any of 0 .. count-1: as prescribed, or the first one, the others to be taken later.
unsigned mc_choose(unsigned count);
// Runs the program once. The first mc.known choices are those in mc.choice.
enum mc_ending mc_execute(void);

// ---- state.c ----
uint64_t mc_mix(uint64_t a, uint64_t b);
void mc_state_forget_all(void);
struct mc_digest {
    uint64_t high;
    uint64_t low; // not 0
};
struct mc_digest mc_state_digest(void);
// Whether the present state was there before; remembers it.
bool mc_state_seen(void);
uint64_t mc_state_count(void);

// ---- report.c ----
void mc_fail(enum model_verdict verdict, const char *format, ...)
    __attribute__((noreturn, cold, format(printf, 2, 3)));
unsigned mc_record(const struct mc_event *event);
void mc_record_clear(void);
// The last recorded event on the location by that thread, or NULL.
const struct mc_event *mc_record_find(const struct mc_location *x, int thread);
const char *mc_name(const void *address);
void mc_name_forget_all(void);
void mc_report(void);

#endif
