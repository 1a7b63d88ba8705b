// SPDX-License-Identifier: Apache-2.0
// A worker's queue of ready fibers (src/core/queue.h): its owner puts and takes without a fence,
// and answers who asks, while others rob it. Each fiber is had by exactly one of them.
#include <sched.h>
#define sched_yield() TWI_PAUSE()

#include <stdint.h>
#include <string.h>

#include "model.h"

#include "core/queue.h"

enum { MAILS = 3 };

static struct twi_queue queue;
static struct twi_mail mails[MAILS];
static struct {
    int put[MAILS], had[MAILS];
} ghost;

static void setup(void)
{
    memset(&queue, 0, sizeof queue);
    memset(mails, 0, sizeof mails);
    model_name(&queue.claim, "claim");
    model_name(&queue.lined, "lined");
    model_name(&queue.busy, "busy");
    model_name(&queue.count, "count");
    model_name(&queue.first, "first");
}

static void has(struct twi_mail *mail)
{
    if (mail)
        ghost.had[mail - mails]++;
}

static void has_all(const struct twi_chain *chain)
{
    for (struct twi_mail *mail = chain->first; mail; mail = mail->next) {
        has(mail);
        if (mail == chain->last)
            break;
    }
}

static void put(int i, int at_front)
{
    ghost.put[i]++;
    if (!twi_queue_put(&queue, &mails[i], at_front))
        has(&mails[i]); // it would go elsewhere
}

static void take(void)
{
    has(twi_queue_take(&queue));
}

static void rob(void)
{
    struct twi_chain chain = {NULL, NULL};
    (void)twi_queue_rob(&queue, 2, &chain);
    has_all(&chain);
}

static void answer(void)
{
    struct twi_chain chain = {NULL, NULL};
    if (twi_queue_asked(&queue))
        (void)twi_queue_answer(&queue, 2, &chain);
    has_all(&chain);
}

// ---- programs ----

static void put_take_rob(int id)
{
    if (id == 0) {
        put(0, 0);
        put(1, 1);
        take();
        put(2, 0);
        take();
    } else {
        rob();
    }
}

static void rob_twice(int id)
{
    if (id == 0) {
        put(0, 0);
        put(1, 0);
        take();
    } else {
        rob();
        rob();
    }
}

static void two_rob(int id)
{
    if (id == 0) {
        put(0, 0);
        take();
    } else {
        rob();
    }
}

static void ask_and_rob(int id)
{
    if (id == 0) {
        put(0, 0);
        put(1, 0);
        answer();
        take();
    } else {
        twi_queue_ask(&queue);
        rob();
    }
}

// What nobody has is still there.
static void check(void)
{
    for (uint32_t i = 0; i < queue.count; i++)
        has(*twi_queue_place(&queue, i));
    for (int i = 0; i < MAILS; i++)
        model_assert(ghost.had[i] == ghost.put[i], "fiber %d went on %d times", i, ghost.had[i]);
    model_assert(queue.busy == 0 && queue.claim != TWI_CLAIMED, "someone is still at it");
}

#define PROGRAM(test, count)                                                                       \
    {                                                                                              \
        .name = #test, .threads = count, .setup = setup, .thread = test, .check = check,           \
        .ghost = &ghost, .ghost_size = sizeof ghost,                                               \
    }

static const struct model_program programs[] = {
    PROGRAM(put_take_rob, 2),
    PROGRAM(rob_twice, 2),
    PROGRAM(two_rob, 3),
    PROGRAM(ask_and_rob, 2),
};

int main(int argc, char **argv)
{
    return model_main(programs, sizeof programs / sizeof *programs, argc, argv);
}
