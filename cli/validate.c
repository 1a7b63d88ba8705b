// SPDX-License-Identifier: Apache-2.0
// See validate.h. The runs of a round are one after the other, all of them before the next round,
// so that a slow minute touches all alike. What a node costs comes from the plain programs, which
// are run among them, several times in each round: every simulation of a work depends on it.
#include "cli/validate.h"

#include <math.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "cli/calibrate.h"
#include "cli/child.h"
#include "cli/command.h"
#include "cli/launch.h"
#include "sim/sweep.h"
#include "sim/works.h"

#define RANKED_APART 3.3 // one of a thousand by chance
enum { SECONDS_MOST = 120, SEEDS = 3, RANKED_LEAST = 4, WORDS_MOST = 32 };

// Half a second and more on two cores; or quick ones.
static struct validate_work full_works[] = {
    {.name = "T1", .tree = "T1", .words = {"uts", "--tree", "T1", "--granularity", "8"}},
    {.name = "T3", .tree = "T3", .words = {"uts", "--tree", "T3", "--granularity", "8"}},
    {.name = "queens-15", .n = 15, .words = {"nqueens", "--n", "15"}},
    {.name = NULL},
};
static struct validate_work quick_works[] = {
    {.name = "T1-8", .tree = "T1", .depth = 8, .words = {"uts", "--tree", "T1", "--depth", "8"}},
    {.name = "queens-12", .n = 12, .words = {"nqueens", "--n", "12"}},
    {.name = NULL},
};

static void show(struct validation *v, const char *what)
{
    if (v->quiet || !isatty(STDERR_FILENO))
        return;
    fprintf(stderr, "\r%u of %u %s  ", v->done, v->count, what);
    if (v->done == v->count)
        fputc('\n', stderr);
}

// ---- real runs ----

static void take_line(void *self, const char *line)
{
    static const char key[] = "\"seconds\": ";
    const char *found = strstr(line, key);
    if (found)
        *(double *)self = strtod(found + sizeof key - 1, NULL);
}

// `more` ends with NULL. Places 0: without a launcher. A run whose result is wrong fails.
static bool run(struct validation *v, const struct validate_work *work, unsigned places,
                const char *const *more, struct samples *samples)
{
    const char *words[WORDS_MOST] = {"run"};
    size_t used = 1;
    double seconds = 0;
    for (size_t i = 0; work->words[i]; i++)
        words[used++] = work->words[i];
    for (size_t i = 0; more[i]; i++)
        words[used++] = more[i];
    struct child child = {.name = v->name,
                          .places = places,
                          .mpi = v->mpi,
                          .words = words,
                          .seconds = SECONDS_MOST,
                          .line = take_line,
                          .self = &seconds};
    bool is_well = child_run(&child) == 0;
    v->done++;
    show(v, "runs");
    if (is_well && seconds <= 0)
        fprintf(stderr, "%s: %s told no time\n", v->name, work->name);
    return is_well && seconds > 0 && samples_add(samples, seconds);
}

static bool run_sequential(struct validation *v, struct validate_work *work)
{
    static const char *const more[] = {"--sequential", "--check", "none", "--json", NULL};
    return run(v, work, 0, more, &work->sequential);
}

static bool run_cell(struct validation *v, struct validate_cell *cell, unsigned round)
{
    char seed[16];
    snprintf(seed, sizeof seed, "%u", round + 1);
    const char *check = cell->work->tree && cell->work->depth ? "oracle" : "table";
    const char *more[] = {
        "--workers", "1",     "--policy", cell->policy->name, "--seed", seed,     "--check",
        check,       "--mpi", v->mpi,     "--comm",           "shared", "--json", NULL};
    const char *any[] = {"--workers", "1", "--check", check, "--json", "--style", "any", NULL};
    if (cell->places > 1)
        return run(v, cell->work, cell->places, more, &cell->real);
    if (!cell->work->tree) // has one style
        any[5] = NULL;
    return run(v, cell->work, 0, any, &cell->real);
}

