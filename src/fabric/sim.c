// SPDX-License-Identifier: Apache-2.0
// The simulator's main loop: packets, one-sided operations, timers and communication workers.
//
// What reaches a place waits in its tray, in order of arrival; the communication worker serves one
// item at a time. There is one event for its next turn, whatever waits: so nothing overtakes
// within a pair, also when turns are put off.
#include "fabric/sim.h"

#include <stdlib.h>
#include <string.h>

#include "base/rng.h"
#include "sim_pairs.h"
#include "sim_queue.h"

enum event_kind {
    CLIENT_DUE,
    TRAY,  // an item reaches the tray of a place
    REACH, // a one-sided operation reaches its target
    TIMER, // of the generation `what`
    SERVE, // the communication worker's turn
};

enum item_kind { PACKET, READ, LOCK, UNLOCK };

// Something under way: a packet, or a one-sided operation and its answer.
struct item {
    struct twi_packet packet;
    unsigned char *bytes;
    uint32_t from, to;
    uint32_t answer;
    uint32_t next; // in a tray, or of the free ones; index + 1
    enum item_kind kind;
};

struct place {
    struct twi_fabric fabric;
    struct twi_sim *sim;
    uint32_t tray_first, tray_last; // items, index + 1
    uint32_t locked_by;             // TWI_NOBODY
    uint32_t timer_generation;
    uint8_t timer_is_due, is_poked, has_turn;
    uint64_t busy_until_ns; // the communication worker
    uint64_t wire_free_ns;  // the network interface
    uint64_t stalled_until_ns;
};

#define TWI_NOBODY UINT32_MAX

struct twi_sim {
    struct twi_sim_queue queue;
    struct twi_sim_machine machine;
    struct twi_sim_trouble trouble;
    struct twi_sim_client client;
    struct twi_rng rng;
    struct twi_sim_pairs pairs;
    struct place *places;
    struct item *items;
    uint32_t items_free, items_used, items_room;
    uint64_t events, in_flight;
    int out_of_memory;
};

// ---- items ----

static struct item *item_at(struct twi_sim *sim, uint32_t index)
{
    return &sim->items[index - 1];
}

static uint32_t item_make(struct twi_sim *sim)
{
    uint32_t index = sim->items_free;
    if (index) {
        sim->items_free = item_at(sim, index)->next;
    } else {
        if (sim->items_used == sim->items_room) {
            uint32_t room = sim->items_room ? 2 * sim->items_room : 256;
            struct item *items = realloc(sim->items, room * sizeof *items);
            if (!items) {
                sim->out_of_memory = 1;
                return 0;
            }
            sim->items = items;
            sim->items_room = room;
        }
        index = ++sim->items_used;
    }
    memset(item_at(sim, index), 0, sizeof(struct item));
    return index;
}

static void item_free(struct twi_sim *sim, uint32_t index)
{
    struct item *item = item_at(sim, index);
    free(item->bytes);
    item->bytes = NULL;
    item->next = sim->items_free;
    sim->items_free = index;
}

static void schedule(struct twi_sim *sim, uint64_t at_ns, enum event_kind kind, uint32_t place,
                     uint32_t what)
{
    if (twi_sim_queue_put(&sim->queue, at_ns, kind, place, what) != 0)
        sim->out_of_memory = 1;
}

// ---- the communication worker ----

static uint64_t later(uint64_t a, uint64_t b)
{
    return a > b ? a : b;
}

// When a communication worker that is not at it sees what has come.
static uint64_t next_look(const struct twi_sim *sim, uint32_t place, uint64_t now_ns)
{
    const struct twi_sim_machine *machine = &sim->machine;
    if (!machine->notice_ns)
        return twi_sim_next_poll(machine, place, now_ns);
    int crowded = machine->cores && sim->client.is_crowded(sim->client.self);
    return now_ns + (crowded ? machine->notice_busy_ns : machine->notice_ns);
}

