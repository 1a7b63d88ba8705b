// SPDX-License-Identifier: Apache-2.0
#include "balance/donate.h"

#include <string.h>

uint64_t twi_share_of(uint64_t sum_ns, uint32_t cores, uint32_t millionths)
{
    uint64_t average = sum_ns / cores + (sum_ns % cores != 0);
    uint64_t whole = average / 1000000, part = average % 1000000;
    return whole * millionths + (part * millionths + 999999) / 1000000;
}

static void reverse(struct twi_pick *picks, uint32_t count)
{
    for (uint32_t i = 0; i < count / 2; i++) {
        struct twi_pick pick = picks[i];
        picks[i] = picks[count - 1 - i];
        picks[count - 1 - i] = pick;
    }
}

uint32_t twi_donate(struct twi_database *database, uint32_t owner, uint64_t limit_ns,
                    struct twi_pick *picks)
{
    uint32_t count = 0, index = 0;
    while (database->load_ns > limit_ns) {
        uint32_t bin = twi_database_take(database, 1, &index);
        picks[count++] = (struct twi_pick){.owner = owner, .index = index, .bin = bin};
    }
    reverse(picks, count);
    return count;
}

void twi_picks_sort(struct twi_pick *picks, uint32_t count, struct twi_pick *spare,
                    uint32_t *counters)
{
    memset(counters, 0, TWI_BINS * sizeof *counters);
    for (uint32_t i = 0; i < count; i++)
        counters[picks[i].bin]++;
    uint32_t before = 0;
    for (uint32_t bin = TWI_BINS; bin-- > 0;) {
        uint32_t here = counters[bin];
        counters[bin] = before;
        before += here;
    }
    for (uint32_t i = 0; i < count; i++)
        spare[counters[picks[i].bin]++] = picks[i];
    if (count)
        memcpy(picks, spare, count * sizeof *picks);
}

uint64_t twi_layout_load(const struct twi_layout *layout)
{
    uint64_t sum = 0;
    for (uint32_t i = 0; i < layout->first[layout->cores]; i++)
        sum += twi_bin_ns(twi_bin_of(layout->duration_ns[i]));
    return sum;
}

uint32_t twi_layout_most(const struct twi_layout *layout)
{
    uint32_t most = 0;
    for (uint32_t core = 0; core < layout->cores; core++) {
        uint32_t tasks = layout->first[core + 1] - layout->first[core];
        most = tasks > most ? tasks : most;
    }
    return most;
}

// Without a database for cores that have nothing to give.
uint32_t twi_layout_donate(const struct twi_layout *layout, uint32_t core, uint64_t limit_ns,
                           struct twi_database *database, struct twi_pick *picks, uint64_t *load_ns)
{
    const uint64_t *duration_ns = layout->duration_ns + layout->first[core];
    uint32_t tasks = layout->first[core + 1] - layout->first[core];
    uint64_t load = 0;
    for (uint32_t i = 0; i < tasks; i++)
        load += twi_bin_ns(twi_bin_of(duration_ns[i]));
    *load_ns = load;
    if (load <= limit_ns)
        return 0;
    twi_database_clear(database);
    for (uint32_t i = 0; i < tasks; i++)
        twi_database_add(database, i, duration_ns[i]);
    uint32_t count = twi_donate(database, core, limit_ns, picks);
    *load_ns = database->load_ns;
    return count;
}

void twi_plan_add(struct twi_plan *plan, const struct twi_pick *pick, uint32_t receiver)
{
    if (pick->owner != receiver)
        plan->moves[plan->count++] =
            (struct twi_move){.donor = pick->owner, .index = pick->index, .receiver = receiver};
}
