// SPDX-License-Identifier: Apache-2.0
// Hartree-Fock: the application checks itself, and what it refuses. The former is skipped where
// there is no LAPACK.
#include "app_support.h"

#include <twill/collection.h>

#include "apps/linear.h"

static bool have_lapack(void)
{
    struct linear linear;
    char message[512];
    if (!linear_open(&linear, NULL, message, sizeof message))
        return false;
    linear_close(&linear);
    return true;
}

static void test_hf_application_verifies_itself(void **state)
{
    (void)state;
    if (!have_lapack())
        skip();
    app_verifies_with(&hf_app, "--atoms", "1", "--tile", "4");
    app_verifies_with(&hf_app, "--atoms", "2", "--tile", "15", "--iterations", "2");
    app_verifies_with(&hf_app, "--geometry", "h2", "--screen", "0");
    app_verifies_with(&hf_app, "--geometry", "heh+", "--charge", "1");
}

static void test_hf_application_verifies_every_balance(void **state)
{
    (void)state;
    enum tw_balance balance;
    if (!have_lapack())
        skip();
    for (unsigned i = 0; tw_balance_find(tw_balance_name((enum tw_balance)i), &balance) == 0; i++)
        app_verifies_with(&hf_app, "--atoms", "1", "--tile", "3", "--balance",
                          tw_balance_name(balance));
    app_verifies_with(&hf_app, "--atoms", "1", "--tile", "3", "--start", "first");
}

// Runs without a check. Whoever calls it frees the table.
static struct app_run run_with(const char *const words[APP_WORDS_MAX])
{
    struct app_run run = {.check = APP_CHECK_NONE};
    void *settings = malloc(hf_app.settings_size);
    assert_non_null(settings);
    assert_int_equal(app_parse(&hf_app, settings, words), CLI_PARSED);
    assert_int_equal(hf_app.run(settings, &run), APP_DONE);
    free(settings);
    return run;
}

// A table of all iterations, with what the collection has counted.
static void test_hf_application_tells_of_each_iteration(void **state)
{
    (void)state;
    if (!have_lapack())
        skip();
    struct app_run run =
        run_with((const char *const[APP_WORDS_MAX]){"--atoms", "1", "--iterations", "3"});
    assert_string_equal(run.message, ""); // what was asked for is no reason to be warned
    assert_int_equal(run.table.rows, 3);
    size_t columns = 0, efficiency = 0, tasks = 0;
    for (; run.table.columns[columns].name; columns++)
        if (strcmp(run.table.columns[columns].name, "efficiency") == 0)
            efficiency = columns;
        else if (strcmp(run.table.columns[columns].name, "fock_tasks") == 0)
            tasks = columns;
    for (size_t row = 0; row < 3; row++) {
        const double *cells = &run.table.cells[row * columns];
        assert_true(cells[efficiency] > 0 && cells[efficiency] <= 1.001);
        assert_int_equal((int)cells[tasks], 16);
    }
    free(run.table.cells);
}

// So coarse a screen leaves out repulsion that holds the energy up: it is warned of.
static void test_hf_application_warns_of_nonsense(void **state)
{
    (void)state;
    if (!have_lapack())
        skip();
    struct app_run run =
        run_with((const char *const[APP_WORDS_MAX]){"--atoms", "2", "--screen", "0.01"});
    if (!strstr(run.message, "--screen 0.01 leaves out too much"))
        fail_msg("it says '%s'", run.message);
    free(run.table.cells);
}

static void test_hf_application_refuses(void **state)
{
    (void)state;
    app_refuses(&hf_app, "--atoms", "0", "--atoms");
    app_refuses(&hf_app, "--tile", "129", "--tile");
    app_refuses(&hf_app, "--screen", "-1", "--screen");
    app_refuses(&hf_app, "--charge", "0.5", "--charge: a molecule has a whole number");
    app_refuses(&hf_app, "--charge", "1", "with charge 1 there are 15 electrons");
    app_refuses(&hf_app, "--geometry", "/none.xyz", "/none.xyz: cannot be read");
    app_refuses(&hf_app, "--balance", "luck", "--balance does not know 'luck': give retentive, ");
    app_refuses(&hf_app, "--start", "last", "--start");
    app_refuses(&hf_app, "--basis", "sto-3g", "the basis has no functions for Be");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hf_application_verifies_itself),
        cmocka_unit_test(test_hf_application_verifies_every_balance),
        cmocka_unit_test(test_hf_application_tells_of_each_iteration),
        cmocka_unit_test(test_hf_application_warns_of_nonsense),
        cmocka_unit_test(test_hf_application_refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
