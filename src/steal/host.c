// SPDX-License-Identifier: Apache-2.0
// See host.h. Events wait in a ring while a machine steps, so that a step never begins inside
// another.
#include "steal/host.h"

#include <stdlib.h>
#include <string.h>

#include <twill/inline.h>

#include "steal/host_locks.h"
#include "steal/host_open.h"

enum { PENDING_MOST = 16 };

// Whom a packet is for.
enum twi_for { FOR_POLICY, FOR_DETECTOR, FOR_POOL, FOR_POOL_UNASKED, FOR_MAIL };

// A packet that came before its phase.
struct kept {
    struct kept *next;
    struct twi_packet packet;
    uint32_t from;
    unsigned char bytes[];
};

struct pending {
    struct twi_event event;
    int for_detector, for_policy;
};

struct twi_host {
    struct twi_host_parts parts;
    void *policy, *detector;
    uint32_t epoch;
    uint32_t asked;     // one-sided operations that have not been answered
    uint32_t watch;     // 0: none
    uint32_t watch_low; // UINT32_MAX: none
    uint8_t is_over, is_hungry, is_passive, is_draining;
    struct twi_host_locks locks;
    uint64_t hungry_since_ns;
    struct twi_host_open open;
    struct kept *kept_first, **kept_end;
    struct pending pending[PENDING_MOST];
    uint32_t pending_first, pending_count;
    struct twi_host_stats stats;
    size_t state_bytes;
};

// What a machine or a fabric must not do.
static void require(int holds, const char *what)
{
    if (__builtin_expect(!holds, 0))
        tw_misuse(what, "");
}

static uint64_t now_ns(struct twi_host *h)
{
    return h->parts.fabric->calls->now_ns(h->parts.fabric);
}

static uint32_t load(struct twi_host *h)
{
    return h->parts.pool->load(h->parts.pool_of);
}

static uint32_t idle(struct twi_host *h)
{
    return h->parts.pool->idle(h->parts.pool_of);
}

static void unlock(struct twi_host *h, uint32_t peer)
{
    require(twi_host_unlock(&h->locks, peer), "a policy gives a lock back that it does not hold");
    h->parts.fabric->calls->unlock(h->parts.fabric, peer);
}

// ---- actions ----

static void tell(struct twi_host *h, struct twi_event event, int for_detector, int for_policy);

static void send(struct twi_host *h, uint32_t to, struct twi_packet packet, const void *bytes)
{
    packet.epoch = h->epoch;
    h->stats.packets++;
    h->stats.bytes += sizeof packet + packet.size;
    h->parts.fabric->calls->send(h->parts.fabric, to, &packet, bytes);
}

static void send_message(struct twi_host *h, enum twi_for machine, const struct twi_action *action)
{
    if (machine == FOR_POLICY && action->message == TWI_REQUEST)
        twi_host_open_add(&h->open, action->peer, now_ns(h));
    send(h, action->peer,
         (struct twi_packet){
             .machine = machine, .message = (uint16_t)action->message, .word = action->word},
         NULL);
}

static void give(struct twi_host *h, const struct twi_action *action)
{
    const void *bytes = NULL;
    uint32_t size = 0;
    uint32_t count =
        h->parts.pool->take(h->parts.pool_of, action->peer, action->count, &bytes, &size);
    if (count) {
        send(h, action->peer,
             (struct twi_packet){
                 .machine = FOR_POOL, .count = count, .size = size, .word = action->word},
             bytes);
        h->stats.tasks_given += count;
    }
    tell(h, (struct twi_event){.kind = TWI_ON_GAVE, .peer = action->peer, .count = count}, 1, 1);
}

static void finish(struct twi_host *h)
{
    uint64_t now = now_ns(h);
    h->is_over = 1;
    while (h->locks.count)
        unlock(h, h->locks.list[0]);
    h->parts.fabric->calls->timer(h->parts.fabric, 0);
    h->stats.unanswered += h->open.count;
    h->stats.unanswered_ns += twi_host_open_clear(&h->open, now);
    if (h->is_hungry)
        h->stats.searching_ns += now - h->hungry_since_ns;
    h->is_hungry = 0;
}

