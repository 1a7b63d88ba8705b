// SPDX-License-Identifier: Apache-2.0
// The host of a place, between parts that are all made by hand.
// ctest: workers=1
#include "host_scene.h"

static const struct twi_host_stats *counts(void)
{
    return twi_host_counts(scene.host);
}

// ---- steps and actions ----

static void test_steal_host_acts_in_order(void **state)
{
    (void)state;
    scene_open();
    assert_true(twi_host_is_finished(scene.host)); // no phase has begun
    assert_int_equal(twi_host_epoch(scene.host), 0);
    scene.load = 7;
    ON('D', TWI_ON_START, SEND(3, 1, 11));
    ON('P', TWI_ON_START, SEND(1, 5, 7), DO(READ, 2), DO(LOCK, 3),
       {.kind = TWI_DO_TIMER, .word = 50}, SEND(1, 6, 8), {.kind = TWI_DO_TIMER, .word = 0});
    twi_host_begin(scene.host);
    happened("D.start send(3:D1 w11) P.start send(1:P5 w7) read(2) lock(3) timer(1050) "
             "send(1:P6 w8) timer(0)");
    assert_int_equal(scene.published, 7);
    assert_int_equal(twi_host_epoch(scene.host), 1);
    assert_false(twi_host_is_finished(scene.host));
    assert_int_equal(scene.recorded, 2);
    assert_int_equal(counts()->packets, 3);
    assert_int_equal(counts()->bytes, 3 * sizeof(struct twi_packet));
    assert_true(twi_host_size(scene.host) > 2 * 4 * 8);
    scene_close();
}

static void test_steal_host_tells_answers(void **state)
{
    (void)state;
    scene_open();
    ON('P', TWI_ON_START, DO(READ, 2), DO(LOCK, 3), DO(LOCK, 4));
    twi_host_begin(scene.host);
    happened("D.start P.start read(2) lock(3) lock(4)");
    scene.fabric.sink->locked(scene.host, 3, 1);
    scene.fabric.sink->read(scene.host, 2, 17);
    scene.fabric.sink->locked(scene.host, 4, 0);
    happened("P.lock(3:1) P.read(2:17) P.lock(4:0)");
    ON('P', TWI_ON_TIMER, DO(UNLOCK, 3));
    scene.fabric.sink->timer(scene.host);
    happened("P.timer unlock(3)");
    COME(1, 1, TO_POLICY, 5, 6);
    COME(1, 1, TO_DETECTOR, 7, 8);
    happened("P.message(1:5 w6) D.message(1:7 w8)");
    scene_close();
}

// The detector knows of a gift before anything else happens.
static void test_steal_host_tells_the_detector_first(void **state)
{
    (void)state;
    scene_open();
    scene.load = 5;
    ON('P', TWI_ON_START, GIVE(1, 3, 21), GIVE(2, 4, 22), GIVE(3, 1, 23), SEND(1, 5, 0));
    ON('P', TWI_ON_GAVE, SEND(4, 6, 0));
    twi_host_begin(scene.host);
    happened("D.start P.start take(3) send(1:T3 'abc' w21) take(4) send(2:T2 'ab' w22) take(1) "
             "send(1:P5 w0) D.gave(1:3) P.gave(1:3) send(4:P6 w0) D.gave(2:2) P.gave(2:2) "
             "D.gave(3:0) P.gave(3:0)");
    assert_int_equal(counts()->tasks_given, 5);
    assert_int_equal(counts()->packets, 4);
    assert_int_equal(counts()->bytes, 4 * sizeof(struct twi_packet) + 5);
    COME_TASKS(2, 1, "xyz", 24);
    happened("add(3 'xyz') D.tasks(2:3 w24) P.tasks(2:3 w24)");
    assert_int_equal(counts()->tasks_got, 3);
    scene_close();
}

// A step never begins inside another, whatever the pool does.
static void test_steal_host_steps_one_after_the_other(void **state)
{
    (void)state;
    scene_open();
    scene.load = 5;
    scene.looks_inside = 1;
    scene.idle = 2;
    ON('P', TWI_ON_START, GIVE(1, 1, 0), SEND(1, 5, 0));
    twi_host_begin(scene.host);
    happened("D.start P.start take(1) send(1:T1 'a' w0) send(1:P5 w0) D.gave(1:1) P.gave(1:1) "
             "P.hungry");
    scene_close();
}