// A turn, unless there is one. A worker that is at it goes on when it is done, without a poll.
static void take_turn(struct twi_sim *sim, uint32_t number)
{
    struct place *place = &sim->places[number];
    uint64_t now = sim->queue.now_ns;
    if (place->has_turn)
        return;
    place->has_turn = 1;
    int is_awake = place->busy_until_ns > now ||
                   (sim->machine.notice_ns && place->busy_until_ns == now); // it has just read
    uint64_t at = is_awake ? place->busy_until_ns : next_look(sim, number, now);
    if (!sim->machine.dedicated)
        at = later(at, sim->client.shared_until(sim->client.self, number, now));
    schedule(sim, at, SERVE, number, 0);
}

static void spend(struct twi_sim *sim, struct place *place)
{
    place->busy_until_ns =
        later(place->busy_until_ns, sim->queue.now_ns) + sim->machine.overhead_ns;
    if (sim->machine.cores)
        sim->client.spent(sim->client.self, sim->machine.overhead_ns);
}

// The item is the caller's to free.
static void hand_over(struct twi_sim *sim, struct place *place, uint32_t index)
{
    struct item item = *item_at(sim, index);
    const struct twi_sink *sink = place->fabric.sink;
    switch (item.kind) {
    case PACKET:
        sim->in_flight--;
        sink->packet(place->fabric.host, item.from, &item.packet, item.bytes);
        break;
    case READ:
        sink->read(place->fabric.host, item.to, item.answer);
        break;
    case LOCK:
        sink->locked(place->fabric.host, item.to, (int)item.answer);
        break;
    case UNLOCK:
        break;
    }
}

static void serve(struct twi_sim *sim, uint32_t number)
{
    struct place *place = &sim->places[number];
    place->has_turn = 0;
    uint32_t index = place->tray_first;
    if (place->is_poked) {
        place->is_poked = 0;
        sim->client.poked(sim->client.self, number);
    } else if (place->timer_is_due) {
        place->timer_is_due = 0;
        place->fabric.sink->timer(place->fabric.host);
    } else if (index) {
        place->tray_first = item_at(sim, index)->next;
        if (!place->tray_first)
            place->tray_last = 0;
        if (item_at(sim, index)->kind == PACKET || !sim->machine.notice_ns)
            spend(sim, place);
        hand_over(sim, place, index);
        item_free(sim, index);
    }
    if (place->tray_first || place->is_poked || place->timer_is_due)
        take_turn(sim, number);
}

// The item's `next` is 0: nobody has put it anywhere yet.
static void put_in_tray(struct twi_sim *sim, uint32_t number, uint32_t index)
{
    struct place *place = &sim->places[number];
    __builtin_prefetch(item_at(sim, index)); // it is served soon, and most are in no cache
    if (place->tray_last)
        item_at(sim, place->tray_last)->next = index;
    else
        place->tray_first = index;
    place->tray_last = index;
    take_turn(sim, number);
}

// ---- the network ----

// Late by chance, but not before what the same place sent to the same earlier.
static uint64_t disturbed(struct twi_sim *sim, uint32_t from, uint32_t to, uint64_t at_ns)
{
    if (!sim->trouble.jitter_ns)
        return at_ns;
    at_ns += twi_rng_next(&sim->rng) % (sim->trouble.jitter_ns + 1);
    uint64_t *last = twi_sim_pair(&sim->pairs, from, to, sim->queue.now_ns);
    if (!last) {
        sim->out_of_memory = 1;
        return at_ns;
    }
    return *last = later(*last, at_ns);
}

static struct place *place_of(struct twi_fabric *fabric)
{
    return (struct place *)fabric;
}

