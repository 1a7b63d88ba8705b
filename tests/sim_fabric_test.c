// SPDX-License-Identifier: Apache-2.0
// The simulated fabric: packets and one-sided operations. What workers do is in sim_worker_test.c.
// ctest: workers=1
#include "sim_scene.h"

#include "base/rng.h"

// ---- packets ----

// 24 bytes of a packet take 12 ns on the wire, and 76 more 38.
static void test_sim_fabric_loggp_by_hand(void **state)
{
    (void)state;
    struct scene scene;
    scene_start(&scene, &scene_machine, 0, 1);
    scene_send(&scene, 0, 1, 7, 0);   // 100 + 12 + 1000
    scene_send(&scene, 0, 1, 8, 76);  // leaves at 300, after the gap of the first
    scene_send(&scene, 2, 1, 9, 0);   // at the same time as the first, so 100 behind it
    scene_send(&scene, 3, 3, 10, 76); // to itself there is no way
    assert_int_equal(twi_sim_packets_in_flight(scene.sim), 4);
    scene_go(&scene);
    assert_int_equal(scene.count, 4);
    scene_expect(&scene, 0, (struct note){TOLD_PACKET, 3, 3, 10, 150});
    scene_expect(&scene, 1, (struct note){TOLD_PACKET, 1, 0, 7, 1112});
    scene_expect(&scene, 2, (struct note){TOLD_PACKET, 1, 2, 9, 1212});
    scene_expect(&scene, 3, (struct note){TOLD_PACKET, 1, 0, 8, 1350});
    scene_end(&scene);
}

static void test_sim_fabric_hops_take_time(void **state)
{
    (void)state;
    struct scene scene;
    struct twi_sim_machine machine = scene_machine;
    machine.places = 64;
    machine.topology = TWI_TOPOLOGY_TORUS;
    scene_start(&scene, &machine, 0, 1);
    scene_send(&scene, 0, 42, 7, 0); // six hops: five further ones
    SCENE_CALL(&scene, 42, read, 0); // as many there and back
    scene_go(&scene);
    scene_expect(&scene, 0, (struct note){TOLD_PACKET, 42, 0, 7, 1362});
    scene_expect(&scene, 1, (struct note){TOLD_READ, 42, 0, 100 + 750 + 250, 100 + 1501 + 2 * 250});
    scene_end(&scene);
}

// A poll comes by every poll_ns, at times of the place's own; a busy worker needs none.
static void test_sim_fabric_polls(void **state)
{
    (void)state;
    struct scene scene;
    struct twi_sim_machine machine = scene_machine;
    machine.places = 50;
    machine.poll_ns = 5000;
    uint64_t offsets = 0;
    for (uint32_t to = 1; to < machine.places; to++) {
        scene_start(&scene, &machine, 0, 1);
        scene_send(&scene, 0, to, 1, 0);
        scene_send(&scene, 0, to, 2, 0);
        scene_go(&scene);
        uint64_t handled = scene.log[0].at_ns;
        assert_in_range(handled, 1112, 6111);
        offsets |= UINT64_C(1) << handled % 64;
        if (handled >= 1312) // both wait for the poll
            scene_expect(&scene, 1, (struct note){TOLD_PACKET, to, 0, 2, handled + 100});
        scene_end(&scene);
    }
    assert_true((offsets & (offsets - 1)) != 0);
}

struct order {
    struct twi_rng rng;
    uint32_t places, sends_left;
    uint64_t sent[8][8], got[8][8], got_all;
};

static void check_order(struct scene *scene, uint32_t place, uint32_t from,
                        const struct twi_packet *packet, const void *bytes)
{
    struct order *order = scene->of;
    assert_int_equal(packet->word, order->got[from][place]++);
    for (uint32_t i = 0; i < packet->size; i++)
        assert_int_equal(((const unsigned char *)bytes)[i], (unsigned char)(packet->word + i));
    order->got_all++;
}

static void send_some(struct scene *scene, uint32_t place, uint32_t what)
{
    struct order *order = scene->of;
    if (order->sends_left == 0)
        return;
    order->sends_left--;
    uint32_t to = twi_rng_below(&order->rng, order->places);
    scene_send(scene, place, to, order->sent[place][to]++, twi_rng_below(&order->rng, BYTES_MOST));
    if (what && twi_rng_below(&order->rng, 8) == 0)
        twi_sim_stall(scene->sim, twi_rng_below(&order->rng, order->places),
                      twi_sim_now(scene->sim) + twi_rng_below(&order->rng, 20000));
    twi_sim_at(scene->sim, twi_sim_now(scene->sim) + twi_rng_below(&order->rng, 1000),
               twi_rng_below(&order->rng, order->places), what);
}

