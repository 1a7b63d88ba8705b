// SPDX-License-Identifier: Apache-2.0
// `twill demo`: one tree searched sequentially, on one worker, on all of them and at two places.
#include <string.h>
#include <time.h>

#include "apps/uts/uts.h"
#include "cli/command.h"
#include "cli/demo_places.h"

#define TREE "T1"
#define ROUNDS 3 // the ways take turns, the best time of each counts

enum way { SEQUENTIAL, ONE_WORKER, ALL_WORKERS, WAYS };

struct demo {
    struct uts_tree tree;
    struct tw_options options;
    unsigned all; // workers
    double best[WAYS];
    struct uts_count found;
};

static double now(void)
{
    struct timespec time;
    clock_gettime(CLOCK_MONOTONIC, &time);
    return (double)time.tv_sec + (double)time.tv_nsec * 1e-9;
}

static int search(struct demo *demo, enum way way, struct uts_count *found)
{
    if (way == SEQUENTIAL)
        return uts_search(&demo->tree, found) ? 0 : TW_ENOMEM;
    demo->options.workers = way == ONE_WORKER ? 1 : demo->all;
    return uts_search_fork(&demo->options, &demo->tree, found);
}

// Searches once; false when that failed or found another tree than the one known.
static bool measure(struct demo *demo, enum way way)
{
    double start = now();
    int error = search(demo, way, &demo->found);
    double seconds = now() - start;
    if (error) {
        settings_complain("twill demo", &demo->options, error);
        return false;
    }
    const struct uts_count *known = &uts_find_named(TREE)->known;
    if (memcmp(&demo->found, known, sizeof *known) != 0) {
        fprintf(stderr, "twill demo: found %llu nodes, but tree " TREE " has %llu\n",
                (unsigned long long)demo->found.nodes, (unsigned long long)known->nodes);
        return false;
    }
    if (demo->best[way] == 0 || seconds < demo->best[way])
        demo->best[way] = seconds;
    return true;
}

static void print_way(const struct demo *demo, enum way way, const char *name)
{
    double seconds = demo->best[way];
    printf("  %-20s%8.3f s%8.1f million nodes/s", name, seconds,
           (double)demo->found.nodes / seconds * 1e-6);
    if (way != SEQUENTIAL)
        printf("   %.2f times as fast", demo->best[SEQUENTIAL] / seconds);
    printf("\n");
}

static void print_demo(const struct demo *demo)
{
    char name[64], nodes[NUMBER_MAX];
    printf("Unbalanced tree search, tree " TREE ": %s nodes, each of them a task.\n"
           "Best of %d searches each, every one checked.\n\n",
           text_number(nodes, demo->found.nodes), ROUNDS);
    print_way(demo, SEQUENTIAL, "sequential C");
    print_way(demo, ONE_WORKER, "Twill, 1 worker");
    if (demo->all == 1) {
        printf("\nThis machine grants one worker only: there is nothing to speed up.\n");
        return;
    }
    snprintf(name, sizeof name, "Twill, %u workers", demo->all);
    print_way(demo, ALL_WORKERS, name);
    printf("\nSpeed-up of %u workers over one: %.2f\n", demo->all,
           demo->best[ONE_WORKER] / demo->best[ALL_WORKERS]);
}

static int demo_main(int argc, char **argv)
{
    struct demo demo = {0};
    if (!settings_start(&demo.options))
        return EXIT_USAGE;
    struct cli_group group = settings_group(&demo.options);
    int status;
    if (!command_options(&demo_command, &group, 1, argc, argv, &status))
        return status;
    struct tw_machine machine;
    tw_machine_describe(&machine);
    demo.all = demo.options.workers ? demo.options.workers : machine.workers;
    uts_tree_init(&demo.tree, &uts_find_named(TREE)->parameters, UTS_SHA_AUTO, 1);
    for (int round = 0; round < ROUNDS; round++)
        for (enum way way = SEQUENTIAL; way < WAYS; way++)
            if (!measure(&demo, way))
                return EXIT_FAILED;
    print_demo(&demo);
    demo_places(TREE, demo.options.mpi, demo.all > 1 ? demo.all / 2 : 1, ROUNDS,
                demo.best[SEQUENTIAL]);
    return EXIT_DONE;
}

static void demo_help(FILE *file)
{
    struct tw_options options;
    struct cli_group group = settings_group(&options);
    cli_print_options(file, &group, 1);
}

const struct command demo_command = {
    .name = "demo",
    .usage = "demo [OPTION ...]",
    .summary = "searches a tree sequentially, on one worker, on all and at two places, and tells "
               "the speed-up",
    .main = demo_main,
    .help = demo_help,
};
