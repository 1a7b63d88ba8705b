// SPDX-License-Identifier: Apache-2.0
// See check.h.
#include "sim/check.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/place.h"

void sim_complain(struct sim_checks *checks, const char *format, ...)
{
    if (checks->trouble[0])
        return;
    va_list arguments;
    va_start(arguments, format);
    vsnprintf(checks->trouble, sizeof checks->trouble, format, arguments);
    va_end(arguments);
}

// ---- making ----

// The way between the two places that are farthest apart, with everybody's packets before it, polls
// and what disturbs the run.
static uint64_t longest_trip(const struct sim_options *options)
{
    const struct twi_sim_machine *m = &options->machine;
    uint64_t hops = m->topology == TWI_TOPOLOGY_FLAT ? 1 : m->places;
    uint64_t trip = m->latency_ns + m->read_ns + hops * m->hop_ns + options->jitter_ns +
                    4 * (m->poll_ns + m->notice_ns + m->notice_busy_ns +
                         m->overhead_ns * (m->places + 8) + m->gap_ns + m->wake_ns) +
                    m->gap_ps_per_byte * 1024;
    for (int i = 0; i < SIM_STALLS_MOST; i++)
        trip += options->stalls[i].for_ns;
    return trip;
}

int sim_checks_init(struct sim_checks *checks, const struct sim_options *options)
{
    *checks = (struct sim_checks){.trip_ns = longest_trip(options)};
    checks->watched = calloc(options->machine.places, sizeof *checks->watched);
    return checks->watched ? 0 : -1;
}

void sim_checks_destroy(struct sim_checks *checks, const struct sim_options *options)
{
    for (uint32_t i = 0; checks->watched && i < options->machine.places; i++)
        free(checks->watched[i].list);
    free(checks->watched);
}

// ---- what happens ----

void sim_checks_step(struct sim_checks *checks, const struct sim_world *world, uint32_t place,
                     const struct twi_machine *machine, const struct twi_event *event,
                     const struct twi_actions *actions)
{
    if (machine == world->options->policy)
        sim_check_policy(checks, world, place, event, actions);
    else
        checks->waves += place == 0 && event->kind == TWI_ON_MESSAGE;
}

void sim_checks_finish(struct sim_checks *checks, const struct sim_world *world, uint32_t place)
{
    uint32_t phase = world->places[place].phase;
    sim_check_open(checks, world, place);
    if (world->alive[phase])
        sim_complain(checks,
                     "place %" PRIu32 " was told that phase %" PRIu32 " is over; %" PRIu64
                     " tasks of it are left",
                     place, phase, world->alive[phase]);
}

// A search ends, or pauses after a look at every place; each pause is twice as long as the last.
static void check_searches(struct sim_checks *checks, const struct sim_world *world,
                           const struct sim_result *result)
{
    const struct twi_steal_stats *sum = &result->sum.steals;
    struct twi_rules rules = sim_rules_of(world->options);
    uint64_t places = world->options->machine.places;
    uint64_t rows = sum->searches + sum->backoffs + sum->withdrawn + checks->locks + 1;
    uint64_t most_ns = rules.backoff_most_ns, doublings = 2;
    while (rules.backoff_ns << doublings < most_ns)
        doublings++;
    if (sum->requests > (places + 8) * rows)
        sim_complain(checks, "%" PRIu64 " requests in %" PRIu64 " searches and %" PRIu64 " pauses",
                     sum->requests, sum->searches, sum->backoffs);
    if (sum->probes > (places + 8) * (rows + sum->requests))
        sim_complain(checks,
                     "%" PRIu64 " loads read in %" PRIu64 " searches and %" PRIu64 " pauses",
                     sum->probes, sum->searches, sum->backoffs);
    if (sum->backoffs > (doublings + 1) * sum->searches + places * (result->makespan_ns / most_ns))
        sim_complain(checks, "%" PRIu64 " pauses in %" PRIu64 " searches and %" PRIu64 " ns",
                     sum->backoffs, sum->searches, result->makespan_ns);
}

static void check_end(struct sim_checks *checks, const struct sim_world *world,
                      const struct sim_result *result)
{
    uint64_t places = world->options->machine.places;
    const struct sim_stats *sum = &result->sum;
    uint64_t late_ns = result->makespan_ns - result->last_task_ns;
    uint64_t packets_most = 4 * (sum->steals.requests + sum->steals.steals) +
                            4 * places * (checks->waves + 4 * (world->options->phases + 1));
    if (!result->verdict)
        sim_complain(checks, "the answer is wrong: %" PRIu64 " nodes, %" PRIu64 " tasks",
                     result->answer.nodes, result->answer.tasks);
    if (sum->host.late)
        sim_complain(checks, "%" PRIu64 " tasks came after the end", sum->host.late);
    if (late_ns > (2 * places + 64) * checks->trip_ns)
        sim_complain(checks, "the end was told %" PRIu64 " ns after the last task", late_ns);
    if (sum->host.packets > packets_most)
        sim_complain(checks, "%" PRIu64 " packets for %" PRIu64 " requests and %" PRIu64 " steals",
                     sum->host.packets, sum->steals.requests, sum->steals.steals);
    check_searches(checks, world, result);
}

void sim_checks_end(struct sim_checks *checks, const struct sim_world *world,
                    const struct sim_result *result)
{
    if (result->end == SIM_DONE)
        check_end(checks, world, result);
    else if (result->end != SIM_STOPPED)
        sim_complain(checks,
                     "the run is %s after %" PRIu64 " events: %" PRIu32 " of %" PRIu32
                     " places have finished",
                     sim_end_name(result->end), result->events, world->ended,
                     world->options->machine.places);
}
