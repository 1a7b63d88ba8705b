// SPDX-License-Identifier: Apache-2.0
// global.h where there is one place: everything means the same. Several places: tests/mpi/.
#include "support.h"

#include <string.h>

#include <twill/global.h>

enum { COUNT = 3000 };
static struct tw_global array, numbers;

static int make_arrays(void **state)
{
    (void)state;
    return tw_global_make(&array, TW_DOUBLE, COUNT) || tw_global_make(&numbers, TW_INT64, COUNT);
}

static int free_arrays(void **state)
{
    (void)state;
    return tw_global_free(&array) || tw_global_free(&numbers);
}

// ---- copies ----

// Also outside tasks: it is this place's own.
static void test_global_keeps_what_is_put(void **state)
{
    double out[10], in[10] = {1, 2, 3, 4, 5, 6, 7, 8, 9, 10};
    double *own = tw_global_local(array);
    (void)state;
    assert_int_equal(tw_global_count(array), COUNT);
    assert_ptr_equal(tw_global_reach(array, 0), own);
    assert_true(own[0] == 0 && own[COUNT - 1] == 0);
    tw_global_put(array, 0, COUNT - 10, in, 10);
    tw_global_get(array, 0, COUNT - 10, out, 10);
    assert_memory_equal(in, out, sizeof in);
    assert_true(own[COUNT - 11] == 0 && own[COUNT - 10] == 1 && own[COUNT - 1] == 10);
    tw_global_accumulate(array, 0, COUNT - 10, in, 9);
    assert_true(own[COUNT - 10] == 2 && own[COUNT - 2] == 18 && own[COUNT - 1] == 10);
    tw_global_get(array, 0, COUNT, out, 0);
    tw_global_fill(array, &in[2]);
    assert_true(own[0] == 3 && own[1] == 3 && own[COUNT - 1] == 3);
    tw_global_fill(array, NULL);
    assert_true(own[0] == 0 && own[COUNT - 1] == 0);
}

// Rows of 5 from a stride of 7 to one of 11, and back with sums, for all lengths around a stripe.
static void test_global_copies_rows(void **state)
{
    int64_t *own = tw_global_local(numbers), here[COUNT];
    (void)state;
    for (size_t rows = 0; rows < 200; rows++) {
        for (int64_t i = 0; i < COUNT; i++) {
            own[i] = i;
            here[i] = -1;
        }
        struct tw_part there = tw_part_rows(tw_part_of(numbers, 0, 3, 5), rows, 7);
        tw_copy(tw_part_rows(tw_part_here(here, 5), rows, 11), there);
        for (size_t i = 0; i < 11 * rows; i++)
            assert_int_equal(here[i], i % 11 < 5 ? (int64_t)(3 + i / 11 * 7 + i % 11) : -1);
        assert_int_equal(here[11 * rows], -1);
        tw_accumulate(there, tw_part_rows(tw_part_here(here, 5), rows, 11));
        for (size_t i = 0; i < COUNT; i++) {
            int is_in = i >= 3 && i < 3 + 7 * rows && (i - 3) % 7 < 5;
            assert_int_equal(own[i], (int64_t)(is_in ? 2 * i : i));
        }
    }
}

// ---- types ----

#define CHECK_SUM(element, type)                                                                   \
    do {                                                                                           \
        struct tw_global sums;                                                                     \
        type three = 3, ones[2] = {1, 1};                                                          \
        assert_int_equal(tw_global_make(&sums, element, 700), 0);                                  \
        tw_global_fill(sums, &three);                                                              \
        tw_global_accumulate(sums, 0, 698, ones, 2);                                               \
        type *own = (type *)tw_global_local(sums);                                                 \
        assert_true(own[697] == 3 && own[698] == 4 && own[699] == 4);                              \
        assert_int_equal(tw_global_free(&sums), 0);                                                \
    } while (0)

static void test_global_adds_all_types(void **state)
{
    (void)state;
    CHECK_SUM(TW_INT32, int32_t);
    CHECK_SUM(TW_INT64, int64_t);
    CHECK_SUM(TW_FLOAT, float);
    CHECK_SUM(TW_DOUBLE, double);
    assert_int_equal(tw_element_size(TW_BYTE), 1);
    assert_int_equal(tw_element_size((enum tw_element)9), 0);
}

