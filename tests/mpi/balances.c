// SPDX-License-Identifier: Apache-2.0
// Every balance of collections under a launcher: random games in which seeds are lost by nobody,
// whatever they cost, create or turn out to be, and wherever they begin; and a load that is even
// afterwards. All places play the same game. Says "all is well" at place 0.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "require.h"

enum { SEEDS_MOST = 200, ITERATIONS = 5, BALANCES = TW_BALANCE_AUTO + 1, FEW = 40 };

// Numbers of each seed, summed over all places.
struct sums {
    uint64_t ran[SEEDS_MOST], recorded[SEEDS_MOST], bred;
};

static struct sums now;  // writers: tasks
static uint64_t elapsed; // iterations of this game

static void burn(unsigned us)
{
    uint64_t until = tw_now_ns() + (uint64_t)us * 1000;
    while (tw_now_ns() < until)
        ;
}

TW_TASK(breed, { int more; })
{
    __atomic_fetch_add(&now.bred, 1, __ATOMIC_RELAXED);
    if (self.more && tw_collection_add(tw_collection_current(), breed, .more = self.more - 1) != 0)
        tw_fail(TW_EINVAL);
}

TW_TASK(live, { int number, us, brood, last; })
{
    __atomic_fetch_add(&now.ran[self.number], 1, __ATOMIC_RELAXED);
    burn((unsigned)self.us);
    if (self.brood &&
        tw_collection_add(tw_collection_current(), breed, .more = self.brood - 1) != 0)
        tw_fail(TW_EINVAL);
    if ((int)elapsed >= self.last)
        tw_collection_null();
}

struct game {
    struct tw_collection *c;
    struct twi_rng rng;
    uint32_t seeds, only; // so many places have seeds
    uint32_t hinted;      // of eight seeds
    int last[SEEDS_MOST], brood[SEEDS_MOST], is_there[SEEDS_MOST];
    enum tw_balance balance;
};

// At one of the places; all draw the same numbers.
static void add_seed(struct game *game)
{
    uint32_t i = game->seeds++;
    struct twi_rng *rng = &game->rng;
    game->brood[i] = twi_rng_below(rng, 6) ? 0 : 1 + (int)twi_rng_below(rng, 3);
    game->last[i] = twi_rng_below(rng, 4) ? ITERATIONS : (int)twi_rng_below(rng, ITERATIONS);
    game->is_there[i] = 1;
    int us = twi_rng_below(rng, 10) ? (int)twi_rng_below(rng, 5) : (int)twi_rng_below(rng, 80);
    uint64_t hint_ns = twi_rng_below(rng, 8) < game->hinted ? 1 + twi_rng_below(rng, 60000) : 0;
    if (twi_rng_below(rng, game->only) == tw_here())
        REQUIRE(tw_collection_add_hinted(game->c, -1, hint_ns, live, .number = (int)i, .us = us,
                                         .brood = game->brood[i], .last = game->last[i]) == 0);
}

static void note_record(const struct tw_record *record, void *argument)
{
    const struct tw_args_live *args = record->args;
    (void)argument;
    now.recorded[args->number]++;
}

static int is_null(const struct game *game, uint32_t seed)
{
    return (int)elapsed >= game->last[seed] && !game->brood[seed];
}

// Each seed ran once, and those that are to run again are in one record, somewhere.
static void check(const struct game *game)
{
    uint64_t born = 0, bad = 0;
    memset(now.recorded, 0, sizeof now.recorded);
    tw_collection_visit(game->c, note_record, NULL);
    struct sums all = now;
    REQUIRE(tw_places_sum((uint64_t *)&all, sizeof all / sizeof(uint64_t)) == 0);
    for (uint32_t i = 0; i < game->seeds; i++) {
        uint64_t there = (uint64_t)game->is_there[i];
        bad += all.ran[i] != there || all.recorded[i] != (is_null(game, i) ? 0 : there);
        born += there * (uint64_t)game->brood[i];
    }
    if (bad || all.bred != born) {
        fprintf(stderr, "%s, iteration %u: %u seeds of %u are wrong, %u bred\n",
                tw_balance_name(game->balance), (unsigned)elapsed, (unsigned)bad, game->seeds,
                (unsigned)all.bred);
        wrong++;
    }
}

static void step(struct game *game)
{
    memset(&now, 0, sizeof now);
    REQUIRE(tw_places_barrier() == 0); // nobody begins before all have forgotten
    REQUIRE(tw_collection_process(game->c) == 0);
    check(game);
    if (twi_rng_below(&game->rng, 4) == 0) {
        REQUIRE(tw_collection_rebalance(game->c, TW_BALANCE_PERSIST_CENTRAL +
                                                     twi_rng_below(&game->rng, 2)) == 0);
        check(game);
    }
    for (uint32_t i = 0; i < game->seeds; i++)
        if (is_null(game, i) && game->balance != TW_BALANCE_STEAL_ALL)
            game->is_there[i] = 0;
    REQUIRE(tw_collection_restore(game->c) == 0);
}

// Some places may have more workers of it than others.
static void play(uint64_t number, int balance)
{
    struct game game = {.rng = {number * 977}};
    struct tw_collection_options options = {.task_size = 16, .tasks_first = 2};
    game.only = 1 + twi_rng_below(&game.rng, tw_places());
    options.workers = twi_rng_below(&game.rng, 2) ? 1 + tw_here() % 3 : 0;
    REQUIRE(tw_collection_create(&game.c, &options) == 0);
    game.hinted = 4 * twi_rng_below(&game.rng, 3);
    for (uint32_t seeds = twi_rng_below(&game.rng, SEEDS_MOST - 3 * ITERATIONS); seeds; seeds--)
        add_seed(&game);
    for (elapsed = 0; elapsed < ITERATIONS; elapsed++) {
        game.balance = (enum tw_balance)(
            balance < BALANCES ? balance : (int)twi_rng_below(&game.rng, BALANCES));
        tw_collection_set_balance(game.c, game.balance);
        step(&game);
        for (uint32_t i = twi_rng_below(&game.rng, 3); i; i--)
            add_seed(&game);
    }
    tw_collection_free(game.c);
}

