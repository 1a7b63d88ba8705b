// SPDX-License-Identifier: Apache-2.0
// ctest: workers=2
// One owner and three thieves on a deque: every task is run exactly once, whatever they do.
//
// The owner pushes, takes back and shares at random, in phases; thieves steal and nudge. An owner
// that meets a stolen slot waits until all stolen ones are done, then starts anew, as at the end of
// a finish; now and then it shares everything and waits, as a task that parks.
#include "support.h"

#include <pthread.h>
#include <sched.h>

#include "base/os.h"
#include "base/rng.h"
#include "core/deque.h"
#include "patience.h"

enum { THIEVES = 3, SLOTS = 1024, ROOM = 2 * SLOTS * 64, TASKS = 800000 };

struct game {
    struct tw_fiber *f;
    struct tw_slot *slots;
    int tasks, depth, nudges; // what this game is like
    uint32_t rarity;          // of its shares, waits and pauses
    int over;                 // writer: owner
    int done;                 // stolen tasks that were run since the deque started anew
    unsigned char *runs;      // how often each task was run
    long stolen, nudged;      // of all thieves
};

static const struct tw_task_type type = {.name = "task"};

static int task_of(const struct tw_slot *slot)
{
    int task;
    __builtin_memcpy(&task, TWI_READ(slot->payload), sizeof task);
    return task;
}

static void run(struct game *g, const struct tw_slot *slot)
{
    __atomic_fetch_add(&g->runs[task_of(slot)], 1, __ATOMIC_RELAXED);
}

// ---- thieves ----

struct thief {
    struct game *game;
    pthread_t thread;
    struct twi_rng rng;
    long stolen, nudged;
};

static struct tw_slot *steal_or_nudge(struct thief *t)
{
    struct tw_slot *slot = NULL;
    struct tw_fiber *f = t->game->f;
    if (twi_deque_steal(f, &slot) == TWI_STEAL_GOT) {
        t->stolen++;
        return slot;
    }
    if (t->game->nudges && twi_deque_hides(f) && twi_rng_below(&t->rng, 8) == 0) {
        slot = twi_deque_nudge(f, 1);
        t->nudged += slot != NULL;
    }
    return slot;
}

static void *thief_main(void *argument)
{
    struct thief *t = argument;
    struct game *g = t->game;
    while (!__atomic_load_n(&g->over, __ATOMIC_ACQUIRE)) {
        struct tw_slot *slot = steal_or_nudge(t);
        if (slot) {
            run(g, slot);
            __atomic_fetch_add(&g->done, 1, __ATOMIC_RELEASE);
        }
        if (twi_rng_below(&t->rng, 64) == 0)
            sched_yield();
    }
    return NULL;
}

// ---- the owner ----

static int depth_of(const struct game *g)
{
    return (int)(g->f->head - g->slots);
}

static void push(struct game *g, int task)
{
    __builtin_memcpy(g->f->head->payload, &task, sizeof task);
    (void)twi_push_async(g->f, g->f->head, &type, NULL);
}

// All slots from the first up to `left` were stolen.
static void wait_and_start_anew(struct game *g, int left)
{
    uint64_t until = patience_until();
    for (int done; (done = __atomic_load_n(&g->done, __ATOMIC_ACQUIRE)) != left;)
        patience_yield(until, "stolen tasks to be done", done, left);
    __atomic_store_n(&g->done, 0, __ATOMIC_RELAXED);
    twi_deque_reset(g->f, g->slots);
}

static void take(struct game *g)
{
    struct tw_slot *slot = g->f->head - 1;
    if (twi_take_private(g->f, slot) || twi_deque_reclaim(g->f, slot))
        run(g, slot);
    else
        wait_and_start_anew(g, (int)(slot + 1 - g->slots));
}

static void share_all_and_wait(struct game *g)
{
    int left = depth_of(g);
    (void)twi_deque_share_all(g->f);
    wait_and_start_anew(g, left);
}

// A long task: thieves that nudge find the owner not looking.
static void pause_awhile(struct twi_rng *rng)
{
    for (uint32_t n = twi_rng_below(rng, 2000); n > 0; n--)
        twi_relax();
}

static void owner_play(struct game *g, uint64_t seed)
{
    struct twi_rng rng = {seed};
    uint32_t growth = 500; // pushes in a thousand steps
    for (int task = 0; task < g->tasks;) {
        uint32_t choice = twi_rng_below(&rng, 1000);
        if (choice < growth && depth_of(g) < g->depth)
            push(g, task++);
        else if (depth_of(g) > 0)
            take(g);
        uint32_t rare = twi_rng_below(&rng, g->rarity);
        if (rare < 2)
            share_all_and_wait(g);
        else if (rare < 40)
            (void)twi_deque_share(g->f);
        else if (rare < 50)
            growth = 350 + twi_rng_below(&rng, 300);
        else if (rare < 70)
            pause_awhile(&rng);
    }
    while (depth_of(g) > 0)
        take(g);
}

