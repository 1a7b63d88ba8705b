// SPDX-License-Identifier: Apache-2.0
// Runs every application as its sequential elision, with its usual settings and its own check.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/app.h"

static bool run_one(const struct twill_app *app)
{
    void *settings = calloc(1, app->settings_size);
    if (settings == NULL)
        return false;
    app->defaults(settings);
    struct app_run run = {.check = APP_CHECK_AUTO};
    enum app_outcome outcome = app->run(settings, &run);
    bool skipped = outcome == APP_FAILED && strstr(run.message, "is not installed");
    bool good = (outcome == APP_DONE && run.verified) || skipped;
    printf("%s: %s, %.3f s%s%s\n", app->name,
           skipped ? "skipped"
           : good  ? "verified"
                   : "wrong",
           run.seconds, run.message[0] != '\0' ? ": " : "", run.message);
    free(run.table.cells);
    free(settings);
    return good;
}

int main(void)
{
    int failures = 0;
    for (size_t i = 0; twill_apps[i] != NULL; i++)
        failures += !run_one(twill_apps[i]);
    return failures != 0;
}
