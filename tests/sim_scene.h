// SPDX-License-Identifier: Apache-2.0
// A client of the simulated fabric that models nothing, but notes what it is told and when.
#ifndef SIM_SCENE_H
#define SIM_SCENE_H

#include <string.h>

#include "fabric/sim.h"
#include "support.h"

enum { LOG_MOST = 64, BYTES_MOST = 100 };

enum told { TOLD_PACKET, TOLD_READ, TOLD_LOCKED, TOLD_TIMER, TOLD_DUE, TOLD_POKED };

struct note {
    enum told kind;
    uint32_t place, peer;
    uint64_t value; // word of a packet, load, whether a lock is ours, what came due
    uint64_t at_ns;
};

struct scene;

struct end {
    struct scene *scene;
    uint32_t place;
};

struct scene {
    struct twi_sim *sim;
    struct end *ends;
    uint64_t shared_until_ns;
    void (*due)(struct scene *scene, uint32_t place, uint32_t what); // may be NULL
    void (*packet)(struct scene *scene, uint32_t place, uint32_t from,
                   const struct twi_packet *packet, const void *bytes); // likewise
    void (*locked)(struct scene *scene, uint32_t place, uint32_t of, int is_ours);
    void *of; // the test's
    struct note log[LOG_MOST];
    size_t count;
};

// ---- what is told ----

static inline void scene_note(struct scene *scene, struct note told)
{
    told.at_ns = twi_sim_now(scene->sim);
    if (scene->count < LOG_MOST)
        scene->log[scene->count] = told;
    scene->count++;
}

static inline void on_packet(void *host, uint32_t from, const struct twi_packet *packet,
                             const void *bytes)
{
    struct end *end = host;
    if (end->scene->packet)
        end->scene->packet(end->scene, end->place, from, packet, bytes);
    scene_note(end->scene, (struct note){TOLD_PACKET, end->place, from, packet->word, 0});
}

static inline void on_read(void *host, uint32_t of, uint32_t load)
{
    struct end *end = host;
    scene_note(end->scene, (struct note){TOLD_READ, end->place, of, load, 0});
}

static inline void on_locked(void *host, uint32_t of, int is_ours)
{
    struct end *end = host;
    if (end->scene->locked)
        end->scene->locked(end->scene, end->place, of, is_ours);
    scene_note(end->scene, (struct note){TOLD_LOCKED, end->place, of, (uint64_t)is_ours, 0});
}

static inline void on_timer(void *host)
{
    struct end *end = host;
    scene_note(end->scene, (struct note){TOLD_TIMER, end->place, 0, 0, 0});
}

static inline void on_due(void *self, uint32_t place, uint32_t what)
{
    struct scene *scene = self;
    if (scene->due)
        scene->due(scene, place, what);
    else
        scene_note(scene, (struct note){TOLD_DUE, place, 0, what, 0});
}

static inline void on_poked(void *self, uint32_t place)
{
    scene_note(self, (struct note){TOLD_POKED, place, 0, 0, 0});
}

static inline uint64_t on_shared_until(void *self, uint32_t place, uint64_t now_ns)
{
    struct scene *scene = self;
    (void)place;
    return now_ns < scene->shared_until_ns ? scene->shared_until_ns : now_ns;
}

// So a read says when it was.
static inline uint32_t on_load(void *self, uint32_t place)
{
    (void)place;
    return (uint32_t)twi_sim_now(((struct scene *)self)->sim);
}

// ---- scenes ----

static const struct twi_sim_machine scene_machine = {.places = 4,
                                                     .workers = 1,
                                                     .dedicated = 1,
                                                     .latency_ns = 1000,
                                                     .hop_ns = 50,
                                                     .overhead_ns = 100,
                                                     .gap_ns = 200,
                                                     .gap_ps_per_byte = 500,
                                                     .read_ns = 1501};

static inline void scene_start(struct scene *scene, const struct twi_sim_machine *machine,
                               uint64_t jitter_ns, uint64_t seed)
{
    static const struct twi_sink sink = {on_packet, on_read, on_locked, on_timer};
    struct twi_sim_client client = {.self = scene,
                                    .due = on_due,
                                    .poked = on_poked,
                                    .shared_until = on_shared_until,
                                    .load = on_load};
    struct twi_sim_trouble trouble = {.jitter_ns = jitter_ns, .seed = seed};
    *scene = (struct scene){.sim = twi_sim_create(machine, &trouble, &client)};
    assert_non_null(scene->sim);
    scene->ends = calloc(machine->places, sizeof *scene->ends);
    for (uint32_t i = 0; i < machine->places; i++) {
        scene->ends[i] = (struct end){scene, i};
        twi_sim_fabric(scene->sim, i)->sink = &sink;
        twi_sim_fabric(scene->sim, i)->host = &scene->ends[i];
    }
}

static inline void scene_go(struct scene *scene)
{
    while (twi_sim_step(scene->sim))
        continue;
    assert_false(twi_sim_is_out_of_memory(scene->sim));
    assert_int_equal(twi_sim_packets_in_flight(scene->sim), 0);
}

static inline void scene_end(struct scene *scene)
{
    twi_sim_destroy(scene->sim);
    free(scene->ends);
}

static inline void scene_send(struct scene *scene, uint32_t from, uint32_t to, uint64_t word,
                              uint32_t size)
{
    unsigned char bytes[BYTES_MOST];
    for (uint32_t i = 0; i < size; i++)
        bytes[i] = (unsigned char)(word + i);
    struct twi_fabric *fabric = twi_sim_fabric(scene->sim, from);
    fabric->calls->send(fabric, to, &(struct twi_packet){.word = word, .size = size}, bytes);
    memset(bytes, 0xee, sizeof bytes); // they are the sender's again
}

#define SCENE_CALL(scene, place, name, ...)                                                        \
    twi_sim_fabric((scene)->sim, place)                                                            \
        ->calls->name(twi_sim_fabric((scene)->sim, place), __VA_ARGS__)

static inline void scene_expect(const struct scene *scene, size_t number, struct note expected)
{
    assert_true(number < scene->count);
    const struct note *told = &scene->log[number];
    assert_int_equal(told->kind, expected.kind);
    assert_int_equal(told->place, expected.place);
    assert_int_equal(told->peer, expected.peer);
    assert_int_equal(told->value, expected.value);
    assert_int_equal(told->at_ns, expected.at_ns);
}

#endif
