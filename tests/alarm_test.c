// SPDX-License-Identifier: Apache-2.0
// ctest: workers=1
// The heap of alarms against a list that is searched from end to end.
#include "support.h"

#include <string.h>

#include "base/rng.h"
#include "core/alarm.h"

enum { ALARMS = 300, STEPS = 4000, SPAN = 1000 };

struct oracle {
    struct tw_alarm alarm[ALARMS];
    int is_set[ALARMS];
};

static uint64_t oracle_earliest(const struct oracle *o)
{
    uint64_t earliest = TW_NEVER;
    for (int i = 0; i < ALARMS; i++)
        if (o->is_set[i] && o->alarm[i].deadline_ns < earliest)
            earliest = o->alarm[i].deadline_ns;
    return earliest;
}

static void set_one(struct twi_alarms *alarms, struct oracle *o, int i, uint64_t deadline_ns)
{
    o->alarm[i] = (struct tw_alarm){.deadline_ns = deadline_ns};
    assert_int_equal(twi_alarms_reserve(alarms), 0);
    twi_alarm_set(alarms, &o->alarm[i]);
    o->is_set[i] = 1;
}

// All that are due, in order; none that is not.
static void pop_due(struct twi_alarms *alarms, struct oracle *o, uint64_t now_ns)
{
    struct tw_alarm *due;
    twi_lock_take(&alarms->lock);
    while ((due = twi_alarms_pop_due(alarms, now_ns)) != NULL) {
        assert_int_equal(due->deadline_ns, oracle_earliest(o));
        assert_true(due->deadline_ns <= now_ns);
        assert_int_equal(o->is_set[due - o->alarm], 1);
        o->is_set[due - o->alarm] = 0;
    }
    twi_lock_drop(&alarms->lock);
    assert_true(oracle_earliest(o) > now_ns);
}

static void try_seed(uint64_t seed)
{
    static struct oracle o;
    struct twi_rng rng = {.counter = seed};
    struct twi_alarms alarms;
    memset(&o, 0, sizeof o);
    twi_alarms_init(&alarms);
    for (int step = 0; step < STEPS; step++) {
        int i = (int)twi_rng_below(&rng, ALARMS);
        uint32_t choice = twi_rng_below(&rng, 100);
        if (choice < 1)
            pop_due(&alarms, &o, twi_rng_below(&rng, SPAN));
        else if (!o.is_set[i])
            set_one(&alarms, &o, i, choice < 2 ? TW_NEVER - 1 : 1 + twi_rng_below(&rng, SPAN));
        else if (choice < 60) {
            assert_int_equal(twi_alarm_take_back(&o.alarm[i]), 1);
            o.is_set[i] = 0;
            assert_int_equal(twi_alarm_take_back(&o.alarm[i]), 0);
        }
        assert_int_equal(twi_alarms_earliest(&alarms), oracle_earliest(&o));
    }
    pop_due(&alarms, &o, TW_NEVER - 1);
    assert_int_equal(alarms.count, 0);
    assert_int_equal(twi_alarms_earliest(&alarms), TW_NEVER);
    twi_alarms_free(&alarms);
}

static void test_alarm_heap_agrees_with_a_list(void **state)
{
    (void)state;
    for (int seed = 1; seed <= test_scaled(100); seed++)
        try_seed((uint64_t)seed);
}

static void test_alarm_an_empty_heap_rings_never(void **state)
{
    (void)state;
    struct twi_alarms alarms;
    twi_alarms_init(&alarms);
    assert_int_equal(twi_alarms_earliest(&alarms), TW_NEVER);
    twi_lock_take(&alarms.lock);
    assert_null(twi_alarms_pop_due(&alarms, TW_NEVER));
    twi_lock_drop(&alarms.lock);
    twi_alarms_free(&alarms);
}

// Sorted as they come out, with many that are equal, in a heap that has grown several times.
static void test_alarm_equal_deadlines_all_ring(void **state)
{
    (void)state;
    enum { MANY = 5000, DIFFERENT = 7 };
    static struct tw_alarm alarm[MANY];
    struct twi_alarms alarms;
    twi_alarms_init(&alarms);
    for (int i = 0; i < MANY; i++) {
        alarm[i] = (struct tw_alarm){.deadline_ns = (uint64_t)(i % DIFFERENT)};
        assert_int_equal(twi_alarms_reserve(&alarms), 0);
        twi_alarm_set(&alarms, &alarm[i]);
    }
    uint64_t last = 0;
    int rung = 0;
    twi_lock_take(&alarms.lock);
    for (struct tw_alarm *due; (due = twi_alarms_pop_due(&alarms, DIFFERENT)) != NULL; rung++) {
        assert_true(due->deadline_ns >= last);
        last = due->deadline_ns;
    }
    twi_lock_drop(&alarms.lock);
    assert_int_equal(rung, MANY);
    twi_alarms_free(&alarms);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_alarm_heap_agrees_with_a_list),
        cmocka_unit_test(test_alarm_an_empty_heap_rings_never),
        cmocka_unit_test(test_alarm_equal_deadlines_all_ring),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
