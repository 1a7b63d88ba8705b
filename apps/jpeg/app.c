// SPDX-License-Identifier: Apache-2.0
// `twill run jpeg`.
#include <errno.h>
#include <stdlib.h>
#include <string.h>

#include <twill/twill.h>

#include "apps/app.h"
#include "apps/jpeg/jpeg.h"

struct settings {
    uint64_t width, height, quality, lanes;
    const char *input, *output;
};

static const struct cli_option options[] = {
    {"width", "PIXELS", "columns of a generated picture (1024)", CLI_COUNT,
     offsetof(struct settings, width), 1, JPEG_SIDE_MAX, NULL},
    {"height", "PIXELS", "its rows (768)", CLI_COUNT, offsetof(struct settings, height), 1,
     JPEG_SIDE_MAX, NULL},
    {"input", "FILE", "a picture to encode, in the format PPM (a generated one)", CLI_TEXT,
     offsetof(struct settings, input), 0, 0, NULL},
    {"quality", "PERCENT", "how little is lost (75)", CLI_COUNT, offsetof(struct settings, quality),
     1, 100, NULL},
    {"lanes", "COUNT", "processes that transform rows of blocks, and as many that code them (4)",
     CLI_COUNT, offsetof(struct settings, lanes), 1, JPEG_LANES_MAX, NULL},
    {"output", "FILE", "where to write the result, in the format JPEG (nowhere)", CLI_TEXT,
     offsetof(struct settings, output), 0, 0, NULL},
    {.name = NULL},
};

static void defaults(void *settings)
{
    *(struct settings *)settings =
        (struct settings){.width = 1024, .height = 768, .quality = 75, .lanes = 4};
}

static enum app_outcome cannot_write(struct app_run *run, const char *path)
{
    snprintf(run->message, sizeof run->message,
             "--output: '%s' cannot be written: %s; give the name of a file that can", path,
             strerror(errno));
    return APP_FAILED;
}

static bool get_picture(struct app_run *run, const struct settings *settings,
                        struct jpeg_picture *picture)
{
    run->error = TW_ENOMEM;
    if (!settings->input)
        return jpeg_picture_make(picture, (uint32_t)settings->width, (uint32_t)settings->height);
    FILE *file = fopen(settings->input, "rbe");
    const char *wrong = file ? jpeg_picture_read(picture, file) : strerror(errno);
    if (file)
        fclose(file);
    if (wrong)
        snprintf(run->message, sizeof run->message,
                 "--input: '%s' cannot be read: %s; give a binary PPM picture", settings->input,
                 wrong);
    return !wrong;
}

static int check(struct app_run *run, const struct jpeg *job)
{
    struct jpeg plain = *job;
    int error = jpeg_make(&plain) ? jpeg_sequential(&plain) : TW_ENOMEM;
    run->checked = APP_CHECK_ORACLE;
    run->verified = !error && plain.file.length == job->file.length &&
                    memcmp(plain.file.at, job->file.at, plain.file.length) == 0;
    jpeg_free(&plain);
    return error;
}

static enum app_outcome encode(struct app_run *run, struct jpeg *job)
{
    app_start(run);
    int error = run->sequential ? jpeg_sequential(job) : jpeg_network(run->options, job);
    if (app_stop(run, error) != APP_DONE)
        return APP_FAILED;

    run->parameters[0] = (struct app_fact){.name = "width", .count = job->picture.width};
    run->parameters[1] = (struct app_fact){.name = "height", .count = job->picture.height};
    run->parameters[2] = (struct app_fact){.name = "quality", .count = job->quality};
    if (!run->sequential)
        run->parameters[3] = (struct app_fact){.name = "lanes", .count = job->lanes};
    run->results[0] = (struct app_fact){.name = "bytes", .count = job->file.length};
    run->work = (struct app_fact){.name = "pixels",
                                  .count = (uint64_t)job->picture.width * job->picture.height};
    run->checked = APP_CHECK_NONE;
    run->error = run->check == APP_CHECK_NONE ? 0 : check(run, job);
    return run->error ? APP_FAILED : APP_DONE;
}

static enum app_outcome run(const void *given, struct app_run *run)
{
    const struct settings *settings = given;
    struct jpeg job = {.quality = (unsigned)settings->quality,
                       .lanes = (uint32_t)settings->lanes,
                       .wake = app_wake(run)};
    FILE *file = settings->output ? fopen(settings->output, "wbe") : NULL;
    if (settings->output && !file) // before the work, not after it
        return cannot_write(run, settings->output);
    enum app_outcome outcome = APP_FAILED;
    if (get_picture(run, settings, &job.picture) && jpeg_make(&job))
        outcome = encode(run, &job);
    bool written = true;
    if (file && outcome == APP_DONE)
        written = fwrite(job.file.at, 1, job.file.length, file) == job.file.length;
    if (file)
        written = fclose(file) == 0 && written;
    free(job.picture.rgb);
    jpeg_free(&job);
    return written ? outcome : cannot_write(run, settings->output);
}

const struct twill_app jpeg_app = {
    .name = "jpeg",
    .summary = "a picture as a JPEG file, processes for rows of blocks, put together in order",
    .options = options,
    .settings_size = sizeof(struct settings),
    .defaults = defaults,
    .run = run,
};
