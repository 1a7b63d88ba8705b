// SPDX-License-Identifier: Apache-2.0
// ctest: workers=1,2,8 release-only timeout=300
// UTS: the named trees of four million nodes, each search giving the known size.
#include "support.h"

#include "apps/uts/uts.h"

static void check_known(const struct uts_named_tree *named, const char *way,
                        const struct uts_count *found)
{
    if (found->nodes != named->known.nodes || found->depth != named->known.depth ||
        found->leaves != named->known.leaves)
        fail_msg("%s, %s: found %llu nodes, depth %llu, %llu leaves", named->name, way,
                 (unsigned long long)found->nodes, (unsigned long long)found->depth,
                 (unsigned long long)found->leaves);
}

static void test_uts_named_tree(void **state)
{
    const struct uts_named_tree *named = uts_find_named(*state);
    struct uts_tree tree;
    struct uts_count found;
    assert_null(uts_tree_init(&tree, &named->parameters, UTS_SHA_PORTABLE, 1));
    assert_true(uts_search(&tree, &found));
    check_known(named, "sequential", &found);
    assert_null(uts_tree_init(&tree, &named->parameters, UTS_SHA_AUTO, 1));
    assert_int_equal(uts_search_fork(NULL, &tree, &found), 0);
    check_known(named, "fork", &found);
    assert_int_equal(uts_search_async(NULL, &tree, &found), 0);
    check_known(named, "async", &found);
}

#define TREE(name) cmocka_unit_test_prestate(test_uts_named_tree, (void *)name)

int main(void)
{
    const struct CMUnitTest tests[] = {TREE("T1"), TREE("T2"), TREE("T3"), TREE("T4"), TREE("T5")};
    return cmocka_run_group_tests(tests, NULL, NULL);
}
