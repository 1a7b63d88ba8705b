// SPDX-License-Identifier: Apache-2.0
#include "support.h"

#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/svg.h"

// What was written, as a text.
static char *read_back(const char *path)
{
    FILE *file = fopen(path, "re");
    char *text = calloc(1, 65536);
    assert_non_null(file);
    assert_non_null(text);
    assert_true(fread(text, 1, 65535, file) > 0);
    fclose(file);
    return text;
}

static void test_svg_places_points_by_their_axes(void **state)
{
    char path[] = "/tmp/svg_test_XXXXXX";
    const struct svg_point points[] = {{0, 0}, {50, 100}, {100, 50}};
    struct svg svg;
    int made = mkstemp(path);
    (void)state;
    assert_true(made >= 0);
    close(made);
    assert_true(svg_open(&svg, path, "a title", 2));
    svg_panel(&svg, "the first", "seconds", 100, "percent", 100);
    svg_curve(&svg, "one", points, 3);
    svg_panel(&svg, "the second", "seconds", 50, "percent", 100);
    svg_curve(&svg, "other", points, 2);
    assert_true(svg_close(&svg));
    char *text = read_back(path);
    // From left to right 640 units from 70 on; from top to bottom 160, the second 250 further down.
    assert_non_null(strstr(text, "points=\"70.0,224.0 390.0,64.0 710.0,144.0\""));
    assert_non_null(strstr(text, "points=\"70.0,474.0 710.0,314.0\""));
    assert_non_null(strstr(text, ">a title</text>"));
    assert_non_null(strstr(text, ">the second</text>"));
    assert_non_null(strstr(text, "</svg>\n"));
    free(text);
    unlink(path);
}

static void test_svg_refuses_a_path_that_is_not_there(void **state)
{
    struct svg svg;
    (void)state;
    assert_false(svg_open(&svg, "/nowhere/at/all.svg", "", 1));
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_svg_places_points_by_their_axes),
        cmocka_unit_test(test_svg_refuses_a_path_that_is_not_there),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