// ---- tasks ----

enum { ADDERS = 16, LENGTH = 2000 };

TW_TASK(add, { int rounds; })
{
    int64_t ones[LENGTH];
    for (size_t i = 0; i < LENGTH; i++)
        ones[i] = 1;
    for (int i = 0; i < self.rounds; i++)
        tw_global_accumulate(numbers, 0, (size_t)i % 3, ones, LENGTH);
}

TW_TASK(add_all, { int rounds; })
{
    tw_finish {
        for (int i = 0; i < ADDERS; i++)
            tw_async_any(add, .rounds = self.rounds);
    }
}

static void test_global_sums_of_tasks_add_up(void **state)
{
    const int64_t *own = tw_global_local(numbers);
    int rounds = 3 * test_scaled(50);
    (void)state;
    tw_global_fill(numbers, NULL);
    assert_int_equal(tw_run(add_all, .rounds = rounds), 0);
    assert_int_equal(own[0], ADDERS * rounds / 3);
    for (size_t i = 2; i < LENGTH; i++)
        assert_int_equal(own[i], ADDERS * rounds);
    assert_int_equal(own[LENGTH + 1], ADDERS * rounds / 3);
}

TW_FUTURE(int, value)

TW_TASK(copy_later, { int *wrong; })
{
    double got[3] = {0}, put[3] = {4, 5, 6};
    tw_future(value) done = TW_FUTURE_INIT;
    tw_finish {
        *self.wrong += tw_async_copy(tw_part_of(array, 0, 5, 3), tw_part_here(put, 3), NULL);
    }
    tw_finish {
        *self.wrong += tw_async_accumulate(tw_part_of(array, 0, 6, 2), tw_part_here(put, 2), NULL);
    }
    *self.wrong +=
        tw_async_copy(tw_part_here(got, 3), tw_part_of(array, 0, 5, 3), &done.event) != 0;
    *self.wrong += tw_future_wait(&done.event) != 0;
    *self.wrong += got[0] != 4 || got[1] != 9 || got[2] != 11;
    *self.wrong +=
        tw_async_copy(tw_part_here(got, 1), tw_part_of(array, 0, 0, 1), &done.event) != TW_EALREADY;
}

static void test_global_copies_set_futures(void **state)
{
    int wrong = 0;
    (void)state;
    tw_global_fill(array, NULL);
    assert_int_equal(tw_run(copy_later, .wrong = &wrong), 0);
    assert_int_equal(wrong, 0);
}

// ---- making ----

TW_TASK(make_inside, { int *wrong; })
{
    struct tw_global made;
    *self.wrong += tw_global_make(&made, TW_FLOAT, 7) != 0;
    *self.wrong += tw_global_count(made) != 7;
    *self.wrong += tw_global_free(&made) != 0;
}

static void test_global_numbers_are_used_again(void **state)
{
    struct tw_global made[40];
    int wrong = 0;
    (void)state;
    for (int round = 0; round < 3; round++) {
        for (size_t i = 0; i < 40; i++)
            assert_int_equal(tw_global_make(&made[i], TW_BYTE, i + 1), 0);
        for (size_t i = 0; i < 40; i++) {
            size_t which = (i * 7 + (size_t)round) % 40;
            assert_int_equal(tw_global_count(made[which]), which + 1);
            assert_int_equal(tw_global_free(&made[which]), 0);
        }
    }
    assert_int_equal(tw_run_spmd(make_inside, .wrong = &wrong), 0);
    assert_int_equal(wrong, 0);
}

static void test_global_says_what_it_cannot_make(void **state)
{
    static struct tw_global many[1025];
    struct tw_global none = {1, 1};
    (void)state;
    assert_int_equal(tw_global_make(&none, TW_DOUBLE, 0), TW_EINVAL);
    assert_int_equal(none.age, 0);
    assert_int_equal(tw_global_make(&none, (enum tw_element)9, 5), TW_EINVAL);
    assert_int_equal(tw_global_make(&none, TW_DOUBLE, (size_t)1 << 50), TW_ENOMEM);
    assert_int_equal(tw_global_make(&none, TW_DOUBLE, SIZE_MAX / 8), TW_ENOMEM);
    size_t made = 0;
    while (made < 1025 && tw_global_make(&many[made], TW_BYTE, 1) == 0)
        made++;
    assert_int_equal(made, 1022); // and the two that are here
    while (made > 0)
        assert_int_equal(tw_global_free(&many[--made]), 0);
}

