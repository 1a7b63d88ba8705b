// SPDX-License-Identifier: Apache-2.0
// The simulated fabric: timers, communication workers, stalls, and very many places.
// ctest: workers=1
#include "sim_scene.h"

// ---- timers ----

static void test_sim_worker_timer_is_replaced(void **state)
{
    (void)state;
    struct scene scene;
    scene_start(&scene, &scene_machine, 0, 1);
    SCENE_CALL(&scene, 0, timer, 500);
    SCENE_CALL(&scene, 0, timer, 3000);
    SCENE_CALL(&scene, 1, timer, 700);
    SCENE_CALL(&scene, 1, timer, 0);
    SCENE_CALL(&scene, 2, timer, 900);
    scene_go(&scene);
    assert_int_equal(scene.count, 2);
    scene_expect(&scene, 0, (struct note){TOLD_TIMER, 2, 0, 0, 900});
    scene_expect(&scene, 1, (struct note){TOLD_TIMER, 0, 0, 0, 3000});
    SCENE_CALL(&scene, 0, timer, 1); // which is past
    scene_go(&scene);
    scene_expect(&scene, 2, (struct note){TOLD_TIMER, 0, 0, 0, 3000});
    scene_end(&scene);
}

static void replace_timer(struct scene *scene, uint32_t place, uint32_t what)
{
    SCENE_CALL(scene, place, timer, what);
}

// The time has come, but nobody has polled yet: it can still be changed.
static void test_sim_worker_timer_that_was_due_is_replaced(void **state)
{
    (void)state;
    struct twi_sim_machine machine = scene_machine;
    machine.poll_ns = 100000;
    for (uint32_t at = 0; at <= 500000; at += 500000) {
        struct scene scene;
        scene_start(&scene, &machine, 0, 1);
        scene.due = replace_timer;
        SCENE_CALL(&scene, 1, timer, 1);
        twi_sim_at(scene.sim, 2, 1, at);
        scene_go(&scene);
        assert_int_equal(scene.count, at != 0);
        if (at)
            assert_in_range(scene.log[0].at_ns, at, at + machine.poll_ns);
        scene_end(&scene);
    }
}

// ---- the communication worker ----

static void test_sim_worker_is_poked_once(void **state)
{
    (void)state;
    struct scene scene;
    scene_start(&scene, &scene_machine, 0, 1);
    for (int i = 0; i < 3; i++)
        twi_sim_poke(scene.sim, 1);
    scene_go(&scene);
    assert_int_equal(scene.count, 1);
    scene_expect(&scene, 0, (struct note){TOLD_POKED, 1, 0, 0, 0});
    twi_sim_poke(scene.sim, 1);
    scene_go(&scene);
    assert_int_equal(scene.count, 2);
    scene_end(&scene);
}

static void poke_while_it_polls(struct scene *scene, uint32_t place, uint32_t what)
{
    (void)what;
    twi_sim_poke(scene->sim, place);
    scene_send(scene, place, 1 - place, 5, 0);
}

// One turn for all that waits: nothing is lost when a poke, a timer and packets come together.
static void test_sim_worker_serves_all_that_waits(void **state)
{
    (void)state;
    struct scene scene;
    struct twi_sim_machine machine = scene_machine;
    machine.poll_ns = 50000;
    scene_start(&scene, &machine, 0, 1);
    scene.due = poke_while_it_polls;
    SCENE_CALL(&scene, 0, timer, 10);
    for (uint32_t i = 0; i < 10; i++)
        twi_sim_at(scene.sim, i * 100, i % 2, 0);
    scene_go(&scene);
    size_t told[TOLD_POKED + 1] = {0};
    for (size_t i = 0; i < scene.count; i++)
        told[scene.log[i].kind]++;
    assert_int_equal(told[TOLD_PACKET], 10);
    assert_int_equal(told[TOLD_TIMER], 1);
    assert_true(told[TOLD_POKED] >= 2); // each place, once at least
    scene_end(&scene);
}

static void test_sim_worker_that_is_shared_waits(void **state)
{
    (void)state;
    struct scene scene;
    struct twi_sim_machine machine = scene_machine;
    machine.dedicated = 0;
    scene_start(&scene, &machine, 0, 1);
    scene.shared_until_ns = 7000;
    scene_send(&scene, 0, 1, 9, 0);
    SCENE_CALL(&scene, 2, read, 3); // what was asked is asked; the answer waits
    scene_go(&scene);
    scene_expect(&scene, 0, (struct note){TOLD_PACKET, 1, 0, 9, 7000});
    scene_expect(&scene, 1, (struct note){TOLD_READ, 2, 3, 850, 7000});
    scene_send(&scene, 0, 1, 9, 0);
    scene_go(&scene);
    scene_expect(&scene, 2, (struct note){TOLD_PACKET, 1, 0, 9, 8112});
    scene_end(&scene);
}

