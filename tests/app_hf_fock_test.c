// SPDX-License-Identifier: Apache-2.0
// Hartree-Fock: Fock builds, sequential and by a collection, against the straight formula.
#include "hf_scene.h"

#include <string.h>

#include "apps/hf/build.h"
#include "apps/hf/integral.h"

struct scene {
    struct hf_system system;
    struct hf_fock fock;
    struct hf_tiles density, straight, other;
};

// A density as if at random, symmetric.
static void open_scene(struct scene *scene, size_t atoms, const char *geometry, size_t tile,
                       double tolerance)
{
    hf_scene(&scene->system, atoms, geometry, geometry ? "sto-3g" : "be-chain", 0);
    size_t n = scene->system.functions;
    assert_int_equal(hf_fock_make(&scene->fock, &scene->system, tile, tolerance, NULL), 0);
    assert_true(hf_tiles_make(&scene->density, n, tile));
    assert_true(hf_tiles_make(&scene->straight, n, tile));
    assert_true(hf_tiles_make(&scene->other, n, tile));
    double *rows = malloc(n * n * sizeof *rows);
    assert_non_null(rows);
    for (size_t i = 0; i < n; i++)
        for (size_t j = 0; j < n; j++)
            rows[i * n + j] = cos((double)(i * j + i + j)) + (i == j);
    hf_tiles_load(&scene->density, rows);
    double *back = calloc(n * n, sizeof *back);
    assert_non_null(back);
    hf_tiles_store(&scene->density, back);
    assert_memory_equal(rows, back, n * n * sizeof *rows);
    free(rows);
    free(back);
    assert_int_equal(hf_fock_straight(&scene->fock, &scene->density, &scene->straight), 0);
}

static void close_scene(struct scene *scene)
{
    hf_tiles_free(&scene->density);
    hf_tiles_free(&scene->straight);
    hf_tiles_free(&scene->other);
    hf_fock_free(&scene->fock);
    hf_system_free(&scene->system);
}

// Clears what is compared, so that the next build has to make it anew.
static void assert_same(struct scene *scene)
{
    size_t size = hf_tiles_size(&scene->other);
    double largest = 0;
    for (size_t i = 0; i < size; i++)
        largest = fmax(largest, fabs(scene->straight.data[i]));
    for (size_t i = 0; i < size; i++)
        assert_near(scene->other.data[i], scene->straight.data[i], 1e-12 * largest);
    memset(scene->other.data, 0xff, size * sizeof *scene->other.data);
}

#define BUILDS 3

// Each build begins with what the one before left.
static int build_some(struct scene *scene, struct hf_plan plan, int builds,
                      struct tw_collection_stats *stats)
{
    struct hf_build build;
    int error = hf_build_open(&build, &scene->fock, plan, stats);
    if (error)
        return error;
    for (int i = 0; i < builds && !error; i++)
        error = hf_build_lead(&build, &scene->density, &scene->other);
    hf_build_close(&build);
    return error;
}

TW_TASK(some_builds, {
    struct scene *scene;
    struct hf_plan plan;
    int builds;
    struct tw_collection_stats *stats;
})
{
    int error = build_some(self.scene, self.plan, self.builds, self.stats);
    if (error)
        tw_fail(error);
}

static void by_tasks(struct scene *scene, struct hf_plan plan)
{
    struct tw_collection_stats stats[BUILDS];
    size_t tiles = scene->density.tiles, known = scene->fock.tasks.count;
    for (int builds = 1; builds <= BUILDS; builds++) {
        assert_int_equal(tw_run_spmd(some_builds, .scene = scene, .plan = plan, .builds = builds,
                                     .stats = stats),
                         0);
        assert_same(scene);
        uint64_t tasks =
            plan.balance == TW_BALANCE_STEAL_ALL ? tiles * tiles * tiles * tiles : known;
        assert_int_equal(stats[builds - 1].tasks, tasks);
        assert_int_equal(stats[builds - 1].nulls, tasks - known);
        assert_int_equal(stats[builds - 1].iteration, builds);
    }
}

static void every_way(size_t atoms, const char *geometry, size_t tile, double tolerance)
{
    struct scene scene;
    open_scene(&scene, atoms, geometry, tile, tolerance);
    assert_int_equal(hf_fock_plain(&scene.fock, &scene.density, &scene.other), 0);
    assert_same(&scene);
    scene.fock.screen.row = hf_row_portable;
    assert_int_equal(hf_fock_plain(&scene.fock, &scene.density, &scene.other), 0);
    assert_same(&scene);
    scene.fock.screen.row = hf_row_best();
    by_tasks(&scene, (struct hf_plan){HF_SEED_OWNER, TW_BALANCE_RETENTIVE});
    close_scene(&scene);
}

static void test_hf_fock_every_balance_gives_the_same(void **state)
{
    (void)state;
    struct scene scene;
    enum tw_balance balance;
    open_scene(&scene, 1, NULL, 2, 0.05);
    assert_true(scene.fock.tasks.count < 8 * 8 * 8 * 8);
    for (unsigned i = 0; tw_balance_find(tw_balance_name((enum tw_balance)i), &balance) == 0; i++) {
        by_tasks(&scene, (struct hf_plan){HF_SEED_OWNER, balance});
        by_tasks(&scene, (struct hf_plan){HF_SEED_FIRST, balance});
    }
    close_scene(&scene);
}

