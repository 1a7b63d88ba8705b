// SPDX-License-Identifier: Apache-2.0
// UTS: both hashes against a plain SHA-1, the parallel searches against the sequential one.
#include "support.h"

#include <string.h>

#include "apps/uts/uts.h"

static uint32_t rotate(uint32_t x, int bits)
{
    return x << bits | x >> (32 - bits);
}

static uint32_t mix(int t, uint32_t b, uint32_t c, uint32_t d)
{
    if (t < 20)
        return (b & c) | (~b & d);
    if (t >= 40 && t < 60)
        return (b & c) | (b & d) | (c & d);
    return b ^ c ^ d;
}

// SHA-1 of `count` words, at most 13, as its definition has it.
static void plain_sha1(const uint32_t *message, unsigned count, uint32_t digest[5])
{
    static const uint32_t constant[4] = {0x5a827999, 0x6ed9eba1, 0x8f1bbcdc, 0xca62c1d6};
    static const uint32_t start[5] = {0x67452301, 0xefcdab89, 0x98badcfe, 0x10325476, 0xc3d2e1f0};
    uint32_t w[80] = {0}, v[5];
    memcpy(w, message, count * sizeof *w);
    w[count] = 0x80000000;
    w[15] = count * 32;
    for (int t = 16; t < 80; t++)
        w[t] = rotate(w[t - 3] ^ w[t - 8] ^ w[t - 14] ^ w[t - 16], 1);
    memcpy(v, start, sizeof v);
    for (int t = 0; t < 80; t++) {
        uint32_t next = rotate(v[0], 5) + mix(t, v[1], v[2], v[3]) + v[4] + constant[t / 20] + w[t];
        memmove(v + 1, v, 4 * sizeof *v);
        v[2] = rotate(v[2], 30);
        v[0] = next;
    }
    for (int i = 0; i < 5; i++)
        digest[i] = start[i] + v[i];
}

static void check_hash(uts_hash *hash)
{
    uint32_t message[6] = {1, 2, 3, 4, 5, 0}, expected[5];
    for (uint32_t i = 0; i < 1000; i++) {
        struct uts_state parent, child;
        message[5] = i;
        memcpy(parent.word, message, sizeof parent.word);
        hash(&parent, i, &child);
        plain_sha1(message, 6, expected);
        assert_memory_equal(child.word, expected, sizeof expected);
        memcpy(message, expected, sizeof expected);
    }
}

static void test_uts_plain_sha1_is_sha1(void **state)
{
    (void)state;
    static const uint32_t message[] = {0x61626364}; // "abcd"
    static const uint32_t expected[5] = {0x81fe8bfe, 0x87576c3e, 0xcb22426f, 0x8e578473,
                                         0x82917acf};
    uint32_t digest[5];
    plain_sha1(message, 1, digest);
    assert_memory_equal(digest, expected, sizeof expected);
}

static void test_uts_hash_portable(void **state)
{
    (void)state;
    check_hash(uts_hash_portable);
}

static void test_uts_hash_ni(void **state)
{
    (void)state;
    if (!uts_hash_ni_available())
        skip();
    check_hash(uts_hash_ni);
}

static void test_uts_hash_root(void **state)
{
    (void)state;
    const uint32_t message[5] = {0, 0, 0, 0, 42};
    uint32_t expected[5];
    struct uts_state root;
    uts_hash_root(42, &root);
    plain_sha1(message, 5, expected);
    assert_memory_equal(root.word, expected, sizeof expected);
}

static void check_equal(const struct uts_count *found, const struct uts_count *expected)
{
    assert_int_equal(found->nodes, expected->nodes);
    assert_int_equal(found->depth, expected->depth);
    assert_int_equal(found->leaves, expected->leaves);
}

static struct uts_count search_all_ways(const struct uts_parameters *parameters, uint32_t times)
{
    struct uts_tree tree;
    struct uts_count expected, found;
    assert_null(uts_tree_init(&tree, parameters, UTS_SHA_PORTABLE, 1));
    assert_true(uts_search(&tree, &expected));
    assert_null(uts_tree_init(&tree, parameters, UTS_SHA_AUTO, times));
    assert_int_equal(uts_search_fork(NULL, &tree, &found), 0);
    check_equal(&found, &expected);
    assert_int_equal(uts_search_async(NULL, &tree, &found), 0);
    check_equal(&found, &expected);
    assert_int_equal(uts_search_any(NULL, &tree, &found), 0);
    check_equal(&found, &expected);
    assert_int_equal(uts_nodes_so_far(), expected.nodes);
    for (uint32_t chunk = 1; chunk <= UTS_CHUNK_MOST; chunk *= 2) {
        assert_int_equal(uts_search_chunks(NULL, &tree, chunk, &found), 0);
        check_equal(&found, &expected);
    }
    return expected;
}

