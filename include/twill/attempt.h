// SPDX-License-Identifier: Apache-2.0
// Attempts: blocks whose tasks fail, time out or are cancelled together. And values that a block
// gives to everything inside it.
//
//     struct tw_outcome outcome;
//     tw_attempt(&outcome, .timeout_ns = 50000000) {
//         for (int i = 0; i < n; i++)
//             tw_async(probe, .host = host[i]);
//     }
//     if (outcome.error)
//         printf("error %d, said by %s\n", outcome.error, outcome.task);
//
// An attempt is a tw_finish as well: it ends when all it started has ended. What is inside it is
// everything started in the block, transitively, whichever worker runs it. A cancelled attempt
// drops its asyncs and loop iterations that have not started; those that run can ask tw_cancelled()
// and return early. Forked functions always run, since somebody needs their value. An attempt
// inside a cancelled one is cancelled too. Around everything there is the run itself: failing
// outside any attempt ends the run, and tw_run returns the error.
#ifndef TWILL_ATTEMPT_H
#define TWILL_ATTEMPT_H

#include <stdint.h>

#include <twill/api.h>
#include <twill/task.h>

// How an attempt ended.
struct tw_outcome {
    int error;               // 0, what tw_fail was first given, TW_ECANCELED or TW_ETIMEDOUT
    const char *task;        // who failed: a task's or a function's name; "" when nobody did
    const char *spawn_file;  // where that task was started; "" for functions
    unsigned spawn_line;     //
    const char *failed_file; // where tw_fail stands; "" when there was none
    unsigned failed_line;    //
    unsigned place;          // where it failed (place.h)
};

static inline struct tw_outcome twi_outcome_none(void)
{
    struct tw_outcome none = {0, "", "", 0, "", 0, 0};
    return none;
}

// A name for values that blocks give; its address is what counts.
struct tw_local {
    const char *name;
};

// Something that happens at a deadline (src/core/alarm.h): a fiber's wait ends, or, where there is
// no fiber, the attempt that the alarm is part of is cancelled.
struct tw_alarm {
    uint64_t deadline_ns TWI_ZERO;
    struct twi_alarms *alarms TWI_ZERO; // where it was set; NULL: it was not
    struct tw_fiber *fiber TWI_ZERO;
    uint64_t ticket TWI_ZERO;  // of the fiber's wait
    uint32_t place TWI_ZERO;   // there, from 1; 0: not any more. under its lock
    uint32_t ringing TWI_ZERO; // an attempt is being cancelled. writer: who does; reader: its owner
};

// The state of a block; the first two fields are its options, the rest is Twill's.
struct tw_attempt {
    struct tw_outcome *outcome TWI_ZERO; // NULL: an error fails the enclosing attempt
    uint64_t timeout_ns TWI_ZERO;        // 0: none
    const struct tw_local *key TWI_ZERO; // set: the block gives a value and is no attempt
    void *value TWI_ZERO;                //
    struct tw_attempt *outer TWI_ZERO;   // the next one around it, perhaps another worker's.
                                         // constant
    struct tw_attempt *below TWI_ZERO;   // the next older of the same fiber. owner, under the
                                         // fiber's lock
    struct tw_fiber *fiber TWI_ZERO;     // whose block it is. constant
    struct tw_slot *base TWI_ZERO;       // tasks from this slot on are inside. constant
    uint32_t cancelled TWI_ZERO;         // writers: whoever cancels; readers: all inside
    struct tw_outcome first TWI_ZERO;    // who failed first. under the pool's lock
    struct tw_alarm alarm TWI_ZERO;      // rings at its deadline, if it has one
};

// tw_attempt(&outcome, .timeout_ns = ...) { ... }  as above; `outcome` may be NULL. May suspend at
// its end. In tasks and in the plain functions they call.
#define tw_attempt(result, ...) TWI_ATTEMPT({.outcome = (result), __VA_ARGS__})

// tw_with(&key, pointer) { ... }  makes tw_local_get(&key) give `pointer` in everything inside the
// block, on whichever worker. Like tw_finish it waits for its tasks.
#define tw_with(local, pointer) TWI_ATTEMPT({.key = (local), .value = (pointer)})

#define TWI_ATTEMPT(...)                                                                           \
    for (struct tw_attempt twi_attempt __attribute__((cleanup(tw_attempt_end))) = __VA_ARGS__,     \
                                       *twi_trying = tw_attempt_begin(&twi_attempt);               \
         twi_trying; twi_trying = NULL)                                                            \
        tw_finish

// Fails the innermost attempt: the first error of an attempt is its outcome, and the attempt is
// cancelled. The task goes on; as a rule it returns next. `error` is not 0, anything else will do.
// From a task. Never suspends.
#define tw_fail(error) TWI_FAIL_AS(__func__, (error))
#define TWI_FAIL_AS(name, error) tw_attempt_fail((error), (name), TWI_SITE, __FILE__, __LINE__)

#ifdef TWILL_SERIAL
#include <twill/serial_attempt.h>
#else

#ifdef __cplusplus
extern "C" {
#endif

// The halves of the block, for plain functions without macros: begin and end must pair in one
// function, with a scope (tw_scope_begin, tw_scope_end) inside that holds all the tasks. Begin
// returns its argument. Neither suspends; from a task.
TW_API struct tw_attempt *tw_attempt_begin(struct tw_attempt *attempt);
TW_API void tw_attempt_end(struct tw_attempt *attempt);

// What tw_fail calls. From a task. Never suspends.
struct tw_task_type;
TW_API void tw_attempt_fail(int error, const char *function, const struct tw_task_type *site,
                            const char *file, unsigned line);

// Cancels the innermost attempt: its outcome is TW_ECANCELED, unless it fails. From a task. Never
// suspends.
TW_API void tw_cancel(void);

// Whether what the calling task is inside of was cancelled. A call and a load, as long as nothing
// of the pool is cancelled. Never suspends; any thread, 0 outside tasks.
TW_API int tw_cancelled(void);

// The value that the innermost block around the calling task gave for `key`, or NULL. Never
// suspends; any thread, NULL outside tasks.
TW_API void *tw_local_get(const struct tw_local *key);

#ifdef __cplusplus
}
#endif

#endif
#endif