// Shares nothing and looks at nothing until one of its tasks is gone; then takes the others back.
static void owner_hide(struct game *g, uint64_t seed)
{
    struct twi_rng rng = {seed};
    for (int task = 0; task < g->tasks;) {
        uint32_t n = 1 + twi_rng_below(&rng, 6);
        for (uint32_t i = 0; i < n && task < g->tasks; i++)
            push(g, task++);
        uint64_t until = patience_until();
        while (__atomic_load_n(&g->done, __ATOMIC_ACQUIRE) == 0)
            patience_yield(until, "a hidden task to be taken", 0, 1);
        while (depth_of(g) > 0)
            take(g);
    }
}

// ---- the games ----

static void game_make(struct game *g)
{
    g->f = twi_reserve(ROOM, ROOM);
    g->runs = calloc((size_t)g->tasks, 1);
    assert_non_null(g->f);
    assert_non_null(g->runs);
    g->slots = (struct tw_slot *)(g->f + 1);
    g->f->head = g->slots;
    g->f->word = twi_word(twi_low(g->slots), twi_low(g->slots));
    g->f->limit = g->slots + SLOTS;
}

static void game_check(struct game *g)
{
    struct twi_ends e = twi_word_ends(g->f->word);
    for (int i = 0; i < g->tasks; i++)
        assert_int_equal(g->runs[i], 1);
    assert_int_equal(g->done, 0);
    assert_int_equal(depth_of(g), 0);
    assert_int_equal(e.top, twi_low(g->slots));
    assert_int_equal(e.split, twi_low(g->slots));
    assert_int_equal(g->f->nudge_lock, 0);
}

static void game_play(struct game *g, void (*play)(struct game *, uint64_t), uint64_t seed)
{
    struct thief thieves[THIEVES];
    game_make(g);
    for (int i = 0; i < THIEVES; i++) {
        thieves[i] = (struct thief){.game = g, .rng = {seed * 100 + (uint64_t)i}};
        assert_int_equal(pthread_create(&thieves[i].thread, NULL, thief_main, &thieves[i]), 0);
    }
    play(g, seed);
    __atomic_store_n(&g->over, 1, __ATOMIC_RELEASE);
    for (int i = 0; i < THIEVES; i++) {
        pthread_join(thieves[i].thread, NULL);
        g->stolen += thieves[i].stolen;
        g->nudged += thieves[i].nudged;
    }
    game_check(g);
    free(g->runs);
    twi_unreserve(g->f, ROOM);
}

static void test_deque_stress_steals(void **state)
{
    (void)state;
    struct game g = {.tasks = test_scaled(TASKS), .depth = SLOTS, .rarity = 4000};
    game_play(&g, owner_play, 1);
    assert_true(g.stolen > 0);
    assert_int_equal(g.nudged, 0);
}

static void test_deque_stress_steals_and_nudges(void **state)
{
    (void)state;
    if (!twi_membarrier_ready())
        skip();
    struct game g = {.tasks = test_scaled(TASKS), .depth = SLOTS, .rarity = 4000, .nudges = 1};
    game_play(&g, owner_play, 2);
    assert_true(g.stolen > 0);
}

static void test_deque_stress_hidden_tasks_are_taken(void **state)
{
    (void)state;
    if (!twi_membarrier_ready())
        skip();
    struct game g = {.tasks = test_scaled(TASKS / 200), .nudges = 1};
    game_play(&g, owner_hide, 3);
    assert_true(g.nudged >= g.tasks / 6);
}

// With few slots every step is near a boundary, and every slot is used over and over.
static void test_deque_stress_few_slots(void **state)
{
    (void)state;
    int nudges = twi_membarrier_ready();
    for (int depth = 1; depth <= 4; depth++) {
        struct game g = {
            .tasks = test_scaled(TASKS / 8), .depth = depth, .rarity = 300, .nudges = nudges};
        game_play(&g, owner_play, (uint64_t)(10 + depth));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_deque_stress_steals),
        cmocka_unit_test(test_deque_stress_steals_and_nudges),
        cmocka_unit_test(test_deque_stress_hidden_tasks_are_taken),
        cmocka_unit_test(test_deque_stress_few_slots),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