// ---- stalls ----

static void test_sim_worker_does_nothing_in_a_stall(void **state)
{
    (void)state;
    struct scene scene;
    scene_start(&scene, &scene_machine, 0, 1);
    twi_sim_stall(scene.sim, 1, 9000);
    twi_sim_at(scene.sim, 10, 1, 1);
    twi_sim_at(scene.sim, 20, 1, 2);
    twi_sim_at(scene.sim, 20, 2, 3);
    twi_sim_at(scene.sim, 9000, 1, 4);
    scene_send(&scene, 0, 1, 5, 0);
    scene_send(&scene, 0, 1, 6, 0);
    SCENE_CALL(&scene, 1, timer, 100);
    scene_go(&scene);
    assert_int_equal(scene.count, 7);
    scene_expect(&scene, 0, (struct note){TOLD_DUE, 2, 0, 3, 20});
    uint64_t due = 0, packets = 0;
    for (size_t i = 1; i < scene.count; i++) {
        assert_in_range(scene.log[i].at_ns, 9000, 9200);
        if (scene.log[i].kind == TOLD_DUE)
            due = 10 * due + scene.log[i].value;
        if (scene.log[i].kind == TOLD_PACKET)
            packets = 10 * packets + scene.log[i].value;
    }
    assert_int_equal(due, 412); // put behind what had been due at its end
    assert_int_equal(packets, 56);
    scene_end(&scene);
}

// ---- many ----

enum { MANY = 10000, ROUNDS = 20 };

static uint64_t arrived[MANY];

static void count_packet(struct scene *scene, uint32_t place, uint32_t from,
                         const struct twi_packet *packet, const void *bytes)
{
    (void)from, (void)bytes;
    arrived[place] += packet->word;
    if (packet->word < ROUNDS)
        scene_send(scene, place, (place * 7919 + 13) % MANY, packet->word + 1, 16);
}

static void test_sim_worker_ten_thousand_places(void **state)
{
    (void)state;
    for (uint64_t jitter = 0; jitter <= 100000; jitter += 100000) {
        struct scene scene;
        struct twi_sim_machine machine = scene_machine;
        machine.places = MANY;
        machine.topology = TWI_TOPOLOGY_TORUS;
        machine.poll_ns = 1000;
        memset(arrived, 0, sizeof arrived);
        scene_start(&scene, &machine, jitter, 1);
        scene.packet = count_packet;
        for (uint32_t i = 0; i < MANY; i++)
            scene_send(&scene, i, (i + 1) % MANY, 1, 16);
        scene_go(&scene);
        for (uint32_t i = 0; i < MANY; i++) // everybody sends to somebody else
            assert_int_equal(arrived[i], ROUNDS * (ROUNDS + 1) / 2);
        assert_true(twi_sim_events(scene.sim) >= 2 * MANY * ROUNDS);
        assert_true(twi_sim_bytes(scene.sim) < 1000 * MANY);
        scene_end(&scene);
    }
}

// The same seed makes the same delays, another others.
static void test_sim_worker_is_deterministic(void **state)
{
    (void)state;
    uint64_t times[3];
    for (uint64_t i = 0; i < 3; i++) {
        struct scene scene;
        scene_start(&scene, &scene_machine, 1000000, i / 2);
        scene_send(&scene, 0, 1, 1, 0);
        scene_go(&scene);
        times[i] = scene.log[0].at_ns;
        scene_end(&scene);
    }
    assert_int_equal(times[0], times[1]);
    assert_int_not_equal(times[0], times[2]);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sim_worker_timer_is_replaced),
        cmocka_unit_test(test_sim_worker_timer_that_was_due_is_replaced),
        cmocka_unit_test(test_sim_worker_is_poked_once),
        cmocka_unit_test(test_sim_worker_serves_all_that_waits),
        cmocka_unit_test(test_sim_worker_that_is_shared_waits),
        cmocka_unit_test(test_sim_worker_does_nothing_in_a_stall),
        cmocka_unit_test(test_sim_worker_ten_thousand_places),
        cmocka_unit_test(test_sim_worker_is_deterministic),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
