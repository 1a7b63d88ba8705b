// SPDX-License-Identifier: Apache-2.0
// See figures.h. Means and deviations come of sums and of sums of squares.
#include "collection/figures.h"

#include <math.h>

enum figure { RUN, WORK, ATTEMPTED, STOLE, STOLEN, FIGURES };

struct sums {
    double seconds; // the most
    double workers, seeds, nulls, stealing;
    double longest; // cost of a seed
    double sum[FIGURES], square[FIGURES], most[FIGURES];
};

static void count_seat(struct sums *sums, const struct twi_tally *tally)
{
    const double value[FIGURES] = {(double)tally->run, 1e-9 * (double)tally->work_ns,
                                   (double)tally->attempted, (double)tally->stole,
                                   (double)tally->stolen};
    sums->workers++;
    sums->seeds += (double)tally->seeds;
    sums->nulls += (double)tally->nulls;
    sums->stealing += (double)tally->stealing_ns;
    for (int i = 0; i < FIGURES; i++) {
        sums->sum[i] += value[i];
        sums->square[i] += value[i] * value[i];
        sums->most[i] = fmax(sums->most[i], value[i]);
    }
}

static void merge(void *into, const void *from)
{
    struct sums *mine = into;
    const struct sums *other = from;
    mine->seconds = fmax(mine->seconds, other->seconds);
    mine->workers += other->workers;
    mine->seeds += other->seeds;
    mine->nulls += other->nulls;
    mine->stealing += other->stealing;
    mine->longest = fmax(mine->longest, other->longest);
    for (int i = 0; i < FIGURES; i++) {
        mine->sum[i] += other->sum[i];
        mine->square[i] += other->square[i];
        mine->most[i] = fmax(mine->most[i], other->most[i]);
    }
}

static struct tw_spread spread(const struct sums *sums, enum figure figure)
{
    double mean = sums->sum[figure] / sums->workers;
    double variance = sums->square[figure] / sums->workers - mean * mean;
    return (struct tw_spread){mean, sqrt(fmax(variance, 0)), sums->most[figure]};
}

static double longest_of(const struct tw_collection *c, const struct twi_seat *seat)
{
    uint64_t longest = 0;
    for (uint32_t i = 0; i < seat->ran.count; i++) {
        uint64_t cost_ns = twi_shelf_at(c, &seat->ran, i)->cost_ns;
        longest = cost_ns > longest ? cost_ns : longest;
    }
    return (double)longest;
}

static struct twi_measured measured(const struct sums *sums)
{
    return (struct twi_measured){.sum_ns = (uint64_t)(1e9 * sums->sum[WORK]),
                                 .most_ns = (uint64_t)(1e9 * sums->most[WORK]),
                                 .longest_ns = (uint64_t)sums->longest,
                                 .stealing_ns = (uint64_t)sums->stealing,
                                 .cores = (uint32_t)sums->workers};
}

int twi_figures_count(struct tw_collection *c, double seconds)
{
    struct sums sums = {.seconds = seconds};
    struct tw_collection_stats *stats = &c->stats;
    for (uint32_t i = 0; i < c->seats; i++) {
        count_seat(&sums, &c->seat[i].tally);
        if (c->options.balance == TW_BALANCE_AUTO)
            sums.longest = fmax(sums.longest, longest_of(c, &c->seat[i]));
    }
    int error = tw_places() > 1 ? tw_places_combine(&sums, sizeof sums, merge) : 0;
    *stats = (struct tw_collection_stats){
        .iteration = stats->iteration + 1,
        .workers = (unsigned)sums.workers,
        .seconds = sums.seconds,
        .tasks = (uint64_t)sums.sum[RUN],
        .seeds = (uint64_t)sums.seeds,
        .created = (uint64_t)(sums.sum[RUN] - sums.seeds),
        .nulls = (uint64_t)sums.nulls,
        .run = spread(&sums, RUN),
        .work = spread(&sums, WORK),
        .attempted = spread(&sums, ATTEMPTED),
        .stole = spread(&sums, STOLE),
        .stolen = spread(&sums, STOLEN),
        .rebalance = stats->rebalance,
    };
    c->measured = measured(&sums);
    stats->efficiency = sums.seconds > 0 ? stats->work.mean / sums.seconds : 0;
    stats->imbalance = stats->work.mean > 0 ? stats->work.most / stats->work.mean : 1;
    return error;
}
