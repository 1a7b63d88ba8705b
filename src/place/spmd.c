// SPDX-License-Identifier: Apache-2.0
// See spmd.h. The task runs inside a block that gives a value (attempt.h): so everything inside
// finds it, and can tell whether it is the task itself.
#include "place/spmd.h"

#include <stdio.h>
#include <string.h>

#include <twill/attempt.h>
#include <twill/place.h>
#include <twill/runtime.h>

struct top {
    struct tw_fiber *fiber; // NULL: its text has been left
    struct tw_scope *scope;
};

static const struct tw_local top_key = {"top level of tw_run_spmd"};

static void run_spmd(struct tw_fiber *fiber, struct tw_slot *head, const void *payload,
                     void *result)
{
    struct twi_spmd spmd;
    unsigned char packed[TW_SLOT_PAYLOAD] __attribute__((aligned(TWI_PAYLOAD_ALIGN)));
    struct tw_scope scope;
    struct top top = {fiber, &scope};
    struct tw_attempt given = {.key = &top_key, .value = &top};
    (void)head, (void)result;
    memcpy(&spmd, payload, sizeof spmd);
    twi_pack(packed, spmd.args, spmd.type->args_size, spmd.type->args_align);
    tw_attempt_begin(&given);
    tw_scope_begin(&scope);
    spmd.type->run(fiber, TWI_LOAD_OWN(&fiber->head), packed, (void *)spmd.type);
    top.fiber = NULL;
    tw_scope_end(&scope);
    tw_attempt_end(&given);
}

const struct tw_task_type twi_spmd_type = {
    "spmd", __FILE__, __LINE__, _Alignof(struct twi_spmd), 1, sizeof(struct twi_spmd), 0, run_spmd};

void twi_spmd_require(const char *what)
{
    char text[192];
    const struct top *top = tw_local_get(&top_key);
    struct tw_fiber *fiber = tw_fiber_current();
    if (top && top->fiber == fiber && fiber->scope == top->scope)
        return;
    snprintf(text, sizeof text,
             "place %u: %s is only for the top level of the task that tw_run_spmd runs at each "
             "place: not in a task that was started, nor in a finish",
             tw_here(), what);
    tw_misuse(text, "");
}

struct tw_meeting *tw_meeting_begin(struct tw_meeting *block)
{
    twi_spmd_require("tw_finish_spmd");
    return block;
}

void tw_meeting_end(struct tw_meeting *block)
{
    (void)block;
    (void)tw_places_barrier();
}
