// SPDX-License-Identifier: Apache-2.0
// ctest: workers=2
// How many processors a process may use: quotas read from a made-up root directory, affinity masks.
#include "support.h"

#include <ftw.h>
#include <sched.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "base/cpus.h"

enum { PATH_ROOM = 600 };

static char root[PATH_ROOM / 2];

// ---- a made-up root directory ----

static int root_make(void **state)
{
    (void)state;
    snprintf(root, sizeof root, "%s/twill-cpus-XXXXXX", P_tmpdir);
    return mkdtemp(root) == NULL;
}

static int entry_remove(const char *path, const struct stat *st, int kind, struct FTW *ftw)
{
    (void)st, (void)kind, (void)ftw;
    return remove(path);
}

static int root_remove(void **state)
{
    (void)state;
    return nftw(root, entry_remove, 16, FTW_DEPTH | FTW_PHYS);
}

// Makes the directories on the way to the last part of a path.
static void directories_make(char *path)
{
    for (char *slash = path + strlen(root) + 1; (slash = strchr(slash, '/')); slash++) {
        *slash = '\0';
        mkdir(path, 0755);
        *slash = '/';
    }
}

static void put(const char *file, const char *text)
{
    char path[PATH_ROOM];
    snprintf(path, sizeof path, "%s/%s", root, file);
    directories_make(path);
    FILE *f = fopen(path, "w");
    assert_non_null(f);
    fputs(text, f);
    fclose(f);
}

static void put_directory(const char *name)
{
    char path[PATH_ROOM];
    snprintf(path, sizeof path, "%s/%s/", root, name);
    directories_make(path);
}

// Checks what is found: a quota in hundredths of a processor, and the kind of group.
static void expect(int hundredths, const char *kind)
{
    const char *from = NULL;
    double quota = twi_cpus_quota(root, &from);
    assert_int_equal((int)(quota * 100 + 0.5), hundredths);
    assert_string_equal(from, kind);
}

// ---- version 2 ----

static void test_cpus_no_files_no_limit(void **state)
{
    (void)state;
    expect(0, "none");
    put_directory("proc/self");
    expect(0, "none");
    put("proc/self/cgroup", "0::/a\n");
    expect(0, "none");
}

static void test_cpus_v2_quota_of_the_own_group(void **state)
{
    (void)state;
    put("proc/self/cgroup", "0::/a/b\n");
    put("sys/fs/cgroup/a/b/cpu.max", "150000 100000\n");
    expect(150, "cgroup v2");
}

static void test_cpus_v2_root_group(void **state)
{
    (void)state;
    put("proc/self/cgroup", "0::/\n");
    put("sys/fs/cgroup/cpu.max", "25000 50000\n");
    expect(50, "cgroup v2");
}

static void test_cpus_v2_tighter_parent_counts(void **state)
{
    (void)state;
    put("proc/self/cgroup", "0::/a/b/c\n");
    put("sys/fs/cgroup/a/b/c/cpu.max", "400000 100000\n");
    put("sys/fs/cgroup/a/b/cpu.max", "max 100000\n");
    put("sys/fs/cgroup/a/cpu.max", "300000 100000\n");
    expect(300, "cgroup v2");
    put("sys/fs/cgroup/cpu.max", "100000 100000\n");
    expect(100, "cgroup v2");
}

static void test_cpus_v2_tighter_child_counts(void **state)
{
    (void)state;
    put("proc/self/cgroup", "0::/a/b\n");
    put("sys/fs/cgroup/a/b/cpu.max", "70000 100000\n");
    put("sys/fs/cgroup/a/cpu.max", "800000 100000\n");
    expect(70, "cgroup v2");
}

static void test_cpus_v2_group_that_is_not_there(void **state)
{
    (void)state;
    put("proc/self/cgroup", "0::/outside/of/this/namespace\n");
    put("sys/fs/cgroup/cpu.max", "200000 100000\n");
    expect(200, "cgroup v2");
}

static void test_cpus_v2_max_is_no_limit(void **state)
{
    (void)state;
    put("proc/self/cgroup", "0::/a\n");
    put("sys/fs/cgroup/a/cpu.max", "max 100000\n");
    expect(0, "none");
    put("sys/fs/cgroup/a/cpu.max", "max\n");
    expect(0, "none");
}

static void test_cpus_v2_malformed_is_no_limit(void **state)
{
    (void)state;
    static const char *const bad[] = {
        "",       "\n",         "abc",        "100000",    "100000\n", "-100000 100000\n",
        "0 1000", "100000 0\n", "1000 -100",  "x 100000",  " ",        "100000 x\n",
        "nan 1",  "1 nan",      "\377\376 1", "1,5 100000"};
    put("proc/self/cgroup", "0::/a\n");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        put("sys/fs/cgroup/a/cpu.max", bad[i]);
        expect(0, "none");
    }
}

