// SPDX-License-Identifier: Apache-2.0
// See call.h. A call is a task of its own type, whose argument is the address of what it needs. One
// that is cancelled before it starts gives its future an error.
#include "place/call.h"

#include <stdlib.h>
#include <string.h>

#include <twill/place.h>

#include "task/task.h"

struct call {
    const struct tw_task_type *type;
    struct tw_future *future; // here, claimed; NULL: it came from another place
    void *value;              // of the future
    uint32_t home;            // if it came
    uint64_t handle;
    unsigned char args[];
};

// What a function gave, on its way back.
struct sent_result {
    struct twi_letter letter; // first
    uint32_t home;
    uint64_t handle;
    size_t size;
    unsigned char bytes[];
};

static void deliver_result(struct twi_place *place, struct twi_letter *letter)
{
    struct sent_result *result = (struct sent_result *)letter;
    twi_host_post(place->host, result->home, TWI_MAIL_RESULT, result->handle, result->bytes,
                  (uint32_t)result->size);
    free(result);
}

static void send_back(const struct call *call, const void *payload)
{
    size_t size = call->type->result_size;
    struct sent_result *result = malloc(sizeof *result + size);
    if (!result)
        tw_misuse("no memory for what a function gave", call->type->name);
    *result = (struct sent_result){
        .letter.deliver = deliver_result, .home = call->home, .handle = call->handle, .size = size};
    twi_unpack(result->bytes, payload, size, call->type->result_align);
    twi_place_post(twi_place_here(), &result->letter);
}

static struct call *call_of(const void *payload)
{
    struct call *call;
    memcpy(&call, payload, sizeof call);
    return call;
}

static void run_call(struct tw_fiber *fiber, struct tw_slot *head, const void *payload,
                     void *result)
{
    struct call *call = call_of(payload);
    const struct tw_task_type *type = call->type;
    unsigned char packed[TW_SLOT_PAYLOAD] __attribute__((aligned(TWI_PAYLOAD_ALIGN)));
    (void)result;
    twi_pack(packed, call->args, type->args_size, type->args_align);
    type->run(fiber, head, packed, packed);
    if (call->future) {
        twi_unpack(call->value, packed, type->result_size, type->result_align);
        tw_future_set(call->future, 0);
    } else {
        send_back(call, packed);
    }
    free(call);
}

static const struct tw_task_type call_type = {
    "call", __FILE__, __LINE__, _Alignof(struct call *), 1, sizeof(struct call *), 0, run_call};

static void forgo_call(struct twi_detached *task)
{
    struct call *call = call_of(task->slot.payload);
    if (call->future)
        tw_future_set(call->future, TW_ECANCELED);
    free(call);
}

// NULL: no memory.
static struct twi_detached *detach(const struct call *made, const void *args)
{
    struct call *call = malloc(sizeof *call + made->type->args_size);
    struct twi_detached *task = call ? twi_detach(&call_type) : NULL;
    if (!task) {
        free(call);
        return NULL;
    }
    *call = *made;
    memcpy(call->args, args, made->type->args_size);
    memcpy(task->slot.payload, &call, sizeof call);
    task->forgo = forgo_call;
    return task;
}

struct twi_detached *twi_call_arrives(const struct tw_task_type *type, const void *args,
                                      struct twi_arrival *arrival)
{
    struct call call = {.type = type, .home = arrival->home, .handle = arrival->handle};
    return detach(&call, args);
}

static void call_here(const struct call *call, const void *args)
{
    struct tw_fiber *f = twi_fiber_here(NULL);
    struct twi_detached *task = detach(call, args);
    if (!task)
        tw_misuse("no memory is left for a task", call->type->name);
    task->slot.scope = f->scope;
    task->attempt = twi_attempt_current(twi_fiber_of(f));
    twi_put_in_bag(f, task, TWI_NORMAL);
}

int tw_task_call_at(unsigned to, const struct tw_task_type *type, const void *args,
                    struct tw_future *future, void *value)
{
    int error = tw_future_claim(future);
    if (error)
        return error;
    TWI_STORE(&future->claimer, (struct tw_fiber *)NULL, TWI_RELAXED); // relaxed: who may wait
    if (twi_is_place_here(to, type))
        call_here(&(struct call){.type = type, .future = future, .value = value}, args);
    else
        twi_send_task(
            to, type, args,
            &(struct twi_away){.future = future, .value = value, .size = type->result_size});
    return 0;
}
