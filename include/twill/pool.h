// SPDX-License-Identifier: Apache-2.0
// Pools that outlive a run, for programs with threads of their own: start one, submit tasks from
// any thread, wait for each.
//
//     struct tw_pool *pool;
//     if (tw_pool_start(&pool, NULL) != 0) ...
//     struct tw_job job;
//     tw_submit(pool, &job, index_file, .path = path);
//     ... the thread does something else ...
//     int error = tw_job_wait(&job);
//     tw_pool_stop(pool);
#ifndef TWILL_POOL_H
#define TWILL_POOL_H

#include <stdint.h>

#include <twill/attempt.h>
#include <twill/line.h>
#include <twill/runtime.h>

#ifndef TWILL_SERIAL

struct tw_pool;

// A submitted task with all it starts; the caller's memory, not to be touched before the wait.
struct tw_job {
    struct tw_scope scope; // first: known by it
    void (*over)(struct tw_scope *scope);
    struct tw_attempt attempt;
    struct tw_outcome outcome;
    struct tw_pool *pool;
    struct tw_line line; // tasks that wait
    uint32_t done;       // writer: the last piece, under the line's guard; readers: who waits
};

#ifdef __cplusplus
extern "C" {
#endif

// Starts workers that wait for tasks; idle ones sleep. options NULL: those of tw_options_init.
// Returns 0, TW_EINVAL, TW_ENOMEM or TW_EAGAIN, and then there is no pool. Any thread, also in a
// task: the new pool has threads of its own. Never suspends.
TW_API int tw_pool_start(struct tw_pool **pool, const struct tw_options *options);

// Waits for all that was submitted, ends the workers and frees the pool; statistics are filled
// now. Returns 0, or TW_EINVAL from a task of that very pool. Not from two threads at once. Blocks
// the calling thread.
TW_API int tw_pool_stop(struct tw_pool *pool);

// Hands a task to a pool. `args` are copied. Returns 0, TW_EINVAL for a function, TW_ENOMEM, and
// then nothing will be run. Any thread. Never suspends.
TW_API int tw_submit_task(struct tw_pool *pool, struct tw_job *job, const struct tw_task_type *type,
                          const void *args);

// Waits until the job and all it started is done; returns its error as tw_run does. A task waits
// without holding its worker (it suspends), a thread blocks. The job's memory is the caller's again
// only after this. TW_EDEADLK at once, from a task of the job itself.
TW_API int tw_job_wait(struct tw_job *job);

// The same, but the wait ends at the deadline (TW_ETIMEDOUT), or when what the task is inside of is
// cancelled (TW_ECANCELED). Whether it was the job or the wait that ended so, tw_job_done tells.
TW_API int tw_job_wait_until(struct tw_job *job, uint64_t deadline_ns);

// Whether the job is done: then tw_job_wait returns at once. Never suspends; any thread.
TW_API int tw_job_done(struct tw_job *job);

// Cancels the job: what has not started is dropped, what runs can ask tw_cancelled(). It still has
// to be waited for. Never suspends; any thread.
TW_API void tw_job_cancel(struct tw_job *job);

#ifdef __cplusplus
}
#endif

// tw_submit(pool, &job, name, .field = value, ...)  submits a TW_TASK; see tw_submit_task.
#define tw_submit(pool, job, name, ...)                                                            \
    (__extension__({                                                                               \
        TWI_REQUIRE_TASK(name);                                                                    \
        struct tw_args_##name twi_submit_args = {__VA_ARGS__};                                     \
        static const struct tw_task_type twi_here = TWI_TYPE(name, 0, 0);                          \
        tw_submit_task((pool), (job), &twi_here, &twi_submit_args);                                \
    }))

#endif
#endif
