// SPDX-License-Identifier: Apache-2.0
// Cells (src/core/cells.h): no two are the same memory, and one that was given back comes again.
#include "support.h"

#include <stdlib.h>
#include <string.h>

#include "core/cells.h"

enum { MANY = 3000 };

static void test_cells_are_apart(void **state)
{
    (void)state;
    struct twi_cell_store store = {0};
    struct twi_cells cells = {0};
    static unsigned char *taken[MANY];
    for (int i = 0; i < MANY; i++) {
        taken[i] = twi_cell_take(&cells, &store);
        assert_int_equal((uintptr_t)taken[i] % 64, 0);
        memset(taken[i], i & 0xff, TWI_CELL_SIZE);
    }
    for (int i = 0; i < MANY; i++)
        for (int k = 0; k < TWI_CELL_SIZE; k++)
            assert_int_equal(taken[i][k], i & 0xff);
    twi_cells_free(&store);
}

// One worker takes and another gives back: what one has too many of comes to the other.
static void test_cells_go_round(void **state)
{
    (void)state;
    struct twi_cell_store store = {0};
    struct twi_cells from = {0}, to = {0};
    void *lowest = NULL, *highest = NULL;
    for (int i = 0; i < 100 * MANY; i++) {
        void *cell = twi_cell_take(&from, &store);
        assert_non_null(cell);
        if (!lowest || cell < lowest)
            lowest = cell;
        if (cell > highest)
            highest = cell;
        twi_cell_give(&to, &store, cell);
    }
    assert_in_range((char *)highest - (char *)lowest, 0, 4 * 1000 * 1000);
    twi_cells_free(&store);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_cells_are_apart),
        cmocka_unit_test(test_cells_go_round),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
