// SPDX-License-Identifier: Apache-2.0
// See check.h: what a policy is told and does, place by place.
#include <inttypes.h>
#include <stdlib.h>

#include "sim/check.h"
#include "sim/place.h"

struct sim_request {
    uint32_t victim;
    int is_waiting; // there
    uint64_t since_ns;
};

// ---- requests ----

static struct sim_request *find(struct sim_watched *place, uint32_t victim)
{
    for (uint32_t i = 0; i < place->count; i++)
        if (place->list[i].victim == victim)
            return &place->list[i];
    return NULL;
}

static void ask(struct sim_checks *checks, uint32_t thief, uint32_t victim, uint64_t now_ns)
{
    struct sim_watched *place = &checks->watched[thief];
    if (find(place, victim))
        sim_complain(checks,
                     "place %" PRIu32 " asks place %" PRIu32 " again before it has answered", thief,
                     victim);
    if (place->count == place->room) {
        uint32_t room = place->room ? 2 * place->room : 4;
        struct sim_request *list = realloc(place->list, room * sizeof *list);
        if (!list) {
            sim_complain(checks, "no memory for the checkers");
            return;
        }
        place->list = list;
        place->room = room;
    }
    place->list[place->count++] = (struct sim_request){.victim = victim, .since_ns = now_ns};
}

// There and back, twice at most. A communication worker that shares its processor comes by once
// between two tasks, and everybody's request and news may be before this one.
static uint64_t longest_wait(const struct sim_checks *checks, const struct sim_world *world)
{
    const struct twi_sim_machine *machine = &world->options->machine;
    uint64_t turns = machine->dedicated ? 0 : 2 * (uint64_t)machine->places + 4;
    return 4 * checks->trip_ns + turns * world->longest_ns;
}

static void answered(struct sim_checks *checks, const struct sim_world *world, uint32_t thief,
                     uint32_t victim, uint64_t now_ns)
{
    struct sim_watched *place = &checks->watched[thief];
    struct sim_request *request = find(place, victim);
    if (!request) {
        sim_complain(checks, "place %" PRIu32 " answers place %" PRIu32 ", which did not ask",
                     victim, thief);
        return;
    }
    if (world->options->policy->answers_all &&
        now_ns - request->since_ns > longest_wait(checks, world))
        sim_complain(checks,
                     "place %" PRIu32 " waited %" PRIu64 " ns for an answer of place %" PRIu32,
                     thief, now_ns - request->since_ns, victim);
    *request = place->list[--place->count];
}

// A request of `thief` has come to `victim`, or leaves it with its answer.
static void set_waiting(struct sim_checks *checks, uint32_t thief, uint32_t victim, int is_waiting)
{
    struct sim_request *request = find(&checks->watched[thief], victim);
    if (request)
        request->is_waiting = is_waiting;
}

// The victim answers.
static void leave(struct sim_checks *checks, uint32_t thief, uint32_t victim)
{
    set_waiting(checks, thief, victim, 0);
    if (checks->watched[victim].waiting == 0)
        sim_complain(checks, "place %" PRIu32 " answers place %" PRIu32 ", which did not ask",
                     victim, thief);
    else
        checks->watched[victim].waiting--;
}

static int is_waiting(struct sim_checks *checks, uint32_t thief, uint32_t victim)
{
    const struct sim_request *request = find(&checks->watched[thief], victim);
    return request && request->is_waiting;
}

// One that is open now was dropped by a place that had ended before, or forgotten.
void sim_check_open(struct sim_checks *checks, const struct sim_world *world, uint32_t number)
{
    const struct sim_watched *place = &checks->watched[number];
    uint64_t now_ns = twi_sim_now(world->sim), most_ns = 2 * longest_wait(checks, world);
    for (uint32_t i = 0; world->options->policy->answers_all && i < place->count; i++)
        if (now_ns - place->list[i].since_ns > most_ns)
            sim_complain(checks,
                         "place %" PRIu32 " waited %" PRIu64
                         " ns in vain for an answer of place %" PRIu32,
                         number, now_ns - place->list[i].since_ns, place->list[i].victim);
}

// ---- events ----

// One of what is under way has ended.
static void end_one(struct sim_checks *checks, uint32_t place, uint32_t *count, const char *what)
{
    if (*count == 0)
        sim_complain(checks, "place %" PRIu32 " is told of a %s that it did not want", place, what);
    else
        --*count;
}

static void begin(struct sim_watched *place)
{
    *place =
        (struct sim_watched){.list = place->list, .room = place->room, .watch_low = UINT32_MAX};
}

// Which of the two watches it was is told by the load, as the host does.
static void loaded(struct sim_checks *checks, uint32_t number, const struct twi_event *event)
{
    struct sim_watched *place = &checks->watched[number];
    if (place->watch && event->load >= place->watch && !event->idle)
        place->watch = 0;
    else if (event->load <= place->watch_low && place->watch_low != UINT32_MAX)
        place->watch_low = UINT32_MAX;
    else
        sim_complain(checks, "place %" PRIu32 " is told of a load that it does not watch for",
                     number);
}

