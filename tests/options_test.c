// SPDX-License-Identifier: Apache-2.0
// ctest: workers=2
// Settings: their table, from text, from the environment, back to text, and what is refused.
#include "support.h"

#include <ctype.h>
#include <string.h>

static char message[300];

static int environment_clear(void **state)
{
    (void)state;
    size_t count;
    const struct tw_setting *table = tw_settings(&count);
    for (size_t i = 0; i < count; i++)
        unsetenv(table[i].variable);
    memset(message, '#', sizeof message);
    return 0;
}

static struct tw_options defaults(void)
{
    struct tw_options options;
    assert_int_equal(tw_options_init(&options, NULL, 0), 0);
    return options;
}

static void expect(const struct tw_options *options, const char *name, const char *value,
                   const char *source)
{
    char got[64];
    const char *from = NULL;
    assert_int_equal(tw_options_get(options, name, got, sizeof got, &from), 0);
    assert_string_equal(got, value);
    assert_string_equal(from, source);
}

static void expect_same(const struct tw_options *a, const struct tw_options *b)
{
    assert_int_equal(a->workers, b->workers);
    assert_int_equal(a->stack_size, b->stack_size);
    assert_int_equal(a->bind, b->bind);
    assert_int_equal(a->topology, b->topology);
    assert_int_equal(a->spin_ns, b->spin_ns);
    assert_int_equal(a->seed, b->seed);
    assert_int_equal(a->trace == NULL, b->trace == NULL);
    if (a->trace)
        assert_string_equal(a->trace, b->trace);
    assert_int_equal(a->trace_events, b->trace_events);
    assert_int_equal(a->lock_check, b->lock_check);
    assert_ptr_equal(a->stats, b->stats);
    assert_memory_equal(a->source, b->source, sizeof a->source);
}

static void accepts(const char *name, const char *value, const char *shown)
{
    struct tw_options options = defaults();
    assert_int_equal(tw_options_set(&options, name, value, message, sizeof message), 0);
    expect(&options, name, shown, "option");
}

static const struct tw_setting *setting_of(const char *name)
{
    size_t count;
    const struct tw_setting *table = tw_settings(&count);
    for (size_t i = 0; i < count; i++)
        if (strcmp(table[i].name, name) == 0)
            return &table[i];
    fail();
    return NULL;
}

// A refused value changes nothing, and is told with what is accepted.
static void refuses(const char *name, const char *value)
{
    struct tw_options options = defaults(), before = options;
    assert_int_equal(tw_options_set(&options, name, value, message, sizeof message), TW_EINVAL);
    expect_same(&options, &before);
    assert_non_null(strstr(message, name));
    assert_non_null(strstr(message, value));
    assert_non_null(strstr(message, setting_of(name)->accepted));
    assert_int_equal(tw_options_set(&options, name, value, NULL, 0), TW_EINVAL);
    expect_same(&options, &before);
}

// ---- each setting ----