// ---- what is refused ----

static double some[100];

static void beyond_the_end(void)
{
    tw_global_get(array, 0, COUNT - 9, some, 10);
}

static void beyond_by_rows(void)
{
    tw_copy(tw_part_rows(tw_part_of(array, 0, 0, 2), 2, COUNT - 1),
            tw_part_rows(tw_part_here(some, 2), 2, 2));
}

static void far_beyond(void)
{
    tw_global_put(array, 0, SIZE_MAX - 1, some, 4);
}

static void rows_overlap(void)
{
    tw_copy(tw_part_rows(tw_part_of(array, 0, 0, 5), 3, 4),
            tw_part_rows(tw_part_here(some, 5), 3, 5));
}

static void no_such_place(void)
{
    tw_global_get(array, 1, 0, some, 1);
}

static void no_array(void)
{
    tw_copy(tw_part_here(some, 1), tw_part_here(some + 1, 1));
}

static void different_types(void)
{
    tw_copy(tw_part_of(array, 0, 0, 1), tw_part_of(numbers, 0, 0, 1));
}

static void different_sizes(void)
{
    tw_copy(tw_part_of(array, 0, 0, 2), tw_part_here(some, 3));
}

static void add_to_memory(void)
{
    tw_accumulate(tw_part_here(some, 1), tw_part_of(array, 0, 0, 1));
}

static void add_bytes(void)
{
    struct tw_global bytes;
    (void)tw_global_make(&bytes, TW_BYTE, 8);
    tw_global_accumulate(bytes, 0, 0, "x", 1);
}

static void use_freed(void)
{
    struct tw_global copy = array;
    (void)tw_global_free(&array);
    tw_global_get(copy, 0, 0, some, 1);
}

static void use_older(void)
{
    struct tw_global copy = array;
    (void)tw_global_free(&array);
    (void)tw_global_make(&array, TW_DOUBLE, COUNT);
    (void)tw_global_local(copy);
}

static void use_none(void)
{
    struct tw_global none = {0, 0};
    (void)tw_global_count(none);
}

TW_TASK(make_in_task, { int unused; })
{
    struct tw_global made;
    (void)tw_global_make(&made, TW_BYTE, 8);
}

static void make_in_run(void)
{
    (void)tw_run(make_in_task, .unused = 0);
}

static void test_global_refuses_misuse(void **state)
{
    static const struct {
        void (*what)(void);
        const char *words;
    } cases[] = {
        {beyond_the_end, "from element 2991 on: an array has 3000 at each place"},
        {beyond_by_rows, "2 rows of 2 elements, 2999 from one to the next"},
        {far_beyond, "an array has 3000"},
        {rows_overlap, "stride is less than its columns"},
        {no_such_place, "place 1 is not there: there are 1"},
        {no_array, "neither end of a copy is of an array"},
        {different_types, "elements of different types"},
        {different_sizes, "different rows or columns"},
        {add_to_memory, "only elements of an array"},
        {add_bytes, "that are no bytes"},
        {use_freed, "used that is freed"},
        {use_older, "used that is freed"},
        {use_none, "used that was never made"},
        {make_in_run, "tw_global_make is only for the top level"},
    };
    char text[400];
    (void)state;
    for (size_t i = 0; i < sizeof cases / sizeof *cases; i++) {
        assert_true(test_dies(cases[i].what, text, sizeof text));
        if (!strstr(text, cases[i].words))
            fail_msg("case %zu: '%s' is not in: %s", i, cases[i].words, text);
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_global_keeps_what_is_put),
        cmocka_unit_test(test_global_copies_rows),
        cmocka_unit_test(test_global_adds_all_types),
        cmocka_unit_test(test_global_sums_of_tasks_add_up),
        cmocka_unit_test(test_global_copies_set_futures),
        cmocka_unit_test(test_global_numbers_are_used_again),
        cmocka_unit_test(test_global_says_what_it_cannot_make),
        cmocka_unit_test(test_global_refuses_misuse),
    };
    return cmocka_run_group_tests(tests, make_arrays, free_arrays);
}
