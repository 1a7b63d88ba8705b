// SPDX-License-Identifier: Apache-2.0
// The tensor contraction: the paper's shape, a plain contraction by its definition, every balance,
// and that its check finds what is wrong.
#include "app_support.h"

#include "apps/tce/tce.h"

#define SHRINK 8 // leaves 7 tiles an index

static void test_tce_shape_is_the_papers(void **state)
{
    (void)state;
    for (uint32_t tile = 1; tile <= TCE_TILE_MAX; tile++) {
        struct tce_shape shape;
        tce_shape_make(&shape, tile, 1);
        assert_int_equal(shape.outer_tiles, 37);
        assert_int_equal(shape.inner_tiles, 5);
        assert_int_equal(shape.tasks, 470357);
    }
}

static void test_tce_shape_at_full_size(void **state)
{
    (void)state;
    struct tce_shape shape;
    uint32_t rows = 0, depth = 0;
    tce_shape_make(&shape, TCE_TILE_MAX, 1);
    for (uint32_t i = 0; i < shape.pairs; i++)
        rows += shape.pair[i].size;
    for (uint32_t irrep = 0; irrep < TCE_IRREPS; irrep++)
        depth += shape.depth[irrep];
    assert_int_equal(rows, 730 * 730);
    assert_int_equal(depth, 84 * 84);
}

static void make(struct tce *tce, uint32_t tile, bool is_plain)
{
    memset(tce, 0, sizeof *tce);
    tce_shape_make(&tce->shape, tile, SHRINK);
    tce->is_plain = is_plain;
    tce->is_kept = true;
    assert_int_equal(tce_make(tce), 0);
}

static bool is_right(const struct tce *tce)
{
    bool right = false;
    assert_int_equal(tce_check(tce, &right), 0);
    return right;
}

// Each entry of C as the sum that defines it.
static void compare_with_definition(const struct tce *tce, uint32_t tile)
{
    const struct tce_shape *shape = &tce->shape;
    uint32_t left = tile / shape->pairs, right = tile % shape->pairs;
    uint32_t rows = shape->pair[left].size, depth = shape->depth[shape->pair[left].irrep];
    for (uint32_t i = 0; i < rows * shape->pair[right].size; i++) {
        int64_t sum = 0;
        for (uint32_t inner = 0; inner < depth; inner++)
            sum +=
                tce_entry(true, left, i % rows, inner) * tce_entry(false, right, i / rows, inner);
        assert_int_equal((int64_t)tce->c.mine[tce->c.at[tile] + i], sum);
    }
}

static void test_tce_is_what_defines_it(void **state)
{
    (void)state;
    for (uint32_t length = 2; length <= 4; length++) { // the loop's blocks, their edges, both
        struct tce tce;
        make(&tce, length, true);
        assert_int_equal(tce_sequential(&tce, 1), 0);
        for (uint32_t tile = 0; tile < tce.shape.pairs * tce.shape.pairs; tile++)
            if (!tce_is_null(&tce.shape, tile))
                compare_with_definition(&tce, tile);
        assert_true(is_right(&tce));
        tce_free(&tce);
    }
}

static void compare_ways(const struct linear *linear, uint32_t length)
{
    struct tce by_loop, by_blas;
    make(&by_loop, length, true);
    make(&by_blas, length, true);
    by_blas.linear = linear;
    assert_int_equal(tce_sequential(&by_loop, 1), 0);
    assert_int_equal(tce_sequential(&by_blas, 1), 0);
    uint32_t tiles = by_loop.shape.pairs * by_loop.shape.pairs;
    assert_memory_equal(by_loop.found, by_blas.found, tiles * sizeof *by_loop.found);
    tce_free(&by_loop);
    tce_free(&by_blas);
}

static void test_tce_blas_and_loop_agree(void **state)
{
    (void)state;
    struct linear linear;
    char message[512];
    if (!linear_open(&linear, NULL, message, sizeof message))
        skip();
    for (uint32_t length = 3; length <= 5; length++)
        compare_ways(&linear, length);
    linear_close(&linear);
}

