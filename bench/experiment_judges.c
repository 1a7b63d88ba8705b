// SPDX-License-Identifier: Apache-2.0
// See experiment_judges.h.
#include "experiment_judges.h"

#define ATTEMPTS_FEW 1e5 // a second
#define NS_US 1000
#define TASKS_MANY 100 // where the paper does not mind what is left over

// One for each repetition, or the sum of several such.
struct samples {
    double value[TWB_REPEATS_MAX];
    size_t parts;
};

static struct samples speedups(const struct twb_measured *m, int policy)
{
    struct samples samples = {.parts = 1};
    for (size_t i = 0; i < m->n; i++)
        samples.value[i] = m->one[i] / m->seconds[policy][i];
    return samples;
}

static struct samples ratios(struct samples a, struct samples b, size_t n)
{
    for (size_t i = 0; i < n; i++)
        a.value[i] /= b.value[i];
    return a;
}

// The speed-up of one cell over that of another.
static struct samples compare(int policy, const struct twb_measured *a,
                              const struct twb_measured *b)
{
    return ratios(speedups(a, policy), speedups(b, policy), a->n);
}

static void add(struct samples *sum, struct samples more, size_t n)
{
    for (size_t i = 0; i < n; i++)
        sum->value[i] += more.value[i];
    sum->parts += more.parts;
}

// Reports the mean as one part; of no parts there is none.
static void report_mean(struct twb_report *report, const char *goal, struct samples sum, size_t n)
{
    for (size_t i = 0; i < n; i++)
        sum.value[i] /= (double)sum.parts;
    if (sum.parts > 0)
        twb_report_goal(report, goal, twb_median_interval(sum.value, n));
}

static const struct twb_measured *find_cell(const struct twb_measured *cells, size_t count,
                                            long tasks, long work_ns)
{
    for (size_t i = 0; i < count; i++)
        if (cells[i].cell.tasks == tasks && cells[i].cell.work_ns == work_ns)
            return &cells[i];
    return NULL;
}

// ---- policies ----

static void report_times(struct twb_report *report, const char *goal, const struct twb_measured *m,
                         int policy, int base)
{
    twb_report_goal(report, goal, twb_pair_ratio(m->seconds[policy], m->seconds[base], m->n));
}

void twb_judge_last(struct twb_report *report, const char *goal, const struct twb_measured *cells,
                    size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bool least = true;
        for (size_t j = 0; j < count && least; j++)
            least = cells[j].cell.work_ns >= cells[i].cell.work_ns;
        if (least)
            report_times(report, goal, &cells[i], TWB_CUR, TWB_LAST);
    }
}

void twb_judge_tries(struct twb_report *report, const char *goal, const struct twb_measured *cells,
                     size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct twb_measured *m = &cells[i];
        struct samples fall = {.parts = 1};
        for (size_t r = 0; r < m->n; r++)
            fall.value[r] = (1 + m->tries_per_s[TWB_CUR][r]) / (1 + m->tries_per_s[TWB_LAST][r]);
        if (m->cell.work_ns == 100 * NS_US)
            report_mean(report, goal, fall, m->n);
    }
}

void twb_judge_auto_regret(struct twb_report *report, const char *goal,
                           const struct twb_measured *cells, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        report_times(report, goal, &cells[i], TWB_AUTO, TWB_CUR);
        report_times(report, goal, &cells[i], TWB_AUTO, TWB_LAST);
    }
}

// ---- numbers of tasks and work ----

// The cell of the same work with the most tasks, if `cell` has the fewest; or NULL.
static const struct twb_measured *other_end(const struct twb_measured *cells, size_t count,
                                            const struct twb_measured *cell)
{
    const struct twb_measured *most = cell;
    for (const struct twb_measured *c = cells; c < cells + count; c++) {
        if (c->cell.work_ns != cell->cell.work_ns)
            continue;
        if (c->cell.tasks < cell->cell.tasks)
            return NULL;
        if (c->cell.tasks > most->cell.tasks)
            most = c;
    }
    return most != cell ? most : NULL;
}

