// SPDX-License-Identifier: Apache-2.0
// An iterative program whose load is uneven but changes slowly: how many points of a window belong
// to the Mandelbrot set, as the window moves. A row is a task; the next step starts with each
// worker's rows of the last one.
//
//     ./collection                     each worker starts with what it ran
//     ./collection auto                ... and is rebalanced when that pays; or another balance
//     ./collection once                ... and is rebalanced once, when costs are first known
//     mpirun -n 4 ./collection
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>
#include <twill/twill.h>

#ifdef TWILL_SERIAL // has no collections

int main(void)
{
    puts("only with the library");
    return 77;
}

#else

enum { ROWS = 240, COLUMNS = 160, STEPS = 5, LIMIT = 300 };

static double top = -1.2;       // of the window, which moves
static _Atomic uint64_t inside; // points that tasks of this place found

static uint64_t count_row(int row)
{
    uint64_t found = 0;
    double y = top + 2.0 * row / ROWS;
    for (int column = 0; column < COLUMNS; column++) {
        double x = -2.0 + 2.6 * column / COLUMNS, a = 0, b = 0;
        int turn = 0;
        for (; turn < LIMIT && a * a + b * b < 4; turn++) {
            double next = a * a - b * b + x;
            b = 2 * a * b + y;
            a = next;
        }
        found += turn == LIMIT;
    }
    return found;
}

TW_TASK(scan, { int row; })
{
    inside += count_row(self.row);
}

// What the tasks of all places found is what a plain loop finds.
static int is_right(void)
{
    uint64_t found = inside, expected = 0;
    inside = 0;
    for (int row = 0; row < ROWS; row++)
        expected += count_row(row);
    return tw_places_sum(&found, 1) == 0 && found == expected;
}

static enum tw_balance balance = TW_BALANCE_RETENTIVE;
static int is_once;

static void report(const struct tw_collection_stats *stats)
{
    if (tw_here() == 0)
        printf("%4u %8.2f ms %8.0f %% %10.2f %9.1f +- %.1f\n", stats->iteration,
               1e3 * stats->seconds, 100 * stats->efficiency, stats->imbalance, stats->stole.mean,
               stats->stole.deviation);
}

TW_TASK(all_steps, { int *wrong; })
{
    struct tw_collection *rows;
    struct tw_collection_options options = {.task_size = sizeof(int), .balance = balance};
    *self.wrong += tw_collection_create(&rows, &options);
    if (*self.wrong)
        return;
    for (int row = (int)tw_here(); row < ROWS; row += (int)tw_places()) // each place some of them
        *self.wrong += tw_collection_add(rows, scan, .row = row);
    for (int step = 0; step < STEPS; step++) {
        *self.wrong += tw_collection_process(rows);
        *self.wrong += !is_right();
        report(tw_collection_stats(rows));
        if (is_once && step == 0)
            *self.wrong += tw_collection_rebalance(rows, TW_BALANCE_PERSIST_TREE);
        *self.wrong += tw_collection_restore(rows);
        top += 0.02;
    }
    tw_collection_free(rows);
}

int main(int argc, char **argv)
{
    int wrong = 0;
    char message[1024];
    is_once = argc > 1 && strcmp(argv[1], "once") == 0;
    if (argc > 1 && !is_once && tw_balance_find(argv[1], &balance) != 0) {
        fprintf(stderr,
                "collection: no balance is called '%s'; there are retentive, steal, steal-all, "
                "none, persist-central, persist-tree, auto, and once\n",
                argv[1]);
        return 2;
    }
    if (tw_places_open(NULL, message, sizeof message) != 0) {
        fprintf(stderr, "collection: %s\n", message);
        return 1;
    }
    if (tw_here() == 0)
        puts("step        time efficiency  imbalance  steals a worker");
    int error = tw_run_spmd(all_steps, .wrong = &wrong);
    if (error || wrong)
        fprintf(stderr, "place %u: %s\n", tw_here(), error ? tw_strerror(error) : "wrong");
    return error || wrong;
}

#endif