// ---- what the pool is like ----

static void look(uint32_t load, uint32_t idle, int is_passive, const char *expected)
{
    scene.load = load;
    scene.idle = idle;
    scene.is_passive = is_passive;
    assert_int_equal(twi_host_wants_look(scene.host), expected[0] != '\0');
    twi_host_look(scene.host);
    happened(expected);
    assert_int_equal(scene.published, load);
    assert_false(twi_host_wants_look(scene.host));
}

static void test_steal_host_sees_hunger(void **state)
{
    (void)state;
    scene_open();
    twi_host_begin(scene.host);
    happened("D.start P.start");
    look(0, 1, 0, "");
    look(0, 2, 0, "P.hungry");
    scene.now_ns = 1300;
    look(0, 3, 0, "");
    look(0, 1, 0, "P.fed");
    assert_int_equal(counts()->searching_ns, 300);
    look(0, 4, 1, "D.passive P.hungry");
    look(1, 4, 0, "D.active");
    scene.now_ns = 1400;
    COME_END(1);
    assert_int_equal(counts()->searching_ns, 400); // the end is the end of that, too
    scene_close();
}

// Who begins without work is passive and hungry, and is told the latter.
static void test_steal_host_begins_without_work(void **state)
{
    (void)state;
    scene_open();
    scene.is_passive = 1;
    scene.idle = 4;
    twi_host_begin(scene.host);
    happened("D.start P.start P.hungry");
    COME_TASKS(2, 1, "x", 0);
    happened("add(1 'x') D.tasks(2:1 w0) P.tasks(2:1 w0)");
    look(0, 4, 1, "D.passive");
    scene_close();
}

static void test_steal_host_watches_once(void **state)
{
    (void)state;
    scene_open();
    scene.load = 3;
    ON('P', TWI_ON_START, WATCH(WATCH, 5));
    twi_host_begin(scene.host);
    happened("D.start P.start");
    look(4, 0, 0, "");
    look(5, 1, 0, ""); // somebody here could take them
    ON('P', TWI_ON_LOAD, WATCH(WATCH, 9));
    look(6, 0, 0, "P.load");
    look(8, 0, 0, "");
    look(9, 0, 0, "P.load");
    look(20, 0, 0, "");
    ON('P', TWI_ON_TIMER, WATCH(WATCH, 20)); // which is so already
    scene.fabric.sink->timer(scene.host);
    happened("P.timer P.load");
    ON('P', TWI_ON_TIMER, WATCH(WATCH, 30));
    ON('P', TWI_ON_TIMER, WATCH(WATCH, 0));
    scene.fabric.sink->timer(scene.host);
    scene.fabric.sink->timer(scene.host);
    happened("P.timer P.timer");
    look(40, 0, 0, "");
    scene_close();
}

static void test_steal_host_watches_low_loads_once(void **state)
{
    (void)state;
    scene_open();
    scene.load = 3;
    ON('P', TWI_ON_START, WATCH(WATCH_LOW, 2));
    twi_host_begin(scene.host);
    happened("D.start P.start");
    look(2, 1, 0, "P.load");
    look(0, 1, 0, "");
    ON('P', TWI_ON_TIMER, WATCH(WATCH_LOW, 0)); // which is so already
    scene.fabric.sink->timer(scene.host);
    happened("P.timer P.load");
    scene.load = 5;
    ON('P', TWI_ON_TIMER, WATCH(WATCH_LOW, 3));
    ON('P', TWI_ON_TIMER, WATCH(WATCH_LOW, UINT32_MAX));
    scene.fabric.sink->timer(scene.host);
    scene.fabric.sink->timer(scene.host);
    happened("P.timer P.timer");
    look(1, 1, 0, "");
    scene_close();
}

// ---- phases ----

