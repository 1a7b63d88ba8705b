// SPDX-License-Identifier: Apache-2.0
// Hartree-Fock: the application checks itself, and what it refuses. The former is skipped where
// there is no LAPACK.
#include "app_support.h"

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

static void test_hf_application_refuses(void **state)
{
    (void)state;
    app_refuses(&hf_app, "--atoms", "0", "--atoms");
    app_refuses(&hf_app, "--tile", "129", "--tile");
    app_refuses(&hf_app, "--screen", "-1", "--screen");
    app_refuses(&hf_app, "--charge", "0.5", "--charge: a molecule has a whole number");
    app_refuses(&hf_app, "--charge", "1", "with charge 1 there are 15 electrons");
    app_refuses(&hf_app, "--geometry", "/none.xyz", "/none.xyz: cannot be read");
    app_refuses(&hf_app, "--basis", "sto-3g", "the basis has no functions for Be");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_hf_application_verifies_itself),
        cmocka_unit_test(test_hf_application_refuses),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
