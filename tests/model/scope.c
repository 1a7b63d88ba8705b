// SPDX-License-Identifier: Apache-2.0
// Counting (src/core/scope.h): whoever brings a scope to its end, exactly one goes on with its
// owner, which then sees all the pieces did, and nobody touches the scope any more.
#include <string.h>

#include "core/scope.h"

enum { PIECES = 3, FIBERS = 2 };

static struct tw_scope scope, proxy;
static struct tw_slot slot;
static struct tw_fiber fibers[FIBERS];
static uint32_t readied[FIBERS]; // stands for the mailbox
static uint32_t handed;          // a detached piece can be run
static uint32_t outcome[PIECES]; // plain: what pieces do

static struct {
    unsigned char wakes[FIBERS];
    unsigned char last; // the owner found itself the last
} ghost;

static void scope_reset(struct tw_scope *s, struct tw_fiber *fiber)
{
    *s = (struct tw_scope){.pending = TWI_SCOPE_BIAS, .fiber = fiber};
}

static void setup(void)
{
    scope_reset(&scope, &fibers[0]);
    scope_reset(&proxy, &fibers[1]);
    memset(&slot, 0, sizeof slot);
    memset(readied, 0, sizeof readied);
    memset(outcome, 0, sizeof outcome);
    handed = 0;
    model_name(&scope.pending, "pending");
    model_name(&proxy.pending, "proxy.pending");
    model_name(&proxy.parent, "proxy.parent");
    model_name(&slot.state, "state");
    model_name(&handed, "handed");
    for (int i = 0; i < PIECES; i++)
        model_name(&outcome[i], "outcome[%d]", i);
    for (int i = 0; i < FIBERS; i++)
        model_name(&readied[i], "readied[%d]", i);
}

static void ready(struct tw_fiber *fiber)
{
    long i = fiber - fibers;
    ghost.wakes[i]++;
    model_assert(ghost.wakes[i] == 1, "fiber %ld was woken twice", i);
    TWI_STORE(&readied[i], 1u, TWI_RELEASE);
}

static void await(int fiber)
{
    while (!TWI_LOAD(&readied[fiber], TWI_ACQUIRE))
        TWI_PAUSE();
}

static void piece(int i)
{
    TWI_WRITE(outcome[i], 1u);
    if (twi_scope_done(&scope))
        ready(&fibers[0]);
}

// As tw_scope_wait ends a block. The scope's memory is free for anything afterwards.
static void close_scope(struct tw_scope *s, int64_t left)
{
    if (!twi_scope_all_done(s, left)) {
        if (twi_scope_settle(s, left))
            ghost.last = 1;
        else
            await((int)(s->fiber - fibers));
    }
    twi_scope_rearm(s);
    TWI_WRITE(s->pending, (int64_t)0);
}

static void require_outcomes(int count)
{
    for (int i = 0; i < count; i++)
        model_assert(TWI_READ(outcome[i]), "the block ended before piece %d", i);
}

static void check_one_wakes(void)
{
    model_assert(ghost.wakes[0] + ghost.last <= 1, "%d wake-ups of an owner that %s",
                 ghost.wakes[0], ghost.last ? "goes on by itself" : "waits");
}

// ---- a finish ----

static void two_pieces(int id)
{
    if (id > 0) {
        piece(id - 1);
        return;
    }
    close_scope(&scope, 2);
    require_outcomes(2);
}

static void one_thief_two_pieces(int id)
{
    if (id > 0) {
        piece(0);
        piece(1);
        return;
    }
    close_scope(&scope, 2);
    require_outcomes(2);
}

// The block is used again, as a loop of finishes would.
static void block_again(int id)
{
    if (id > 0) {
        piece(id - 1);
        return;
    }
    if (!twi_scope_all_done(&scope, 1) && !twi_scope_settle(&scope, 1))
        await(0);
    twi_scope_rearm(&scope);
    model_assert(TWI_READ(outcome[0]), "the block ended before piece 0");
    TWI_STORE(&handed, 1u, TWI_RELEASE);
    if (!twi_scope_all_done(&scope, 1) && !twi_scope_settle(&scope, 1)) {
        while (!TWI_LOAD(&readied[1], TWI_ACQUIRE))
            TWI_PAUSE();
    }
    model_assert(TWI_READ(outcome[1]), "the block ended before piece 1");
}

