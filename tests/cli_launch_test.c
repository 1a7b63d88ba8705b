// SPDX-License-Identifier: Apache-2.0
// ctest: workers=1
// Which launcher starts places, and with what words.
#include "support.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "cli/launch.h"

static char folder[] = "/tmp/cli_launch_test.XXXXXX";

static void path_of(char path[64], const char *name)
{
    snprintf(path, 64, "%s/%s", folder, name);
}

// One that answers with these words, whatever it is asked.
static void add_launcher_that_says(const char *name, const char *words)
{
    char path[64];
    path_of(path, name);
    FILE *file = fopen(path, "we");
    assert_non_null(file);
    fprintf(file, "#!/bin/sh\necho '%s'\n", words);
    fclose(file);
    assert_int_equal(chmod(path, 0755), 0);
}

static void add_launcher(const char *name)
{
    add_launcher_that_says(name, "");
}

static void remove_launcher(const char *name)
{
    char path[64];
    path_of(path, name);
    (void)unlink(path);
}

static int begin(void **state)
{
    (void)state;
    return mkdtemp(folder) == NULL || setenv("PATH", folder, 1) != 0;
}

static int end(void **state)
{
    (void)state;
    return rmdir(folder);
}

static int clean(void **state)
{
    (void)state;
    remove_launcher("mpirun");
    remove_launcher("mpirun.openmpi");
    remove_launcher("mpirun.mpich");
    return 0;
}

static int has_word(const struct launch_line *line, const char *word)
{
    for (size_t i = 0; i < line->words; i++)
        if (strcmp(line->word[i], word) == 0)
            return 1;
    return 0;
}

static void starts_by(const char *mpi, const char *launcher, int oversubscribes)
{
    struct launch_line line;
    assert_true(launch_line_make(&line, 12, mpi));
    assert_string_equal(line.word[0], launcher);
    assert_string_equal(line.word[1], "-n");
    assert_string_equal(line.word[2], "12");
    assert_int_equal(has_word(&line, "--oversubscribe"), oversubscribes);
    assert_int_equal(has_word(&line, "--allow-run-as-root"), oversubscribes && geteuid() == 0);
    assert_true(line.words <= LAUNCH_WORDS_MAX);
}

static void refuses(const char *mpi)
{
    struct launch_line line;
    assert_false(launch_line_make(&line, 2, mpi));
}

static void test_cli_launch_needs_a_launcher(void **state)
{
    (void)state;
    refuses("auto");
    refuses("openmpi");
    refuses("mpich");
}

static void test_cli_launch_takes_that_of_the_mpi(void **state)
{
    (void)state;
    add_launcher("mpirun.openmpi");
    add_launcher("mpirun.mpich");
    starts_by("auto", "mpirun.openmpi", 1);
    starts_by("openmpi", "mpirun.openmpi", 1);
    starts_by("mpich", "mpirun.mpich", 0);
    refuses("off");
}

static void test_cli_launch_takes_the_only_one(void **state)
{
    (void)state;
    add_launcher("mpirun");
    starts_by("openmpi", "mpirun", 1);
    starts_by("mpich", "mpirun", 0);
    refuses("off");
}

static void test_cli_launch_asks_mpirun_what_it_is(void **state)
{
    (void)state;
    add_launcher_that_says("mpirun", "mpirun (Open MPI) 4.1.4");
    starts_by("auto", "mpirun", 1);
    starts_by("openmpi", "mpirun", 1);
    starts_by("./plugin.so", "mpirun", 1);
    refuses("mpich");
    add_launcher_that_says("mpirun", "HYDRA build details:");
    starts_by("auto", "mpirun", 0);
    starts_by("mpich", "mpirun", 0);
    refuses("openmpi");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test_teardown(test_cli_launch_needs_a_launcher, clean),
        cmocka_unit_test_teardown(test_cli_launch_takes_that_of_the_mpi, clean),
        cmocka_unit_test_teardown(test_cli_launch_takes_the_only_one, clean),
        cmocka_unit_test_teardown(test_cli_launch_asks_mpirun_what_it_is, clean),
    };
    return cmocka_run_group_tests(tests, begin, end);
}
