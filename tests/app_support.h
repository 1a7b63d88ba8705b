// SPDX-License-Identifier: Apache-2.0
// Running an application by its command-line options, as `twill run` does.
#ifndef TEST_APP_SUPPORT_H
#define TEST_APP_SUPPORT_H

#include "support.h"

#include <string.h>
#include <unistd.h>

#include "apps/app.h"

#define APP_WORDS_MAX 8

static char app_said[1024]; // why options were refused

// Parses words up to NULL, with stderr going to `app_said`.
static inline enum cli_parsed app_parse(const struct twill_app *app, void *settings,
                                        const char *const words[APP_WORDS_MAX])
{
    const struct cli_group group = {.title = "", .options = app->options, .settings = settings};
    char *argv[APP_WORDS_MAX];
    int argc = 0;
    for (; argc < APP_WORDS_MAX && words[argc]; argc++)
        argv[argc] = (char *)words[argc];
    FILE *caught = tmpfile();
    assert_non_null(caught);
    fflush(stderr);
    int before = dup(STDERR_FILENO);
    dup2(fileno(caught), STDERR_FILENO);
    app->defaults(settings);
    enum cli_parsed parsed = cli_parse(app->name, &group, 1, argc, argv);
    fflush(stderr);
    dup2(before, STDERR_FILENO);
    close(before);
    rewind(caught);
    app_said[fread(app_said, 1, sizeof app_said - 1, caught)] = '\0';
    fclose(caught);
    return parsed;
}

// The options are refused, by their table or by the application, with this message in it.
static inline void app_refuses(const struct twill_app *app, const char *option, const char *value,
                               const char *message)
{
    void *settings = malloc(app->settings_size);
    assert_non_null(settings);
    if (app_parse(app, settings, (const char *const[APP_WORDS_MAX]){option, value}) == CLI_PARSED) {
        struct app_run run = {.check = APP_CHECK_AUTO};
        assert_int_equal(app->run(settings, &run), APP_REFUSED);
        snprintf(app_said, sizeof app_said, "%s", run.message);
    }
    free(settings);
    if (!strstr(app_said, message))
        fail_msg("%s %s %s: '%s' instead of '%s'", app->name, option, value, app_said, message);
}

// Runs with these options, with tasks and without, and checks both results.
static inline void app_verifies(const struct twill_app *app, const char *const words[APP_WORDS_MAX])
{
    void *settings = malloc(app->settings_size);
    assert_non_null(settings);
    assert_int_equal(app_parse(app, settings, words), CLI_PARSED);
    for (int sequential = 0; sequential < 2; sequential++) {
        struct app_run run = {.sequential = sequential, .check = APP_CHECK_AUTO};
        if (app->run(settings, &run) != APP_DONE)
            fail_msg("%s: error %d: %s", app->name, run.error, run.message);
        assert_int_not_equal(run.checked, APP_CHECK_NONE);
        assert_true(run.verified);
        assert_true(run.seconds >= 0);
        free(run.table.cells);
    }
    struct app_run unchecked = {.check = APP_CHECK_NONE};
    assert_int_equal(app->run(settings, &unchecked), APP_DONE);
    assert_int_equal(unchecked.checked, APP_CHECK_NONE);
    assert_false(unchecked.verified);
    free(unchecked.table.cells);
    free(settings);
}

#define app_verifies_with(app, ...)                                                                \
    app_verifies(app, (const char *const[APP_WORDS_MAX]){__VA_ARGS__})

#endif
