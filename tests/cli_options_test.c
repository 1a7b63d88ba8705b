// SPDX-License-Identifier: Apache-2.0
// ctest: workers=1
// Option tables: what is stored, what is refused and with which words; near misses.
#include "support.h"

#include <string.h>
#include <unistd.h>

#include "cli/options.h"
#include "cli/suggest.h"

struct settings {
    bool flag;
    uint64_t count;
    double real;
    uint64_t time;
    unsigned choice;
    const char *text;
};

static const char *const colours[] = {"red", "green", NULL};

static const struct cli_option table[] = {
    {"flag", NULL, "a flag", CLI_FLAG, offsetof(struct settings, flag), 0, 0, NULL},
    {"count", "N", "a count", CLI_COUNT, offsetof(struct settings, count), 1, 9, NULL},
    {"real", "R", "a real", CLI_REAL, offsetof(struct settings, real), -1, 1, NULL},
    {"time", "T", "a time", CLI_TIME, offsetof(struct settings, time), 0, 10e9, NULL},
    {"colour", NULL, "a choice", CLI_CHOICE, offsetof(struct settings, choice), 0, 0, colours},
    {"text", "T", "a text", CLI_TEXT, offsetof(struct settings, text), 0, 0, NULL},
    {.name = NULL},
};

static char said[1024]; // on stderr

// Parses up to four words with stderr going to `said`.
static enum cli_parsed parse(struct settings *settings, const char *a, const char *b, const char *c,
                             const char *d)
{
    char *words[] = {(char *)a, (char *)b, (char *)c, (char *)d};
    int count = 0;
    while (count < 4 && words[count])
        count++;
    *settings = (struct settings){0};
    const struct cli_group group = {.title = "Options", .options = table, .settings = settings};
    FILE *caught = tmpfile();
    assert_non_null(caught);
    fflush(stderr);
    int before = dup(STDERR_FILENO);
    dup2(fileno(caught), STDERR_FILENO);
    enum cli_parsed parsed = cli_parse("prog", &group, 1, count, words);
    fflush(stderr);
    dup2(before, STDERR_FILENO);
    close(before);
    rewind(caught);
    said[fread(said, 1, sizeof said - 1, caught)] = '\0';
    fclose(caught);
    return parsed;
}

static void refused(const char *a, const char *b, const char *message)
{
    struct settings settings;
    assert_int_equal(parse(&settings, a, b, NULL, NULL), CLI_REFUSED);
    assert_string_equal(said, message);
}

static void test_options_are_stored(void **state)
{
    (void)state;
    struct settings settings;
    assert_int_equal(parse(&settings, "--count", "7", "--flag", "--colour=green"), CLI_PARSED);
    assert_string_equal(said, "");
    assert_int_equal(settings.count, 7);
    assert_true(settings.flag);
    assert_int_equal(settings.choice, 1);
    assert_int_equal(parse(&settings, "--real=-0.5", "--text", "--flag", NULL), CLI_PARSED);
    assert_true(settings.real == -0.5);
    assert_string_equal(settings.text, "--flag");
    assert_false(settings.flag);
}

static void test_options_times_are_nanoseconds(void **state)
{
    (void)state;
    static const struct {
        const char *text;
        uint64_t ns;
    } times[] = {{"50ms", 50000000}, {"5us", 5000}, {"7ns", 7}, {"10s", 10000000000},
                 {"1.5ms", 1500000}, {"0", 0},      {"0s", 0},  {"0.25us", 250}};
    for (size_t i = 0; i < sizeof times / sizeof times[0]; i++) {
        struct settings settings;
        assert_int_equal(parse(&settings, "--time", times[i].text, NULL, NULL), CLI_PARSED);
        assert_int_equal(settings.time, times[i].ns);
    }
    static const char *const bad[] = {"",    "5",     "ms",     "-1ms", "1 ms", "1m",   "0x1ms",
                                      "11s", "1e3ns", "1.2.3s", "infs", "nans", "1msx", ".5s"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char message[128];
        snprintf(message, sizeof message,
                 "prog: --time does not accept '%s': give a time from 0 to 10s in s, ms, us or ns, "
                 "such as 50ms\n",
                 bad[i]);
        refused("--time", bad[i], message);
    }
}