static void test_options_workers(void **state)
{
    (void)state;
    expect(&(struct tw_options){0}, "workers", "auto", "default");
    accepts("workers", "1", "1");
    accepts("workers", "2", "2");
    accepts("workers", "007", "7");
    accepts("workers", "1024", "1024");
    accepts("workers", "auto", "auto");
    static const char *const bad[] = {
        "",   "0",   "-3",  "1025", "1000000000",           "2x", "2K",    " 2",        "2 ", "two",
        "+2", "1.5", "0x2", "Auto", "18446744073709551617", "\n", "auto ", "4294967297"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        refuses("workers", bad[i]);
}

static void test_options_stack_size(void **state)
{
    (void)state;
    accepts("stack-size", "65536", "64K");
    accepts("stack-size", "64K", "64K");
    accepts("stack-size", "64k", "64K");
    accepts("stack-size", "100000", "100000");
    accepts("stack-size", "1024K", "1M");
    accepts("stack-size", "3m", "3M");
    accepts("stack-size", "1G", "1024M");
    accepts("stack-size", "1073741824", "1024M");
    static const char *const bad[] = {"",
                                      "0",
                                      "63K",
                                      "65535",
                                      "2G",
                                      "-1M",
                                      "1073741825",
                                      "1T",
                                      "64KB",
                                      "64 K",
                                      "K",
                                      "1MM",
                                      "64 ",
                                      "1.5M",
                                      "18446744073709551615",
                                      "18014398509481984K",
                                      "17592186044416M",
                                      "17179869184G",
                                      "17179869185G",
                                      "18446744073709551616",
                                      "99999999999999999999"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        refuses("stack-size", bad[i]);
}

static void test_options_bind(void **state)
{
    (void)state;
    accepts("bind", "auto", "auto");
    accepts("bind", "on", "on");
    accepts("bind", "off", "off");
    static const char *const bad[] = {"", "yes", "1", "On", "on ", "of", "offf"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        refuses("bind", bad[i]);
}

static void test_options_topology(void **state)
{
    (void)state;
    accepts("topology", "auto", "auto");
    accepts("topology", "hwloc", "hwloc");
    accepts("topology", "off", "off");
    static const char *const bad[] = {"", "on", "Hwloc", "hwloc ", "1"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        refuses("topology", bad[i]);
}

static void test_options_lock_check(void **state)
{
    (void)state;
    accepts("lock-check", "on", "on");
    accepts("lock-check", "off", "off");
    static const char *const bad[] = {"", "auto", "On", "on ", "1"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        refuses("lock-check", bad[i]);
}

static void test_options_spin_us(void **state)
{
    (void)state;
    accepts("spin-us", "0", "0");
    accepts("spin-us", "17", "17");
    accepts("spin-us", "1000000", "1000000");
    static const char *const bad[] = {"", "-1", "1000001", "1K", "18446744073709551615", "5us"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        refuses("spin-us", bad[i]);
}

static void test_options_seed(void **state)
{
    (void)state;
    accepts("seed", "0", "0");
    accepts("seed", "42", "42");
    accepts("seed", "18446744073709551615", "18446744073709551615");
    static const char *const bad[] = {"", "-1", "18446744073709551616", "1K", "seed", "0x10"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        refuses("seed", bad[i]);
}

static void test_options_trace(void **state)
{
    (void)state;
    expect(&(struct tw_options){0}, "trace", "off", "default");
    accepts("trace", "out.json", "out.json");
    accepts("trace", "./off", "./off");
    accepts("trace", "off", "off");
    refuses("trace", "");
    struct tw_options options = defaults();
    static const char path[] = "out.json";
    tw_options_set(&options, "trace", path, NULL, 0);
    assert_ptr_equal(options.trace, path);
    tw_options_set(&options, "trace", "off", NULL, 0);
    assert_null(options.trace);
}

static void test_options_trace_events(void **state)
{
    (void)state;
    accepts("trace-events", "16", "16");
    accepts("trace-events", "1000", "1000");
    accepts("trace-events", "64K", "65536");
    accepts("trace-events", "16M", "16777216");
    static const char *const bad[] = {"", "0", "15", "16777217", "17M", "1G", "-1", "many"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        refuses("trace-events", bad[i]);
}

static void test_options_comm(void **state)
{
    (void)state;
    accepts("comm", "auto", "auto");
    accepts("comm", "dedicated", "dedicated");
    accepts("comm", "shared", "shared");
    static const char *const bad[] = {"", "on", "Shared", "shared ", "1"};
    for (size_t i = 0; i < sizeof bad / sizeof *bad; i++)
        refuses("comm", bad[i]);
}

static void test_options_values_reach_the_fields(void **state)
{
    (void)state;
    struct tw_options options = defaults();
    assert_int_equal(options.workers, 0);
    assert_int_equal(options.bind, TW_BIND_AUTO);
    assert_null(options.stats);
    tw_options_set(&options, "workers", "5", NULL, 0);
    tw_options_set(&options, "stack-size", "2M", NULL, 0);
    tw_options_set(&options, "bind", "off", NULL, 0);
    tw_options_set(&options, "topology", "off", NULL, 0);
    tw_options_set(&options, "spin-us", "9", NULL, 0);
    tw_options_set(&options, "seed", "77", NULL, 0);
    assert_int_equal(options.workers, 5);
    assert_int_equal(options.stack_size, 2 << 20);
    assert_int_equal(options.bind, TW_BIND_OFF);
    assert_int_equal(options.topology, TW_TOPOLOGY_OFF);
    assert_int_equal(options.spin_ns, 9000);
    assert_int_equal(options.seed, 77);
}

static void test_options_unknown_name(void **state)
{
    (void)state;
    static const char *const names[] = {"",        "worker",        "workers ",
                                        "WORKERS", "TWILL_WORKERS", "no-such"};
    struct tw_options options = defaults(), before = options;
    char value[8] = "kept";
    for (size_t i = 0; i < sizeof names / sizeof *names; i++) {
        assert_int_equal(tw_options_set(&options, names[i], "1", message, sizeof message),
                         TW_ENOENT);
        expect_same(&options, &before);
        assert_non_null(strstr(message, names[i]));
        assert_int_equal(tw_options_set(&options, names[i], "1", NULL, 0), TW_ENOENT);
        assert_int_equal(tw_options_get(&options, names[i], value, sizeof value, NULL), TW_ENOENT);
        assert_string_equal(value, "kept");
    }
}

// ---- the table ----

static int is_known_good(const struct tw_setting *setting, const char *value)
{
    struct tw_options options = defaults();
    return tw_options_set(&options, setting->name, value, NULL, 0) == 0;
}

static const char *some_value(const struct tw_setting *setting)
{
    static const char *const values[] = {"128K", "3",    "on",      "hwloc",  "lhws",  "epoll",
                                         "usr1", "half", "openmpi", "random", "waves", "dedicated"};
    for (size_t i = 0; i < sizeof values / sizeof *values; i++)
        if (is_known_good(setting, values[i]))
            return values[i];
    fail();
    return NULL;
}

// TWILL_ and the name in capitals.
static void check_variable(const struct tw_setting *setting)
{
    char expected[64] = "TWILL_";
    size_t at = strlen(expected);
    for (const char *c = setting->name; *c && at + 1 < sizeof expected; c++)
        expected[at++] = *c == '-' ? '_' : (char)toupper((unsigned char)*c);
    expected[at] = '\0';
    assert_string_equal(setting->variable, expected);
}

static void test_options_table_is_complete(void **state)
{
    (void)state;
    static const char *const names[] = {
        "workers", "stack-size",   "bind",       "topology", "spin-us",  "seed",
        "trace",   "trace-events", "lock-check", "wake",     "io",       "blocking",
        "dump",    "steal",        "mpi",        "policy",   "detector", "comm"};
    size_t count = 0;
    const struct tw_setting *table = tw_settings(&count);
    for (size_t i = 0; i < sizeof names / sizeof *names; i++)
        (void)setting_of(names[i]);
    assert_true(count <= sizeof((struct tw_options *)NULL)->source);
    for (size_t i = 0; i < count; i++) {
        assert_true(strlen(table[i].accepted) > 0);
        assert_true(strlen(table[i].help) > 0);
        check_variable(&table[i]);
        for (size_t j = 0; j < i; j++)
            assert_string_not_equal(table[i].name, table[j].name);
    }
}

static void test_options_every_setting_survives_being_shown(void **state)
{
    (void)state;
    size_t count;
    const struct tw_setting *table = tw_settings(&count);
    for (size_t i = 0; i < count; i++) {
        char shown[64];
        struct tw_options options = defaults(), again = defaults();
        const char *value = some_value(&table[i]);
        assert_int_equal(tw_options_set(&options, table[i].name, value, NULL, 0), 0);
        tw_options_get(&options, table[i].name, shown, sizeof shown, NULL);
        assert_int_equal(tw_options_set(&again, table[i].name, shown, NULL, 0), 0);
        expect_same(&options, &again);
    }
}

// ---- the environment ----

static void test_options_environment_is_read(void **state)
{
    (void)state;
    size_t count;
    const struct tw_setting *table = tw_settings(&count);
    for (size_t i = 0; i < count; i++) {
        struct tw_options options = defaults();
        const char *from, *value = some_value(&table[i]);
        char shown[64], expected[64];
        tw_options_get(&options, table[i].name, shown, sizeof shown, &from);
        assert_string_equal(from, "default");
        tw_options_set(&options, table[i].name, value, NULL, 0);
        tw_options_get(&options, table[i].name, expected, sizeof expected, NULL);
        setenv(table[i].variable, value, 1);
        assert_int_equal(tw_options_init(&options, message, sizeof message), 0);
        expect(&options, table[i].name, expected, "environment");
        unsetenv(table[i].variable);
    }
}

static void test_options_empty_variable_is_no_variable(void **state)
{
    (void)state;
    size_t count;
    const struct tw_setting *table = tw_settings(&count);
    struct tw_options plain = defaults(), options;
    for (size_t i = 0; i < count; i++)
        setenv(table[i].variable, "", 1);
    assert_int_equal(tw_options_init(&options, message, sizeof message), 0);
    expect_same(&options, &plain);
}

static void test_options_bad_variable_is_told_and_left_out(void **state)
{
    (void)state;
    size_t count;
    const struct tw_setting *table = tw_settings(&count);
    for (size_t i = 0; i < count; i++) {
        struct tw_options plain = defaults(), options;
        if (is_known_good(&table[i], "bad-value"))
            continue; // a name of a file can be anything
        setenv(table[i].variable, "bad-value", 1);
        assert_int_equal(tw_options_init(&options, message, sizeof message), TW_EINVAL);
        expect_same(&options, &plain);
        assert_non_null(strstr(message, table[i].variable));
        assert_non_null(strstr(message, "bad-value"));
        assert_non_null(strstr(message, table[i].accepted));
        assert_int_equal(tw_options_init(&options, NULL, 0), TW_EINVAL);
        unsetenv(table[i].variable);
    }
}

static void test_options_bad_variable_spoils_no_other(void **state)
{
    (void)state;
    struct tw_options options;
    setenv("TWILL_WORKERS", "3", 1);
    setenv("TWILL_BIND", "maybe", 1);
    setenv("TWILL_SEED", "9", 1);
    assert_int_equal(tw_options_init(&options, message, sizeof message), TW_EINVAL);
    expect(&options, "workers", "3", "environment");
    expect(&options, "bind", "auto", "default");
    expect(&options, "seed", "9", "environment");
}

static void test_options_option_beats_environment(void **state)
{
    (void)state;
    setenv("TWILL_WORKERS", "3", 1);
    struct tw_options options = defaults();
    expect(&options, "workers", "3", "environment");
    tw_options_set(&options, "workers", "4", NULL, 0);
    expect(&options, "workers", "4", "option");
    tw_options_set(&options, "workers", "0", NULL, 0);
    expect(&options, "workers", "4", "option");
}

// ---- runs ----

TW_TASK(say_workers, { unsigned *workers; })
{
    *self.workers = tw_workers();
}

static void test_options_environment_reaches_a_run(void **state)
{
    (void)state;
    unsigned workers = 0;
    setenv("TWILL_WORKERS", "3", 1);
    assert_int_equal(tw_run(say_workers, .workers = &workers), 0);
    assert_int_equal(workers, 3);
    workers = 0;
    setenv("TWILL_WORKERS", "-3", 1);
    assert_int_equal(tw_run(say_workers, .workers = &workers), TW_EINVAL);
    assert_int_equal(workers, 0);
}

// Fields set by hand pass no reader.
static void test_options_fields_out_of_range_refuse_the_run(void **state)
{
    (void)state;
    static const size_t stacks[] = {0,
                                    ((size_t)1 << 30) + 1,
                                    (size_t)1 << 32,
                                    (size_t)1 << 61,
                                    ((size_t)1 << 61) + 1,
                                    (size_t)1 << 62,
                                    SIZE_MAX / 2,
                                    SIZE_MAX};
    static const unsigned counts[] = {TW_WORKERS_MAX + 1, 1000000000, (unsigned)-3};
    unsigned workers = 0;
    for (size_t i = 0; i < sizeof stacks / sizeof *stacks; i++) {
        struct tw_options options = defaults();
        options.stack_size = stacks[i];
        assert_int_equal(tw_run_with(&options, say_workers, .workers = &workers), TW_EINVAL);
    }
    for (size_t i = 0; i < sizeof counts / sizeof *counts; i++) {
        struct tw_options options = defaults();
        options.workers = counts[i];
        assert_int_equal(tw_run_with(&options, say_workers, .workers = &workers), TW_EINVAL);
    }
    static const size_t events[] = {0, 15, ((size_t)1 << 24) + 1, SIZE_MAX};
    for (size_t i = 0; i < sizeof events / sizeof *events; i++) {
        struct tw_options options = defaults();
        options.trace = "/dev/null";
        options.trace_events = events[i];
        assert_int_equal(tw_run_with(&options, say_workers, .workers = &workers), TW_EINVAL);
    }
    assert_int_equal(workers, 0);
}

// ---- room for the answers ----

static void test_options_get_says_when_room_is_short(void **state)
{
    (void)state;
    struct tw_options options = defaults();
    char value[8];
    const char *source = NULL;
    assert_int_equal(tw_options_set(&options, "seed", "12345", NULL, 0), 0);
    assert_int_equal(tw_options_get(&options, "seed", value, 6, &source), 0);
    assert_string_equal(value, "12345");
    for (size_t size = 0; size <= 5; size++) {
        memset(value, '#', sizeof value);
        assert_int_equal(tw_options_get(&options, "seed", value, size, &source), TW_ERANGE);
        assert_int_equal(value[size], '#');
        if (size > 0)
            assert_int_equal(value[size - 1], '\0');
    }
    assert_int_equal(tw_options_get(&options, "seed", NULL, 0, NULL), TW_ERANGE);
}

static void test_options_messages_stay_in_their_room(void **state)
{
    (void)state;
    struct tw_options options = defaults();
    for (size_t size = 0; size < 40; size++) {
        memset(message, '#', sizeof message);
        assert_int_equal(tw_options_set(&options, "workers", "zero", message, size), TW_EINVAL);
        assert_int_equal(message[size], '#');
        assert_int_equal(tw_options_set(&options, "no-such", "zero", message, size), TW_ENOENT);
        assert_int_equal(message[size], '#');
    }
}

static void test_options_every_error_has_a_sentence(void **state)
{
    (void)state;
    for (int error = 0; error >= TW_EPIPE; error--) {
        assert_true(strlen(tw_strerror(error)) > 0);
        assert_string_not_equal(tw_strerror(error), tw_strerror(-1000));
        for (int other = 0; other > error; other--)
            assert_string_not_equal(tw_strerror(error), tw_strerror(other));
    }
    assert_non_null(tw_strerror(1));
}

#define CLEAN(f) cmocka_unit_test_setup_teardown(f, environment_clear, environment_clear)

int main(void)
{
    const struct CMUnitTest tests[] = {
        CLEAN(test_options_workers),
        CLEAN(test_options_stack_size),
        CLEAN(test_options_bind),
        CLEAN(test_options_topology),
        CLEAN(test_options_lock_check),
        CLEAN(test_options_spin_us),
        CLEAN(test_options_seed),
        CLEAN(test_options_trace),
        CLEAN(test_options_trace_events),
        CLEAN(test_options_comm),
        CLEAN(test_options_values_reach_the_fields),
        CLEAN(test_options_unknown_name),
        CLEAN(test_options_table_is_complete),
        CLEAN(test_options_every_setting_survives_being_shown),
        CLEAN(test_options_environment_is_read),
        CLEAN(test_options_empty_variable_is_no_variable),
        CLEAN(test_options_bad_variable_is_told_and_left_out),
        CLEAN(test_options_bad_variable_spoils_no_other),
        CLEAN(test_options_option_beats_environment),
        CLEAN(test_options_environment_reaches_a_run),
        CLEAN(test_options_fields_out_of_range_refuse_the_run),
        CLEAN(test_options_get_says_when_room_is_short),
        CLEAN(test_options_messages_stay_in_their_room),
        CLEAN(test_options_every_error_has_a_sentence),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
