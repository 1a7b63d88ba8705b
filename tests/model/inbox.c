// SPDX-License-Identifier: Apache-2.0
// The ring of fibers that others made ready (src/core/inbox.h), with room for two: each fiber is
// taken once, with what was written before it was put in, and those of one thread in their order.
#include <stdint.h>
#include <string.h>

#include "model.h"

#include "core/inbox.h"

enum { MAILS = 4 };

static struct twi_inbox inbox;
static struct twi_mail mails[MAILS];
static uint32_t payload[MAILS]; // plain memory that goes with a fiber
static struct {
    int put[MAILS], had[MAILS];
} ghost;

static void setup(void)
{
    memset(&inbox, 0, sizeof inbox);
    memset(payload, 0, sizeof payload);
    twi_inbox_init(&inbox);
    model_name(&inbox.tail, "tail");
    model_name(&inbox.head, "head");
    for (unsigned i = 0; i < TWI_INBOX_SIZE; i++)
        model_name(&inbox.cells[i].turn, "turn[%u]", i);
}

static void put(int i)
{
    TWI_WRITE(payload[i], 7u);
    ghost.put[i] = twi_inbox_put(&inbox, &mails[i]);
}

static int take(void)
{
    struct twi_mail *mail = twi_inbox_take(&inbox);
    if (!mail)
        return -1;
    int i = (int)(mail - mails);
    model_assert(TWI_READ(payload[i]) == 7, "what went with fiber %d is not there", i);
    ghost.had[i]++;
    return i;
}

static void take_in_order(void)
{
    int first = take(), second = take();
    model_assert(first < 0 || second < 0 || first < second, "%d came before %d", first, second);
}

// ---- programs ----

static void put_take(int id)
{
    if (id == 0)
        for (int i = 0; i < 3; i++)
            put(i);
    else
        take_in_order();
}

static void two_put(int id)
{
    if (id < 2)
        put(id);
    else
        for (int i = 0; i < 2; i++)
            (void)take();
}

static void two_take(int id)
{
    if (id == 0) {
        put(0);
        put(1);
    } else {
        (void)take();
    }
}

// A cell is used again.
static void round_and_round(int id)
{
    for (int i = 0; i < 2; i++) {
        put(2 * id + i);
        (void)take();
    }
}

static void check(void)
{
    while (take() >= 0)
        continue;
    for (int i = 0; i < MAILS; i++)
        model_assert(ghost.had[i] == ghost.put[i], "fiber %d went on %d times", i, ghost.had[i]);
}

#define PROGRAM(test, count)                                                                       \
    {                                                                                              \
        .name = #test, .threads = count, .setup = setup, .thread = test, .check = check,           \
        .ghost = &ghost, .ghost_size = sizeof ghost,                                               \
    }

static const struct model_program programs[] = {
    PROGRAM(put_take, 2),
    PROGRAM(two_put, 3),
    PROGRAM(two_take, 3),
    PROGRAM(round_and_round, 2),
};

int main(int argc, char **argv)
{
    return model_main(programs, sizeof programs / sizeof *programs, argc, argv);
}