static void test_options_help_is_asked(void **state)
{
    (void)state;
    struct settings settings;
    assert_int_equal(parse(&settings, "--flag", "--help", NULL, NULL), CLI_ASKED_HELP);
    assert_int_equal(parse(&settings, "-h", NULL, NULL, NULL), CLI_ASKED_HELP);
}

static void test_options_refusals_name_the_option_the_value_and_what_is_accepted(void **state)
{
    (void)state;
    static const char *const bad[] = {"0",  "-3",  "1000000000", "abc", "",
                                      "3x", "1.5", " 3",         "+3",  "99999999999999999999"};
    for (size_t i = 0; i < sizeof bad / sizeof bad[0]; i++) {
        char message[128];
        snprintf(message, sizeof message,
                 "prog: --count does not accept '%s': give a whole number from 1 to 9\n", bad[i]);
        refused("--count", bad[i], message);
    }
    refused("--real", "2", "prog: --real does not accept '2': give a number from -1 to 1\n");
    refused("--real", "nan", "prog: --real does not accept 'nan': give a number from -1 to 1\n");
    refused("--colour", "blue", "prog: --colour does not accept 'blue': give one of red, green\n");
    refused("--flag=1", NULL, "prog: --flag takes no value, not '1'\n");
    refused("--count", NULL, "prog: --count needs a value: a whole number from 1 to 9\n");
    refused("--text", NULL, "prog: --text needs a value: a text\n");
    refused("--cuont", "1", "prog: unknown option --cuont; did you mean --count?\n");
    refused("--zebra", NULL, "prog: unknown option --zebra\n");
    refused("word", NULL, "prog: unexpected argument 'word'\n");
    refused("--", NULL, "prog: unexpected argument '--'\n");
}

static void test_options_help_fills_lines(void **state)
{
    (void)state;
    char text[2048] = "";
    FILE *file = fmemopen(text, sizeof text, "w");
    const struct cli_group group = {.title = "Options", .options = table};
    cli_print_options(file, &group, 1);
    cli_print_entry(file, "name",
                    "aaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaaa bbbbbbbbbbbbbbbbbbbbbbbbbbbbbbb"
                    " ccccccccccccccccccccccccccccccccccccc");
    fclose(file);
    assert_non_null(strstr(text, "\nOptions\n  --flag              a flag\n"));
    assert_non_null(strstr(text, "  --colour red|green  a choice\n"));
    assert_non_null(strstr(text, "bbb\n                      ccc"));
}

static const char *nearest(const char *wanted)
{
    struct suggestion near;
    suggest_start(&near, wanted);
    suggest_offer(&near, "TWILL_WORKERS");
    suggest_offer(&near, "TWILL_SEED");
    suggest_offer(&near, "run");
    return near.name ? near.name : "";
}

static void test_suggestions(void **state)
{
    (void)state;
    assert_string_equal(nearest("TWILL_WORKER"), "TWILL_WORKERS");
    assert_string_equal(nearest("twill_wrokers"), "TWILL_WORKERS");
    assert_string_equal(nearest("rnu"), "run");
    assert_string_equal(nearest("TWILL_COLOUR"), "");
    assert_string_equal(nearest("x"), "");
    char huge[300];
    memset(huge, 'x', sizeof huge - 1);
    huge[sizeof huge - 1] = '\0';
    assert_string_equal(nearest(huge), "");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_options_are_stored),
        cmocka_unit_test(test_options_times_are_nanoseconds),
        cmocka_unit_test(test_options_help_is_asked),
        cmocka_unit_test(test_options_refusals_name_the_option_the_value_and_what_is_accepted),
        cmocka_unit_test(test_options_help_fills_lines),
        cmocka_unit_test(test_suggestions),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