static void test_steal_host_keeps_what_is_early(void **state)
{
    (void)state;
    scene_open();
    COME(3, 1, TO_POLICY, 4, 0); // before the first phase
    twi_host_begin(scene.host);
    happened("D.start P.start P.message(3:4 w0)");
    COME(1, 2, TO_POLICY, 5, 1);
    COME(2, 3, TO_DETECTOR, 7, 2);
    COME_TASKS(1, 2, "xy", 3);
    COME(2, 2, TO_DETECTOR, 6, 4);
    COME(1, 3, TO_POLICY, 8, 5);
    happened("");
    assert_int_equal(counts()->early, 6);
    assert_int_equal(counts()->tasks_got, 0);
    COME_END(1);
    happened("D.message(4:9 w0) timer(0)");
    twi_host_begin(scene.host);
    happened("D.start P.start P.message(1:5 w1) add(2 'xy') D.tasks(1:2 w3) P.tasks(1:2 w3) "
             "D.message(2:6 w4)");
    COME(2, 3, TO_POLICY, 9, 6); // behind those that are kept already
    COME_END(2);
    happened("D.message(4:9 w0) timer(0)");
    twi_host_begin(scene.host);
    happened("D.start P.start D.message(2:7 w2) P.message(1:8 w5) P.message(2:9 w6)");
    COME(1, 4, TO_POLICY, 5, 0); // which is freed with the host
    scene_close();
}

// A phase may end by what was kept: what is kept behind it comes too late for the policy.
static void test_steal_host_ends_by_what_was_kept(void **state)
{
    (void)state;
    scene_open();
    ON('D', TWI_ON_MESSAGE, {.kind = TWI_DO_FINISH});
    COME(2, 1, TO_DETECTOR, 6, 0);
    COME(3, 1, TO_POLICY, 5, 0);
    twi_host_begin(scene.host);
    happened("D.start P.start D.message(2:6 w0) timer(0)");
    assert_true(twi_host_is_finished(scene.host));
    assert_int_equal(counts()->stale, 1);
    scene_close();
}

static void test_steal_host_drops_what_is_stale(void **state)
{
    (void)state;
    scene_open();
    twi_host_begin(scene.host);
    COME_END(1);
    happened("D.start P.start D.message(4:9 w0) timer(0)");
    COME(1, 1, TO_POLICY, 5, 0); // nobody is there to hear it
    assert_int_equal(counts()->stale, 1);
    COME(1, 1, TO_DETECTOR, 6, 0); // detectors may have more to say
    happened("D.message(1:6 w0)");
    scene.fabric.sink->timer(scene.host);
    scene.idle = 4;
    twi_host_look(scene.host);
    happened("");
    twi_host_begin(scene.host);
    happened("D.start P.start P.hungry");
    COME(1, 1, TO_POLICY, 5, 0);
    COME(1, 1, TO_DETECTOR, 5, 0);
    happened("");
    assert_int_equal(counts()->stale, 3);
    scene_close();
}

// That must not be: a detector was wrong.
static void test_steal_host_counts_late_tasks(void **state)
{
    (void)state;
    scene_open();
    twi_host_begin(scene.host);
    COME_END(1);
    happened("D.start P.start D.message(4:9 w0) timer(0)");
    COME_TASKS(1, 1, "xyz", 0);
    happened("add(3 'xyz') D.tasks(1:3 w0)");
    assert_int_equal(counts()->late, 3);
    scene_close();
}

static void test_steal_host_gives_locks_back(void **state)
{
    (void)state;
    scene_open();
    ON('P', TWI_ON_START, DO(LOCK, 1), DO(LOCK, 2), DO(LOCK, 3), DO(READ, 1), DO(LOCK, 4));
    twi_host_begin(scene.host);
    scene.fabric.sink->locked(scene.host, 1, 1);
    scene.fabric.sink->locked(scene.host, 2, 1);
    scene.log[0] = '\0';
    COME_END(1);
    happened("D.message(4:9 w0) unlock(1) unlock(2) timer(0)");
    assert_false(twi_host_is_finished(scene.host)); // three answers are to come
    scene.fabric.sink->locked(scene.host, 3, 1);
    happened("unlock(3)");
    scene.fabric.sink->locked(scene.host, 4, 0);
    scene.fabric.sink->read(scene.host, 1, 5);
    happened("");
    assert_true(twi_host_is_finished(scene.host));
    twi_host_begin(scene.host);
    happened("D.start P.start");
    scene_close();
}