// ---- even ----

TW_TASK(rest, { int us; })
{
    (void)tw_sleep((uint64_t)self.us * 1000);
}

// All begins at one worker of the last place. Tasks that sleep take as long however few processors
// there are for all the places.
static void even(enum tw_balance balance)
{
    struct tw_collection *c;
    struct tw_collection_options options = {
        .task_size = 8, .workers = 2, .balance = TW_BALANCE_NONE};
    REQUIRE(tw_collection_create(&c, &options) == 0);
    const struct tw_collection_stats *stats = tw_collection_stats(c);
    double workers = 2.0 * tw_places();
    for (int i = 0; i < FEW && tw_here() == tw_places() - 1; i++)
        REQUIRE(tw_collection_add_near(c, 1, rest, .us = 300) == 0);
    REQUIRE(tw_collection_process(c) == 0);
    REQUIRE(stats->imbalance > workers - 0.01);
    REQUIRE(tw_collection_rebalance(c, balance) == 0);
    REQUIRE(stats->rebalance.is_made && stats->rebalance.seconds > 0);
    REQUIRE(stats->rebalance.moved < FEW && stats->rebalance.moved > 0);
    REQUIRE(stats->rebalance.before > workers - 0.01);
    REQUIRE(stats->rebalance.after < stats->rebalance.before);
    tw_collection_set_balance(c, balance);
    for (int i = 0; i < 2; i++) {
        REQUIRE(tw_collection_restore(c) == 0);
        REQUIRE(tw_collection_process(c) == 0);
        REQUIRE(stats->attempted.most == 0 && stats->tasks == FEW);
    }
    if (tw_here() == 0)
        printf("%s: imbalance %.2f before, %.2f planned, %.2f measured\n", tw_balance_name(balance),
               workers, stats->rebalance.after, stats->imbalance);
    tw_collection_free(c);
}

// The same, and hints tell: there is a plan before anything has run.
static void foresee(enum tw_balance balance)
{
    struct tw_collection *c;
    struct tw_collection_options options = {.task_size = 8, .workers = 2, .balance = balance};
    REQUIRE(tw_collection_create(&c, &options) == 0);
    const struct tw_collection_stats *stats = tw_collection_stats(c);
    for (int i = 0; i < FEW && tw_here() == tw_places() - 1; i++)
        REQUIRE(tw_collection_add_hinted(c, 1, 1000000, rest, .us = 300) == 0);
    for (int i = 0; i < 2; i++) {
        REQUIRE(tw_collection_process(c) == 0);
        REQUIRE(stats->tasks == FEW && stats->attempted.most == 0);
        REQUIRE(i > 0 || stats->run.most <= 2.0 + FEW / (2.0 * tw_places()));
        REQUIRE(tw_collection_restore(c) == 0);
    }
    tw_collection_free(c);
}

// ---- refused, failed ----

TW_TASK(fail_at, { int number, bad; })
{
    burn(10);
    if (self.number == self.bad)
        tw_fail(-777);
}

static void fail_once(enum tw_balance balance)
{
    struct tw_collection *c;
    struct tw_collection_options options = {.task_size = 8, .balance = balance};
    REQUIRE(tw_collection_create(&c, &options) == 0);
    REQUIRE(tw_collection_rebalance(c, TW_BALANCE_PERSIST_TREE) == TW_EINVAL);
    for (int i = 0; i < FEW; i++)
        REQUIRE(tw_collection_add(c, fail_at, .number = i, .bad = FEW / 2) == 0);
    REQUIRE(tw_collection_process(c) == -777);
    REQUIRE(tw_collection_rebalance(c, TW_BALANCE_STEAL) == TW_EINVAL);
    REQUIRE(tw_collection_rebalance(c, TW_BALANCE_PERSIST_TREE) == 0); // of what ran
    for (int i = 0; i < FEW; i++)
        REQUIRE(tw_collection_add(c, fail_at, .number = i, .bad = -1) == 0);
    REQUIRE(tw_collection_process(c) == 0);
    REQUIRE(tw_collection_stats(c)->tasks == FEW * (uint64_t)tw_places());
    tw_collection_free(c);
}

TW_TASK(everywhere, { int games; })
{
    for (int i = 0; i < self.games; i++)
        play((uint64_t)i, i % (BALANCES + 1));
    even(TW_BALANCE_PERSIST_CENTRAL);
    even(TW_BALANCE_PERSIST_TREE);
    foresee(TW_BALANCE_PERSIST_CENTRAL);
    foresee(TW_BALANCE_PERSIST_TREE);
    for (int balance = TW_BALANCE_RETENTIVE; balance < BALANCES; balance++)
        fail_once((enum tw_balance)balance);
}

int main(int argc, char **argv)
{
    REQUIRE(tw_run_spmd(everywhere, .games = argc > 1 ? atoi(argv[1]) : 24) == 0);
    play(7, TW_BALANCE_PERSIST_TREE); // outside tasks, too
    play(8, TW_BALANCE_PERSIST_CENTRAL);
    uint64_t all = wrong;
    REQUIRE(tw_places_sum(&all, 1) == 0);
    if (tw_here() == 0)
        printf(all ? "%u things are wrong\n" : "all is well\n", (unsigned)all);
    return all != 0;
}
