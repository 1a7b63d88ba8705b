// SPDX-License-Identifier: Apache-2.0
// tw_run and what a program can ask of the running pool.
#include <stdlib.h>
#include <string.h>

#include <twill/runtime.h>

#include "base/context.h"
#include "base/cpus.h"
#include "base/os.h"
#include "base/topology.h"
#include "core/scope.h"
#include "task/run.h"
#include "task/task.h"

// The largest stack: a fiber's block is at most 4 GiB (core/fiber.c), and slots take as much of
// it as the stack. The setting has the same bound.
#define STACK_MAX ((size_t)1 << 30)
#define TRACE_EVENTS_MIN 16
#define TRACE_EVENTS_MAX ((size_t)1 << 24)

void *tw_spill(const void *args, size_t size, size_t align)
{
    void *spilled = NULL;
    if (align < sizeof(void *))
        align = sizeof(void *);
    if (posix_memalign(&spilled, align, size) != 0)
        tw_misuse("no memory is left for a task's arguments", "");
    memcpy(spilled, args, size);
    return spilled;
}

void tw_spill_free(void *spilled)
{
    free(spilled);
}

struct tw_fiber *tw_fiber_current(void)
{
    struct twi_worker *w = twi_worker_maybe();
    return w ? w->active : NULL;
}

unsigned tw_workers(void)
{
    struct twi_worker *w = twi_worker_maybe();
    return w ? w->pool->count : 0;
}

uint64_t tw_now_ns(void)
{
    return twi_now_ns();
}

const char *tw_version(void)
{
    return TW_VERSION;
}

const char *tw_strerror(int error)
{
    switch (error) {
    case 0:
        return "success";
    case TW_EINVAL:
        return "an argument or a setting is out of range";
    case TW_ENOMEM:
        return "no memory for stacks or workers";
    case TW_EAGAIN:
        return "the system refused another thread";
    case TW_ENOENT:
        return "no setting, or no plugin, of that name";
    case TW_ERANGE:
        return "the buffer is too small";
    case TW_ECANCELED:
        return "the work was cancelled";
    case TW_ETIMEDOUT:
        return "its time was up";
    case TW_EALREADY:
        return "it was done before";
    case TW_EDEADLK:
        return "what waits waits for itself, or for each other";
    case TW_EPIPE:
        return "nobody is left at the other end";
    case TW_EIO:
        return "the trace file cannot be written";
    }
    if (TW_ERRNO(error))
        return strerror(TW_ERRNO(error));
    return "unknown error";
}

// A machine may have more processors than a pool can have workers.
static unsigned workers_for(unsigned allowed, double quota)
{
    unsigned granted = twi_cpus_grant(allowed, quota);
    return granted < TW_WORKERS_MAX ? granted : TW_WORKERS_MAX;
}

void tw_machine_describe(struct tw_machine *m)
{
    m->online = twi_cpus_online();
    m->allowed = twi_cpus_allowed();
    m->quota = twi_cpus_quota("", &m->quota_from);
    m->workers = workers_for(m->allowed, m->quota);
    m->membarrier = twi_membarrier_ready();
    m->guard = twi_guard_kind();
    m->nodes = twi_topology_nodes();
    m->hwloc = twi_topology_has_hwloc();
    m->context = twi_context_kind();
}

// Inside a task the new one is a call, on the workers that are there.
static void run_nested(const struct tw_task_type *type, const void *args,
                       struct tw_outcome *outcome)
{
    struct tw_scope scope;
    struct tw_attempt attempt = {.outcome = outcome};
    tw_attempt_begin(&attempt);
    tw_scope_begin(&scope);
    tw_task_push(type, args);
    tw_scope_end(&scope);
    tw_attempt_end(&attempt);
}

int twi_options_settle(struct tw_options *o)
{
    if (o->workers == 0) {
        const char *from;
        o->workers = workers_for(twi_cpus_allowed(), twi_cpus_quota("", &from));
    }
    if (o->workers > TW_WORKERS_MAX || o->stack_size == 0 || o->stack_size > STACK_MAX)
        return TW_EINVAL;
    if (o->trace && (o->trace_events < TRACE_EVENTS_MIN || o->trace_events > TRACE_EVENTS_MAX))
        return TW_EINVAL;
    return 0;
}

// 0, and the outcome is the run's; or TW_E..., and nothing was run.
static int run_pool(const struct tw_options *options, const struct tw_task_type *type,
                    const void *args, struct tw_outcome *outcome)
{
    struct tw_options granted = *options;
    int error = twi_options_settle(&granted);
    if (error)
        return error;
    struct twi_detached *piece = twi_detach(type);
    if (!piece)
        return TW_ENOMEM;
    twi_pack(piece->slot.payload, args, type->args_size, type->args_align);
    granted.outcome = outcome;
    error = twi_pool_run(&granted, piece);
    if (error) {
        twi_slot_drop(&piece->slot);
        free(piece);
    }
    return error;
}

static int run_by_defaults(const struct tw_task_type *type, const void *args,
                           struct tw_outcome *outcome)
{
    struct tw_options defaults;
    int error = tw_options_init(&defaults, NULL, 0);
    return error ? error : run_pool(&defaults, type, args, outcome);
}

int twi_run_here(const struct tw_options *options, const struct tw_task_type *type,
                 const void *args)
{
    struct tw_outcome unread, *outcome = options && options->outcome ? options->outcome : &unread;
    int error = 0;
    *outcome = twi_outcome_none();
    if (type->result_size)
        error = TW_EINVAL;
    else if (twi_worker_maybe())
        run_nested(type, args, outcome);
    else if (options)
        error = run_pool(options, type, args, outcome);
    else
        error = run_by_defaults(type, args, outcome);
    if (error)
        outcome->error = error;
    return outcome->error;
}
