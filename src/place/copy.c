// SPDX-License-Identifier: Apache-2.0
// tw_copy, tw_accumulate and their asynchronous forms. What is memory here at both ends is done at
// once, by the caller. Else the far end is reached by a transfer, and where both ends are far, or a
// sum of what is far goes into memory here, by two with a buffer in between. Who waits parks.
#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>

#include "core/scope.h"
#include "place/pieces.h"
#include "place/transfer.h"
#include "task/task.h"

// One end of an operation.
struct end {
    const struct twi_global *array; // NULL: plain memory
    uint32_t place;                 // whose, of an array
    size_t base;                    // bytes, in its part
    struct twi_rows rows;           // its base is NULL: only messages reach it
};

struct operation {
    int is_sum;
    enum tw_element type;
    size_t size; // bytes
    struct end to, from;
};

// An operation that needs messages.
struct journey {
    struct twi_transfer transfer; // first
    struct operation operation;
    unsigned char *buffer;  // NULL: it goes straight
    struct tw_fiber *fiber; // who waits; NULL: a finish does, ...
    struct tw_scope *scope; // ... this one
    struct tw_future *done; // or NULL
};

// ---- what is wanted ----

static _Noreturn void refuse(const char *what)
{
    char text[256];
    snprintf(text, sizeof text, "place %u: global memory: %s", tw_here(), what);
    tw_misuse(text, "");
}

static void check_rows(const struct tw_part *part, size_t count)
{
    char text[192];
    if (part->rows == 0 || part->columns == 0)
        return;
    if (part->rows > 1 && part->stride < part->columns)
        refuse("rows of a part overlap: its stride is less than its columns");
    size_t stride = part->rows > 1 ? part->stride : part->columns;
    if (part->columns <= count && part->at <= count - part->columns &&
        part->rows - 1 <= (count - part->columns - part->at) / stride)
        return;
    snprintf(text, sizeof text,
             "%zu rows of %zu elements, %zu from one to the next, from element %zu on: an array "
             "has %zu at each place",
             part->rows, part->columns, part->stride, part->at, count);
    refuse(text);
}

static void check_place(const struct tw_part *part, uint32_t places)
{
    char text[96];
    if (part->place < places)
        return;
    snprintf(text, sizeof text, "place %u is not there: there are %" PRIu32, part->place, places);
    refuse(text);
}

// What concerns another place is for tasks only, wherever that is: so a program that is right on
// one host is on several.
static void check_caller(uint32_t place)
{
    if (place == tw_here())
        return;
    const struct twi_worker *worker = twi_worker_maybe();
    if (!worker)
        refuse("a part of another place was used outside a task: it answers only in tw_run");
    if (!TWI_LOAD(&worker->pool->outside, TWI_ACQUIRE)) // [O2]
        refuse("a part of another place was used in a pool that is not tw_run's");
}

static struct end end_of(const struct tw_part *part, const struct twi_global *array,
                         const struct twi_global *other)
{
    size_t size = tw_element_size((array ? array : other)->type);
    struct twi_rows rows = {.columns = part->columns * size, .stride = part->stride * size};
    if (part->rows <= 1)
        rows.stride = rows.columns;
    if (!array) {
        check_rows(part, SIZE_MAX / size);
        rows.base = (unsigned char *)(uintptr_t)part->memory + part->at * size;
        return (struct end){.rows = rows};
    }
    check_rows(part, array->count);
    check_place(part, array->places);
    check_caller(part->place);
    struct twi_segment *segment = array->reach[part->place];
    if (segment)
        rows.base = segment->elements + part->at * size;
    return (struct end){array, part->place, part->at * size, rows};
}

static struct operation operation_of(const struct tw_part *to, const struct tw_part *from,
                                     int is_sum)
{
    const struct twi_global *target = to->memory ? NULL : twi_global_find(to->global);
    const struct twi_global *source = from->memory ? NULL : twi_global_find(from->global);
    const struct twi_global *any = target ? target : source;
    if (!any)
        refuse("neither end of a copy is of an array");
    if (target && source && target->type != source->type)
        refuse("the two arrays of a copy have elements of different types");
    if (to->rows != from->rows || to->columns != from->columns)
        refuse("the two ends of a copy have different rows or columns");
    if (is_sum && (!target || target->type == TW_BYTE))
        refuse("only elements of an array that are no bytes can be added to");
    return (struct operation){.is_sum = is_sum,
                              .type = any->type,
                              .size = to->rows * to->columns * tw_element_size(any->type),
                              .to = end_of(to, target, source),
                              .from = end_of(from, source, target)};
}

// ---- memory here at both ends ----

static int is_near(const struct operation *o)
{
    return o->size == 0 || (o->to.rows.base && o->from.rows.base);
}

static void do_here(const struct operation *o, const struct twi_rows *from)
{
    if (o->is_sum)
        twi_rows_add(o->to.array->reach[o->to.place], o->type, &o->to.rows, 0, from, 0, o->size);
    else
        twi_rows_copy(&o->to.rows, 0, from, 0, o->size);
}