static void test_cpus_unreadable_is_no_limit(void **state)
{
    (void)state;
    put("proc/self/cgroup", "0::/a/b\n");
    put_directory("sys/fs/cgroup/a/b/cpu.max"); // can be opened, not read
    expect(0, "none");
    put("sys/fs/cgroup/a/cpu.max", "300000 100000\n");
    expect(300, "cgroup v2");
    char path[PATH_ROOM];
    snprintf(path, sizeof path, "%s/sys/fs/cgroup/a/cpu.max", root);
    assert_int_equal(chmod(path, 0), 0);
    if (access(path, R_OK) != 0) // root may read it all the same
        expect(0, "none");
}

static void test_cpus_group_list_that_is_a_directory(void **state)
{
    (void)state;
    put_directory("proc/self/cgroup");
    expect(0, "none");
}

static void test_cpus_malformed_group_list(void **state)
{
    (void)state;
    static const char *const bad[] = {"",    "\n",     "0",      "0:",     ":",
                                      "abc", "0:/a\n", "\n\n\n", "0;;/a\n"};
    put("sys/fs/cgroup/cpu.max", "100000 100000\n");
    put("sys/fs/cgroup/a/cpu.max", "100000 100000\n");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        put("proc/self/cgroup", bad[i]);
        expect(0, "none");
    }
}

static void test_cpus_group_list_without_newline(void **state)
{
    (void)state;
    put("proc/self/cgroup", "0::/a");
    put("sys/fs/cgroup/a/cpu.max", "50000 100000");
    expect(50, "cgroup v2");
}

static void test_cpus_colon_in_a_group(void **state)
{
    (void)state;
    put("proc/self/cgroup", "0::/a:b/c\n");
    put("sys/fs/cgroup/a:b/c/cpu.max", "50000 100000\n");
    expect(50, "cgroup v2");
}

static void test_cpus_names_longer_than_a_path(void **state)
{
    (void)state;
    static char line[20000], far[8000];
    memset(line, 'a', sizeof line - 1);
    memcpy(line, "0::/", 4);
    put("proc/self/cgroup", line);
    put("sys/fs/cgroup/cpu.max", "100000 100000\n");
    expect(100, "cgroup v2");
    memset(far, '/', sizeof far - 1);
    const char *from = NULL;
    assert_true(twi_cpus_quota(far, &from) == 0);
    assert_string_equal(from, "none");
}

// ---- version 1 ----