static void test_steal_host_counts_unanswered_requests(void **state)
{
    (void)state;
    scene_open();
    scene.load = 1;
    for (uint32_t to = 1; to <= 4; to++)
        ON('P', TWI_ON_TIMER, SEND(to, TWI_REQUEST, 0));
    ON('P', TWI_ON_TIMER, SEND(1, TWI_OWN_MESSAGE, 0)); // is none
    twi_host_begin(scene.host);
    for (int i = 0; i < 5; i++) {
        scene.now_ns = 1000 + (uint64_t)i * 100;
        scene.fabric.sink->timer(scene.host);
    }
    COME_TASKS(2, 1, "x", 0);
    COME(3, 1, TO_POLICY, TWI_REFUSED, 0);
    COME(1, 1, TO_POLICY, TWI_OWN_MESSAGE, 0); // not an answer
    scene.now_ns = 5000;
    COME_END(1);
    assert_int_equal(counts()->unanswered, 2); // of places 1 and 4
    assert_int_equal(counts()->unanswered_ns, 4000 + 3700);
    twi_host_begin(scene.host);
    COME_END(2);
    assert_int_equal(counts()->unanswered, 2);
    scene_close();
}

// ---- misuse ----

static void begin_twice(void)
{
    scene_open();
    twi_host_begin(scene.host);
    twi_host_begin(scene.host);
}

static void begin_with_open_reads(void)
{
    scene_open();
    ON('P', TWI_ON_START, DO(READ, 2));
    twi_host_begin(scene.host);
    COME_END(1);
    twi_host_begin(scene.host);
}

static void unlock_what_is_not_held(void)
{
    scene_open();
    ON('P', TWI_ON_START, DO(UNLOCK, 2));
    twi_host_begin(scene.host);
}

static void hold_five_locks(void)
{
    scene_open();
    ON('P', TWI_ON_START, DO(LOCK, 0), DO(LOCK, 1), DO(LOCK, 2), DO(LOCK, 3), DO(LOCK, 4));
    twi_host_begin(scene.host);
    for (uint32_t i = 0; i < 5; i++)
        scene.fabric.sink->locked(scene.host, i, 1);
}

static void want_too_much(void)
{
    scene_open();
    scene.scripts[scene.script_count++] =
        (struct script){.who = 'P', .on = TWI_ON_START, .count = TWI_ACTIONS_MOST + 1};
    twi_host_begin(scene.host);
}

static void give_without_end(void)
{
    scene_open();
    ON('P', TWI_ON_START, GIVE(1, 1, 0), GIVE(1, 1, 0));
    ON('P', TWI_ON_GAVE, GIVE(1, 1, 0), GIVE(1, 1, 0));
    scene.scripts[1].stays = 1;
    twi_host_begin(scene.host);
}

static void expect_end(void (*what)(void), const char *message)
{
    static char text[2000];
    assert_true(test_dies(what, text, sizeof text));
    if (!strstr(text, message))
        fail_msg("'%s' is not in: %s", message, text);
}

static void test_steal_host_misuse_is_named(void **state)
{
    (void)state;
    expect_end(begin_twice, "a phase begins before the last has ended");
    expect_end(begin_with_open_reads, "a phase begins before the last has ended");
    expect_end(unlock_what_is_not_held, "a policy gives a lock back that it does not hold");
    expect_end(hold_five_locks, "a policy holds too many locks");
    expect_end(want_too_much, "a machine wants too much at once");
    expect_end(give_without_end, "too many events are pending at a host");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steal_host_acts_in_order),
        cmocka_unit_test(test_steal_host_tells_answers),
        cmocka_unit_test(test_steal_host_tells_the_detector_first),
        cmocka_unit_test(test_steal_host_steps_one_after_the_other),
        cmocka_unit_test(test_steal_host_sees_hunger),
        cmocka_unit_test(test_steal_host_begins_without_work),
        cmocka_unit_test(test_steal_host_watches_once),
        cmocka_unit_test(test_steal_host_watches_low_loads_once),
        cmocka_unit_test(test_steal_host_keeps_what_is_early),
        cmocka_unit_test(test_steal_host_ends_by_what_was_kept),
        cmocka_unit_test(test_steal_host_drops_what_is_stale),
        cmocka_unit_test(test_steal_host_counts_late_tasks),
        cmocka_unit_test(test_steal_host_gives_locks_back),
        cmocka_unit_test(test_steal_host_counts_unanswered_requests),
        cmocka_unit_test(test_steal_host_misuse_is_named),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
