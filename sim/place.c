// SPDX-License-Identifier: Apache-2.0
// See place.h.
#include "sim/place.h"

#include <stdlib.h>
#include <string.h>

#include "sim/trace.h"

// ---- the pool ----

static size_t task_size(const struct sim_place *place)
{
    return place->world->work->task_size;
}

static unsigned char *task_at(const struct sim_place *place, uint32_t n)
{
    return place->ring + (size_t)((place->first + n) & (place->room - 1)) * task_size(place);
}

static void grow(struct sim_place *place)
{
    uint32_t room = place->room ? 2 * place->room : 16;
    unsigned char *ring = malloc((size_t)room * task_size(place));
    if (!ring) {
        place->world->out_of_memory = 1;
        return;
    }
    for (uint32_t i = 0; i < place->count; i++)
        memcpy(ring + (size_t)i * task_size(place), task_at(place, i), task_size(place));
    free(place->ring);
    place->ring = ring;
    place->room = room;
    place->first = 0;
}

static void push(struct sim_place *place, const void *task)
{
    if (place->count == place->room)
        grow(place);
    if (place->count == place->room)
        return;
    memcpy(task_at(place, place->count++), task, task_size(place));
}

// ---- workers ----

static void start(struct sim_place *place, uint32_t worker, uint64_t delay_ns)
{
    struct sim_world *world = place->world;
    const struct twi_sim_machine *machine = &world->options->machine;
    unsigned char *task = place->current + worker * task_size(place);
    memcpy(task, task_at(place, --place->count), task_size(place));
    uint64_t cost = world->work->cost(world->work, task);
    uint64_t takes = (cost + machine->task_ns) * place->sixteenths / 16;
    world->work_ns += cost;
    place->stats.busy_ns += takes;
    uint64_t longest = takes * (machine->cores ? world->cores.slots / machine->cores + 1 : 1);
    if (world->longest_ns < longest)
        world->longest_ns = longest;
    uint64_t done_ns = twi_sim_now(world->sim) + delay_ns + takes;
    if (machine->cores)
        done_ns = sim_cores_start(world, place->number, worker, delay_ns, takes);
    else
        twi_sim_at(world->sim, done_ns, place->number, worker);
    if (worker == 0)
        place->first_done_ns = done_ns;
    if (world->options->trace)
        sim_trace_task(world->options->trace, place->number, worker, done_ns - takes, takes);
}

// Idle workers take what there is.
static void wake(struct sim_place *place)
{
    while (place->idle_count && place->count)
        start(place, place->idle[--place->idle_count], place->world->options->machine.wake_ns);
}

static void tell_host(struct sim_place *place)
{
    if (twi_host_wants_look(place->host))
        twi_sim_poke(place->world->sim, place->number);
}

struct spawner {
    struct sim_spawner spawner;
    struct sim_place *place;
};

static void spawn(struct sim_spawner *spawner, const void *task)
{
    struct sim_place *place = ((struct spawner *)spawner)->place;
    place->world->alive[place->phase]++;
    push(place, task);
}

void sim_place_done(struct sim_place *place, uint32_t worker)
{
    struct sim_world *world = place->world;
    struct spawner to = {{spawn}, place};
    unsigned char task[SIM_TASK_MOST] __attribute__((aligned(16)));
    memcpy(task, place->current + worker * task_size(place), task_size(place));
    sim_hash(world, twi_sim_now(world->sim) << 24 ^ (uint64_t)place->number << 8 ^ worker);
    world->work->run(world->work, task, &to.spawner, &world->answer[place->phase]);
    world->last_task_ns = twi_sim_now(world->sim);
    world->alive[place->phase]--;
    place->stats.tasks++;
    if (place->count)
        start(place, worker, 0);
    else
        place->idle[place->idle_count++] = worker;
    wake(place);
    tell_host(place);
}

void sim_place_seed(struct sim_place *place)
{
    struct sim_world *world = place->world;
    struct spawner to = {{spawn}, place};
    world->work->seed(world->work, place->number, world->options->machine.places, &to.spawner);
    wake(place);
}

// ---- as the host sees it ----

static uint32_t pool_load(void *pool)
{
    return ((struct sim_place *)pool)->count;
}

