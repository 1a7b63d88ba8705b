// SPDX-License-Identifier: Apache-2.0
// Collections: bags of tasks that an iterative program processes again and again. What one
// iteration learned about the load, where each task ran and how long it took, the next starts with.
//
//     TW_TASK(tile, { int i, j; }) { ... }
//
//     struct tw_collection *tiles;
//     tw_collection_create(&tiles, &(struct tw_collection_options){.task_size = 8});
//     for (int i = 0; i < n; i++)
//         tw_collection_add(tiles, tile, .i = i, .j = 0);
//     for (int step = 0; step < steps; step++) {
//         tw_collection_process(tiles);                    // runs them all, everywhere
//         tw_collection_restore(tiles);                    // they are there again
//     }
//
// Tasks added before a process are its seeds; only seeds are restored. A task that runs may add
// more to the same collection, which run in the same process and whose cost counts for the seed
// they come from, or to another, which are seeds there. Arguments mean the same at every place: no
// pointers. docs/collections.md has a tutorial.
//
// What is collective all places call, in the same order, where place.h allows it; with one place,
// in any task or outside tasks.
#ifndef TWILL_COLLECTION_H
#define TWILL_COLLECTION_H

#include <stddef.h>
#include <stdint.h>

#include <twill/place.h>

#ifndef TWILL_SERIAL

// How tasks come to workers.
enum tw_balance {
    TW_BALANCE_RETENTIVE, // idle workers steal; the next process starts with who ran what
    TW_BALANCE_STEAL,     // idle workers steal; the next starts as this one started
    TW_BALANCE_STEAL_ALL, // the same, and keeps tasks that turned out null
    TW_BALANCE_NONE,      // nobody steals
    // Costs that were measured, or hints of new seeds, say where a process starts each task; while
    // one has neither, idle workers steal.
    TW_BALANCE_PERSIST_CENTRAL, // place 0 hands out what workers have too much
    TW_BALANCE_PERSIST_TREE,    // ... a tree of all workers does
    TW_BALANCE_AUTO,            // as retentive, and such a rebalance in between whenever it pays
};

struct tw_collection_options {
    size_t task_size;        // bytes of the largest arguments of its tasks; at most 64 KiB
    size_t tasks_first;      // each worker has room for, at first; 0: 1024
    size_t tasks_max;        // ... and at most, as it grows; 0: as many as memory allows
    unsigned workers;        // of this place; 0: tw_workers(), or outside tasks as tw_run's options
    enum tw_balance balance; //
    void *local;             // what tw_collection_local gives, at this place
};

struct tw_collection;

// A number of each worker: mean and standard deviation over the workers of all places.
struct tw_spread {
    double mean, deviation, most;
};

// Of the rebalance after a process, or else of one by hints before it, over all places. Imbalances
// are those of seeds' costs, with all that they created: where they ran, and where they will begin.
struct tw_rebalance_stats {
    int is_made;    // 0: it was not wanted, did not pay, or would not have helped
    double seconds; // of the slowest place; 0: there was not even a plan
    uint64_t moved; // seeds
    double before, after;
};

// Of one process, over the workers of all places.
struct tw_collection_stats {
    unsigned iteration; // from 1
    unsigned workers;
    double seconds;    // of the slowest place
    double efficiency; // time in tasks over time of workers
    double imbalance;  // the largest time in tasks over the mean; 1: none
    uint64_t tasks, seeds, created, nulls;
    struct tw_spread run;       // tasks
    struct tw_spread work;      // seconds in tasks
    struct tw_spread attempted; // steals
    struct tw_spread stole;     // steals that got something
    struct tw_spread stolen;    // tasks got by them
    struct tw_rebalance_stats rebalance;
};

// What is known of a seed before it runs.
struct tw_hint {
    int worker;       // of this place, modulo their number, that it is best begun by; -1: any
    uint64_t cost_ns; // that it will take, about, for balances that plan; 0: not known
};

// A seed of the last process, with what came of it.
struct tw_record {
    const char *task; // its name
    const void *args;
    size_t size;            // of them
    unsigned worker, index; // of this place; of those that it ran, from 0
    uint64_t cost_ns;       // of it and of all tasks that it, or they, created
};

// A seed that a worker of this place has run shall begin elsewhere the next time.
struct tw_move {
    unsigned worker, index;       // as in its record
    unsigned to_place, to_worker; //
};

