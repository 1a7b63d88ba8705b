// SPDX-License-Identifier: Apache-2.0
#include "cli/figures.h"

#include "cli/command.h"
#include "cli/json.h"

#define AT(name) offsetof(struct tw_place_stats, name)

const struct figure figures[] = {
    {"steals", "steals", AT(steals)},
    {"tasks_stolen", "tasks stolen", AT(tasks_got)},
    {"searches", "searches", AT(searches)},
    {"requests", "requests", AT(requests)},
    {"failed_steals", "failed steals", AT(failed)},
    {"withdrawn", "requests withdrawn", AT(withdrawn)},
    {"cyclic_steals", "cyclic steals", AT(cyclic)},
    {"load_probes", "load probes", AT(probes)},
    {"backoffs", "pauses of searches", AT(backoffs)},
    {"unanswered", "requests left unanswered", AT(unanswered)},
    {"unanswered_ns", "how long they waited, ns", AT(unanswered_ns)},
    {"searching_ns", "time searching, ns", AT(searching_ns)},
    {"messages", "messages", AT(messages)},
    {"bytes", "bytes sent", AT(bytes)},
    {"stale", "messages of a phase that was over", AT(stale)},
    {"tasks", "tasks", AT(tasks)},
    {NULL, NULL, 0},
};

uint64_t figure_of(const struct figure *figure, const struct tw_place_stats *stats)
{
    return *(const uint64_t *)((const char *)stats + figure->offset);
}

void figures_add(struct tw_place_stats *sum, const struct tw_place_stats *more)
{
    uint64_t *to = (uint64_t *)sum;
    const uint64_t *from = (const uint64_t *)more;
    for (size_t i = 0; i < sizeof *sum / sizeof *to; i++)
        to[i] += from[i];
}

static int is_of_open_requests(const struct figure *figure)
{
    return figure->offset == AT(unanswered) || figure->offset == AT(unanswered_ns);
}

static int is_shown(const struct figure *figure, uint64_t value, enum figures_zeros zeros)
{
    switch (zeros) {
    case FIGURES_NO_ZEROS:
        return value > 0;
    case FIGURES_OPEN_ZEROS:
        return value > 0 || is_of_open_requests(figure);
    case FIGURES_ALL_ZEROS:
        return 1;
    }
    return 1;
}

void figures_print(const struct tw_place_stats *stats, enum figures_zeros zeros)
{
    char number[NUMBER_MAX];
    for (const struct figure *figure = figures; figure->name; figure++) {
        uint64_t value = figure_of(figure, stats);
        if (is_shown(figure, value, zeros))
            printf("  %-34s %s\n", figure->text, text_number(number, value));
    }
}

void figures_print_victims(const struct tw_place_stats *stats)
{
    uint64_t all = 0;
    for (int i = 0; i <= TW_VICTIMS_MOST; i++)
        all += stats->victims[i];
    if (!all)
        return;
    printf("  %-34s", "victims asked in a search");
    for (int i = 0; i <= TW_VICTIMS_MOST; i++)
        if (stats->victims[i])
            printf(" %d%s: %.1f %%", i, i == TW_VICTIMS_MOST ? " or more" : "",
                   100.0 * (double)stats->victims[i] / (double)all);
    printf("\n");
}

void figures_json(struct json *json, const struct tw_place_stats *stats)
{
    for (const struct figure *figure = figures; figure->name; figure++)
        json_count(json, figure->name, figure_of(figure, stats));
}

void figures_json_victims(struct json *json, const struct tw_place_stats *stats)
{
    json_array(json, "victims");
    for (int i = 0; i <= TW_VICTIMS_MOST; i++)
        json_count(json, NULL, stats->victims[i]);
    json_close(json);
}