static void set_timer(struct twi_host *h, uint64_t delay_ns)
{
    h->parts.fabric->calls->timer(h->parts.fabric, delay_ns ? now_ns(h) + delay_ns : 0);
}

static void carry_out(struct twi_host *h, enum twi_for machine, const struct twi_action *action)
{
    struct twi_fabric *fabric = h->parts.fabric;
    switch (action->kind) {
    case TWI_DO_SEND:
        send_message(h, machine, action);
        break;
    case TWI_DO_READ:
        h->asked++;
        fabric->calls->read(fabric, action->peer);
        break;
    case TWI_DO_LOCK:
        h->asked++;
        fabric->calls->lock(fabric, action->peer);
        break;
    case TWI_DO_UNLOCK:
        unlock(h, action->peer);
        break;
    case TWI_DO_GIVE:
        give(h, action);
        break;
    case TWI_DO_TIMER:
        set_timer(h, action->word);
        break;
    case TWI_DO_WATCH:
        h->watch = action->count;
        break;
    case TWI_DO_WATCH_LOW:
        h->watch_low = action->count;
        break;
    case TWI_DO_FINISH:
        finish(h);
        break;
    }
}

// ---- events ----

static void step(struct twi_host *h, enum twi_for whose, const struct twi_event *event)
{
    int is_policy = whose == FOR_POLICY;
    const struct twi_machine *machine = is_policy ? h->parts.policy : h->parts.detector;
    struct twi_actions actions;
    actions.count = 0;
    machine->step(is_policy ? h->policy : h->detector, event, &actions);
    require(actions.count <= TWI_ACTIONS_MOST, "a machine wants too much at once");
    if (h->parts.record)
        h->parts.record(h->parts.recorder, h->parts.rules.place, machine, event, &actions);
    for (uint32_t i = 0; i < actions.count; i++)
        carry_out(h, whose, &actions.list[i]);
}

// What the pool is like now becomes events, one at a time. 0: nothing is new.
static int look_once(struct twi_host *h)
{
    uint32_t idle_now = idle(h), load_now = load(h);
    int passive = h->parts.pool->is_passive(h->parts.pool_of);
    int hungry = idle_now >= h->parts.rules.hungry;
    struct twi_event event = {.peer = TWI_NO_PLACE};
    if (passive != h->is_passive) {
        h->is_passive = (uint8_t)passive;
        event.kind = passive ? TWI_ON_PASSIVE : TWI_ON_ACTIVE;
        tell(h, event, 1, 0);
    } else if (hungry != h->is_hungry) {
        uint64_t now = now_ns(h);
        h->is_hungry = (uint8_t)hungry;
        if (hungry)
            h->hungry_since_ns = now;
        else
            h->stats.searching_ns += now - h->hungry_since_ns;
        event.kind = hungry ? TWI_ON_HUNGRY : TWI_ON_FED;
        tell(h, event, 0, 1);
    } else if (h->watch && load_now >= h->watch && !idle_now) {
        h->watch = 0;
        event.kind = TWI_ON_LOAD;
        tell(h, event, 0, 1);
    } else if (h->watch_low != UINT32_MAX && load_now <= h->watch_low) {
        h->watch_low = UINT32_MAX;
        event.kind = TWI_ON_LOAD;
        tell(h, event, 0, 1);
    } else {
        return 0;
    }
    return 1;
}

// Handles what is pending, and what comes of it. The detector is told first: what was given must be
// known to it before anything else happens.
static void drain(struct twi_host *h)
{
    if (h->is_draining)
        return;
    h->is_draining = 1;
    while (h->pending_count || (!h->is_over && look_once(h))) {
        struct pending next = h->pending[h->pending_first];
        h->pending_first = (h->pending_first + 1) % PENDING_MOST;
        h->pending_count--;
        next.event.now_ns = now_ns(h);
        next.event.load = load(h);
        next.event.idle = idle(h);
        if (next.for_detector)
            step(h, FOR_DETECTOR, &next.event);
        if (next.for_policy && !h->is_over)
            step(h, FOR_POLICY, &next.event);
    }
    h->is_draining = 0;
    h->parts.fabric->calls->publish(h->parts.fabric, load(h));
}

