// SPDX-License-Identifier: Apache-2.0
// Hartree-Fock: Fock builds, sequential and as tasks, against the straight formula.
#include "hf_scene.h"

#include <string.h>

#include "apps/hf/fock.h"
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
    assert_int_equal(hf_fock_make(&scene->fock, &scene->system, tile, tolerance), 0);
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

TW_TASK(build, {
    struct scene *scene;
    int *error;
})
{
    *self.error = hf_fock_loop(&self.scene->fock, &self.scene->density, &self.scene->other);
}

static void every_way(size_t atoms, const char *geometry, size_t tile, double tolerance)
{
    struct scene scene;
    int error = 1;
    open_scene(&scene, atoms, geometry, tile, tolerance);
    assert_int_equal(hf_fock_plain(&scene.fock, &scene.density, &scene.other), 0);
    assert_same(&scene);
    scene.fock.screen.row = hf_row_portable;
    assert_int_equal(hf_fock_plain(&scene.fock, &scene.density, &scene.other), 0);
    assert_same(&scene);
    scene.fock.screen.row = hf_row_best();
    for (int i = 0; i < 3; i++) {
        assert_int_equal(tw_run(build, .scene = &scene, .error = &error), 0);
        assert_int_equal(error, 0);
        assert_same(&scene);
    }
    close_scene(&scene);
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

// The sums as the definition has them, over the functions and without lists: one element of each
// kind is enough to notice swapped indices.
static void test_hf_fock_is_what_the_definition_says(void **state)
{
    (void)state;
    struct scene scene;
    open_scene(&scene, 1, NULL, 6, 0);
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
                sum +=
                    density[k * n + l] * (hf_repulsion(&scene.system, hf_boys(), i, j, k, l) -
                                          hf_repulsion(&scene.system, hf_boys(), i, k, j, l) / 2);
        assert_near(fock[i * n + j], sum, 1e-11 * fabs(sum) + 1e-12);
    }
    free(density);
    close_scene(&scene);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hf_fock_every_way_gives_the_same),
        cmocka_unit_test(test_hf_fock_functions_may_be_sums),
        cmocka_unit_test(test_hf_fock_without_tasks_is_zero),
        cmocka_unit_test(test_hf_fock_is_what_the_definition_says),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
