// SPDX-License-Identifier: Apache-2.0
// ctest: workers=1
// The split queue of a collection, by one thread that is owner and thief.
#include "support.h"

#include "collection/split.h"

static void add(struct twi_split *q, uint64_t task)
{
    uint64_t *slot = twi_split_next(q);
    assert_non_null(slot);
    *slot = task;
    twi_split_add(q, 1);
    twi_split_offer(q, 0);
}

static void assert_taken(struct twi_split *q, uint64_t task)
{
    uint64_t *slot = twi_split_take(q);
    assert_non_null(slot);
    assert_int_equal(*slot, task);
}

static struct twi_split opened(uint32_t order)
{
    struct twi_split q;
    assert_int_equal(twi_split_open(&q, sizeof(uint64_t), order), 0);
    return q;
}

static void test_split_newest_comes_first(void **state)
{
    (void)state;
    struct twi_split q = opened(4);
    for (uint64_t i = 0; i < 16; i++)
        add(&q, i);
    assert_null(twi_split_next(&q));
    assert_int_equal(twi_split_count(&q), 16);
    for (uint64_t i = 16; i-- > 0;)
        assert_taken(&q, i);
    assert_null(twi_split_take(&q));
    twi_split_close(&q);
}

static void test_split_thief_takes_half_of_the_oldest(void **state)
{
    (void)state;
    struct twi_split q = opened(4);
    unsigned char *first;
    uint32_t count;
    uint64_t word;
    for (uint64_t i = 0; i < 11; i++) {
        *(uint64_t *)twi_split_next(&q) = i;
        twi_split_add(&q, 1);
    }
    assert_int_equal(twi_split_steal(&q, 99, &first, &count, &word), TWI_TAKE_EMPTY);
    twi_split_share(&q, 7);
    assert_int_equal(twi_split_shared(&q), 7);
    assert_int_equal(twi_split_steal(&q, 99, &first, &count, &word), TWI_TAKE_GOT);
    assert_int_equal(count, 4);
    assert_int_equal(((uint64_t *)first)[3], 3);
    assert_int_equal(twi_split_steal(&q, 1, &first, &count, &word), TWI_TAKE_GOT);
    assert_int_equal(count, 1);
    assert_int_equal(*(uint64_t *)first, 4);
    assert_int_equal(twi_split_count(&q), 6);
    for (uint64_t i = 11; i-- > 5;)
        assert_taken(&q, i);
    assert_null(twi_split_take(&q));
    twi_split_close(&q);
}

static void fill_and_share(struct twi_split *q, uint64_t count)
{
    for (uint64_t i = 0; i < count; i++) {
        *(uint64_t *)twi_split_next(q) = i;
        twi_split_add(q, 1);
    }
    twi_split_share(q, (uint32_t)count);
}

static void test_split_thief_takes_more_of_what_follows(void **state)
{
    (void)state;
    struct twi_split q = opened(4);
    unsigned char *first;
    uint32_t count;
    uint64_t word;
    fill_and_share(&q, 12);
    assert_int_equal(twi_split_steal(&q, 99, &first, &count, &word), TWI_TAKE_GOT);
    assert_int_equal(count, 6);
    assert_int_equal(twi_split_steal_more(&q, 0, &word), 0);
    assert_int_equal(twi_split_steal_more(&q, 2, &word), 2);
    assert_int_equal(twi_split_steal_more(&q, 99, &word), 2);
    assert_int_equal(((uint64_t *)first)[9], 9);
    for (uint64_t i = 12; i-- > 10;)
        assert_taken(&q, i);
    assert_null(twi_split_take(&q));
    twi_split_close(&q);
}

static void test_split_thief_takes_no_more_after_others(void **state)
{
    (void)state;
    struct twi_split q = opened(4);
    unsigned char *first, *other;
    uint32_t count, others;
    uint64_t word, another;
    fill_and_share(&q, 12);
    assert_int_equal(twi_split_steal(&q, 2, &first, &count, &word), TWI_TAKE_GOT);
    assert_int_equal(twi_split_steal(&q, 2, &other, &others, &another), TWI_TAKE_GOT);
    assert_int_equal(twi_split_steal_more(&q, 2, &word), 0);
    assert_int_equal(twi_split_steal_more(&q, 2, &another), 2);
    twi_split_sent(&q, 6);
    for (uint64_t i = 12; i-- > 6;)
        assert_taken(&q, i);
    assert_int_equal(twi_split_steal_more(&q, 2, &another), 0);
    twi_split_close(&q);
}

// What follows the last slot of a ring stands in the first.
static void test_split_thief_takes_no_more_at_the_end_of_the_ring(void **state)
{
    (void)state;
    struct twi_split q = opened(2);
    unsigned char *first;
    uint32_t count;
    uint64_t word;
    fill_and_share(&q, 3);
    for (uint64_t i = 3; i-- > 1;)
        assert_taken(&q, i);
    while (twi_split_shared(&q) && twi_split_steal(&q, 1, &first, &count, &word) == TWI_TAKE_GOT)
        twi_split_sent(&q, count);
    fill_and_share(&q, 4);
    assert_int_equal(twi_split_steal(&q, 99, &first, &count, &word), TWI_TAKE_GOT);
    while ((count = twi_split_steal_more(&q, 99, &word)) != 0)
        ;
    assert_int_equal(twi_split_span(word).stail % 4, 0);
    assert_int_equal(twi_split_shared(&q), 1);
    twi_split_close(&q);
}