static void test_sim_fabric_packets_stay_in_order(void **state)
{
    (void)state;
    for (int seed = 0; seed < test_scaled(200); seed++) {
        struct scene scene;
        struct order order = {.rng = {(uint64_t)seed}, .sends_left = 500};
        struct twi_sim_machine machine = scene_machine;
        uint32_t with_stalls = (uint32_t)seed & 1;
        machine.places = order.places = 1 + twi_rng_below(&order.rng, 8);
        machine.topology = (enum twi_topology)twi_rng_below(&order.rng, 3);
        machine.poll_ns = twi_rng_below(&order.rng, 3) * 1000;
        machine.overhead_ns = twi_rng_below(&order.rng, 3) * 100;
        scene_start(&scene, &machine, (uint64_t)(seed & 2) * 5000, (uint64_t)seed);
        scene.of = &order;
        scene.due = send_some;
        scene.packet = check_order;
        for (uint32_t i = 0; i < machine.places; i++)
            twi_sim_at(scene.sim, 0, i, with_stalls);
        scene_go(&scene);
        assert_int_equal(order.got_all, 500);
        scene_end(&scene);
    }
}

// Between pairs they do not: that is what jitter is for.
static void test_sim_fabric_jitter_reorders_pairs(void **state)
{
    (void)state;
    int overtaken = 0;
    for (uint64_t seed = 0; seed < 50; seed++) {
        struct scene scene;
        scene_start(&scene, &scene_machine, 100000, seed);
        scene_send(&scene, 0, 2, 0, 0);
        scene_send(&scene, 1, 2, 1, 0);
        scene_go(&scene);
        overtaken += scene.log[0].value == 1;
        assert_in_range(scene.log[0].at_ns, 1112, 101112);
        scene_end(&scene);
    }
    assert_in_range(overtaken, 10, 40);
}

// ---- one-sided operations ----

static void test_sim_fabric_read_by_hand(void **state)
{
    (void)state;
    struct scene scene;
    scene_start(&scene, &scene_machine, 0, 1);
    twi_sim_stall(scene.sim, 1, 1000000); // its help is not needed
    SCENE_CALL(&scene, 0, read, 1);
    SCENE_CALL(&scene, 0, read, 0);
    scene_go(&scene);
    scene_expect(&scene, 0, (struct note){TOLD_READ, 0, 0, 200, 200});
    scene_expect(&scene, 1, (struct note){TOLD_READ, 0, 1, 850, 1601});
    scene_end(&scene);
}

enum { NOBODY = 1000 };

struct contest {
    struct twi_rng rng;
    uint32_t owner, tries_left;
    uint32_t won, lost;
};

static void check_owner(struct scene *scene, uint32_t place, uint32_t of, int is_ours)
{
    struct contest *contest = scene->of;
    assert_int_equal(of, 3);
    if (is_ours) {
        assert_int_equal(contest->owner, NOBODY);
        contest->owner = place;
    }
    *(is_ours ? &contest->won : &contest->lost) += 1;
    twi_sim_at(scene->sim, twi_sim_now(scene->sim) + twi_rng_below(&contest->rng, 5000), place, 0);
}

// Gives it back, or tries to get it.
static void contend(struct scene *scene, uint32_t place, uint32_t what)
{
    struct contest *contest = scene->of;
    (void)what;
    if (contest->owner == place) {
        contest->owner = NOBODY;
        SCENE_CALL(scene, place, unlock, 3);
    }
    if (contest->tries_left) {
        contest->tries_left--;
        SCENE_CALL(scene, place, lock, 3);
    }
}

static void test_sim_fabric_lock_has_one_owner(void **state)
{
    (void)state;
    struct scene scene;
    struct contest contest = {.owner = NOBODY, .tries_left = 5000};
    struct twi_sim_machine machine = scene_machine;
    machine.places = 7;
    scene_start(&scene, &machine, 0, 1);
    scene.of = &contest;
    scene.due = contend;
    scene.locked = check_owner;
    for (uint32_t i = 0; i < machine.places; i++)
        twi_sim_at(scene.sim, i, i, 0);
    scene_go(&scene);
    assert_int_equal(contest.won + contest.lost, 5000);
    assert_true(contest.won > 500 && contest.lost > 500);
    scene_end(&scene);
}

static void test_sim_fabric_only_the_owner_unlocks(void **state)
{
    (void)state;
    struct scene scene;
    scene_start(&scene, &scene_machine, 0, 1);
    SCENE_CALL(&scene, 0, lock, 2);
    SCENE_CALL(&scene, 1, unlock, 2); // it is not its own
    SCENE_CALL(&scene, 1, lock, 2);
    scene_go(&scene);
    scene_expect(&scene, 0, (struct note){TOLD_LOCKED, 0, 2, 1, 1601});
    scene_expect(&scene, 1, (struct note){TOLD_LOCKED, 1, 2, 0, 1701});
    SCENE_CALL(&scene, 0, unlock, 2);
    SCENE_CALL(&scene, 0, lock, 2); // the one after the other
    scene_go(&scene);
    assert_int_equal(scene.log[2].value, 1);
    scene_end(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sim_fabric_loggp_by_hand),
        cmocka_unit_test(test_sim_fabric_hops_take_time),
        cmocka_unit_test(test_sim_fabric_polls),
        cmocka_unit_test(test_sim_fabric_packets_stay_in_order),
        cmocka_unit_test(test_sim_fabric_jitter_reorders_pairs),
        cmocka_unit_test(test_sim_fabric_read_by_hand),
        cmocka_unit_test(test_sim_fabric_lock_has_one_owner),
        cmocka_unit_test(test_sim_fabric_only_the_owner_unlocks),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
