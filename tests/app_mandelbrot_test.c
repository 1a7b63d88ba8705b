// SPDX-License-Identifier: Apache-2.0
// The Mandelbrot set: tasks compute the same pixels as the plain loops, and the file is a picture.
#include "support.h"

#include <errno.h>
#include <string.h>

#include "apps/mandelbrot/mandelbrot.h"

static struct mandelbrot blank(uint32_t width, uint32_t height, uint32_t iterations)
{
    struct mandelbrot picture = {.width = width, .height = height, .iterations = iterations};
    picture.steps = malloc((size_t)width * height * sizeof *picture.steps);
    assert_non_null(picture.steps);
    memset(picture.steps, 0xff, (size_t)width * height * sizeof *picture.steps);
    return picture;
}

static void test_mandelbrot_pixel_for_pixel(void **state)
{
    (void)state;
    static const uint32_t sizes[][3] = {{1, 1, 1}, {1, 50, 20}, {50, 1, 20}, {200, 150, 300}};
    for (size_t i = 0; i < sizeof sizes / sizeof *sizes; i++) {
        struct mandelbrot one = blank(sizes[i][0], sizes[i][1], sizes[i][2]);
        struct mandelbrot two = blank(sizes[i][0], sizes[i][1], sizes[i][2]);
        mandelbrot_sequential(&one);
        assert_int_equal(mandelbrot_loop(NULL, &two), 0);
        assert_memory_equal(one.steps, two.steps,
                            (size_t)one.width * one.height * sizeof *one.steps);
        free(one.steps);
        free(two.steps);
    }
}

// The middle of 32 by 20 pixels is the point (-0.6, 0), which is in the set; the corner is not.
static void test_mandelbrot_knows_inside_from_outside(void **state)
{
    (void)state;
    struct mandelbrot picture = blank(32, 20, 100);
    assert_int_equal(mandelbrot_loop(NULL, &picture), 0);
    assert_int_equal(picture.steps[10 * 32 + 16], 100);
    assert_true(picture.steps[0] < 3);
    free(picture.steps);
}

static void test_mandelbrot_writes_a_picture(void **state)
{
    (void)state;
    struct mandelbrot picture = blank(32, 20, 100);
    unsigned char text[1024];
    FILE *file = tmpfile();
    assert_non_null(file);
    mandelbrot_sequential(&picture);
    assert_int_equal(mandelbrot_write(&picture, file), 0);
    rewind(file);
    size_t length = fread(text, 1, sizeof text, file), head = strlen("P5\n32 20\n255\n");
    assert_int_equal(length, head + 32 * 20);
    assert_memory_equal(text, "P5\n32 20\n255\n", head);
    assert_int_equal(text[head + 10 * 32 + 16], 0);
    assert_true(text[head] > 0);
    fclose(file);
    free(picture.steps);
}

static void test_mandelbrot_says_when_the_disk_is_full(void **state)
{
    (void)state;
    struct mandelbrot picture = blank(200, 100, 10);
    FILE *file = fopen("/dev/full", "wb");
    if (!file) {
        free(picture.steps);
        skip();
    }
    mandelbrot_sequential(&picture);
    assert_int_equal(mandelbrot_write(&picture, file), ENOSPC);
    fclose(file);
    free(picture.steps);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mandelbrot_pixel_for_pixel),
        cmocka_unit_test(test_mandelbrot_knows_inside_from_outside),
        cmocka_unit_test(test_mandelbrot_writes_a_picture),
        cmocka_unit_test(test_mandelbrot_says_when_the_disk_is_full),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