// Slots are free again when all that is on its way has arrived, whichever was first.
static void test_split_slots_are_free_when_all_is_sent(void **state)
{
    (void)state;
    struct twi_split q = opened(2);
    unsigned char *first, *second;
    uint32_t one, two;
    uint64_t word;
    for (uint64_t i = 0; i < 4; i++) {
        *(uint64_t *)twi_split_next(&q) = i;
        twi_split_add(&q, 1);
    }
    twi_split_share(&q, 4);
    assert_int_equal(twi_split_steal(&q, 2, &first, &one, &word), TWI_TAKE_GOT);
    assert_int_equal(twi_split_steal(&q, 2, &second, &two, &word), TWI_TAKE_GOT);
    assert_null(twi_split_next(&q));
    twi_split_sent(&q, two);
    assert_null(twi_split_next(&q));
    assert_int_equal(*(uint64_t *)first, 0);
    twi_split_sent(&q, one);
    assert_ptr_equal(twi_split_next(&q), first);
    twi_split_close(&q);
}

static void test_split_stretch_ends_with_the_ring(void **state)
{
    (void)state;
    struct twi_split q = opened(3);
    unsigned char *first;
    for (uint64_t i = 0; i < 5; i++)
        add(&q, i);
    unsigned char *stolen;
    uint32_t count;
    uint64_t word;
    while (twi_split_shared(&q) && twi_split_steal(&q, 1, &stolen, &count, &word) == TWI_TAKE_GOT)
        twi_split_sent(&q, count);
    assert_int_equal(twi_split_stretch(&q, 99, &first), 3);
    assert_int_equal(twi_split_stretch(&q, 2, &first), 2);
    twi_split_add(&q, 3);
    assert_int_equal(twi_split_stretch(&q, 99, &first), 8 - twi_split_count(&q));
    assert_ptr_equal(first, q.slot);
    twi_split_close(&q);
}

// What is on its way stays where it is; all else moves, and the rest of the queue with it.
static void test_split_grows_while_tasks_are_sent(void **state)
{
    (void)state;
    struct twi_split q = opened(1);
    unsigned char *first;
    uint32_t count;
    uint64_t word;
    add(&q, 0);
    add(&q, 1);
    assert_int_equal(twi_split_steal(&q, 99, &first, &count, &word), TWI_TAKE_GOT);
    assert_null(twi_split_next(&q));
    assert_int_equal(twi_split_grow(&q, 3), 0);
    for (uint64_t i = 2; i < 5; i++)
        add(&q, i);
    assert_int_equal(twi_split_grow(&q, 3), 0);
    assert_int_equal(twi_split_grow(&q, 3), -1);
    for (uint64_t i = 5; i < 9; i++)
        add(&q, i);
    assert_null(twi_split_next(&q));
    assert_int_equal(*(uint64_t *)first, 0);
    twi_split_sent(&q, count);
    for (uint64_t i = 9; i-- > 1;)
        assert_taken(&q, i);
    assert_null(twi_split_take(&q));
    twi_split_calm(&q);
    twi_split_close(&q);
}

// Positions in the word begin anew after 2^29: the queue does not notice.
static void test_split_positions_begin_anew(void **state)
{
    (void)state;
    struct twi_split q = opened(2);
    uint32_t near = TWI_SPLIT_MASK - 1;
    q.word = twi_split_word(near, near, 2);
    q.itail = q.head = q.split = q.ctail = near;
    for (uint64_t round = 0; round < 4; round++) {
        unsigned char *first;
        uint32_t count;
        uint64_t word;
        for (uint64_t i = 0; i < 4; i++)
            add(&q, i);
        assert_null(twi_split_next(&q));
        assert_int_equal(twi_split_steal(&q, 99, &first, &count, &word), TWI_TAKE_GOT);
        twi_split_sent(&q, count);
        assert_int_equal(twi_split_count(&q), 4 - count);
        for (uint64_t i = 4; i-- > count;)
            assert_taken(&q, i);
        assert_null(twi_split_take(&q));
    }
    twi_split_close(&q);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_split_newest_comes_first),
        cmocka_unit_test(test_split_thief_takes_half_of_the_oldest),
        cmocka_unit_test(test_split_thief_takes_more_of_what_follows),
        cmocka_unit_test(test_split_thief_takes_no_more_after_others),
        cmocka_unit_test(test_split_thief_takes_no_more_at_the_end_of_the_ring),
        cmocka_unit_test(test_split_slots_are_free_when_all_is_sent),
        cmocka_unit_test(test_split_stretch_ends_with_the_ring),
        cmocka_unit_test(test_split_grows_while_tasks_are_sent),
        cmocka_unit_test(test_split_positions_begin_anew),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