static void fabric_send(struct twi_fabric *fabric, uint32_t to, const struct twi_packet *packet,
                        const void *bytes)
{
    struct place *place = place_of(fabric);
    struct twi_sim *sim = place->sim;
    uint32_t index = item_make(sim);
    if (!index)
        return;
    struct item *item = item_at(sim, index);
    *item = (struct item){.packet = *packet, .from = fabric->place, .to = to, .kind = PACKET};
    if (packet->size) {
        item->bytes = malloc(packet->size);
        if (!item->bytes) {
            sim->out_of_memory = 1;
            return;
        }
        memcpy(item->bytes, bytes, packet->size);
    }
    spend(sim, place);
    uint64_t leaves = later(place->busy_until_ns, place->wire_free_ns);
    uint64_t on_wire = (sizeof *packet + packet->size) * sim->machine.gap_ps_per_byte / 1000;
    place->wire_free_ns = leaves + later(on_wire, sim->machine.gap_ns);
    uint64_t arrives = leaves + on_wire +
                       twi_sim_way_ns(&sim->machine, fabric->place, to, sim->machine.latency_ns);
    sim->in_flight++;
    schedule(sim, disturbed(sim, fabric->place, to, arrives), TRAY, to, index);
}

// Who sleeps between packets stays awake for what takes shorter.
static void one_sided(struct twi_fabric *fabric, uint32_t of, enum item_kind kind)
{
    struct place *place = place_of(fabric);
    struct twi_sim *sim = place->sim;
    uint32_t index = item_make(sim);
    if (!index)
        return;
    *item_at(sim, index) = (struct item){.from = fabric->place, .to = of, .kind = kind};
    if (!sim->machine.notice_ns)
        spend(sim, place);
    uint64_t begins = later(place->busy_until_ns, sim->queue.now_ns);
    uint64_t way = twi_sim_way_ns(&sim->machine, fabric->place, of, sim->machine.read_ns / 2);
    if (sim->machine.notice_ns)
        place->busy_until_ns = begins + sim->machine.read_ns;
    schedule(sim, begins + way, REACH, of, index);
}

static void fabric_read(struct twi_fabric *fabric, uint32_t of)
{
    one_sided(fabric, of, READ);
}

static void fabric_lock(struct twi_fabric *fabric, uint32_t of)
{
    one_sided(fabric, of, LOCK);
}

static void fabric_unlock(struct twi_fabric *fabric, uint32_t of)
{
    one_sided(fabric, of, UNLOCK);
}

// At the target, by its network interface.
static void reach(struct twi_sim *sim, uint32_t number, uint32_t index)
{
    struct place *place = &sim->places[number];
    struct item *item = item_at(sim, index);
    switch (item->kind) {
    case PACKET:
        break;
    case READ:
        item->answer = sim->client.load(sim->client.self, number);
        break;
    case LOCK:
        item->answer = place->locked_by == TWI_NOBODY;
        if (item->answer)
            place->locked_by = item->from;
        break;
    case UNLOCK:
        if (place->locked_by == item->from)
            place->locked_by = TWI_NOBODY;
        item_free(sim, index);
        return;
    }
    uint64_t back =
        twi_sim_way_ns(&sim->machine, number, item->from, (sim->machine.read_ns + 1) / 2);
    schedule(sim, sim->queue.now_ns + back, TRAY, item->from, index);
}

// ---- the rest of a fabric ----

static uint64_t fabric_now(struct twi_fabric *fabric)
{
    return place_of(fabric)->sim->queue.now_ns;
}

// Reads find the model's own load.
static void fabric_publish(struct twi_fabric *fabric, uint32_t load)
{
    (void)fabric, (void)load;
}

static void fabric_timer(struct twi_fabric *fabric, uint64_t at_ns)
{
    struct place *place = place_of(fabric);
    place->timer_generation++;
    place->timer_is_due = 0;
    if (at_ns)
        schedule(place->sim, later(at_ns, place->sim->queue.now_ns), TIMER, fabric->place,
                 place->timer_generation);
}

static unsigned fabric_progress(struct twi_fabric *fabric)
{
    (void)fabric;
    return 0;
}

static void fabric_wait(struct twi_fabric *fabric, uint64_t until_ns)
{
    (void)fabric, (void)until_ns;
}

static void fabric_wake(struct twi_fabric *fabric)
{
    (void)fabric;
}

static const struct twi_fabric_calls calls = {
    .name = "sim",
    .now_ns = fabric_now,
    .send = fabric_send,
    .read = fabric_read,
    .lock = fabric_lock,
    .unlock = fabric_unlock,
    .publish = fabric_publish,
    .timer = fabric_timer,
    .progress = fabric_progress,
    .wait = fabric_wait,
    .wake = fabric_wake,
};