// Nobody does when nothing is left to run: a simulation that is stuck is to end.
static void look_later(struct sim_place *place, uint64_t now_ns)
{
    if (place->is_to_look || !place->world->alive[place->phase])
        return;
    place->is_to_look = 1;
    twi_sim_at(place->world->sim, now_ns + TWI_REST_LOOK_NS, place->number, SIM_PLACE_LOOK);
}

void sim_place_look(struct sim_place *place)
{
    place->is_to_look = 0;
    tell_host(place);
}

static uint32_t pool_idle(void *pool)
{
    struct sim_place *place = pool;
    struct sim_world *world = place->world;
    const struct twi_sim_machine *machine = &world->options->machine;
    uint32_t idle = place->idle_count;
    if (!machine->cores || machine->places * machine->workers <= machine->cores)
        return idle;
    uint64_t now_ns = twi_sim_now(world->sim);
    struct twi_bustle bustle = {.processors = machine->cores,
                                .idle = idle,
                                .here = machine->workers - idle,
                                .others = world->active - place->active,
                                .has_got = twi_host_counts(place->host)->tasks_got > 0};
    int is_resting = twi_rest_look(&place->rest, &bustle, now_ns);
    if (idle > 0 && twi_rest_looks_again(&place->rest, now_ns))
        look_later(place, now_ns);
    world->active -= place->active;
    place->active = bustle.here + (uint32_t)twi_rest_is_looking(&place->rest, now_ns);
    world->active += place->active;
    return is_resting ? 0 : idle;
}

static int pool_is_passive(void *pool)
{
    struct sim_place *place = pool;
    return !place->count && place->idle_count == place->world->options->machine.workers;
}

static uint32_t pool_take(void *pool, uint32_t thief, uint32_t most, const void **bytes,
                          uint32_t *size)
{
    (void)thief;
    struct sim_place *place = pool;
    uint32_t taken = most < place->count ? most : place->count;
    // In a live pool a worker may have been quicker; here nothing happens between look and take.
    if (twi_rng_below(&place->chance, 16) < place->world->options->misses)
        return 0;
    if (taken > place->parcel_room) {
        unsigned char *parcel = realloc(place->parcel, taken * task_size(place));
        if (!parcel)
            return 0;
        place->parcel = parcel;
        place->parcel_room = taken;
    }
    for (uint32_t i = 0; i < taken; i++)
        memcpy(place->parcel + i * task_size(place), task_at(place, i), task_size(place));
    place->first = (place->first + taken) & (place->room - 1);
    place->count -= taken;
    *bytes = place->parcel;
    *size = (uint32_t)(taken * task_size(place));
    return taken;
}

static void pool_add(void *pool, uint32_t count, const void *bytes, uint32_t size)
{
    struct sim_place *place = pool;
    (void)size;
    twi_rest_tasks_came(&place->rest);
    for (uint32_t i = 0; i < count; i++)
        push(place, (const unsigned char *)bytes + i * task_size(place));
    wake(place);
}

const struct twi_pool_calls sim_pool_calls = {pool_load, pool_idle, pool_is_passive, pool_take,
                                              pool_add};

// ---- making ----

int sim_place_init(struct sim_place *place, struct sim_world *world, uint32_t number)
{
    uint32_t workers = world->options->machine.workers;
    *place = (struct sim_place){.world = world, .number = number, .sixteenths = 16};
    place->chance.counter = world->options->seed ^ (uint64_t)number << 32;
    for (int i = 0; i < SIM_SLOW_MOST; i++)
        if (world->options->slow[i].sixteenths && world->options->slow[i].place == number)
            place->sixteenths = world->options->slow[i].sixteenths;
    place->current = malloc(workers * task_size(place));
    place->idle = malloc(workers * sizeof *place->idle);
    if (!place->current || !place->idle)
        return -1;
    while (place->idle_count < workers) {
        place->idle[place->idle_count] = place->idle_count;
        place->idle_count++;
    }
    return 0;
}

void sim_place_destroy(struct sim_place *place)
{
    twi_host_destroy(place->host);
    free(place->ring);
    free(place->parcel);
    free(place->current);
    free(place->idle);
}

size_t sim_place_bytes(const struct sim_place *place)
{
    uint32_t workers = place->world->options->machine.workers;
    return sizeof *place + twi_host_size(place->host) +
           (size_t)(place->room + place->parcel_room + workers) * task_size(place) +
           workers * sizeof *place->idle;
}
