// SPDX-License-Identifier: Apache-2.0
// ctest: workers=1
// Which fabric is loaded. Real launchers are in tests/mpi/.
#include <stdlib.h>
#include <string.h>

#include "support.h"

#include "fabric/load.h"

static const char *const signs[] = {"OMPI_COMM_WORLD_SIZE", "PMI_SIZE", "PMI_RANK",
                                    "HYDI_CONTROL_FD", "PMIX_RANK"};

static int no_launcher(void **state)
{
    (void)state;
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++)
        unsetenv(signs[i]);
    return 0;
}

static void test_load_alone_without_launcher(void **state)
{
    (void)state;
    struct twi_loaded loaded;
    struct twi_mpi_settings settings = {0};
    char message[64] = "";
    assert_null(twi_mpi_chosen("auto"));
    assert_int_equal(twi_fabric_load(&loaded, "auto", &settings, message, sizeof message), 0);
    assert_null(loaded.plugin);
    assert_int_equal(loaded.fabric->places, 1);
    twi_fabric_unload(&loaded);
    assert_null(loaded.fabric);
}

static void test_load_follows_launcher(void **state)
{
    (void)state;
    static const char *const expected[] = {"openmpi", "mpich", "mpich", "mpich", "openmpi"};
    for (size_t i = 0; i < sizeof signs / sizeof *signs; i++) {
        setenv(signs[i], "2", 1);
        assert_string_equal(twi_mpi_chosen("auto"), expected[i]);
        unsetenv(signs[i]);
    }
}

static void test_load_does_what_was_asked(void **state)
{
    (void)state;
    setenv("OMPI_COMM_WORLD_SIZE", "2", 1);
    assert_string_equal(twi_mpi_chosen("mpich"), "mpich");
    assert_string_equal(twi_mpi_chosen("/some/plugin.so"), "/some/plugin.so");
    assert_null(twi_mpi_chosen("off"));
}

// The file is one that is there, but no plugin.
static void test_load_names_what_was_tried(void **state)
{
    (void)state;
    struct twi_loaded loaded;
    struct twi_mpi_settings settings = {0};
    char message[2000] = "";
    int error = twi_fabric_load(&loaded, "/nowhere/p.so", &settings, message, sizeof message);
    assert_int_equal(error, TW_ENOENT);
    assert_non_null(strstr(message, "/nowhere/p.so"));
    assert_non_null(strstr(message, "TWILL_MPI"));
    assert_null(strstr(message, "launcher"));
    setenv("PMI_RANK", "0", 1);
    assert_null(twi_mpi_find("/nowhere/p.so", message, sizeof message));
    assert_non_null(strstr(message, "the launcher of mpich"));
    const char *library = getenv("TEST_LIBRARY");
    if (library) {
        assert_null(twi_mpi_find(library, message, sizeof message));
        assert_non_null(strstr(message, "no plugin of Twill"));
    }
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_setup_teardown(test_load_alone_without_launcher, no_launcher, no_launcher),
        cmocka_unit_test_setup_teardown(test_load_follows_launcher, no_launcher, no_launcher),
        cmocka_unit_test_setup_teardown(test_load_does_what_was_asked, no_launcher, no_launcher),
        cmocka_unit_test_setup_teardown(test_load_names_what_was_tried, no_launcher, no_launcher),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
