// SPDX-License-Identifier: Apache-2.0
// What steal policies share: the order of victims, and the queue of thieves.
// ctest: workers=1
#include "steal/contacts.h"
#include "steal/search.h"
#include "support.h"

enum { PLACES = 200 };

static struct twi_search search_of(enum twi_order order, uint32_t place, uint32_t places,
                                   uint32_t near)
{
    struct twi_search search = {.stats = {.searches = 0}};
    struct twi_rules rules = {
        .place = place, .places = places, .near = near, .order = order, .seed = 42};
    twi_search_start(&search, &rules);
    return search;
}

// ---- victims ----

static void test_steal_search_random_reaches_all_others(void **state)
{
    (void)state;
    for (uint32_t places = 2; places < 20; places++) {
        unsigned seen[20] = {0};
        struct twi_search search = search_of(TWI_ORDER_RANDOM, places / 2, places, 0);
        for (uint32_t i = 0; i < 100 * (places - 1); i++)
            seen[twi_search_next(&search)]++;
        for (uint32_t i = 0; i < places; i++) // 100 expected, standard deviation 10
            assert_true(i == places / 2 ? seen[i] == 0 : seen[i] > 50 && seen[i] < 150);
    }
}

static void test_steal_search_ring_goes_round(void **state)
{
    (void)state;
    for (uint32_t place = 0; place < 4; place++) {
        struct twi_search search = search_of(TWI_ORDER_RING, place, 4, 0);
        for (uint32_t i = 0; i < 9; i++)
            assert_int_equal(twi_search_next(&search), (place + 1 + i % 3) % 4);
    }
}

static void test_steal_search_near_come_first(void **state)
{
    (void)state;
    struct twi_search search = search_of(TWI_ORDER_NEAR, 9, 30, 4); // near: 8, 10, 11
    unsigned far = 0;
    for (int i = 0; i < 100; i++) {
        for (search.row = 0; search.row < 3; search.row++) {
            uint32_t near = twi_search_next(&search);
            assert_true(near >= 8 && near < 12 && near != 9);
        }
        far += twi_search_next(&search) / 4 != 2;
    }
    assert_true(far > 60);
    search = search_of(TWI_ORDER_NEAR, 28, 29, 4); // nobody is near the last one
    assert_true(twi_search_next(&search) < 28);
}

// ---- thieves ----

static struct twi_contacts *nobody(void)
{
    struct twi_contacts *contacts = malloc(sizeof *contacts + twi_contacts_size(PLACES));
    assert_non_null(contacts);
    twi_contacts_forget(contacts, PLACES);
    return contacts;
}

static uint32_t pop(struct twi_contacts *contacts)
{
    uint32_t first = twi_thieves_first(contacts);
    assert_true(twi_thieves_have(contacts, first));
    twi_thieves_remove(contacts, first);
    assert_false(twi_thieves_have(contacts, first));
    return first;
}

static void test_steal_search_thieves_in_order_then_in_turn(void **state)
{
    (void)state;
    struct twi_contacts *contacts = nobody();
    for (uint32_t i = 0; i < PLACES; i++)
        twi_thieves_add(contacts, PLACES - 1 - i);
    assert_int_equal(twi_thieves_count(contacts), PLACES);
    for (uint32_t i = 0; i < TWI_THIEVES_IN_ORDER; i++)
        assert_int_equal(pop(contacts), PLACES - 1 - i);
    for (uint32_t i = 0; i < PLACES - TWI_THIEVES_IN_ORDER; i++)
        assert_int_equal(pop(contacts), i);
    assert_int_equal(twi_thieves_count(contacts), 0);
    free(contacts);
}

// Those who come again at once never keep another waiting for more than a round.
static void test_steal_search_thieves_are_not_overtaken(void **state)
{
    (void)state;
    struct twi_contacts *contacts = nobody();
    unsigned served[PLACES] = {0};
    for (uint32_t i = 0; i < PLACES; i++)
        twi_thieves_add(contacts, i);
    for (uint32_t i = 0; i < 10 * PLACES; i++) {
        uint32_t thief = pop(contacts);
        served[thief]++;
        twi_thieves_add(contacts, thief);
    }
    for (uint32_t i = 0; i < PLACES; i++)
        assert_in_range(served[i], 9, 11);
    free(contacts);
}

static void test_steal_search_thieves_come_back_and_leave(void **state)
{
    (void)state;
    struct twi_contacts *contacts = nobody();
    for (uint32_t i = 10; i < 15; i++)
        twi_thieves_add(contacts, i);
    uint32_t first = pop(contacts);
    twi_thieves_put_back(contacts, first);
    assert_int_equal(twi_thieves_first(contacts), first);
    twi_thieves_remove(contacts, 12); // from the middle
    assert_int_equal(pop(contacts), 10);
    assert_int_equal(pop(contacts), 11);
    assert_int_equal(pop(contacts), 13);
    assert_int_equal(pop(contacts), 14);
    assert_int_equal(twi_thieves_count(contacts), 0);
    free(contacts);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_steal_search_random_reaches_all_others),
        cmocka_unit_test(test_steal_search_ring_goes_round),
        cmocka_unit_test(test_steal_search_near_come_first),
        cmocka_unit_test(test_steal_search_thieves_in_order_then_in_turn),
        cmocka_unit_test(test_steal_search_thieves_are_not_overtaken),
        cmocka_unit_test(test_steal_search_thieves_come_back_and_leave),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
