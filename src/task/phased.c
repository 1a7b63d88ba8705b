// SPDX-License-Identifier: Apache-2.0
// Tasks that start registered with phasers (tw_async_phased in include/twill/phaser.h).
//
// Such a task is put in a bag, so that a worker's loop starts it on a fiber of its own. In the
// deque it could be run as a call on the stack of who started it; and when it then waits, so does
// that one, which may be the party it waits for.
//
// The body finds its registrations by the type it was started as, which is its own copy.
#include <stdlib.h>
#include <string.h>

#include <twill/phaser.h>

#include "task/task.h"

struct phased {
    struct twi_detached task; // first: freed by who runs it
    struct tw_task_type type; // as the spawn has it, but run by run_phased
    const struct tw_task_type *body;
    unsigned char args[TW_SLOT_PAYLOAD] __attribute__((aligned(TWI_PAYLOAD_ALIGN)));
    unsigned count;
    struct tw_party parties[];
};

static void drop_all(struct phased *phased)
{
    for (unsigned i = 0; i < phased->count; i++)
        if (phased->parties[i].mode)
            tw_phaser_drop(&phased->parties[i]);
}

static void run_phased(struct tw_fiber *fiber, struct tw_slot *head, const void *payload,
                       void *result)
{
    struct phased *phased;
    (void)result;
    memcpy(&phased, payload, sizeof phased);
    phased->body->run(fiber, head, phased->args, &phased->type);
    drop_all(phased);
}

// The task was cancelled before it started.
static void forgo(struct twi_detached *task)
{
    struct phased *phased = (struct phased *)task;
    struct tw_slot slot = {.type = phased->body};
    memcpy(slot.payload, phased->args, sizeof slot.payload);
    twi_slot_drop(&slot);
    drop_all(phased);
}

static struct phased *allocate(const struct tw_task_type *type, unsigned count)
{
    size_t size = sizeof(struct phased) + count * sizeof(struct tw_party);
    struct phased *phased = aligned_alloc(_Alignof(struct phased), (size + 63) & ~(size_t)63);
    if (!phased)
        tw_misuse("no memory is left for a task", type->name);
    memset(phased, 0, size);
    return phased;
}

void tw_task_phased(const struct tw_task_type *type, const void *args,
                    const struct tw_phasing *list, unsigned count)
{
    struct tw_fiber *f = twi_fiber_here(NULL);
    struct phased *phased = allocate(type, count);
    phased->type = *type;
    phased->type.args_size = sizeof phased;
    phased->type.args_align = _Alignof(struct phased *);
    phased->type.run = run_phased;
    phased->body = type;
    phased->count = count;
    twi_pack(phased->args, args, type->args_size, type->args_align);
    twi_pack(phased->task.slot.payload, &phased, sizeof phased, _Alignof(struct phased *));
    phased->task.slot.type = &phased->type;
    phased->task.slot.scope = f->scope;
    phased->task.attempt = twi_attempt_current(twi_fiber_of(f));
    phased->task.forgo = forgo;
    for (unsigned i = 0; i < count; i++)
        tw_phaser_join(list[i].phaser, &phased->parties[i], list[i].mode);
    twi_put_in_bag(f, &phased->task, TWI_NORMAL);
}

struct tw_party *tw_phased_party(const struct tw_task_type *site, const struct tw_phaser *phaser)
{
    if (!site || site->run != run_phased)
        tw_misuse("tw_phased stands outside the body of a task that tw_async_phased started",
                  site ? site->name : "");
    struct phased *phased = (struct phased *)((char *)site - offsetof(struct phased, type));
    for (unsigned i = 0; i < phased->count; i++)
        if (phased->parties[i].phaser == phaser)
            return &phased->parties[i];
    tw_misuse("tw_phased of a phaser that the task was not started with", site->name);
}