static void hear(struct sim_checks *checks, const struct sim_world *world, uint32_t number,
                 const struct twi_event *event)
{
    if (event->message == TWI_REQUEST) {
        checks->watched[number].waiting++;
        set_waiting(checks, event->peer, number, 1);
    } else if (event->message == TWI_REFUSED) {
        answered(checks, world, number, event->peer, event->now_ns);
    }
}

static void note_event(struct sim_checks *checks, const struct sim_world *world, uint32_t number,
                       const struct twi_event *event)
{
    struct sim_watched *place = &checks->watched[number];
    uint32_t timer = place->has_timer;
    switch (event->kind) {
    case TWI_ON_START:
        begin(place);
        break;
    case TWI_ON_HUNGRY:
    case TWI_ON_FED:
        place->is_hungry = event->kind == TWI_ON_HUNGRY;
        break;
    case TWI_ON_LOAD:
        loaded(checks, number, event);
        break;
    case TWI_ON_MESSAGE:
        hear(checks, world, number, event);
        break;
    case TWI_ON_TASKS:
        answered(checks, world, number, event->peer, event->now_ns);
        break;
    case TWI_ON_READ:
        end_one(checks, number, &place->reads, "load");
        break;
    case TWI_ON_LOCK:
        end_one(checks, number, &place->locks, "lock");
        place->held += event->count;
        break;
    case TWI_ON_GAVE:
        end_one(checks, number, &place->gives, "gift");
        if (event->count)
            leave(checks, event->peer, number);
        break;
    case TWI_ON_TIMER:
        end_one(checks, number, &timer, "time");
        place->has_timer = 0;
        break;
    case TWI_ON_PASSIVE:
    case TWI_ON_ACTIVE:
        break;
    }
}

// ---- actions ----

static void note_send(struct sim_checks *checks, uint32_t number, const struct twi_action *action,
                      uint64_t now_ns)
{
    if (action->message == TWI_REQUEST) {
        ask(checks, number, action->peer, now_ns);
    } else if (action->message == TWI_REFUSED) {
        leave(checks, action->peer, number);
    }
}

static void note_action(struct sim_checks *checks, uint32_t number, const struct twi_action *action,
                        uint64_t now_ns)
{
    struct sim_watched *place = &checks->watched[number];
    switch (action->kind) {
    case TWI_DO_SEND:
        note_send(checks, number, action, now_ns);
        break;
    case TWI_DO_READ:
        place->reads++;
        break;
    case TWI_DO_LOCK:
        place->locks++;
        checks->locks++;
        break;
    case TWI_DO_UNLOCK:
        end_one(checks, number, &place->held, "lock");
        break;
    case TWI_DO_GIVE:
        place->gives++;
        break;
    case TWI_DO_TIMER:
        place->has_timer = action->word != 0;
        break;
    case TWI_DO_WATCH:
        place->watch = action->count;
        break;
    case TWI_DO_WATCH_LOW:
        place->watch_low = action->count;
        break;
    case TWI_DO_FINISH:
        sim_complain(checks, "the policy of place %" PRIu32 " ends the phase", number);
        break;
    }
}

// ---- between two steps ----

static void check_rest(struct sim_checks *checks, const struct sim_world *world, uint32_t number)
{
    const struct sim_watched *place = &checks->watched[number];
    if (place->is_hungry && world->options->machine.places > 1 && !place->count && !place->reads &&
        !place->locks && !place->has_timer)
        sim_complain(checks, "place %" PRIu32 " is hungry and does not ask, look or pause", number);
    if (place->waiting && !place->gives && place->watch != 1)
        sim_complain(checks,
                     "at place %" PRIu32 " %" PRIu32
                     " requests wait and it does not watch for tasks",
                     number, place->waiting);
    if (place->held > place->count)
        sim_complain(checks, "place %" PRIu32 " holds a lock without a request", number);
}

void sim_check_policy(struct sim_checks *checks, const struct sim_world *world, uint32_t place,
                      const struct twi_event *event, const struct twi_actions *actions)
{
    uint32_t places = world->options->machine.places;
    note_event(checks, world, place, event);
    for (uint32_t i = 0; i < actions->count; i++) {
        const struct twi_action *action = &actions->list[i];
        if (action->kind <= TWI_DO_GIVE && (action->peer >= places || action->peer == place))
            sim_complain(checks, "place %" PRIu32 " wants to talk to place %" PRIu32, place,
                         action->peer);
        note_action(checks, place, action, event->now_ns);
    }
    check_rest(checks, world, place);
    if (world->options->policy->is_acyclic && event->kind == TWI_ON_MESSAGE &&
        is_waiting(checks, place, event->peer) && is_waiting(checks, event->peer, place))
        sim_complain(checks, "places %" PRIu32 " and %" PRIu32 " wait for each other", place,
                     event->peer);
}