static void tell(struct twi_host *h, struct twi_event event, int for_detector, int for_policy)
{
    require(h->pending_count < PENDING_MOST, "too many events are pending at a host");
    uint32_t place = (h->pending_first + h->pending_count++) % PENDING_MOST;
    h->pending[place] = (struct pending){event, for_detector, for_policy};
}

// ---- what the fabric brings ----

static void keep(struct twi_host *h, uint32_t from, const struct twi_packet *packet,
                 const void *bytes)
{
    struct kept *kept = malloc(sizeof *kept + packet->size);
    require(kept != NULL, "no memory for an early packet");
    *kept = (struct kept){.packet = *packet, .from = from};
    if (packet->size)
        memcpy(kept->bytes, bytes, packet->size);
    *h->kept_end = kept;
    h->kept_end = &kept->next;
    h->stats.early++;
}

static void take_in(struct twi_host *h, uint32_t from, const struct twi_packet *packet,
                    const void *bytes)
{
    h->stats.tasks_got += packet->count;
    if (h->is_over)
        h->stats.late += packet->count;
    int is_asked = packet->machine == FOR_POOL;
    if (is_asked)
        twi_host_open_remove(&h->open, from);
    h->is_passive = 0; // the detector learns it by the tasks themselves
    h->parts.pool->add(h->parts.pool_of, packet->count, bytes, packet->size);
    tell(h,
         (struct twi_event){
             .kind = TWI_ON_TASKS, .peer = from, .count = packet->count, .word = packet->word},
         1, is_asked);
}

static void deliver(struct twi_host *h, uint32_t from, const struct twi_packet *packet,
                    const void *bytes)
{
    struct twi_event event = {
        .kind = TWI_ON_MESSAGE, .peer = from, .message = packet->message, .word = packet->word};
    switch ((enum twi_for)packet->machine) {
    case FOR_POLICY:
        if (packet->message == TWI_REFUSED)
            twi_host_open_remove(&h->open, from);
        tell(h, event, 0, 1);
        break;
    case FOR_DETECTOR:
        tell(h, event, 1, 0);
        break;
    case FOR_POOL:
    case FOR_POOL_UNASKED:
        take_in(h, from, packet, bytes);
        break;
    case FOR_MAIL:
        h->parts.mail(h->parts.pool_of, from, packet, bytes);
        return;
    }
    drain(h);
}

static void on_packet(void *host, uint32_t from, const struct twi_packet *packet, const void *bytes)
{
    struct twi_host *h = host;
    int32_t ahead = (int32_t)(packet->epoch - h->epoch);
    if (ahead > 0)
        keep(h, from, packet, bytes);
    else if (ahead < 0 || (h->is_over && packet->machine == FOR_POLICY))
        h->stats.stale++;
    else
        deliver(h, from, packet, bytes);
}

static void on_read(void *host, uint32_t of, uint32_t its_load)
{
    struct twi_host *h = host;
    h->asked--;
    if (h->is_over)
        return;
    tell(h, (struct twi_event){.kind = TWI_ON_READ, .peer = of, .count = its_load}, 0, 1);
    drain(h);
}

static void on_locked(void *host, uint32_t of, int is_ours)
{
    struct twi_host *h = host;
    h->asked--;
    if (is_ours)
        require(twi_host_lock(&h->locks, of), "a policy holds too many locks");
    if (h->is_over) {
        if (is_ours)
            unlock(h, of);
        return;
    }
    tell(h, (struct twi_event){.kind = TWI_ON_LOCK, .peer = of, .count = is_ours != 0}, 0, 1);
    drain(h);
}

static void on_timer(void *host)
{
    struct twi_host *h = host;
    if (h->is_over)
        return;
    tell(h, (struct twi_event){.kind = TWI_ON_TIMER, .peer = TWI_NO_PLACE}, 0, 1);
    drain(h);
}

static const struct twi_sink sink = {on_packet, on_read, on_locked, on_timer};

// ---- phases ----

