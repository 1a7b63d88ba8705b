// SPDX-License-Identifier: Apache-2.0
// Running tasks: tw_run, settings, statistics, version; and the plain functions under the macros of
// task.h for callers that prefer them.
#ifndef TWILL_RUNTIME_H
#define TWILL_RUNTIME_H

#include <stddef.h>
#include <stdint.h>

#include <twill/api.h>
#include <twill/task.h>

#define TW_VERSION "0.1.0"
#define TW_WORKERS_MAX 1024

#ifdef __cplusplus
extern "C" {
#endif

// ---- settings ----

enum tw_bind {
    TW_BIND_AUTO, // one processor for each worker when they are equally many, and one pool
    TW_BIND_ON,
    TW_BIND_OFF,
};

enum tw_topology {
    TW_TOPOLOGY_AUTO,  // ask hwloc when there are several memory nodes
    TW_TOPOLOGY_HWLOC, // always ask it, when it can be loaded
    TW_TOPOLOGY_OFF,   // processors by number
};

// Where a task goes on that waited (docs/latency-hiding.md, docs/networks.md).
enum tw_wake {
    TW_WAKE_AUTO, // where it ran last, or with who woke it if tasks run but shortly
    TW_WAKE_CUR,  // with the worker that woke it
    TW_WAKE_LAST, // with the worker it ran on last
    TW_WAKE_LHWS, // with the worker it ran on last; thieves split what waits there
};

// How many a thief takes of tasks that can go on.
enum tw_steal {
    TW_STEAL_AUTO, // one under cur and last, else half
    TW_STEAL_ONE,
    TW_STEAL_HALF,
};

// How tasks wait for sockets and files.
enum tw_io {
    TW_IO_AUTO,  // sockets by epoll; files by io_uring, or on other threads where it is absent
    TW_IO_EPOLL, // without io_uring
    TW_IO_URING, // all by io_uring
};

// What processor the communication worker of a place has, which talks to the others
// (docs/places.md).
enum tw_comm {
    TW_COMM_AUTO,      // one of its own where the place has eight or more, and not all work
    TW_COMM_DEDICATED, // one of its own, on which it looks all the time while something comes
    TW_COMM_SHARED,    // none: it sleeps between looks
};

// Counters of one worker over one run.
struct tw_worker_stats {
    uint64_t tasks;        // tasks run. Those run by their spawner are counted only in sources
                           // compiled with -DTWILL_COUNT_TASKS, which costs 0.3 ns each
    uint64_t pieces;       // tasks run on a fiber other than their spawner's
    uint64_t steals_tried; // looks at another fiber's deque
    uint64_t steals;       // looks that brought a task
    uint64_t nudges_tried; // attempts to take a task its owner had not shared
    uint64_t nudges;       // that brought one
    uint64_t parks;        // tasks that had to wait
    uint64_t sleeps;       // times the worker slept
    uint64_t wakes;        // other workers it woke
    uint64_t stacks;       // fibers it made
    uint64_t shares;       // times it moved private tasks to the shared part
    uint64_t overflows;    // tasks put on a fresh stack because slots or stack ran short
    uint64_t dropped;      // asyncs not run because their attempt was cancelled
    uint64_t traced;       // events recorded for the trace
    uint64_t trace_lost;   // of them overwritten by later ones
};

// Filled at the end of a run. The caller provides room for the workers it wants to hear of.
struct tw_stats {
    unsigned workers;               // out: how many ran
    unsigned room;                  // in: entries at `worker`
    struct tw_worker_stats *worker; // in: where to put them; may be NULL
    struct tw_worker_stats sum;     // out
    int trace_error;                // out: TW_EIO when the trace is not complete, a full disk say
};

struct tw_outcome;

// Called on each worker's own thread before its first task and after its last, for libraries that
// keep something for each thread. NULL: not called.
struct tw_hooks {
    void (*worker_start)(void *context, unsigned worker);
    void (*worker_stop)(void *context, unsigned worker);
    void *context;
};

struct tw_options {
    unsigned workers;           // 1 to TW_WORKERS_MAX; 0: what the machine grants
    size_t stack_size;          // bytes of each fiber's stack
    enum tw_bind bind;          // bind workers to processors
    enum tw_topology topology;  // in which order
    uint64_t spin_ns;           // how long an idle worker searches before it sleeps
    uint64_t seed;              // of the workers' random choices
    enum tw_wake wake;          // where a task goes on that waited
    enum tw_steal steal;        // how many of them a thief takes
    enum tw_io io;              // how tasks wait for the system (io.h)
    unsigned blocking_max;      // threads at most for tw_blocking
    int dump;                   // 1: SIGUSR1 lists the tasks that wait (tw_dump_tasks)
    int lock_check;             // 1: report cycles in the order of locks (sync.h)
    const char *trace;          // NULL, or a file to write a trace of the run to (docs/trace.md).
                                // The text is not copied: see tw_options_set
    const char *mpi;            // what joins places: "auto", "off", "openmpi", "mpich" or the path
                                // of a plugin (docs/places.md). Not copied either
    const char *policy;         // how idle places find work at others (docs/policies.md)
    const char *detector;       // how places learn that a run is over
    enum tw_comm comm;          // what processor the communication worker has
    size_t trace_events;        // kept for each worker, 16 to 2^24; a power of two or rounded up
    struct tw_stats *stats;     // NULL, or where to put the counters
    struct tw_outcome *outcome; // NULL, or where to put who failed (attempt.h)
    struct tw_hooks hooks;
    unsigned char source[24]; // where each setting came from; kept by tw_options_set
};

// One setting, for help texts: its name as an option, its variable, what it takes.
struct tw_setting {
    const char *name;
    const char *variable;
    const char *accepted;
    const char *help;
};

// The table of settings. Never suspends; any thread. Returns its first entry, *count their number.
TW_API const struct tw_setting *tw_settings(size_t *count);

// Fills `options` with the defaults and then with the TWILL_* variables of the environment, whose
// texts must stay as long as the options are used.
// Returns 0, or TW_EINVAL for a variable whose value is refused: then `message` (if not NULL) says
// which, and that setting keeps its default. Never suspends; any thread.
TW_API int tw_options_init(struct tw_options *options, char *message, size_t size);

// Sets one setting by name from text, as a command line has it. Returns 0, TW_ENOENT for an unknown
// name, TW_EINVAL for a bad value; `message` then names the setting, the value and what is
// accepted, and nothing is changed. A value that is text itself (trace) is not copied: it must live
// as long as the options are used. Never suspends; any thread.
TW_API int tw_options_set(struct tw_options *options, const char *name, const char *value,
                          char *message, size_t size);

// The value in force as text, and where it came from: "default", "environment" or "option".
// Returns 0, TW_ENOENT or TW_ERANGE. Never suspends; any thread.
TW_API int tw_options_get(const struct tw_options *options, const char *name, char *value,
                          size_t size, const char **source);

// ---- running ----

struct tw_task_type;

// Runs a task with all it starts, and returns when all of it is done: 0, or what tw_fail was first
// given outside any attempt (attempt.h). TW_EINVAL, TW_ENOMEM, TW_EAGAIN and TW_EIO (the trace's
// file cannot be created) mean that nothing was run (should a task fail with one of these, the
// outcome tells which it was). options NULL: those of tw_options_init. The calling thread works
// too, as worker 0. From any thread, any number of times, also at once; inside a task the new one
// is called within an attempt, on the workers that are there. Suspends only inside a task.
TW_API int tw_run_task(const struct tw_options *options, const struct tw_task_type *type,
                       const void *args);

#ifdef TWILL_SERIAL
static inline unsigned tw_workers(void)
{
    return 1;
}

static inline int tw_worker(void)
{
    return 0;
}
#else
// Workers of the running pool; 0 outside. Never suspends; any thread.
TW_API unsigned tw_workers(void);

// Number of the worker that runs the calling task, from 0; -1 outside. It may change whenever the
// task suspends. Never suspends; any thread.
TW_API int tw_worker(void);

// A clock that only goes forward, in nanoseconds. Never suspends; any thread.
TW_API uint64_t tw_now_ns(void);

// Writes a line for every task of every pool that waits: what for, since when, where it was spawned
// and how deep its stack has been. How many, or TW_EIO. Never suspends; any thread. The setting
// dump does this on SIGUSR1.
TW_API int tw_dump_tasks(int fd);

// The deepest that any stack of the calling task's pool has been, in bytes, to the page; 0 outside
// tasks. A system call for each stack. Never suspends; any thread.
TW_API size_t tw_stack_peak(void);
#endif

// A sentence for an error code. Never suspends; any thread.
TW_API const char *tw_strerror(int error);

// The version of the library, as TW_VERSION. Never suspends; any thread.
TW_API const char *tw_version(void);

// ---- what a machine grants ----

struct tw_machine {
    unsigned online;        // processors the system has
    unsigned allowed;       // in the affinity mask
    double quota;           // processors granted by the control group; 0: no limit
    const char *quota_from; // "cgroup v2", "cgroup v1" or "none"
    unsigned workers;       // what follows: the default number of workers
    int membarrier;         // tasks hidden behind a long computation can be taken
    const char *guard;      // how stacks are guarded: "madvise" or "mprotect"
    unsigned nodes;         // memory nodes: 1, or 2 for several
    int hwloc;              // hwloc can be loaded
    const char *context;    // context switch: "x86-64", "aarch64" or "ucontext"
};

// Describes this machine as Twill sees it. Never suspends; any thread.
TW_API void tw_machine_describe(struct tw_machine *machine);

// ---- the macros of task.h as functions ----

#ifndef TWILL_SERIAL
// tw_finish, for plain functions (the body of a TW_TASK or TW_FUNCTION uses tw_finish): begin and
// end must pair in one function, innermost first. `scope` is the caller's. tw_scope_end may
// suspend.
TW_API void tw_scope_begin(struct tw_scope *scope);
TW_API void tw_scope_end(struct tw_scope *scope);

// tw_async: `args` (type->args_size bytes) is copied. From a task; fastest when the innermost open
// scope was begun by tw_scope_begin.
TW_API void tw_task_push(const struct tw_task_type *type, const void *args);

// tw_fork and tw_join: the result (type->result_size bytes) goes to `result`. From a task; join may
// suspend.
TW_API struct tw_slot *tw_task_fork(const struct tw_task_type *type, const void *args);
TW_API void tw_task_join(const struct tw_task_type *type, struct tw_slot *forked, void *result);
#endif

#ifdef __cplusplus
}
#endif

// tw_run(name, .field = value, ...)  runs a TW_TASK; see tw_run_task. tw_run_with(options, ...)
// takes a struct tw_options *.
#ifdef TWILL_SERIAL
#define tw_run(name, ...)                                                                          \
    (__extension__({                                                                               \
        struct tw_outcome twi_outcome;                                                             \
        struct tw_attempt twi_run = {.outcome = &twi_outcome};                                     \
        tw_attempt_begin(&twi_run);                                                                \
        tw_call(name, __VA_ARGS__);                                                                \
        tw_attempt_end(&twi_run);                                                                  \
        twi_outcome.error;                                                                         \
    }))
#define tw_run_with(options, name, ...) ((void)(options), tw_run(name, __VA_ARGS__))
#else
#define tw_run(name, ...) tw_run_with(NULL, name, __VA_ARGS__)
#define tw_run_with(options, name, ...)                                                            \
    (__extension__({                                                                               \
        struct tw_args_##name twi_run_args = {__VA_ARGS__};                                        \
        tw_run_task((options), &tw_type_##name, &twi_run_args);                                    \
    }))
#endif

#endif
