// SPDX-License-Identifier: Apache-2.0
// Simulated work: tasks whose costs were recorded, a number of nanoseconds on each line of a file.
#include "sim/works.h"

#include <inttypes.h>
#include <stdlib.h>

#include "apps/lines.h"

struct recorded_work {
    struct sim_placed placed;
    uint64_t *cost_ns;
    uint64_t capacity;
};

static uint64_t cost(const struct sim_work *work, void *task)
{
    return ((const struct recorded_work *)work)->cost_ns[*(uint64_t *)task];
}

static void run(const struct sim_work *work, const void *task, struct sim_spawner *spawner,
                struct sim_answer *answer)
{
    (void)spawner;
    answer->tasks++;
    answer->nodes++;
    answer->result += ((const struct recorded_work *)work)->cost_ns[*(const uint64_t *)task];
}

static void destroy(struct sim_work *work)
{
    struct recorded_work *self = (struct recorded_work *)work;
    sim_plan_drop(&self->placed.plan);
    free(self->cost_ns);
    free(self);
}

static const struct sim_work calls = {
    .name = "recorded",
    .task_size = sizeof(uint64_t),
    .seed = sim_placed_seed,
    .cost = cost,
    .run = run,
    .check = sim_placed_check,
    .total_ns = sim_placed_total_ns,
    .destroy = destroy,
};

static int add(struct recorded_work *self, uint64_t cost_ns)
{
    if (self->placed.tasks == self->capacity) {
        uint64_t capacity = self->capacity ? 2 * self->capacity : 1024;
        uint64_t *larger = realloc(self->cost_ns, capacity * sizeof *larger);
        if (!larger)
            return -1;
        self->cost_ns = larger;
        self->capacity = capacity;
    }
    self->cost_ns[self->placed.tasks++] = cost_ns;
    return 0;
}

static int parse(struct recorded_work *self, struct app_lines *lines)
{
    int found;
    while ((found = app_lines_next(lines)) > 0) {
        uint64_t cost_ns;
        if (!app_lines_number(lines->text, &cost_ns) || cost_ns < 1 || cost_ns > SIM_COST_MOST_NS)
            return app_lines_complain(lines,
                                      "'%.40s' is no cost: a whole number of nanoseconds, "
                                      "1 to %" PRIu64,
                                      lines->text, SIM_COST_MOST_NS);
        if (self->placed.tasks == SIM_TASKS_MOST)
            return app_lines_complain(lines, "more tasks than %" PRIu64, SIM_TASKS_MOST);
        if (__builtin_add_overflow(self->placed.sum_ns, cost_ns, &self->placed.sum_ns))
            return app_lines_complain(lines, "all costs together are more than 2^64 ns");
        if (add(self, cost_ns) != 0)
            return app_lines_complain(lines, "no memory for so many tasks");
    }
    if (found == 0 && self->placed.tasks == 0)
        return app_lines_complain(lines, "the file ends without a cost");
    return found;
}

static int init(struct recorded_work *self, const struct sim_recorded *settings, char *message,
                size_t size)
{
    char *text = app_lines_read(settings->path, message, size);
    if (!text)
        return -1;
    self->placed.work = calls;
    struct app_lines lines = {
        .source = settings->path, .rest = text, .message = message, .size = size};
    int error = parse(self, &lines);
    free(text);
    if (!error && sim_plan_make(&self->placed.plan, settings->placement, self->placed.tasks,
                                settings->seed) != 0)
        error = app_lines_complain(&lines, "no memory for so many tasks");
    return error;
}

struct sim_work *sim_work_recorded(const struct sim_recorded *settings, char *message, size_t size)
{
    struct recorded_work *self = calloc(1, sizeof *self);
    if (!self) {
        snprintf(message, size, "%s: no memory", settings->path);
        return NULL;
    }
    if (init(self, settings, message, size) == 0)
        return &self->placed.work;
    destroy(&self->placed.work);
    return NULL;
}