// Those of the phase that has begun, in the order in which they came.
static void deliver_kept(struct twi_host *h)
{
    struct kept **at = &h->kept_first, *kept;
    while ((kept = *at) != NULL) {
        if (kept->packet.epoch != h->epoch) {
            at = &kept->next;
            continue;
        }
        *at = kept->next;
        on_packet(h, kept->from, &kept->packet, kept->bytes);
        free(kept);
    }
    h->kept_end = at;
}

void twi_host_begin(struct twi_host *h)
{
    require(twi_host_is_finished(h), "a phase begins before the last has ended");
    h->epoch++;
    h->is_over = h->is_hungry = 0;
    h->watch = 0;
    h->watch_low = UINT32_MAX;
    h->is_passive = (uint8_t)h->parts.pool->is_passive(h->parts.pool_of);
    tell(h, (struct twi_event){.kind = TWI_ON_START, .peer = TWI_NO_PLACE, .count = !h->is_passive},
         1, 1);
    drain(h);
    deliver_kept(h);
}

int twi_host_is_finished(const struct twi_host *h)
{
    return h->is_over && !h->asked;
}

uint32_t twi_host_epoch(const struct twi_host *h)
{
    return h->epoch;
}

void twi_host_look(struct twi_host *h)
{
    if (!h->is_over)
        drain(h);
}

int twi_host_wants_look(struct twi_host *h)
{
    if (h->is_over)
        return 0;
    uint32_t idle_now = idle(h);
    if ((idle_now >= h->parts.rules.hungry) != h->is_hungry)
        return 1;
    if (h->watch && !idle_now && load(h) >= h->watch)
        return 1;
    if (h->watch_low != UINT32_MAX && load(h) <= h->watch_low)
        return 1;
    return h->parts.pool->is_passive(h->parts.pool_of) != h->is_passive;
}

// ---- for who has the host ----

void twi_host_push(struct twi_host *h, uint32_t to, uint32_t count, const void *bytes,
                   uint32_t size)
{
    send(h, to, (struct twi_packet){.machine = FOR_POOL_UNASKED, .count = count, .size = size},
         bytes);
    h->stats.tasks_given += count;
    tell(h, (struct twi_event){.kind = TWI_ON_GAVE, .peer = to, .count = count}, 1, 0);
    drain(h);
}

void twi_host_post(struct twi_host *h, uint32_t to, uint16_t message, uint64_t word,
                   const void *bytes, uint32_t size)
{
    send(h, to,
         (struct twi_packet){.machine = FOR_MAIL, .message = message, .size = size, .word = word},
         bytes);
}

// ---- making ----

struct twi_host *twi_host_create(const struct twi_host_parts *parts)
{
    struct twi_host *h = calloc(1, sizeof *h);
    if (!h)
        return NULL;
    size_t policy_size = parts->policy->size(&parts->rules);
    size_t detector_size = parts->detector->size(&parts->rules);
    h->parts = *parts;
    h->epoch = parts->epoch;
    h->policy = calloc(1, policy_size);
    h->detector = calloc(1, detector_size);
    h->state_bytes = policy_size + detector_size;
    h->is_over = 1;
    h->kept_end = &h->kept_first;
    if (!h->policy || !h->detector) {
        twi_host_destroy(h);
        return NULL;
    }
    parts->policy->start(h->policy, &parts->rules);
    parts->detector->start(h->detector, &parts->rules);
    parts->fabric->sink = &sink;
    parts->fabric->host = h;
    return h;
}

void twi_host_destroy(struct twi_host *h)
{
    if (!h)
        return;
    for (struct kept *kept = h->kept_first, *next; kept; kept = next) {
        next = kept->next;
        free(kept);
    }
    twi_host_open_destroy(&h->open);
    free(h->policy);
    free(h->detector);
    free(h);
}

size_t twi_host_size(const struct twi_host *h)
{
    return sizeof *h + h->state_bytes + twi_host_open_bytes(&h->open);
}

const struct twi_steal_stats *twi_host_steals(const struct twi_host *h)
{
    return h->parts.policy->stats(h->policy);
}

const struct twi_host_stats *twi_host_counts(const struct twi_host *h)
{
    return &h->stats;
}