// A tile that was left out or came twice, of which there is nothing or too much, and one that has
// two entries exchanged.
static void test_tce_check_finds_mistakes(void **state)
{
    (void)state;
    struct tce tce;
    make(&tce, 2, true);
    assert_int_equal(tce_sequential(&tce, 2), 0);
    assert_true(is_right(&tce));
    uint64_t found = tce.found[0], kept = tce.kept[0];
    const uint64_t wrong[] = {0, 2 * found, found + 1};
    for (size_t i = 0; i < sizeof wrong / sizeof *wrong; i++) {
        tce.found[0] = wrong[i];
        assert_false(is_right(&tce));
    }
    tce.found[0] = found;
    double *c = tce.c.mine + tce.c.at[0], first = c[0];
    assert_true(c[0] != c[1]);
    c[0] = c[1];
    c[1] = first;
    tce_collect(&tce);
    assert_int_not_equal(tce.kept[0], kept);
    assert_false(is_right(&tce));
    tce_free(&tce);
}

static void test_tce_nothing_is_found_in_zero_tiles(void **state)
{
    (void)state;
    struct tce tce;
    uint32_t tile = 0;
    int error = 0;
    make(&tce, 1, true);
    while (!tce_is_null(&tce.shape, tile))
        tile++;
    assert_false(tce_contract(&tce, tile, &error));
    assert_int_equal(tce.found[tile], 0);
    assert_int_equal(tce_sequential(&tce, 1), 0);
    assert_true(is_right(&tce));
    tce.found[tile] = 1;
    assert_false(is_right(&tce));
    tce_free(&tce);
}

static void check_seeds(const struct tce *tce, const struct iterations *iterations, bool has_nulls)
{
    uint64_t all = (uint64_t)tce->shape.pairs * tce->shape.pairs;
    for (unsigned which = 0; which < iterations->balances->count; which++)
        for (unsigned i = 0; i < iterations->count; i++) {
            const struct tw_collection_stats *stats =
                &iterations->stats[which * iterations->count + i];
            bool is_all = iterations->balances->balance[which] == TW_BALANCE_STEAL_ALL;
            bool with_nulls = is_all || (has_nulls && i == 0);
            assert_int_equal(stats->tasks, with_nulls ? all : tce->shape.tasks);
            assert_int_equal(stats->nulls, with_nulls ? all - tce->shape.tasks : 0);
        }
}

static void test_tce_every_balance_contracts(void **state)
{
    (void)state;
    char message[512];
    struct iterations_balances balances;
    assert_true(iterations_read(&balances, "all", message, sizeof message));
    for (int has_nulls = 0; has_nulls < 2; has_nulls++) {
        struct iterations iterations = {.balances = &balances, .count = 3};
        struct tce tce;
        make(&tce, 2, false);
        tce.has_nulls = has_nulls;
        assert_int_equal(tce_collections(NULL, &tce, &iterations), 0);
        assert_int_equal(tce.processes, 3 * balances.count);
        assert_true(is_right(&tce));
        check_seeds(&tce, &iterations, has_nulls);
        iterations_free(&iterations);
        tce_free(&tce);
    }
}

static void test_tce_application_verifies_itself(void **state)
{
    (void)state;
    app_verifies_with(&tce_app, "--tile", "2", "--shrink", "8", "--balance", "all");
    app_verifies_with(&tce_app, "--tile", "3", "--shrink", "12", "--keep", "--nulls");
    app_verifies_with(&tce_app, "--shrink", "6", "--multiply", "loop", "--iterations", "1");
}

static void test_tce_application_refuses(void **state)
{
    (void)state;
    app_refuses(&tce_app, "--tile", "0", "--tile");
    app_refuses(&tce_app, "--tile", "21", "--tile");
    app_refuses(&tce_app, "--shrink", "101", "--shrink");
    app_refuses(&tce_app, "--multiply", "hand", "blas");
    app_refuses(&tce_app, "--balance", "none;steal", "--balance does not know 'none;steal'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_tce_shape_is_the_papers),
        cmocka_unit_test(test_tce_shape_at_full_size),
        cmocka_unit_test(test_tce_is_what_defines_it),
        cmocka_unit_test(test_tce_blas_and_loop_agree),
        cmocka_unit_test(test_tce_check_finds_mistakes),
        cmocka_unit_test(test_tce_nothing_is_found_in_zero_tiles),
        cmocka_unit_test(test_tce_every_balance_contracts),
        cmocka_unit_test(test_tce_application_verifies_itself),
        cmocka_unit_test(test_tce_application_refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
