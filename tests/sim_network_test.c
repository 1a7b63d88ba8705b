// SPDX-License-Identifier: Apache-2.0
// How far it is from place to place in simulated networks.
// ctest: workers=1
#include "support.h"

#include "fabric/sim.h"

static struct twi_sim_machine machine_of(enum twi_topology topology, uint32_t places, uint32_t a,
                                         uint32_t b, uint32_t c)
{
    struct twi_sim_machine machine = {.places = places, .topology = topology, .shape = {a, b, c}};
    twi_sim_settle(&machine);
    return machine;
}

// A distance: nothing to oneself, the same both ways, and no detour is shorter.
static void check_distances(const struct twi_sim_machine *m)
{
    for (uint32_t a = 0; a < m->places; a++)
        for (uint32_t b = 0; b < m->places; b++) {
            uint32_t hops = twi_sim_hops(m, a, b);
            assert_int_equal(hops == 0, a == b);
            assert_int_equal(hops, twi_sim_hops(m, b, a));
            for (uint32_t via = 0; via < m->places; via++)
                assert_true(hops <= twi_sim_hops(m, a, via) + twi_sim_hops(m, via, b));
        }
}

static void test_sim_network_hops_are_distances(void **state)
{
    (void)state;
    for (uint32_t places = 1; places <= 70; places += places < 10 ? 1 : 15)
        for (int topology = TWI_TOPOLOGY_FLAT; topology <= TWI_TOPOLOGY_DRAGONFLY; topology++) {
            struct twi_sim_machine chosen =
                machine_of((enum twi_topology)topology, places, 0, 0, 0);
            check_distances(&chosen);
            // Too small for all of them, and not the same on all sides.
            struct twi_sim_machine small = machine_of((enum twi_topology)topology, places, 3, 2, 4);
            check_distances(&small);
        }
}

static void test_sim_network_by_hand(void **state)
{
    (void)state;
    struct twi_sim_machine flat = machine_of(TWI_TOPOLOGY_FLAT, 100, 0, 0, 0);
    assert_int_equal(twi_sim_hops(&flat, 0, 99), 1);
    struct twi_sim_machine torus = machine_of(TWI_TOPOLOGY_TORUS, 64, 0, 0, 0);
    assert_int_equal(torus.shape[0], 4);
    assert_int_equal(torus.shape[2], 4);
    assert_int_equal(twi_sim_hops(&torus, 0, 1), 1);
    assert_int_equal(twi_sim_hops(&torus, 0, 3), 1);          // around
    assert_int_equal(twi_sim_hops(&torus, 0, 2), 2);          // the other side
    assert_int_equal(twi_sim_hops(&torus, 0, 4), 1);          // the next row
    assert_int_equal(twi_sim_hops(&torus, 0, 2 + 8 + 32), 6); // the farthest
    struct twi_sim_machine dragonfly = machine_of(TWI_TOPOLOGY_DRAGONFLY, 64, 4, 3, 0);
    assert_int_equal(twi_sim_hops(&dragonfly, 0, 3), 1); // of one router
    assert_int_equal(twi_sim_hops(&dragonfly, 0, 4), 2); // of one group
    assert_int_equal(twi_sim_hops(&dragonfly, 0, 11), 2);
    assert_int_equal(twi_sim_hops(&dragonfly, 11, 12), 4); // of two
}

// What is chosen holds all places, and does not change what was told.
static void test_sim_network_settles(void **state)
{
    (void)state;
    for (uint32_t places = 1; places < 200000; places = places * 3 / 2 + 1) {
        struct twi_sim_machine torus = machine_of(TWI_TOPOLOGY_TORUS, places, 0, 0, 0);
        uint64_t side = torus.shape[0];
        assert_true(side * side * side >= places);
        assert_true((side - 1) * (side - 1) * (side - 1) < places);
    }
    struct twi_sim_machine torus = machine_of(TWI_TOPOLOGY_TORUS, 1000, 5, 0, 7);
    assert_int_equal(torus.shape[0], 5);
    assert_int_equal(torus.shape[1], 10);
    assert_int_equal(torus.shape[2], 7);
    struct twi_sim_machine dragonfly = machine_of(TWI_TOPOLOGY_DRAGONFLY, 512, 4, 96, 0);
    assert_int_equal(dragonfly.shape[0], 4);
    assert_int_equal(dragonfly.shape[1], 96);
}

static void test_sim_network_near(void **state)
{
    (void)state;
    struct twi_sim_machine flat = machine_of(TWI_TOPOLOGY_FLAT, 100, 0, 0, 0);
    assert_int_equal(twi_sim_near(&flat), 0);
    struct twi_sim_machine torus = machine_of(TWI_TOPOLOGY_TORUS, 1000, 0, 0, 0);
    assert_int_equal(twi_sim_near(&torus), 10);
    struct twi_sim_machine m = machine_of(TWI_TOPOLOGY_DRAGONFLY, 200, 4, 5, 0);
    uint32_t near = twi_sim_near(&m);
    assert_int_equal(near, 20);
    for (uint32_t a = 0; a < m.places; a++)
        for (uint32_t b = 0; b < m.places; b++)
            assert_int_equal(a / near == b / near, twi_sim_hops(&m, a, b) <= 2);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sim_network_hops_are_distances),
        cmocka_unit_test(test_sim_network_by_hand),
        cmocka_unit_test(test_sim_network_settles),
        cmocka_unit_test(test_sim_network_near),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