void twb_judge_rising(struct twb_report *report, const char *goal, const struct twb_measured *cells,
                      size_t count)
{
    struct samples sum = {.parts = 0};
    for (size_t i = 0; i < count; i++) {
        const struct twb_measured *most = other_end(cells, count, &cells[i]);
        if (most)
            add(&sum, compare(TWB_LAST, most, &cells[i]), most->n);
    }
    report_mean(report, goal, sum, cells[0].n);
}

void twb_judge_plateau(struct twb_report *report, const char *goal,
                       const struct twb_measured *cells, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct twb_measured *low = &cells[i];
        const struct twb_measured *high = find_cell(cells, count, low->cell.tasks, 800 * NS_US);
        if (low->cell.work_ns == 100 * NS_US && high)
            report_mean(report, goal,
                        ratios(compare(TWB_LAST, low, high), compare(TWB_CUR, low, high), low->n),
                        low->n);
    }
}

void twb_judge_dip(struct twb_report *report, const char *goal, const struct twb_measured *cells,
                   size_t count)
{
    static const long others[] = {16, 250};
    const struct twb_measured *fifty = find_cell(cells, count, 50, 800 * NS_US);
    for (size_t i = 0; i < sizeof others / sizeof *others; i++) {
        const struct twb_measured *other = find_cell(cells, count, others[i], 800 * NS_US);
        if (fifty && other)
            report_mean(report, goal, compare(TWB_LAST, fifty, other), fifty->n);
    }
}

// ---- the saw-tooth ----

static bool is_minimum(const struct twb_measured *m)
{
    return m->workers > 1 && m->cell.tasks % m->workers == 1;
}

void twb_judge_teeth(struct twb_report *report, const char *goal, const struct twb_measured *cells,
                     size_t count)
{
    struct samples sum = {.parts = 0};
    for (size_t i = 0; i < count; i++) {
        const struct twb_cell *cell = &cells[i].cell;
        const struct twb_measured *before = find_cell(cells, count, cell->tasks - 1, cell->work_ns);
        if (is_minimum(&cells[i]) && before)
            add(&sum, compare(TWB_LAST, &cells[i], before), before->n);
    }
    report_mean(report, goal, sum, cells[0].n);
}

void twb_judge_minima(struct twb_report *report, const char *goal, const struct twb_measured *cells,
                      size_t count)
{
    const struct twb_measured *first = NULL, *last = NULL;
    for (size_t i = 0; i < count; i++)
        if (is_minimum(&cells[i])) {
            first = first ? first : &cells[i];
            last = &cells[i];
        }
    if (first != last)
        report_mean(report, goal, compare(TWB_LAST, last, first), last->n);
}

// Batches allow n / ceil(n / workers).
void twb_judge_batches(struct twb_report *report, const char *goal,
                       const struct twb_measured *cells, size_t count)
{
    struct samples sum = {.parts = 0};
    for (size_t i = 0; i < count; i++) {
        long tasks = cells[i].cell.tasks, workers = cells[i].workers;
        struct samples share = speedups(&cells[i], TWB_LAST);
        for (size_t r = 0; r < cells[i].n; r++)
            share.value[r] *= (double)((tasks + workers - 1) / workers) / (double)tasks;
        add(&sum, share, cells[i].n);
    }
    report_mean(report, goal, sum, cells[0].n);
}

// ---- rules of thumb ----

static void report_efficiency(struct twb_report *report, const char *goal,
                              const struct twb_measured *m, int policy)
{
    struct samples each = speedups(m, policy);
    each.parts = m->workers;
    report_mean(report, goal, each, m->n);
}

void twb_judge_rule_tries(struct twb_report *report, const char *goal,
                          const struct twb_measured *cells, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (int p = 0; p < TWB_POLICIES; p++)
            if (twb_median(cells[i].tries_per_s[p], cells[i].n) < ATTEMPTS_FEW)
                report_efficiency(report, goal, &cells[i], p);
}

void twb_judge_rule_work(struct twb_report *report, const char *goal,
                         const struct twb_measured *cells, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct twb_cell *cell = &cells[i].cell;
        if (cell->work_ns >= 100 * NS_US &&
            (cell->tasks >= TASKS_MANY || cell->tasks % cells[i].workers == 0))
            report_efficiency(report, goal, &cells[i], TWB_LAST);
    }
}
