// SPDX-License-Identifier: Apache-2.0
// ctest: workers=2
// One owner and three thieves on a split queue: every task is had exactly once and whole, whatever
// they do. Thieves keep up to four transfers under way and finish them in any order; the owner adds
// and takes at random, and lets the ring grow now and then.
#include "support.h"

#include <pthread.h>
#include <sched.h>

#include "base/rng.h"
#include "collection/split.h"

enum { THIEVES = 3, UNDER_WAY = 4, WORDS = 8, TASKS = 400000 };

struct task {
    uint64_t word[WORDS]; // all the same: its number
};

struct game {
    struct twi_split queue;
    int tasks;
    uint32_t order_max;
    int over;            // writer: the owner
    unsigned char *had;  // how often each task was
    int torn;            // tasks whose words differ
    long stolen, direct; // by thieves; run by the owner because there was no room
};

struct thief {
    struct game *game;
    pthread_t thread;
    struct twi_rng rng;
    long stolen;
};

static void has(struct game *g, const struct task *task)
{
    for (int i = 1; i < WORDS; i++)
        if (task->word[i] != task->word[0])
            __atomic_fetch_add(&g->torn, 1, __ATOMIC_RELAXED);
    if (task->word[0] < (uint64_t)g->tasks)
        __atomic_fetch_add(&g->had[task->word[0]], 1, __ATOMIC_RELAXED);
}

// ---- thieves ----

struct transfer {
    unsigned char *first;
    uint32_t count;
};

static void finish(struct thief *t, struct transfer *transfer)
{
    const struct task *task = (const struct task *)transfer->first;
    for (uint32_t i = 0; i < transfer->count; i++)
        has(t->game, &task[i]);
    t->stolen += transfer->count;
    twi_split_sent(&t->game->queue, transfer->count);
    transfer->count = 0;
}

// Every other time it takes more, as long as that follows.
static void begin(struct thief *t, struct transfer *transfer, uint32_t most)
{
    struct twi_split *q = &t->game->queue;
    uint64_t word;
    uint32_t more = twi_rng_below(&t->rng, 2);
    if (twi_split_steal(q, most, &transfer->first, &transfer->count, &word) != TWI_TAKE_GOT)
        return;
    while (more && (more = twi_split_steal_more(q, most, &word)) != 0)
        transfer->count += more;
}

static void *thief_main(void *argument)
{
    struct thief *t = argument;
    struct transfer under_way[UNDER_WAY] = {{NULL, 0}};
    while (!__atomic_load_n(&t->game->over, __ATOMIC_ACQUIRE)) {
        struct transfer *transfer = &under_way[twi_rng_below(&t->rng, UNDER_WAY)];
        uint32_t most = 1 + twi_rng_below(&t->rng, 100);
        if (transfer->count)
            finish(t, transfer);
        else
            begin(t, transfer, most);
        if (twi_rng_below(&t->rng, 64) == 0)
            sched_yield();
    }
    for (int i = 0; i < UNDER_WAY; i++)
        if (under_way[i].count)
            finish(t, &under_way[i]);
    return NULL;
}

// ---- the owner ----

static void add(struct game *g, uint64_t number, int may_grow)
{
    struct task *slot = twi_split_next(&g->queue);
    if (!slot && may_grow && twi_split_grow(&g->queue, g->order_max) == 0)
        slot = twi_split_next(&g->queue);
    struct task mine, *task = slot ? slot : &mine;
    for (int i = 0; i < WORDS; i++)
        task->word[i] = number;
    if (slot) {
        twi_split_add(&g->queue, 1);
        twi_split_offer(&g->queue, 0);
    } else {
        has(g, task);
        g->direct++;
    }
}

static int take(struct game *g)
{
    struct task *task = twi_split_take(&g->queue);
    if (!task)
        return 0;
    has(g, task);
    twi_split_offer(&g->queue, 1);
    return 1;
}

static void owner_play(struct game *g, uint64_t seed)
{
    struct twi_rng rng = {seed};
    uint32_t growth = 500; // adds in a thousand steps
    for (int task = 0; task < g->tasks;) {
        if (twi_rng_below(&rng, 1000) < growth)
            add(g, (uint64_t)task++, twi_rng_below(&rng, 50) == 0);
        else
            (void)take(g);
        if (twi_rng_below(&rng, 200) == 0)
            growth = 350 + twi_rng_below(&rng, 400);
    }
    while (take(g))
        ;
}

static void game_play(struct game *g, uint32_t order, uint64_t seed)
{
    struct thief thieves[THIEVES];
    g->had = calloc((size_t)g->tasks, 1);
    assert_non_null(g->had);
    assert_int_equal(twi_split_open(&g->queue, sizeof(struct task), order), 0);
    for (int i = 0; i < THIEVES; i++) {
        thieves[i] = (struct thief){.game = g, .rng = {seed * 100 + (uint64_t)i}};
        assert_int_equal(pthread_create(&thieves[i].thread, NULL, thief_main, &thieves[i]), 0);
    }
    owner_play(g, seed);
    __atomic_store_n(&g->over, 1, __ATOMIC_RELEASE);
    for (int i = 0; i < THIEVES; i++) {
        pthread_join(thieves[i].thread, NULL);
        g->stolen += thieves[i].stolen;
    }
    for (int i = 0; i < g->tasks; i++)
        if (g->had[i] != 1)
            fail_msg("task %d was had %d times", i, g->had[i]);
    assert_int_equal(g->torn, 0);
    assert_int_equal(twi_split_count(&g->queue), 0);
    assert_true(twi_split_reap(&g->queue));
    twi_split_close(&g->queue);
    free(g->had);
}

static void test_split_stress_steals(void **state)
{
    (void)state;
    struct game g = {.tasks = test_scaled(TASKS), .order_max = 10};
    game_play(&g, 10, 1);
}

static void test_split_stress_grows(void **state)
{
    (void)state;
    for (uint64_t seed = 0; seed < 40; seed++) {
        struct game g = {.tasks = test_scaled(TASKS / 100), .order_max = 12};
        game_play(&g, 1, seed);
    }
}

// With few slots every step is near a boundary, and every slot is used over and over.
static void test_split_stress_few_slots(void **state)
{
    (void)state;
    for (uint32_t order = 0; order <= 3; order++) {
        struct game g = {.tasks = test_scaled(TASKS / 4), .order_max = order};
        game_play(&g, order, 10 + order);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_split_stress_steals),
        cmocka_unit_test(test_split_stress_grows),
        cmocka_unit_test(test_split_stress_few_slots),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
