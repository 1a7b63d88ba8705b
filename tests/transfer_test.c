// SPDX-License-Identifier: Apache-2.0
// ctest: workers=1
// Transfers of global memory, by messages of a place to itself: each byte arrives where it shall,
// whatever the rows, and however many chunks. Between places: tests/mpi/.
#include "support.h"

#include <string.h>

#include "place/transfer.h"

enum { COUNT = 300000 };
static struct twi_place place;
static struct tw_global array;
static int64_t here[COUNT];

static int open_place(void **state)
{
    struct tw_options options;
    (void)state;
    place.fabric = twi_self_create();
    return tw_options_init(&options, NULL, 0) || twi_place_make_host(&place, &options, 1) ||
           tw_global_make(&array, TW_INT64, COUNT);
}

static int close_place(void **state)
{
    (void)state;
    twi_host_destroy(place.host);
    twi_self_destroy(place.fabric);
    free(place.report.stolen);
    return tw_global_free(&array);
}

static int is_over;

static void over(struct twi_place *at, struct twi_transfer *transfer)
{
    assert_ptr_equal(at, &place);
    assert_int_equal(transfer->done, transfer->size);
    is_over++;
}

struct scene {
    size_t at, rows, columns, stride, here_stride; // elements
};

// Returns how many messages it took.
static uint64_t go(const struct scene *s, enum twi_mail_kind kind)
{
    struct twi_transfer transfer = {
        .letter.deliver = twi_transfer_begin,
        .kind = kind,
        .there = {.global = array,
                  .base = 8 * s->at,
                  .columns = 8 * s->columns,
                  .stride = 8 * s->stride},
        .here = {(unsigned char *)here, 8 * s->columns, 8 * s->here_stride},
        .size = 8 * s->rows * s->columns,
        .over = over,
    };
    uint64_t before = twi_host_counts(place.host)->packets;
    is_over = 0;
    transfer.letter.deliver(&place, &transfer.letter);
    for (int turns = 0; !is_over && turns < 1000; turns++)
        (void)place.fabric->calls->progress(place.fabric);
    assert_int_equal(is_over, 1);
    assert_int_equal(place.fabric->calls->progress(place.fabric), 0);
    return twi_host_counts(place.host)->packets - before;
}

// Element k of the array, if it is one of the scene's: its index here; else -1.
static int64_t index_here(const struct scene *s, size_t k)
{
    size_t row = k < s->at ? s->rows : (k - s->at) / s->stride;
    size_t column = k < s->at ? 0 : (k - s->at) % s->stride;
    if (row >= s->rows || column >= s->columns)
        return -1;
    return (int64_t)(row * s->here_stride + column);
}

static void check(const struct scene *s)
{
    int64_t *own = tw_global_local(array);
    for (size_t k = 0; k < COUNT; k++) {
        own[k] = (int64_t)k;
        here[k] = 0;
    }
    (void)go(s, TWI_MAIL_GET);
    size_t wrong = 0;
    for (size_t k = 0; k < COUNT; k++) {
        int64_t index = index_here(s, k);
        wrong += index >= 0 && here[index] != (int64_t)k;
    }
    assert_int_equal(wrong, 0);
    (void)go(s, TWI_MAIL_ADD);
    (void)go(s, TWI_MAIL_ADD);
    for (size_t k = 0; k < COUNT; k++)
        wrong += own[k] != (int64_t)(index_here(s, k) >= 0 ? 3 * k : k);
    assert_int_equal(wrong, 0);
    (void)go(s, TWI_MAIL_PUT);
    for (size_t k = 0; k < COUNT; k++)
        wrong += own[k] != (int64_t)k;
    assert_int_equal(wrong, 0);
}

static void test_transfer_brings_every_byte(void **state)
{
    static const struct scene scenes[] = {
        {0, 1, 1, 1, 1},
        {5, 1, 16384, 16384, 16384}, // exactly a chunk
        {0, 1, COUNT, COUNT, COUNT},
        {7, 1, 16385, 16385, 16385},
        {3, 300, 111, 333, 200},
        {1, 299, 1000, 1001, 1000},
        {0, 4, 70000, 70001, 70003},
        {11, 50000, 1, 3, 2},
    };
    (void)state;
    for (size_t i = 0; i < sizeof scenes / sizeof *scenes; i++)
        check(&scenes[i]);
}

static void test_transfer_takes_few_messages(void **state)
{
    struct scene all = {0, 1, COUNT, COUNT, COUNT}, small = {9, 30, 10, 10, 40};
    (void)state;
    assert_int_equal(go(&small, TWI_MAIL_GET), 2);
    assert_int_equal(go(&small, TWI_MAIL_ADD), 2);
    assert_int_equal(go(&all, TWI_MAIL_GET), 2 * ((8 * COUNT - 1) / (128 << 10) + 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_transfer_brings_every_byte),
        cmocka_unit_test(test_transfer_takes_few_messages),
    };
    return cmocka_run_group_tests(tests, open_place, close_place);
}