// A small tree of every kind, with its size by a program of a dozen lines in another language.
static const struct {
    struct uts_parameters parameters;
    struct uts_count count;
} small[] = {
    {{.type = UTS_GEOMETRIC, .shape = UTS_FIXED, .depth = 7, .b0 = 4, .seed = 19},
     {.nodes = 63914, .leaves = 51124, .depth = 7}},
    {{.type = UTS_GEOMETRIC, .shape = UTS_LINEAR, .depth = 12, .b0 = 4, .seed = 34},
     {.nodes = 21579, .leaves = 11664, .depth = 12}},
    {{.type = UTS_GEOMETRIC, .shape = UTS_CYCLIC, .depth = 7, .b0 = 4, .seed = 502},
     {.nodes = 7727, .leaves = 4528, .depth = 36}},
    {{.type = UTS_GEOMETRIC, .shape = UTS_EXPONENTIAL, .depth = 8, .b0 = 4, .seed = 7},
     {.nodes = 13345, .leaves = 6848, .depth = 24}},
    {{.type = UTS_BINOMIAL, .b0 = 200, .q = 0.124, .m = 8, .seed = 42},
     {.nodes = 193585, .leaves = 169411, .depth = 333}},
    {{.type = UTS_HYBRID, .depth = 12, .b0 = 5, .q = 0.23, .m = 4, .seed = 1, .shift = 0.5},
     {.nodes = 52732, .leaves = 39634, .depth = 96}},
    {{.type = UTS_BALANCED, .depth = 8, .b0 = 3}, {.nodes = 9841, .leaves = 6561, .depth = 8}},
};

static void test_uts_every_kind_of_tree(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof small / sizeof small[0]; i++) {
        struct uts_count count = search_all_ways(&small[i].parameters, 1);
        check_equal(&count, &small[i].count);
    }
}

static void test_uts_granularity_changes_no_count(void **state)
{
    (void)state;
    search_all_ways(&small[0].parameters, 3);
}

static void test_uts_root_alone(void **state)
{
    (void)state;
    const struct uts_parameters alone = {.type = UTS_BALANCED, .depth = 0, .b0 = 3};
    struct uts_count count = search_all_ways(&alone, 1);
    assert_int_equal(count.nodes, 1);
    assert_int_equal(count.leaves, 1);
    assert_int_equal(count.depth, 0);
}

// A chain deeper than the sequential search recurses.
static void test_uts_deep_chain(void **state)
{
    (void)state;
    const struct uts_parameters chain = {
        .type = UTS_BINOMIAL, .b0 = 1, .q = 0.99999, .m = 1, .seed = 1};
    struct uts_tree tree;
    struct uts_count expected, found;
    assert_null(uts_tree_init(&tree, &chain, UTS_SHA_AUTO, 1));
    assert_true(uts_search(&tree, &expected));
    assert_in_range(expected.depth, 20000, 1000000);
    assert_int_equal(expected.nodes, expected.depth + 1);
    assert_int_equal(expected.leaves, 1);
    assert_int_equal(uts_search_async(NULL, &tree, &found), 0);
    check_equal(&found, &expected);
    assert_int_equal(uts_search_chunks(NULL, &tree, 8, &found), 0);
    check_equal(&found, &expected);
}

static void test_uts_refuses_senseless_trees(void **state)
{
    (void)state;
    struct uts_tree tree;
    struct uts_parameters endless = uts_find_named("T3")->parameters;
    endless.q = 0.5;
    assert_non_null(uts_tree_init(&tree, &endless, UTS_SHA_AUTO, 1));
    struct uts_parameters wide = uts_find_named("T1")->parameters;
    wide.b0 = 101;
    assert_non_null(uts_tree_init(&tree, &wide, UTS_SHA_AUTO, 1));
    struct uts_parameters flat = uts_find_named("T5")->parameters;
    flat.depth = 0;
    assert_non_null(uts_tree_init(&tree, &flat, UTS_SHA_AUTO, 1));
    assert_null(uts_find_named("T9"));
    for (size_t i = 0; i < uts_named_tree_count; i++)
        assert_null(uts_tree_init(&tree, &uts_named_trees[i].parameters, UTS_SHA_AUTO, 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_uts_plain_sha1_is_sha1),
        cmocka_unit_test(test_uts_hash_portable),
        cmocka_unit_test(test_uts_hash_ni),
        cmocka_unit_test(test_uts_hash_root),
        cmocka_unit_test(test_uts_every_kind_of_tree),
        cmocka_unit_test(test_uts_granularity_changes_no_count),
        cmocka_unit_test(test_uts_root_alone),
        cmocka_unit_test(test_uts_deep_chain),
        cmocka_unit_test(test_uts_refuses_senseless_trees),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