// Before the first cell of each work and number of places.
static bool is_sequential_due(const struct validation *v, size_t cell)
{
    const struct validate_cell *now = &v->cell[cell];
    return cell == 0 || now[-1].work != now->work || now[-1].places != now->places;
}

static bool run_round(struct validation *v, unsigned round)
{
    for (size_t i = 0; i < v->cells; i++)
        if ((is_sequential_due(v, i) && !run_sequential(v, v->cell[i].work)) ||
            !run_cell(v, &v->cell[i], round))
            return false;
    return true;
}

static bool run_all(struct validation *v)
{
    unsigned sequential = 0;
    for (size_t i = 0; i < v->cells; i++)
        sequential += is_sequential_due(v, i);
    v->done = 0;
    v->count = v->rounds * ((unsigned)v->cells + sequential);
    for (unsigned round = 0; round < v->rounds; round++)
        if (!run_round(v, round))
            return false;
    return true;
}

// ---- simulations ----

static struct sim_work *make_work(const struct validate_work *work, uint64_t node_ns, char *message,
                                  size_t size)
{
    if (!work->tree)
        return sim_work_nqueens(
            &(struct sim_nqueens){.n = work->n, .cutoff = SIM_NQUEENS_CUTOFF, .node_ns = node_ns},
            message, size);
    // A task for each node: of a node's children the last is taken next, as the program runs on.
    struct sim_uts settings = {.tree = work->tree, .node_ns = node_ns, .chunk = 1};
    if (work->depth) {
        settings.parameters = uts_find_named(work->tree)->parameters;
        settings.parameters.depth = work->depth;
        settings.tree = NULL;
    }
    return sim_work_uts(&settings, message, size);
}

static struct sim_options options_for(const struct validation *v, const struct sim_work *work,
                                      const struct twi_machine *policy, uint32_t places)
{
    struct sim_options options = {.machine = v->machine,
                                  .work = work,
                                  .policy = policy,
                                  .detector = twi_detectors[0],
                                  .is_live = true};
    options.machine.places = places;
    options.machine.workers = 1;
    return options;
}

static bool complain(const struct validation *v, const char *what)
{
    fprintf(stderr, "%s: %s\n", v->name, what);
    return false;
}

// How many nodes there are, by a simulation at one place; and so what one costs.
static bool count_nodes(struct validation *v, struct validate_work *work)
{
    char message[256] = "";
    struct sim_work *made = make_work(work, 1, message, sizeof message);
    if (!made)
        return complain(v, message);
    struct sim_options options = options_for(v, made, twi_policies[0], 1);
    struct sim_result result;
    int failed = sim_run(&options, &result);
    made->destroy(made);
    free(result.place);
    if (failed || result.end != SIM_DONE)
        return complain(v, "a simulation at one place failed");
    double seconds = samples_summarize(&work->sequential).median;
    work->nodes = result.answer.nodes;
    work->node_ns = (uint64_t)llround(seconds * 1e9 / (double)work->nodes);
    work->node_ns += work->node_ns == 0;
    return true;
}

static void show_simulations(void *self, size_t done, size_t count)
{
    struct validation *v = self;
    v->done = (unsigned)done;
    v->count = (unsigned)count;
    show(v, "simulations");
}

static bool take_results(struct validation *v, const struct sim_sweep *sweep,
                         struct validate_cell *const *cells)
{
    for (size_t i = 0; i < sweep->count; i++) {
        const struct sim_result *result = &sweep->results[i];
        if (result->end != SIM_DONE || result->verdict == 0)
            return complain(v, "a simulation failed");
        samples_add(&cells[i]->simulated, (double)result->makespan_ns * 1e-9);
    }
    return true;
}

static bool simulate(struct validation *v, struct sim_sweep *sweep)
{
    struct tw_options options;
    if (!settings_start(&options))
        return false;
    options.mpi = "off"; // several simulations at a time, all here
    int error = sim_sweep_run(sweep, &options);
    if (error)
        settings_complain(v->name, &options, error);
    return error == 0;
}

