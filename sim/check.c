// SPDX-License-Identifier: Apache-2.0
// See check.h.
#include "sim/check.h"

#include <inttypes.h>
#include <stdarg.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "sim/place.h"

struct sim_request {
    uint32_t victim;
    uint64_t since_ns;
};

__attribute__((format(printf, 2, 3))) static void complain(struct sim_checks *checks,
                                                           const char *format, ...)
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
                    4 * (m->poll_ns + m->overhead_ns * (m->places + 8) + m->gap_ns + m->wake_ns) +
                    m->gap_ps_per_byte * 1024;
    for (int i = 0; i < SIM_STALLS_MOST; i++)
        trip += options->stalls[i].for_ns;
    return trip;
}

int sim_checks_init(struct sim_checks *checks, const struct sim_options *options)
{
    *checks = (struct sim_checks){.trip_ns = longest_trip(options)};
    checks->asked = calloc(options->machine.places, sizeof *checks->asked);
    return checks->asked ? 0 : -1;
}

void sim_checks_destroy(struct sim_checks *checks, const struct sim_options *options)
{
    for (uint32_t i = 0; checks->asked && i < options->machine.places; i++)
        free(checks->asked[i].list);
    free(checks->asked);
}

// ---- requests ----

static struct sim_request *find(struct sim_asked *asked, uint32_t victim)
{
    for (uint32_t i = 0; i < asked->count; i++)
        if (asked->list[i].victim == victim)
            return &asked->list[i];
    return NULL;
}

static void ask(struct sim_checks *checks, uint32_t thief, uint32_t victim, uint64_t now_ns)
{
    struct sim_asked *asked = &checks->asked[thief];
    if (find(asked, victim))
        complain(checks, "place %" PRIu32 " asks place %" PRIu32 " again before it has answered",
                 thief, victim);
    if (asked->count == asked->room) {
        uint32_t room = asked->room ? 2 * asked->room : 4;
        struct sim_request *list = realloc(asked->list, room * sizeof *list);
        if (!list) {
            complain(checks, "no memory for the checkers");
            return;
        }
        asked->list = list;
        asked->room = room;
    }
    asked->list[asked->count++] = (struct sim_request){victim, now_ns};
}

// There and back, twice at most; a communication worker that shares its processor waits for tasks.
static uint64_t longest_wait(const struct sim_checks *checks, const struct sim_world *world)
{
    return 4 * (checks->trip_ns + (world->options->machine.dedicated ? 0 : world->longest_ns));
}

static void answered(struct sim_checks *checks, const struct sim_world *world, uint32_t thief,
                     uint32_t victim, uint64_t now_ns)
{
    struct sim_asked *asked = &checks->asked[thief];
    struct sim_request *request = find(asked, victim);
    if (!request) {
        complain(checks, "place %" PRIu32 " answers place %" PRIu32 ", which did not ask", victim,
                 thief);
        return;
    }
    if (world->options->policy->answers_all &&
        now_ns - request->since_ns > longest_wait(checks, world))
        complain(checks, "place %" PRIu32 " waited %" PRIu64 " ns for an answer of place %" PRIu32,
                 thief, now_ns - request->since_ns, victim);
    *request = asked->list[--asked->count];
}

// ---- what happens ----

static int is_policy(const struct sim_world *world, const struct twi_machine *machine)
{
    return machine == world->options->policy;
}

void sim_checks_step(struct sim_checks *checks, const struct sim_world *world, uint32_t place,
                     const struct twi_machine *machine, const struct twi_event *event,
                     const struct twi_actions *actions)
{
    if (!is_policy(world, machine)) {
        checks->waves += place == 0 && event->kind == TWI_ON_MESSAGE;
        return;
    }
    if (event->kind == TWI_ON_START)
        checks->asked[place].count = 0;
    if (event->kind == TWI_ON_TASKS ||
        (event->kind == TWI_ON_MESSAGE && event->message == TWI_REFUSED))
        answered(checks, world, place, event->peer, event->now_ns);
    for (uint32_t i = 0; i < actions->count; i++) {
        const struct twi_action *action = &actions->list[i];
        if (action->kind == TWI_DO_SEND && action->message == TWI_REQUEST)
            ask(checks, place, action->peer, event->now_ns);
        if (action->peer >= world->options->machine.places && action->kind <= TWI_DO_GIVE)
            complain(checks, "place %" PRIu32 " wants to talk to place %" PRIu32, place,
                     action->peer);
    }
}

// One that is open now was dropped by a place that had ended before, or forgotten.
static void check_open(struct sim_checks *checks, const struct sim_world *world, uint32_t place)
{
    const struct sim_asked *asked = &checks->asked[place];
    uint64_t now_ns = twi_sim_now(world->sim), most_ns = 2 * longest_wait(checks, world);
    for (uint32_t i = 0; world->options->policy->answers_all && i < asked->count; i++)
        if (now_ns - asked->list[i].since_ns > most_ns)
            complain(checks,
                     "place %" PRIu32 " waited %" PRIu64 " ns in vain for an answer of place %" PRIu32,
                     place, now_ns - asked->list[i].since_ns, asked->list[i].victim);
}

void sim_checks_finish(struct sim_checks *checks, const struct sim_world *world, uint32_t place)
{
    uint32_t phase = world->places[place].phase;
    check_open(checks, world, place);
    if (world->alive[phase])
        complain(checks,
                 "place %" PRIu32 " was told that phase %" PRIu32 " is over; %" PRIu64
                 " tasks of it are left",
                 place, phase, world->alive[phase]);
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
        complain(checks, "the answer is wrong: %" PRIu64 " nodes, %" PRIu64 " tasks",
                 result->answer.nodes, result->answer.tasks);
    if (sum->host.late)
        complain(checks, "%" PRIu64 " tasks came after the end", sum->host.late);
    if (late_ns > (2 * places + 64) * checks->trip_ns)
        complain(checks, "the end was told %" PRIu64 " ns after the last task", late_ns);
    if (sum->host.packets > packets_most)
        complain(checks, "%" PRIu64 " packets for %" PRIu64 " requests and %" PRIu64 " steals",
                 sum->host.packets, sum->steals.requests, sum->steals.steals);
}

void sim_checks_end(struct sim_checks *checks, const struct sim_world *world,
                    const struct sim_result *result)
{
    if (result->end == SIM_DONE)
        check_end(checks, world, result);
    else if (result->end != SIM_STOPPED)
        complain(checks, "the run is %s after %" PRIu64 " events: %" PRIu32 " of %" PRIu32
                         " places have finished",
                 sim_end_name(result->end), result->events, world->ended,
                 world->options->machine.places);
}
