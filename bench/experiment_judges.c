// SPDX-License-Identifier: Apache-2.0
// See experiment_judges.h.
#include "experiment_judges.h"

#define ATTEMPTS_FEW 1e5
#define NS_US 1000
#define TASKS_MANY 100 // where the paper does not mind what is left over

struct samples {
    double value[TWB_REPEATS_MAX];
};

static struct samples speedups(const struct twb_measured *m, int policy)
{
    struct samples samples;
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

static void add_part(struct twb_report *report, const char *goal, struct samples samples, size_t n)
{
    if (n > 0)
        twb_report_goal(report, goal, twb_median_interval(samples.value, n));
}

static const struct twb_measured *find_cell(const struct twb_measured *cells, size_t count,
                                            long tasks, long work_ns)
{
    for (size_t i = 0; i < count; i++)
        if (cells[i].cell.tasks == tasks && cells[i].cell.work_ns == work_ns)
            return &cells[i];
    return NULL;
}

// The speed-up of one cell over that of another; cells that are not there say nothing.
static void compare(struct twb_report *report, const char *goal, int policy,
                    const struct twb_measured *a, const struct twb_measured *b)
{
    if (a && b)
        add_part(report, goal, ratios(speedups(a, policy), speedups(b, policy), a->n), a->n);
}

static void add_efficiency(struct twb_report *report, const char *goal,
                           const struct twb_measured *m, int policy)
{
    struct samples each = speedups(m, policy);
    for (size_t i = 0; i < m->n; i++)
        each.value[i] /= m->workers;
    add_part(report, goal, each, m->n);
}

void twb_judge_last(struct twb_report *report, const char *goal, const struct twb_measured *cells,
                    size_t count)
{
    for (size_t i = 0; i < count; i++) {
        bool least = true;
        for (size_t j = 0; j < count && least; j++)
            least = cells[j].cell.work_ns >= cells[i].cell.work_ns;
        if (least && cells[i].n > 0)
            twb_report_goal(
                report, goal,
                twb_pair_ratio(cells[i].seconds[TWB_CUR], cells[i].seconds[TWB_LAST], cells[i].n));
    }
}

void twb_judge_tries(struct twb_report *report, const char *goal, const struct twb_measured *cells,
                     size_t count)
{
    for (size_t i = 0; i < count; i++) {
        struct samples fall;
        for (size_t r = 0; r < cells[i].n; r++)
            fall.value[r] =
                (1 + cells[i].tries_per_s[TWB_CUR][r]) / (1 + cells[i].tries_per_s[TWB_LAST][r]);
        if (cells[i].cell.work_ns == 100 * NS_US)
            add_part(report, goal, fall, cells[i].n);
    }
}

void twb_judge_rising(struct twb_report *report, const char *goal, const struct twb_measured *cells,
                      size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct twb_measured *fewest = &cells[i], *most = &cells[i];
        for (size_t j = 0; j < count; j++) {
            if (cells[j].cell.work_ns != cells[i].cell.work_ns)
                continue;
            fewest = cells[j].cell.tasks < fewest->cell.tasks ? &cells[j] : fewest;
            most = cells[j].cell.tasks > most->cell.tasks ? &cells[j] : most;
        }
        if (fewest == &cells[i] && fewest != most)
            compare(report, goal, TWB_LAST, most, fewest);
    }
}

void twb_judge_plateau(struct twb_report *report, const char *goal,
                       const struct twb_measured *cells, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct twb_measured *high = find_cell(cells, count, cells[i].cell.tasks, 800 * NS_US);
        if (cells[i].cell.work_ns != 100 * NS_US || high == NULL)
            continue;
        size_t n = cells[i].n;
        struct samples last = ratios(speedups(&cells[i], TWB_LAST), speedups(high, TWB_LAST), n);
        struct samples cur = ratios(speedups(&cells[i], TWB_CUR), speedups(high, TWB_CUR), n);
        add_part(report, goal, ratios(last, cur, n), n);
    }
}

void twb_judge_dip(struct twb_report *report, const char *goal, const struct twb_measured *cells,
                   size_t count)
{
    const struct twb_measured *fifty = find_cell(cells, count, 50, 800 * NS_US);
    compare(report, goal, TWB_LAST, fifty, find_cell(cells, count, 16, 800 * NS_US));
    compare(report, goal, TWB_LAST, fifty, find_cell(cells, count, 250, 800 * NS_US));
}

static bool is_minimum(const struct twb_measured *m)
{
    return m->workers > 1 && m->cell.tasks % m->workers == 1;
}

void twb_judge_teeth(struct twb_report *report, const char *goal, const struct twb_measured *cells,
                     size_t count)
{
    for (size_t i = 0; i < count; i++)
        if (is_minimum(&cells[i]))
            compare(report, goal, TWB_LAST, &cells[i],
                    find_cell(cells, count, cells[i].cell.tasks - 1, cells[i].cell.work_ns));
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
        compare(report, goal, TWB_LAST, last, first);
}

// Batches allow n / ceil(n / workers).
void twb_judge_batches(struct twb_report *report, const char *goal,
                       const struct twb_measured *cells, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        long tasks = cells[i].cell.tasks, workers = cells[i].workers;
        struct samples share = speedups(&cells[i], TWB_LAST);
        for (size_t r = 0; r < cells[i].n; r++)
            share.value[r] *= (double)((tasks + workers - 1) / workers) / (double)tasks;
        add_part(report, goal, share, cells[i].n);
    }
}

void twb_judge_rule_tries(struct twb_report *report, const char *goal,
                          const struct twb_measured *cells, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (int p = 0; p < TWB_POLICIES && cells[i].n > 0; p++)
            if (twb_median(cells[i].tries_per_s[p], cells[i].n) < ATTEMPTS_FEW)
                add_efficiency(report, goal, &cells[i], p);
}

void twb_judge_rule_work(struct twb_report *report, const char *goal,
                         const struct twb_measured *cells, size_t count)
{
    for (size_t i = 0; i < count; i++) {
        const struct twb_cell *cell = &cells[i].cell;
        if (cell->work_ns >= 100 * NS_US &&
            (cell->tasks >= TASKS_MANY || cell->tasks % cells[i].workers == 0))
            add_efficiency(report, goal, &cells[i], TWB_LAST);
    }
}

void twb_judge_auto_regret(struct twb_report *report, const char *goal,
                           const struct twb_measured *cells, size_t count)
{
    for (size_t i = 0; i < count; i++)
        for (int p = 0; p < TWB_AUTO && cells[i].n > 0; p++)
            twb_report_goal(
                report, goal,
                twb_pair_ratio(cells[i].seconds[TWB_AUTO], cells[i].seconds[p], cells[i].n));
}