// ---- the simulator ----

struct twi_sim *twi_sim_create(const struct twi_sim_machine *machine,
                               const struct twi_sim_trouble *trouble,
                               const struct twi_sim_client *client)
{
    struct twi_sim *sim = calloc(1, sizeof *sim);
    if (!sim)
        return NULL;
    twi_sim_queue_init(&sim->queue);
    sim->machine = *machine;
    twi_sim_settle(&sim->machine);
    sim->trouble = *trouble;
    sim->client = *client;
    sim->rng.counter = trouble->seed;
    sim->places = calloc(machine->places, sizeof *sim->places);
    if (!sim->places) {
        free(sim);
        return NULL;
    }
    for (uint32_t i = 0; i < machine->places; i++)
        sim->places[i] = (struct place){
            .fabric = {.calls = &calls, .place = i, .places = machine->places},
            .sim = sim,
            .locked_by = TWI_NOBODY,
        };
    return sim;
}

void twi_sim_destroy(struct twi_sim *sim)
{
    if (!sim)
        return;
    for (uint32_t i = 0; i < sim->items_used; i++)
        free(sim->items[i].bytes);
    twi_sim_queue_destroy(&sim->queue);
    twi_sim_pairs_destroy(&sim->pairs);
    free(sim->items);
    free(sim->places);
    free(sim);
}

struct twi_fabric *twi_sim_fabric(struct twi_sim *sim, uint32_t place)
{
    return &sim->places[place].fabric;
}

uint64_t twi_sim_now(const struct twi_sim *sim)
{
    return sim->queue.now_ns;
}

void twi_sim_at(struct twi_sim *sim, uint64_t at_ns, uint32_t place, uint32_t what)
{
    schedule(sim, at_ns, CLIENT_DUE, place, what);
}

void twi_sim_poke(struct twi_sim *sim, uint32_t place)
{
    sim->places[place].is_poked = 1;
    take_turn(sim, place);
}

void twi_sim_stall(struct twi_sim *sim, uint32_t place, uint64_t until_ns)
{
    sim->places[place].stalled_until_ns = until_ns;
}

// What the place's own processors do is put off while it is stalled; its network interface goes on.
static int is_put_off(struct twi_sim *sim, const struct twi_sim_event *event)
{
    uint64_t until = sim->places[event->place].stalled_until_ns;
    if (event->at_ns >= until || (event->kind != CLIENT_DUE && event->kind != SERVE))
        return 0;
    schedule(sim, until, (enum event_kind)event->kind, event->place, event->what);
    return 1;
}

int twi_sim_step(struct twi_sim *sim)
{
    struct twi_sim_event event;
    if (sim->out_of_memory || !twi_sim_queue_take(&sim->queue, &event))
        return 0;
    sim->events++;
    if (is_put_off(sim, &event))
        return 1;
    switch ((enum event_kind)event.kind) {
    case CLIENT_DUE:
        sim->client.due(sim->client.self, event.place, event.what);
        break;
    case TRAY:
        put_in_tray(sim, event.place, event.what);
        break;
    case REACH:
        reach(sim, event.place, event.what);
        break;
    case TIMER:
        if (event.what == sim->places[event.place].timer_generation) {
            sim->places[event.place].timer_is_due = 1;
            take_turn(sim, event.place);
        }
        break;
    case SERVE:
        serve(sim, event.place);
        break;
    }
    return 1;
}

int twi_sim_is_out_of_memory(const struct twi_sim *sim)
{
    return sim->out_of_memory;
}

uint64_t twi_sim_events(const struct twi_sim *sim)
{
    return sim->events;
}

uint64_t twi_sim_packets_in_flight(const struct twi_sim *sim)
{
    return sim->in_flight;
}

size_t twi_sim_bytes(const struct twi_sim *sim)
{
    return sizeof *sim + sim->machine.places * sizeof *sim->places +
           sim->items_room * sizeof *sim->items + sim->queue.room * sizeof *sim->queue.events +
           twi_sim_pairs_bytes(&sim->pairs);
}