// ---- journeys ----

static void set_out(struct journey *j, enum twi_mail_kind kind, const struct end *far,
                    const struct twi_rows *here, size_t size)
{
    j->transfer.kind = kind;
    j->transfer.place = far->place;
    j->transfer.there = (struct twi_sent_rows){.global = far->array->handle,
                                               .base = far->base,
                                               .columns = far->rows.columns,
                                               .stride = far->rows.stride};
    j->transfer.here = *here;
    j->transfer.size = size;
    j->transfer.asked = j->transfer.done = 0;
}

// The future and the journey may be gone when the finish ends.
static void arrive(struct journey *j)
{
    struct tw_scope *scope = j->scope;
    free(j->buffer);
    if (j->fiber) {
        twi_ready_anywhere(j->fiber);
        return;
    }
    if (j->done)
        tw_future_set(j->done, 0);
    free(j);
    twi_piece_done(scope);
}

static void arrived(struct twi_place *place, struct twi_transfer *transfer)
{
    (void)place;
    arrive((struct journey *)transfer);
}

static void send_on(struct journey *j, const struct twi_rows *from)
{
    const struct operation *o = &j->operation;
    j->transfer.over = arrived;
    set_out(j, o->is_sum ? TWI_MAIL_ADD : TWI_MAIL_PUT, &o->to, from, o->size);
}

// What was far at the start is in the buffer.
static void half_way(struct twi_place *place, struct twi_transfer *transfer)
{
    struct journey *j = (struct journey *)transfer;
    struct twi_rows from = {.base = j->buffer};
    if (j->operation.to.rows.base) {
        do_here(&j->operation, &from);
        arrive(j);
        return;
    }
    send_on(j, &from);
    twi_transfer_begin(place, &transfer->letter);
}

// 0, or TW_ENOMEM.
static int plan(struct journey *j)
{
    const struct operation *o = &j->operation;
    j->transfer.letter.deliver = twi_transfer_begin;
    if (o->from.rows.base) {
        send_on(j, &o->from.rows);
        return 0;
    }
    struct twi_rows into = o->to.rows;
    j->transfer.over = arrived;
    if (o->is_sum || !into.base) {
        j->buffer = malloc(o->size);
        if (!j->buffer)
            return TW_ENOMEM;
        into = (struct twi_rows){.base = j->buffer};
        j->transfer.over = half_way;
    }
    set_out(j, TWI_MAIL_GET, &o->from, &into, o->size);
    return 0;
}

static void publish(void *argument)
{
    struct journey *j = argument;
    twi_place_post(twi_place_here(), &j->transfer.letter);
}

static void do_now(const struct tw_part *to, const struct tw_part *from, int is_sum)
{
    struct journey j = {.operation = operation_of(to, from, is_sum)};
    if (is_near(&j.operation)) {
        do_here(&j.operation, &j.operation.from.rows);
        return;
    }
    j.fiber = twi_fiber_here(NULL);
    if (plan(&j) != 0)
        refuse("no memory for a copy between two other places");
    twi_park_for("global memory", NULL, publish, &j);
}

void tw_copy(struct tw_part to, struct tw_part from)
{
    do_now(&to, &from, 0);
}

void tw_accumulate(struct tw_part to, struct tw_part from)
{
    do_now(&to, &from, 1);
}

// ---- without waiting ----

static int claim(struct tw_future *done)
{
    int error = done ? tw_future_claim(done) : 0;
    if (done && !error)
        TWI_STORE(&done->claimer, (struct tw_fiber *)NULL, TWI_RELAXED); // relaxed: who may wait
    return error;
}

static int send_off(const struct operation *operation, struct tw_future *done)
{
    struct tw_scope *scope = twi_fiber_here(NULL)->scope;
    struct journey *j = calloc(1, sizeof *j);
    if (!j)
        return TW_ENOMEM;
    *j = (struct journey){.operation = *operation, .scope = scope, .done = done};
    int error = plan(j);
    if (!error)
        error = claim(done);
    if (error) {
        free(j->buffer);
        free(j);
        return error;
    }
    twi_scope_add(scope);
    publish(j);
    return 0;
}

static int do_later(const struct tw_part *to, const struct tw_part *from, int is_sum,
                    struct tw_future *done)
{
    struct operation operation = operation_of(to, from, is_sum);
    if (!is_near(&operation))
        return send_off(&operation, done);
    int error = claim(done);
    if (error)
        return error;
    do_here(&operation, &operation.from.rows);
    if (done)
        tw_future_set(done, 0);
    return 0;
}

int tw_async_copy(struct tw_part to, struct tw_part from, struct tw_future *done)
{
    return do_later(&to, &from, 0, done);
}

int tw_async_accumulate(struct tw_part to, struct tw_part from, struct tw_future *done)
{
    return do_later(&to, &from, 1, done);
}