// All cells of one work.
static bool simulate_work(struct validation *v, struct validate_work *work)
{
    static struct sim_options list[VALIDATE_CELLS_MOST * SEEDS];
    static struct validate_cell *cells[VALIDATE_CELLS_MOST * SEEDS];
    char message[256] = "";
    if (!count_nodes(v, work))
        return false;
    struct sim_work *made = make_work(work, work->node_ns, message, sizeof message);
    if (!made)
        return complain(v, message);
    struct sim_sweep sweep = {.options = list, .progress = show_simulations, .self = v};
    for (size_t i = 0; i < v->cells; i++)
        for (uint64_t seed = 1; v->cell[i].work == work && seed <= (v->quick ? 1 : SEEDS); seed++) {
            cells[sweep.count] = &v->cell[i];
            list[sweep.count] = options_for(v, made, v->cell[i].policy, v->cell[i].places);
            list[sweep.count++].seed = seed;
        }
    bool is_well = simulate(v, &sweep) && take_results(v, &sweep, cells);
    sim_sweep_free(&sweep);
    made->destroy(made);
    return is_well;
}

// ---- judging ----

double validate_error(const struct validate_cell *cell)
{
    return samples_summarize(&cell->simulated).median / samples_summarize(&cell->real).median - 1;
}

// By Mann and Whitney: how far the number of pairs in which a run of `a` took longer is from half
// of all, in standard deviations of what chance would make it.
static double rank_apart(const struct samples *a, const struct samples *b)
{
    double longer = 0, m = (double)a->count, n = (double)b->count;
    for (size_t i = 0; i < a->count; i++)
        for (size_t j = 0; j < b->count; j++)
            longer += (a->value[i] > b->value[j]) + 0.5 * (a->value[i] == b->value[j]);
    return (longer - m * n / 2) / sqrt(m * n * (m + n + 1) / 12);
}

int validate_order(const struct validate_cell *a, const struct validate_cell *b)
{
    struct summary left = samples_summarize(&a->real), right = samples_summarize(&b->real);
    if (a->real.count < RANKED_LEAST || b->real.count < RANKED_LEAST)
        return 0;
    double apart = rank_apart(&a->real, &b->real);
    return (left.least > right.most || apart > RANKED_APART) -
           (left.most < right.least || apart < -RANKED_APART);
}

static void rank(struct validation *v, const struct validate_cell *a, const struct validate_cell *b)
{
    int order = validate_order(a, b);
    double simulated =
        samples_summarize(&a->simulated).median - samples_summarize(&b->simulated).median;
    if (a->work != b->work || a->places != b->places || !order)
        return;
    v->pairs++;
    v->agreed += simulated * order > 0;
}

static void judge(struct validation *v)
{
    for (size_t i = 0; i < v->cells; i++) {
        samples_add(&v->errors, fabs(validate_error(&v->cell[i])));
        for (size_t j = 0; j < i; j++)
            rank(v, &v->cell[j], &v->cell[i]);
    }
}

static void make_cells(struct validation *v)
{
    v->work = v->quick ? quick_works : full_works;
    for (struct validate_work *work = v->work; work->name; work++) {
        work->sequential.count = 0;
        for (size_t size = 0; size < v->sizes; size++)
            for (const struct twi_machine *const *policy = twi_policies;
                 *policy && v->cells < VALIDATE_CELLS_MOST; policy++) {
                v->cell[v->cells++] = (struct validate_cell){
                    .work = work, .policy = *policy, .places = v->places[size]};
                if (v->places[size] == 1) // nobody steals
                    break;
            }
    }
}

static bool find_machine(struct validation *v)
{
    static struct calibration found;
    struct calibrate wish = {.name = v->name, .mpi = v->mpi, .quick = v->quick, .quiet = v->quiet};
    if (v->machine.places)
        return true;
    if (!calibrate(&wish, &found))
        return false;
    calibration_machine(&found, &v->machine);
    return true;
}

bool validate(struct validation *v)
{
    if (launch_is_done())
        return complain(v, "starts its places itself: run it without a launcher");
    make_cells(v);
    if (!find_machine(v) || !run_all(v))
        return false;
    for (struct validate_work *work = v->work; work->name; work++)
        if (!simulate_work(v, work))
            return false;
    judge(v);
    return true;
}
