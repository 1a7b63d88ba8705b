// SPDX-License-Identifier: Apache-2.0
// The simulator's queue against a list that is searched for its first.
// ctest: workers=1
#include "fabric/sim_queue.h"

#include "base/rng.h"
#include "support.h"

enum { LIST_MOST = 600 };

// What the queue should hold, in the order it came.
struct reference {
    struct twi_sim_event events[LIST_MOST];
    size_t count;
};

static struct twi_sim_event first_of(struct reference *list)
{
    size_t first = 0;
    for (size_t i = 1; i < list->count; i++)
        if (list->events[i].at_ns < list->events[first].at_ns)
            first = i;
    struct twi_sim_event event = list->events[first];
    list->count--;
    for (size_t i = first; i < list->count; i++)
        list->events[i] = list->events[i + 1];
    return event;
}

static void put(struct twi_sim_queue *queue, struct reference *list, uint64_t at_ns, uint32_t what)
{
    assert_int_equal(twi_sim_queue_put(queue, at_ns, what % 5, what * 7, what), 0);
    list->events[list->count++] =
        (struct twi_sim_event){.at_ns = at_ns, .kind = what % 5, .place = what * 7, .what = what};
}

static void take(struct twi_sim_queue *queue, struct reference *list)
{
    struct twi_sim_event event, expected = first_of(list);
    assert_int_equal(twi_sim_queue_take(queue, &event), 1);
    assert_int_equal(event.at_ns, expected.at_ns);
    assert_int_equal(event.what, expected.what);
    assert_int_equal(event.place, expected.place);
    assert_int_equal(event.kind, expected.kind);
    assert_int_equal(queue->now_ns, event.at_ns);
    assert_int_equal(queue->count, list->count);
}

static void take_all(struct twi_sim_queue *queue, struct reference *list)
{
    struct twi_sim_event event;
    while (list->count)
        take(queue, list);
    assert_int_equal(twi_sim_queue_take(queue, &event), 0);
}

// Of any number of digits, often now itself or what another event has, never past the last time
// there is.
static uint64_t any_time(struct twi_rng *rng, const struct twi_sim_queue *queue,
                         const struct reference *list, unsigned bits)
{
    if (list->count && twi_rng_below(rng, 4) == 0)
        return list->events[twi_rng_below(rng, (uint32_t)list->count)].at_ns;
    uint64_t ahead = twi_rng_next(rng) >> (63 - twi_rng_below(rng, bits));
    return ahead > UINT64_MAX - queue->now_ns ? UINT64_MAX : queue->now_ns + ahead;
}

// `bits` is how far ahead events are at most: with few, now passes many slots; with all, it comes
// to the end of time.
static void play(uint64_t seed, unsigned bits)
{
    static struct reference list;
    struct twi_sim_queue queue;
    struct twi_rng rng = {seed};
    list.count = 0;
    twi_sim_queue_init(&queue);
    for (uint32_t i = 0; i < 2000; i++) {
        uint32_t puts_of_eight = 2 + (i >> 7 & 3); // it grows for a while, then it shrinks
        if (list.count < LIST_MOST && twi_rng_below(&rng, 8) < puts_of_eight)
            put(&queue, &list, any_time(&rng, &queue, &list, bits), i);
        else if (list.count)
            take(&queue, &list);
    }
    take_all(&queue, &list);
    twi_sim_queue_destroy(&queue);
}

static void test_sim_queue_is_in_order(void **state)
{
    (void)state;
    for (int seed = 0; seed < test_scaled(100); seed++)
        for (unsigned bits = 1; bits <= 64; bits += 7)
            play((uint64_t)seed, bits);
}

static void test_sim_queue_same_time_in_order_of_coming(void **state)
{
    (void)state;
    static struct reference list;
    struct twi_sim_queue queue;
    twi_sim_queue_init(&queue);
    list.count = 0;
    const uint64_t at = UINT64_C(0x123456789abcdef0);
    put(&queue, &list, at, 0); // far away, then nearer and nearer
    for (uint32_t i = 1; i < 60; i++) {
        put(&queue, &list, at - (UINT64_C(1) << (60 - i)), 1000 + i);
        put(&queue, &list, at, i);
        take(&queue, &list);
        put(&queue, &list, at, 100 + i);
    }
    take(&queue, &list);
    put(&queue, &list, at, 200); // now, and behind all others
    take_all(&queue, &list);
    twi_sim_queue_destroy(&queue);
}

static void test_sim_queue_at_the_edges_of_rows(void **state)
{
    (void)state;
    static struct reference list;
    struct twi_sim_queue queue;
    twi_sim_queue_init(&queue);
    list.count = 0;
    uint32_t what = 0;
    for (unsigned bits = 0; bits < 64; bits++)
        for (uint64_t near = 0; near < 3; near++)
            put(&queue, &list, (UINT64_C(1) << bits) + near - 1, what++);
    put(&queue, &list, UINT64_MAX, what++);
    put(&queue, &list, UINT64_MAX - 1, what++);
    take_all(&queue, &list);
    assert_int_equal(queue.now_ns, UINT64_MAX);
    put(&queue, &list, UINT64_MAX, what++);
    take_all(&queue, &list);
    twi_sim_queue_destroy(&queue);
}

// As many events as there ever were at a time, and no more, have memory.
static void test_sim_queue_uses_memory_again(void **state)
{
    (void)state;
    struct twi_sim_queue queue;
    struct twi_sim_event event;
    twi_sim_queue_init(&queue);
    for (uint32_t i = 0; i < 3000; i++)
        assert_int_equal(twi_sim_queue_put(&queue, i * UINT64_C(1000003), 0, 0, i), 0);
    uint32_t room = queue.room;
    for (uint32_t i = 0; i < 100000; i++) {
        assert_int_equal(twi_sim_queue_take(&queue, &event), 1);
        assert_int_equal(event.what, i);
        assert_int_equal(
            twi_sim_queue_put(&queue, event.at_ns + 3000 * UINT64_C(1000003), 0, 0, i + 3000), 0);
    }
    assert_int_equal(queue.used, 3000);
    assert_int_equal(queue.room, room);
    twi_sim_queue_destroy(&queue);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_sim_queue_is_in_order),
        cmocka_unit_test(test_sim_queue_same_time_in_order_of_coming),
        cmocka_unit_test(test_sim_queue_at_the_edges_of_rows),
        cmocka_unit_test(test_sim_queue_uses_memory_again),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
