// SPDX-License-Identifier: Apache-2.0
// ctest: workers=1
// Hartree-Fock: integrals against what is known of them, the lists of pairs, the tasks and their
// counts.
#include "hf_scene.h"

#include "apps/hf/integral.h"
#include "apps/hf/screen.h"
#include "apps/hf/tasks.h"

static void test_hf_integrals_boys_function(void **state)
{
    (void)state;
    const struct hf_boys *boys = hf_boys();
    assert_near(hf_boys0(boys, 0), 1, 1e-15);
    assert_near(hf_boys0(boys, 1e-9), 1 - 1e-9 / 3, 1e-15);
    for (double t = 0.001; t < 80; t += 0.00917) {
        double expected = sqrt(M_PI / t) / 2 * erf(sqrt(t));
        assert_near(hf_boys0(boys, t) / expected, 1, 2e-14);
    }
}

// Hydrogen's 1s by STO-3G, 1.4 bohr apart: Szabo and Ostlund print these to four digits.
static void test_hf_integrals_of_h2(void **state)
{
    (void)state;
    struct hf_system system;
    const struct hf_boys *boys = hf_boys();
    hf_scene(&system, 0, "h2", "sto-3g", 0);
    assert_near(hf_overlap(&system, 0, 0), 1, 1e-7);
    assert_near(hf_overlap(&system, 0, 1), 0.6593, 5e-5);
    assert_near(hf_kinetic(&system, 0, 0), 0.7600, 5e-5);
    assert_near(hf_kinetic(&system, 0, 1), 0.2365, 5e-5);
    assert_near(hf_attraction(&system, 0, 0), -1.2266 - 0.6538, 1e-4);
    assert_near(hf_attraction(&system, 0, 1), -0.5974 * 2, 1e-4);
    assert_near(hf_repulsion(&system, boys, 0, 0, 0, 0), 0.7746, 5e-5);
    assert_near(hf_repulsion(&system, boys, 0, 0, 1, 1), 0.5697, 5e-5);
    assert_near(hf_repulsion(&system, boys, 1, 0, 0, 0), 0.4441, 5e-5);
    assert_near(hf_repulsion(&system, boys, 1, 0, 1, 0), 0.2970, 5e-5);
    hf_system_free(&system);
}

static void test_hf_integrals_bounds_hold_and_descend(void **state)
{
    (void)state;
    struct hf_system system;
    struct hf_screen screen;
    hf_scene(&system, 2, NULL, "be-chain", 0);
    assert_int_equal(hf_screen_make(&screen, &system, 7, 0), 0);
    assert_int_equal(screen.tiles, 5);
    size_t pairs = 0;
    for (size_t i = 0; i < 5; i++)
        for (size_t j = 0; j < 5; j++) {
            const struct hf_list *list = hf_list(&screen, i, j);
            pairs += list->count;
            for (size_t n = 0; n < list->count; n++) {
                size_t a = (i < j ? i : j) * 7 + list->first[n];
                size_t b = (i < j ? j : i) * 7 + list->second[n];
                double repulsion = hf_repulsion(&system, screen.boys, a, b, a, b);
                assert_near(list->bound[n] * list->bound[n], repulsion, 1e-13 * repulsion);
                assert_true(n == 0 || list->bound[n] <= list->bound[n - 1]);
                double other = hf_repulsion(&system, screen.boys, a, b, 3, 20);
                double bound = sqrt(hf_repulsion(&system, screen.boys, 3, 20, 3, 20));
                assert_true(fabs(other) <= list->bound[n] * bound * (1 + 1e-12));
            }
        }
    assert_int_equal(pairs, 900);
    hf_screen_free(&screen);
    hf_system_free(&system);
}

// Counted one by one.
static uint64_t count_slowly(const struct hf_screen *screen, const struct hf_task *task)
{
    const struct hf_list *bra = hf_list(screen, task->i, task->j);
    const struct hf_list *ket = hf_list(screen, task->k, task->l);
    uint64_t count = 0;
    for (size_t n = 0; n < bra->count; n++)
        for (size_t m = 0; m < ket->count; m++)
            count += bra->bound[n] * ket->bound[m] >= screen->tolerance;
    return count;
}

static void test_hf_integrals_tasks_are_all_that_are_not_null(void **state)
{
    (void)state;
    struct hf_system system;
    struct hf_screen screen;
    struct hf_tasks tasks;
    hf_scene(&system, 4, NULL, "be-chain", 0);
    assert_int_equal(hf_screen_make(&screen, &system, 9, 1e-3), 0);
    assert_int_equal(hf_tasks_make(&tasks, &screen), 0);
    size_t next = 0, t = screen.tiles;
    uint64_t integrals = 0;
    for (size_t i = 0; i < t; i++)
        for (size_t j = 0; j < t; j++)
            for (size_t k = 0; k < t; k++)
                for (size_t l = 0; l < t; l++) {
                    struct hf_task task = {(uint16_t)i, (uint16_t)j, (uint16_t)k, (uint16_t)l, 0};
                    uint64_t count = count_slowly(&screen, &task);
                    assert_int_equal(hf_task_integrals(&screen, i, j, k, l), count);
                    assert_int_equal(hf_task_is_null(&screen, i, j, k, l), count == 0);
                    if (count == 0)
                        continue;
                    assert_true(next < tasks.count);
                    const struct hf_task *found = &tasks.task[next++];
                    assert_true(found->i == i && found->j == j && found->k == k && found->l == l);
                    assert_int_equal(found->integrals, count);
                    integrals += count;
                }
    assert_int_equal(next, tasks.count);
    assert_true(next < t * t * t * t);
    assert_int_equal(integrals, tasks.integrals);
    hf_tasks_free(&tasks);
    hf_screen_free(&screen);
    hf_system_free(&system);
}

static void counts(size_t atoms, size_t tile, double tolerance, uint64_t expected_tasks,
                   uint64_t expected_integrals)
{
    struct hf_system system;
    struct hf_screen screen;
    struct hf_tasks tasks;
    uint64_t count;
    hf_scene(&system, atoms, NULL, "be-chain", 0);
    assert_int_equal(hf_screen_make(&screen, &system, tile, tolerance), 0);
    assert_int_equal(hf_tasks_make(&tasks, &screen), 0);
    assert_int_equal(hf_tasks_count(&screen, &count), 0);
    assert_int_equal(tasks.count, expected_tasks);
    assert_int_equal(count, expected_tasks);
    assert_int_equal(tasks.integrals, expected_integrals);
    hf_tasks_free(&tasks);
    hf_screen_free(&screen);
    hf_system_free(&system);
}

static void test_hf_integrals_counts_of_the_chains(void **state)
{
    (void)state;
    counts(4, 20, 1e-6, 81, 4845492);
    counts(4, 20, 0, 81, 60 * 60 * 60 * 60);
    counts(16, 20, 1e-6, 6404, 117869876);
    if (test_scaled(100) == 100)
        counts(64, 20, 1e-6, 132788, UINT64_C(2064193460));
}

static void test_hf_integrals_nothing_may_survive(void **state)
{
    (void)state;
    counts(2, 10, 1e9, 0, 0);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hf_integrals_boys_function),
        cmocka_unit_test(test_hf_integrals_of_h2),
        cmocka_unit_test(test_hf_integrals_bounds_hold_and_descend),
        cmocka_unit_test(test_hf_integrals_tasks_are_all_that_are_not_null),
        cmocka_unit_test(test_hf_integrals_counts_of_the_chains),
        cmocka_unit_test(test_hf_integrals_nothing_may_survive),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