#ifdef __cplusplus
extern "C" {
#endif

// Makes a collection. Collective. 0, TW_EINVAL (task_size is 0 or too large, tasks_first more than
// tasks_max), TW_ENOMEM, or TW_ECANCELED: the run was meanwhile. At several places it may suspend,
// and waits for all of them; any thread.
TW_API int tw_collection_create(struct tw_collection **collection,
                                const struct tw_collection_options *options);

// Nobody uses it any more. NULL is none. Never suspends; any thread.
TW_API void tw_collection_free(struct tw_collection *collection);

// Changes how tasks come to workers, from the next restore or process on; the same at all places.
// Never suspends; any thread, while it is not processed.
TW_API void tw_collection_set_balance(struct tw_collection *collection, enum tw_balance balance);

// "retentive", "steal", "steal-all", "none", "persist-central", "persist-tree", "auto"; and back:
// 0, or TW_ENOENT. Never suspend; any thread.
TW_API const char *tw_balance_name(enum tw_balance balance);
TW_API int tw_balance_find(const char *name, enum tw_balance *balance);

// Runs all tasks, with all that they add. Collective; the same result at all places: 0, TW_E..., or
// the error of a task that failed (tw_fail), whereupon tasks that had not begun were dropped.
// In a task it suspends; outside tasks it blocks, as tw_run_spmd does. An empty collection is
// processed at once.
TW_API int tw_collection_process(struct tw_collection *collection);

// Puts back the seeds of the last process, as the balance says, besides what was added since. 0;
// TW_EINVAL: there was no process since the last restore, and nothing is changed; TW_ENOMEM.
// Never suspends; any thread, while it is not processed.
TW_API int tw_collection_restore(struct tw_collection *collection);

// Seeds that it holds at this place. Never suspends; any thread, while it is not processed.
TW_API size_t tw_collection_count(const struct tw_collection *collection);

// Of the last process; all zero before. Never suspends; any thread, while it is not processed.
TW_API const struct tw_collection_stats *
tw_collection_stats(const struct tw_collection *collection);

// Calls `visit` for each seed that was run at this place in the last process, null ones excepted,
// worker by worker. Never suspends; any thread, while it is not processed.
TW_API void tw_collection_visit(const struct tw_collection *collection,
                                void (*visit)(const struct tw_record *record, void *argument),
                                void *argument);

// Moves seeds of the last process, straight to where they shall begin, for the next restore with
// TW_BALANCE_RETENTIVE: what a balancer of the program's own has found out from the records. Each
// place says what leaves it. Collective; 0, or the same error at all places: TW_EINVAL: there is no
// such seed, place or worker, one is named twice, or it was restored already, and nothing is moved;
// TW_ENOMEM. At one place it never suspends, else it may.
TW_API int tw_collection_move(struct tw_collection *collection, const struct tw_move *moves,
                              size_t count);

// Rebalances the seeds of the last process by what they cost, as TW_BALANCE_PERSIST_CENTRAL or
// TW_BALANCE_PERSIST_TREE says, under whatever balance: for a program that knows when. They go
// straight to where the next restore shall put them, with any balance that retains. Statistics tell
// of it. Collective; 0, or the same error at all places: TW_EINVAL: another balance, or there was
// no process since the last restore; TW_ENOMEM; TW_ECANCELED. At one place it never suspends; at
// several it may in a task, and outside tasks it blocks.
TW_API int tw_collection_rebalance(struct tw_collection *collection, enum tw_balance balance);

// In a task of a collection: which it is, and the `local` of its options; NULL elsewhere. Never
// suspend.
TW_API struct tw_collection *tw_collection_current(void);
TW_API void *tw_collection_local(void);

// The calling task of a collection had nothing to do: its seed is not restored any more, but with
// TW_BALANCE_STEAL_ALL. Of tasks that were created, or created others, it means nothing. Never
// suspends.
TW_API void tw_collection_null(void);

// What the macros below call; not for direct use.
TW_API int tw_collection_put(struct tw_collection *collection, struct tw_hint hint,
                             const struct tw_task_type *type, const void *args);
TW_API void *tw_collection_reserve(struct tw_collection *collection, struct tw_hint hint,
                                   const struct tw_task_type *type);

// Adds the task whose slot was reserved by tw_collection_slot. Never suspends.
TW_API void tw_collection_commit(struct tw_collection *collection);

#ifdef __cplusplus
}
#endif

// tw_collection_add(collection, name, .field = value, ...)  adds a TW_TASK: 0; TW_ERANGE: the
// worker's queue has tasks_max already; TW_EINVAL: its arguments are larger than task_size;
// TW_EAGAIN: the collection is processed, and the caller is no task of it; TW_ENOMEM. Seeds go to
// the workers of this place in turn. Never suspends; any thread.
#define tw_collection_add(collection, name, ...)                                                   \
    tw_collection_add_near(collection, -1, name, __VA_ARGS__)

// tw_collection_add_near(collection, worker, name, .field = value, ...)  is the same for a seed
// that is best begun by that worker of this place, modulo their number: seeds with the same data.
#define tw_collection_add_near(collection, near, name, ...)                                        \
    tw_collection_add_hinted(collection, (near), 0, name, __VA_ARGS__)

// tw_collection_add_hinted(collection, worker, cost_ns, name, .field = value, ...)  is the same,
// and says how long the task will take, about: 0, not known. With a balance that plans, seeds that
// all have a hint or have run before are rebalanced at the start of the next process already, away
// from the worker named if need be. Once it has run, what it took counts.
#define tw_collection_add_hinted(collection, near, expected_ns, name, ...)                         \
    (__extension__({                                                                               \
        TWI_REQUIRE_TASK(name);                                                                    \
        TWI_TRAVELLING_TYPE(name);                                                                 \
        struct tw_args_##name twi_args = {__VA_ARGS__};                                            \
        struct tw_hint twi_hint = {(near), (expected_ns)};                                         \
        tw_collection_put((collection), twi_hint, &twi_here, &twi_args);                           \
    }))

// tw_collection_slot(collection, name)  is the address of the arguments of a new seed, where it
// will stand: to be filled, then tw_collection_commit. NULL: as the errors above. Nothing else of
// the collection may be used in between, and the caller does not suspend.
#define tw_collection_slot(collection, name) tw_collection_slot_hinted(collection, -1, 0, name)

// tw_collection_slot_hinted(collection, worker, cost_ns, name)  is the same with both hints.
#define tw_collection_slot_hinted(collection, near, expected_ns, name)                             \
    (__extension__({                                                                               \
        TWI_REQUIRE_TASK(name);                                                                    \
        TWI_TRAVELLING_TYPE(name);                                                                 \
        struct tw_hint twi_hint = {(near), (expected_ns)};                                         \
        (struct tw_args_##name *)tw_collection_reserve((collection), twi_hint, &twi_here);         \
    }))

#endif
#endif