static void block_again_pieces(int id)
{
    if (id != 2) {
        block_again(id);
        return;
    }
    while (!TWI_LOAD(&handed, TWI_ACQUIRE))
        TWI_PAUSE();
    TWI_WRITE(outcome[1], 1u);
    if (twi_scope_done(&scope))
        TWI_STORE(&readied[1], 1u, TWI_RELEASE);
}

// A piece that the owner itself sends elsewhere while the block is open.
static void added_piece(int id)
{
    if (id == 1) {
        piece(0);
    } else if (id == 2) {
        while (!TWI_LOAD(&handed, TWI_ACQUIRE))
            TWI_PAUSE();
        piece(1);
    } else {
        twi_scope_add(&scope);
        TWI_STORE(&handed, 1u, TWI_RELEASE);
        close_scope(&scope, 1);
        require_outcomes(2);
    }
}

// Two slots left, but one was a fork that is joined already.
static void discounted_slot(int id)
{
    if (id > 0) {
        piece(id - 1);
        return;
    }
    twi_scope_discount(&scope);
    close_scope(&scope, 3);
    require_outcomes(2);
}

// ---- a fork ----

static void join(void)
{
    if (!twi_fork_finished(&slot) && twi_fork_wait(&slot, &fibers[0]))
        await(0);
    model_assert(TWI_READ(outcome[0]), "joined before the result");
}

static void finish_fork(struct tw_scope *left)
{
    struct tw_fiber *waiter = twi_fork_finish(&slot, left);
    if (waiter)
        ready(waiter);
}

static void fork_join(int id)
{
    if (id == 1) {
        TWI_WRITE(outcome[0], 1u);
        finish_fork(NULL);
        return;
    }
    join();
    twi_fork_forget(&slot);
    TWI_WRITE(slot.state, (uintptr_t)0);
}

// The forked function leaves a task behind, run by T2 or by T1 itself (left: how many by T2).
static void leave_behind(int64_t left)
{
    TWI_WRITE(outcome[0], 1u);
    twi_scope_add(&proxy);
    finish_fork(&proxy);
    if (left == 0)
        TWI_WRITE(outcome[1], 1u);
    close_scope(&proxy, left);
    if (twi_scope_done(TWI_READ(proxy.parent)))
        TWI_STORE(&handed, 1u, TWI_RELEASE);
}

static void adopt(void)
{
    join();
    struct tw_fiber *woken = twi_fork_adopt(&slot, &scope);
    if (woken)
        ready(woken);
    twi_fork_forget(&slot);
    if (!twi_scope_all_done(&scope, 0) && !twi_scope_settle(&scope, 0)) {
        while (!TWI_LOAD(&handed, TWI_ACQUIRE))
            TWI_PAUSE();
    }
    TWI_WRITE(scope.pending, (int64_t)0);
    model_assert(TWI_READ(outcome[1]), "the block ended before what the fork left behind");
}

static void fork_leaves_task(int id)
{
    if (id == 0)
        adopt();
    else
        leave_behind(0);
}

static void fork_leaves_stolen_task(int id)
{
    if (id == 0) {
        adopt();
    } else if (id == 1) {
        leave_behind(1);
    } else {
        TWI_WRITE(outcome[1], 1u);
        if (twi_scope_done(&proxy))
            ready(&fibers[1]);
    }
}

#define PROGRAM(test, count, body, after)                                                          \
    {                                                                                              \
        .name = #test, .threads = count, .setup = setup, .thread = body,                           \
        .check = after, .ghost = &ghost, .ghost_size = sizeof ghost,                               \
    }

static const struct model_program programs[] = {
    PROGRAM(two_pieces, 3, two_pieces, check_one_wakes),
    PROGRAM(one_thief_two_pieces, 2, one_thief_two_pieces, check_one_wakes),
    PROGRAM(block_again, 3, block_again_pieces, NULL),
    PROGRAM(added_piece, 3, added_piece, check_one_wakes),
    PROGRAM(discounted_slot, 3, discounted_slot, check_one_wakes),
    PROGRAM(fork_join, 2, fork_join, NULL),
    PROGRAM(fork_leaves_task, 2, fork_leaves_task, NULL),
    PROGRAM(fork_leaves_stolen_task, 3, fork_leaves_stolen_task, NULL),
};

int main(int argc, char **argv)
{
    return model_main(programs, sizeof programs / sizeof *programs, argc, argv);
}