// The bounds of pairs come from a matrix over places there.
TW_TASK(make_fock, {
    struct scene *scene;
    struct hf_fock *fock;
})
{
    const struct hf_screen *screen = &self.scene->fock.screen;
    int error = hf_build_fock(self.fock, &self.scene->system, screen->tile, screen->tolerance);
    if (error)
        tw_fail(error);
}

static void test_hf_fock_bounds_over_places_give_the_same_tasks(void **state)
{
    (void)state;
    struct scene scene;
    struct hf_fock fock;
    open_scene(&scene, 1, NULL, 4, 1e-4);
    assert_int_equal(tw_run_spmd(make_fock, .scene = &scene, .fock = &fock), 0);
    assert_int_equal(fock.tasks.count, scene.fock.tasks.count);
    assert_int_equal(fock.tasks.integrals, scene.fock.tasks.integrals);
    assert_near(fock.screen.largest, scene.fock.screen.largest, 0);
    assert_memory_equal(fock.tasks.task, scene.fock.tasks.task,
                        fock.tasks.count * sizeof *fock.tasks.task);
    hf_fock_free(&fock);
    close_scene(&scene);
}

// What a worker added to a tile is handed out when it turns to another, and not before.
static void test_hf_fock_sums_are_kept_until_the_next_tile(void **state)
{
    (void)state;
    struct hf_sum sum = {.data = NULL}, left = {.data = NULL};
    double *first = hf_sum_turn(&sum, 1, 2, 3, &left);
    assert_non_null(first);
    assert_null(left.data);
    for (int i = 0; i < 9; i++)
        assert_near(first[i], 0, 0);
    first[8] = 5;
    assert_ptr_equal(hf_sum_turn(&sum, 1, 2, 3, &left), first);
    assert_null(left.data);
    double *second = hf_sum_turn(&sum, 2, 1, 3, &left);
    assert_ptr_equal(left.data, first);
    assert_int_equal(left.i, 1);
    assert_int_equal(left.j, 2);
    assert_near(second[8], 0, 0);
    free(first);
    free(second);
}

static void test_hf_fock_every_way_gives_the_same(void **state)
{
    (void)state;
    every_way(1, NULL, 15, 0);
    every_way(1, NULL, 1, 0);
    every_way(1, NULL, 4, 1e-4);
    every_way(1, NULL, 128, 0); // more pairs than a stretch, and one tile for all
    if (test_scaled(100) == 100) {
        every_way(2, NULL, 7, 1e-6);
        every_way(2, NULL, 128, 0);
    }
}

static void test_hf_fock_functions_may_be_sums(void **state)
{
    (void)state;
    every_way(0, "h2", 1, 0);
    every_way(0, "h2", 2, 0);
    every_way(0, "he", 5, 1e-6);
}

static void test_hf_fock_without_tasks_is_zero(void **state)
{
    (void)state;
    every_way(1, NULL, 5, 1e9);
}

// The repulsion where the bound of Schwarz lets it through.
static double screened(const struct scene *scene, size_t i, size_t j, size_t k, size_t l)
{
    const struct hf_system *system = &scene->system;
    double bra = hf_repulsion(system, hf_boys(), i, j, i, j);
    double ket = hf_repulsion(system, hf_boys(), k, l, k, l);
    bool survives = sqrt(bra) * sqrt(ket) >= scene->fock.screen.tolerance;
    return survives ? hf_repulsion(system, hf_boys(), i, j, k, l) : 0;
}

// The sums as the definition has them, over the functions and without lists: one element of each
// kind is enough to notice swapped indices.
static void as_defined(double tolerance)
{
    struct scene scene;
    open_scene(&scene, 1, NULL, 6, tolerance);
    size_t n = scene.system.functions;
    double *density = malloc(2 * n * n * sizeof *density), *fock = density + n * n;
    assert_non_null(density);
    hf_tiles_store(&scene.density, density);
    hf_tiles_store(&scene.straight, fock);
    for (size_t a = 0; a < n; a += 2) {
        size_t i = a, j = n - 1 - a / 2;
        double sum = 0;
        for (size_t k = 0; k < n; k++)
            for (size_t l = 0; l < n; l++)
                sum += density[k * n + l] *
                       (screened(&scene, i, j, k, l) - screened(&scene, i, k, j, l) / 2);
        assert_near(fock[i * n + j], sum, 1e-11 * fabs(sum) + 1e-12);
    }
    free(density);
    close_scene(&scene);
}

static void test_hf_fock_is_what_the_definition_says(void **state)
{
    (void)state;
    as_defined(0);
    as_defined(1e-4);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hf_fock_every_way_gives_the_same),
        cmocka_unit_test(test_hf_fock_every_balance_gives_the_same),
        cmocka_unit_test(test_hf_fock_bounds_over_places_give_the_same_tasks),
        cmocka_unit_test(test_hf_fock_sums_are_kept_until_the_next_tile),
        cmocka_unit_test(test_hf_fock_functions_may_be_sums),
        cmocka_unit_test(test_hf_fock_without_tasks_is_zero),
        cmocka_unit_test(test_hf_fock_is_what_the_definition_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
