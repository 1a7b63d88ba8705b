// SPDX-License-Identifier: Apache-2.0
// Rebalancing: all places sum up what their seats have, make a plan together if one has too much,
// agree on what it is worth, and carry it out. After a process, by what seeds cost; before one, by
// what new seeds are said to cost.
#include <string.h>

#include <twill/runtime.h>

#include "base/os.h"
#include "collection/far.h"
#include "collection/move.h"
#include "collection/plan.h"
#include "sched/sched.h"

// What places tell each other in between. Flat.
struct meeting {
    struct twi_verdict verdict;
    uint64_t sum_ns, moved;    // added up
    uint64_t most_ns, took_ns; // the largest
};

static uint64_t larger(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

static void merge(void *into, const void *from)
{
    struct meeting *mine = into;
    const struct meeting *other = from;
    twi_verdict_merge(&mine->verdict, &other->verdict);
    mine->sum_ns += other->sum_ns;
    mine->moved += other->moved;
    mine->most_ns = larger(mine->most_ns, other->most_ns);
    mine->took_ns = larger(mine->took_ns, other->took_ns);
}

// The error of the first place that has one, and what all told.
static int meet(struct meeting *meeting, int error)
{
    meeting->verdict = (struct twi_verdict){tw_here(), error};
    int failed = tw_places() > 1 ? tw_places_combine(meeting, sizeof *meeting, merge) : 0;
    return failed ? failed : meeting->verdict.error;
}

static double imbalance(const struct twi_rebalance *plan, uint64_t most_ns)
{
    double mean = (double)plan->sum_ns / plan->cores;
    return mean > 0 ? (double)most_ns / mean : 1;
}

int twi_balance_is_persistent(enum tw_balance balance)
{
    return balance == TW_BALANCE_PERSIST_CENTRAL || balance == TW_BALANCE_PERSIST_TREE;
}

// ---- a rebalance ----

// What all have, and whether one has too much.
static int sum_up(struct twi_rebalance *plan, int error, struct tw_rebalance_stats *stats)
{
    struct meeting loads = {.sum_ns = plan->sum_ns, .most_ns = plan->most_ns};
    if (tw_places() > 1)
        twi_move_expect(plan->collection);
    error = meet(&loads, error);
    plan->sum_ns = loads.sum_ns;
    plan->most_ns = loads.most_ns;
    stats->before = stats->after = imbalance(plan, loads.most_ns);
    return error;
}

// Makes the plan, and carries it out.
static int rearrange(struct twi_rebalance *plan, enum tw_balance balance, int is_picky,
                     struct tw_rebalance_stats *stats)
{
    struct tw_collection *c = plan->collection;
    struct twi_shelf *parcels = NULL;
    twi_rebalance_donate(plan);
    int error = balance == TW_BALANCE_PERSIST_CENTRAL ? twi_rebalance_central(plan)
                                                      : twi_rebalance_tree(plan);
    if (!error)
        error = twi_move_pack(c, plan->moves, plan->moves_count, &parcels);
    struct meeting planned = {.most_ns = plan->after_ns, .moved = plan->moves_count};
    error = meet(&planned, error);
    stats->after = imbalance(plan, planned.most_ns);
    stats->is_made = !error && (!is_picky || planned.most_ns < plan->most_ns);
    if (stats->is_made) {
        stats->moved = planned.moved;
        error = twi_move_carry(c, parcels, plan->coming);
    }
    twi_move_unpack(c, parcels);
    return error;
}

// A picky one is not made if the busiest would have no less.
static int rebalance(struct tw_collection *c, enum tw_balance balance, int is_picky, int error)
{
    uint64_t begun_ns = twi_now_ns();
    struct twi_rebalance plan;
    struct tw_rebalance_stats stats = {0};
    int opened = twi_rebalance_open(&plan, c);
    error = sum_up(&plan, error ? error : opened, &stats);
    if (!error && plan.most_ns > twi_rebalance_limit(&plan))
        error = rearrange(&plan, balance, is_picky, &stats);
    else
        stats.is_made = !error && !is_picky;
    struct meeting end = {.took_ns = twi_now_ns() - begun_ns};
    error = meet(&end, error);
    if (tw_places() > 1)
        twi_far_shut(c);
    else
        twi_parcel_drop_all(c);
    twi_rebalance_close(&plan);
    if (error)
        return error;
    c->is_rebalanced = stats.is_made;
    c->rebalance_ns = end.took_ns;
    stats.seconds = 1e-9 * (double)end.took_ns;
    c->stats.rebalance = stats;
    return 0;
}

// ---- when ----

// What all places were told they all decide alike.
static int is_due(struct tw_collection *c)
{
    return twi_auto_decide(&c->rule, &c->measured, c->rebalance_ns);
}

// As the balance of the collection has it, which is one that plans.
static int rebalance_as_set(struct tw_collection *c, int error)
{
    enum tw_balance balance = c->options.balance;
    if (balance != TW_BALANCE_AUTO)
        return rebalance(c, balance, 0, error);
    int is_central = c->far.first_core[tw_places()] <= TWI_AUTO_CENTRAL;
    balance = is_central ? TW_BALANCE_PERSIST_CENTRAL : TW_BALANCE_PERSIST_TREE;
    return rebalance(c, balance, 1, error);
}

int twi_rebalance_after(struct tw_collection *c)
{
    enum tw_balance balance = c->options.balance;
    if (twi_balance_is_persistent(balance) || (balance == TW_BALANCE_AUTO && is_due(c)))
        return rebalance_as_set(c, 0);
    return 0;
}

// ---- before a process, by hints ----

// What is found at any place. Flat.
struct outlook {
    uint64_t has_new, has_unknown;    // seeds
    uint64_t last_round, first_round; // ... of far.h, the latter as what UINT32_MAX exceeds it by
};

static void look(const struct twi_split *q, struct outlook *outlook)
{
    for (uint32_t at = q->split; at != q->head; at++) {
        const struct twi_item *item = (const struct twi_item *)twi_split_slot(q, at);
        outlook->has_new |= (item->flags & TWI_ITEM_NEW) != 0;
        outlook->has_unknown |= item->cost_ns == 0;
    }
}

// Some seeds are new, and of all it is known what they will take. After a run that was cancelled
// places may be at different rounds, and would not hear each other.
static int is_foreseen(const struct tw_collection *c)
{
    struct outlook outlook = {.last_round = c->far.round, .first_round = UINT32_MAX - c->far.round};
    for (uint32_t i = 0; i < c->seats; i++)
        look(&c->seat[i].queue, &outlook);
    int error = tw_places() > 1 ? tw_places_max((uint64_t *)&outlook, sizeof outlook / 8) : 0;
    return !error && outlook.has_new && !outlook.has_unknown &&
           outlook.last_round == UINT32_MAX - outlook.first_round;
}

// Seeds to where they would stand had they run. 0, or TW_ENOMEM: they stay in the queues.
static int take_down(struct tw_collection *c)
{
    int error = 0;
    for (uint32_t i = 0; i < c->seats; i++) {
        struct twi_seat *seat = &c->seat[i];
        seat->ran.count = 0;
        for (uint32_t at = seat->queue.split; at != seat->queue.head && !error; at++) {
            struct twi_item *record = twi_shelf_add(c, &seat->ran);
            if (record) {
                memcpy(record, twi_split_slot(&seat->queue, at), c->item_size);
                record->flags = 0;
            } else
                error = TW_ENOMEM;
        }
    }
    for (uint32_t i = 0; i < c->seats && !error; i++)
        while (twi_split_take(&c->seat[i].queue))
            ;
    return error;
}

int twi_rebalance_before(struct tw_collection *c)
{
    enum tw_balance balance = c->options.balance;
    if ((!twi_balance_is_persistent(balance) && balance != TW_BALANCE_AUTO) || !is_foreseen(c))
        return 0;
    int kept = take_down(c);
    c->is_rebalanced = 0;
    int error = rebalance_as_set(c, kept);
    if (kept)
        return error;
    c->is_processed = 1; // as it seems
    int restored = tw_collection_restore(c);
    return error ? error : restored;
}

// ---- by the program ----

TW_TASK(rebalance_outside, {
    struct tw_collection *collection;
    enum tw_balance balance;
    int *result;
})
{
    *self.result = tw_collection_rebalance(self.collection, self.balance);
}

int tw_collection_rebalance(struct tw_collection *c, enum tw_balance balance)
{
    int result = 0;
    if (tw_places() == 1 || twi_worker_maybe()) {
        int is_wrong = !c->is_processed || !twi_balance_is_persistent(balance);
        return rebalance(c, balance, 0, is_wrong ? TW_EINVAL : 0);
    }
    int error =
        tw_run_spmd(rebalance_outside, .collection = c, .balance = balance, .result = &result);
    return error ? error : result;
}
