// SPDX-License-Identifier: Apache-2.0
// `twill run mandelbrot`.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <twill/twill.h>

#include "apps/app.h"
#include "apps/mandelbrot/mandelbrot.h"

struct settings {
    uint64_t width, height, iterations;
    const char *output;
};

static const struct cli_option options[] = {
    {"width", "PIXELS", "columns of the picture (1024)", CLI_COUNT,
     offsetof(struct settings, width), 1, MANDELBROT_SIDE_MAX, NULL},
    {"height", "PIXELS", "rows of the picture (768)", CLI_COUNT, offsetof(struct settings, height),
     1, MANDELBROT_SIDE_MAX, NULL},
    {"iterations", "COUNT", "steps after which a point is taken to be in the set (1000)", CLI_COUNT,
     offsetof(struct settings, iterations), 1, MANDELBROT_ITERATIONS_MAX, NULL},
    {"output", "FILE", "where to write the picture, in the format PGM (nowhere)", CLI_TEXT,
     offsetof(struct settings, output), 0, 0, NULL},
    {.name = NULL},
};

static void defaults(void *settings)
{
    *(struct settings *)settings =
        (struct settings){.width = 1024, .height = 768, .iterations = 1000};
}

static enum app_outcome cannot_write(struct app_run *run, const char *path, int error)
{
    snprintf(run->message, sizeof run->message,
             "--output: '%s' cannot be written: %s; give the name of a file that can", path,
             strerror(error));
    return APP_FAILED;
}

static size_t pixels_of(const struct mandelbrot *picture)
{
    return (size_t)picture->width * picture->height;
}

static void report(struct app_run *run, const struct mandelbrot *picture)
{
    uint64_t inside = 0, steps = 0;
    for (size_t i = 0; i < pixels_of(picture); i++) {
        inside += picture->steps[i] == picture->iterations;
        steps += picture->steps[i];
    }
    run->parameters[0] = (struct app_fact){.name = "width", .count = picture->width};
    run->parameters[1] = (struct app_fact){.name = "height", .count = picture->height};
    run->parameters[2] = (struct app_fact){.name = "iterations", .count = picture->iterations};
    run->results[0] = (struct app_fact){.name = "inside", .count = inside};
    run->results[1] = (struct app_fact){.name = "steps", .count = steps};
    run->work = run->results[1];
}

static int check(struct app_run *run, const struct mandelbrot *found)
{
    struct mandelbrot again = *found;
    again.steps = malloc(pixels_of(found) * sizeof *again.steps);
    if (!again.steps)
        return TW_ENOMEM;
    mandelbrot_sequential(&again);
    run->checked = APP_CHECK_ORACLE;
    run->verified = memcmp(again.steps, found->steps, pixels_of(found) * sizeof *found->steps) == 0;
    free(again.steps);
    return 0;
}

static enum app_outcome paint(struct app_run *run, const struct mandelbrot *picture)
{
    int error = 0;
    app_start(run);
    if (run->sequential)
        mandelbrot_sequential(picture);
    else
        error = mandelbrot_loop(run->options, picture);
    if (app_stop(run, error) != APP_DONE)
        return APP_FAILED;
    report(run, picture);
    run->checked = APP_CHECK_NONE;
    // The sequential program is the oracle: there is nothing to compare it with.
    if (run->check != APP_CHECK_NONE && !run->sequential)
        run->error = check(run, picture);
    return run->error ? APP_FAILED : APP_DONE;
}

static enum app_outcome run(const void *given, struct app_run *run)
{
    const struct settings *settings = given;
    struct mandelbrot picture = {.width = (uint32_t)settings->width,
                                 .height = (uint32_t)settings->height,
                                 .iterations = (uint32_t)settings->iterations};
    FILE *file = settings->output ? fopen(settings->output, "wbe") : NULL;
    if (settings->output && !file) // before the work, not after it
        return cannot_write(run, settings->output, errno);
    enum app_outcome outcome = APP_FAILED;
    picture.steps = malloc(pixels_of(&picture) * sizeof *picture.steps);
    if (picture.steps)
        outcome = paint(run, &picture);
    else
        run->error = TW_ENOMEM;
    int error = file && outcome == APP_DONE ? mandelbrot_write(&picture, file) : 0;
    if (file && fclose(file) != 0 && !error)
        error = errno;
    free(picture.steps);
    return error ? cannot_write(run, settings->output, error) : outcome;
}

const struct twill_app mandelbrot_app = {
    .name = "mandelbrot",
    .summary = "a picture of the Mandelbrot set, a loop over pixels of very different cost",
    .options = options,
    .settings_size = sizeof(struct settings),
    .defaults = defaults,
    .run = run,
};