static void test_cpus_v1_quota(void **state)
{
    (void)state;
    put("proc/self/cgroup", "3:memory:/a\n2:cpu,cpuacct:/a\n1:name=systemd:/a\n");
    put("sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "250000\n");
    expect(0, "none"); // no period yet
    put("sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000\n");
    expect(250, "cgroup v1");
}

static void test_cpus_v1_tighter_parent_counts(void **state)
{
    (void)state;
    put("proc/self/cgroup", "2:cpuacct,cpu:/a/b\n");
    put("sys/fs/cgroup/cpu/a/b/cpu.cfs_quota_us", "-1\n");
    put("sys/fs/cgroup/cpu/a/b/cpu.cfs_period_us", "100000\n");
    expect(0, "none");
    put("sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "350000\n");
    put("sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000\n");
    expect(350, "cgroup v1");
    put("sys/fs/cgroup/cpu/cpu.cfs_quota_us", "100000\n");
    put("sys/fs/cgroup/cpu/cpu.cfs_period_us", "50000\n");
    expect(200, "cgroup v1");
}

static void test_cpus_v1_malformed_is_no_limit(void **state)
{
    (void)state;
    static const char *const bad[] = {"", "\n", "abc\n", "0\n", "-7\n", "\001"};
    put("proc/self/cgroup", "2:cpu:/a\n");
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++) {
        put("sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", bad[i]);
        put("sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000\n");
        expect(0, "none");
        put("sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "100000\n");
        put("sys/fs/cgroup/cpu/a/cpu.cfs_period_us", bad[i]);
        expect(0, "none");
    }
}

static void test_cpus_v1_other_controllers_are_not_the_cpu(void **state)
{
    (void)state;
    put("proc/self/cgroup", "4:cpuset:/a\n3:cpuacct:/a\n2:xcpu:/a\n");
    put("sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "100000\n");
    put("sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000\n");
    expect(0, "none");
}

static void test_cpus_both_versions_the_tighter_counts(void **state)
{
    (void)state;
    put("proc/self/cgroup", "2:cpu:/a\n0::/b\n");
    put("sys/fs/cgroup/cpu/a/cpu.cfs_quota_us", "200000\n");
    put("sys/fs/cgroup/cpu/a/cpu.cfs_period_us", "100000\n");
    put("sys/fs/cgroup/b/cpu.max", "300000 100000\n");
    expect(200, "cgroup v1");
    put("sys/fs/cgroup/b/cpu.max", "100000 100000\n");
    expect(100, "cgroup v2");
}

// ---- what follows ----

static void test_cpus_grant_rounds_up_and_is_at_least_one(void **state)
{
    (void)state;
    assert_int_equal(twi_cpus_grant(8, 0), 8);
    assert_int_equal(twi_cpus_grant(8, 0.01), 1);
    assert_int_equal(twi_cpus_grant(8, 1), 1);
    assert_int_equal(twi_cpus_grant(8, 1.01), 2);
    assert_int_equal(twi_cpus_grant(8, 7.5), 8);
    assert_int_equal(twi_cpus_grant(8, 8), 8);
    assert_int_equal(twi_cpus_grant(8, 1e300), 8);
    assert_int_equal(twi_cpus_grant(1, 4), 1);
    assert_int_equal(twi_cpus_grant(0, 0), 1);
    assert_int_equal(twi_cpus_grant(0, 3), 1);
}

TW_TASK(count_workers, { unsigned *workers; })
{
    *self.workers = tw_workers();
}

// With the calling thread on one processor only.
static void check_one_processor(int cpu)
{
    struct tw_options options;
    unsigned workers = 0;
    assert_int_equal(twi_cpus_allowed(), 1);
    assert_int_equal(twi_cpus_nth(0), cpu);
    assert_int_equal(twi_cpus_nth(1), -1);
    assert_int_equal(tw_options_init(&options, NULL, 0), 0);
    options.workers = 0;
    assert_int_equal(tw_run_with(&options, count_workers, .workers = &workers), 0);
    assert_int_equal(workers, 1);
}

static void test_cpus_allowed_follows_the_affinity_mask(void **state)
{
    (void)state;
    cpu_set_t before, one, after;
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    unsigned allowed = twi_cpus_allowed();
    assert_int_equal(allowed, CPU_COUNT(&before));
    assert_true(allowed <= twi_cpus_online());
    assert_int_equal(twi_cpus_nth(allowed), -1);
    for (unsigned i = 0; i < allowed; i++) {
        int cpu = twi_cpus_nth(i);
        assert_true(cpu >= 0 && CPU_ISSET(cpu, &before));
        CPU_ZERO(&one);
        CPU_SET(cpu, &one);
        assert_int_equal(sched_setaffinity(0, sizeof one, &one), 0);
        check_one_processor(cpu);
        assert_int_equal(sched_getaffinity(0, sizeof after, &after), 0);
        assert_true(CPU_EQUAL(&one, &after));
        assert_int_equal(sched_setaffinity(0, sizeof before, &before), 0);
    }
}

// A run that binds its workers gives the calling thread its mask back.
static void test_cpus_binding_ends_with_the_run(void **state)
{
    (void)state;
    cpu_set_t before, after;
    struct tw_options options;
    unsigned workers = 0;
    assert_int_equal(sched_getaffinity(0, sizeof before, &before), 0);
    assert_int_equal(tw_options_init(&options, NULL, 0), 0);
    options.workers = 3;
    options.bind = TW_BIND_ON;
    assert_int_equal(tw_run_with(&options, count_workers, .workers = &workers), 0);
    assert_int_equal(workers, 3);
    assert_int_equal(sched_getaffinity(0, sizeof after, &after), 0);
    assert_true(CPU_EQUAL(&before, &after));
}

static void test_cpus_machine_is_described(void **state)
{
    (void)state;
    struct tw_machine machine;
    tw_machine_describe(&machine);
    assert_int_equal(machine.allowed, twi_cpus_allowed());
    assert_int_equal(machine.online, twi_cpus_online());
    assert_int_equal(machine.workers, twi_cpus_grant(machine.allowed, machine.quota));
    assert_non_null(machine.quota_from);
    assert_non_null(machine.guard);
    assert_non_null(machine.context);
}

#define IN_ROOT(f) cmocka_unit_test_setup_teardown(f, root_make, root_remove)

int main(void)
{
    const struct CMUnitTest tests[] = {
        IN_ROOT(test_cpus_no_files_no_limit),
        IN_ROOT(test_cpus_v2_quota_of_the_own_group),
        IN_ROOT(test_cpus_v2_root_group),
        IN_ROOT(test_cpus_v2_tighter_parent_counts),
        IN_ROOT(test_cpus_v2_tighter_child_counts),
        IN_ROOT(test_cpus_v2_group_that_is_not_there),
        IN_ROOT(test_cpus_v2_max_is_no_limit),
        IN_ROOT(test_cpus_v2_malformed_is_no_limit),
        IN_ROOT(test_cpus_unreadable_is_no_limit),
        IN_ROOT(test_cpus_group_list_that_is_a_directory),
        IN_ROOT(test_cpus_malformed_group_list),
        IN_ROOT(test_cpus_group_list_without_newline),
        IN_ROOT(test_cpus_colon_in_a_group),
        IN_ROOT(test_cpus_names_longer_than_a_path),
        IN_ROOT(test_cpus_v1_quota),
        IN_ROOT(test_cpus_v1_tighter_parent_counts),
        IN_ROOT(test_cpus_v1_malformed_is_no_limit),
        IN_ROOT(test_cpus_v1_other_controllers_are_not_the_cpu),
        IN_ROOT(test_cpus_both_versions_the_tighter_counts),
        cmocka_unit_test(test_cpus_grant_rounds_up_and_is_at_least_one),
        cmocka_unit_test(test_cpus_allowed_follows_the_affinity_mask),
        cmocka_unit_test(test_cpus_binding_ends_with_the_run),
        cmocka_unit_test(test_cpus_machine_is_described),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
