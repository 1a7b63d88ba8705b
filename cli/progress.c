// SPDX-License-Identifier: Apache-2.0
#include "cli/progress.h"

#include <errno.h>
#include <time.h>

#include <twill/place.h>

#include "apps/app.h"
#include "cli/command.h"

#define FIRST_SECOND 2
#define ERASE "\r\033[K"

static void show(const struct progress *progress, unsigned second, uint64_t last, uint64_t count)
{
    char line[160], number[NUMBER_MAX];
    int used = snprintf(line, sizeof line, ERASE "%s: %u s", progress->app->name, second);
    if (count > 0) // else this way of running it does not count as it goes
        snprintf(line + used, sizeof line - (size_t)used, ", %s %s%s, %.2f million/s",
                 text_number(number, count), progress->app->counted,
                 tw_places() > 1 ? " at place 0" : "", (double)(count - last) * 1e-6);
    fputs(line, stderr); // at once, so that nothing comes between
}

// Waits until that second of the run; true when it is over.
static bool wait_until(struct progress *progress, const struct timespec *begun, unsigned second)
{
    const struct timespec until = {.tv_sec = begun->tv_sec + second, .tv_nsec = begun->tv_nsec};
    while (!progress->is_over &&
           pthread_cond_timedwait(&progress->changed, &progress->lock, &until) != ETIMEDOUT)
        continue;
    return progress->is_over;
}

static void *watch(void *given)
{
    struct progress *progress = given;
    struct timespec begun;
    uint64_t last = 0;
    clock_gettime(CLOCK_MONOTONIC, &begun);
    pthread_mutex_lock(&progress->lock);
    for (unsigned second = FIRST_SECOND - 1; !wait_until(progress, &begun, second); second++) {
        uint64_t count = progress->app->so_far();
        if (second >= FIRST_SECOND)
            show(progress, second, last, count);
        progress->is_shown = second >= FIRST_SECOND;
        last = count;
    }
    pthread_mutex_unlock(&progress->lock);
    return NULL;
}

void progress_start(struct progress *progress, const struct twill_app *app)
{
    pthread_condattr_t monotonic;
    *progress = (struct progress){.app = app};
    pthread_condattr_init(&monotonic);
    pthread_condattr_setclock(&monotonic, CLOCK_MONOTONIC);
    pthread_cond_init(&progress->changed, &monotonic);
    pthread_condattr_destroy(&monotonic);
    pthread_mutex_init(&progress->lock, NULL);
    if (pthread_create(&progress->thread, NULL, watch, progress) != 0)
        progress->app = NULL;
}

void progress_stop(void *given)
{
    struct progress *progress = given;
    if (!progress->app)
        return;
    pthread_mutex_lock(&progress->lock);
    progress->is_over = true;
    pthread_cond_signal(&progress->changed);
    pthread_mutex_unlock(&progress->lock);
    pthread_join(progress->thread, NULL);
    if (progress->is_shown)
        fputs(ERASE, stderr);
    progress->app = NULL;
}
