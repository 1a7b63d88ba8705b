// SPDX-License-Identifier: Apache-2.0
// A host between machines, a fabric and a pool that are all made by hand. Machines do what a script
// says; everything that happens is written to one line of text, in order:
//
//      D.start P.start send(1:P5 w7) read(2) ...
//
// D. and P. are steps of the detector and the policy.
#ifndef HOST_SCENE_H
#define HOST_SCENE_H

#include <inttypes.h>
#include <string.h>

#include "steal/host.h"
#include "support.h"

enum { SCRIPT_MOST = 16, SCRIPT_ACTIONS = 48 };

// The next time that a machine is told `on`, it acts like this.
struct script {
    char who;
    enum twi_on on;
    uint32_t count;
    struct twi_action actions[SCRIPT_ACTIONS];
    int stays; // it does so every time
};

struct host_scene {
    struct twi_host *host;
    struct twi_fabric fabric;
    uint64_t now_ns;
    uint32_t load, idle, published;
    int is_passive;
    int looks_inside; // the pool calls twi_host_look from inside a step
    struct script scripts[SCRIPT_MOST];
    uint32_t script_count;
    uint32_t recorded;
    char log[2000];
};

static struct host_scene scene;

__attribute__((format(printf, 1, 2))) static inline void log_add(const char *format, ...)
{
    size_t used = strlen(scene.log);
    va_list arguments;
    if (used + 2 > sizeof scene.log)
        return;
    va_start(arguments, format);
    if (used) {
        scene.log[used++] = ' ';
        scene.log[used] = '\0';
    }
    vsnprintf(scene.log + used, sizeof scene.log - used, format, arguments);
    va_end(arguments);
}

// What has happened since the last call.
static inline void happened(const char *expected)
{
    assert_string_equal(scene.log, expected);
    scene.log[0] = '\0';
}

// ---- machines ----

static inline void log_event(char who, const struct twi_event *event)
{
    static const char *const names[] = {"start", "hungry", "fed",  "load",  "message", "tasks",
                                        "read",  "lock",   "gave", "timer", "passive", "active"};
    const char *name = names[event->kind];
    assert_int_equal(event->now_ns, scene.now_ns);
    assert_int_equal(event->load, scene.load);
    assert_int_equal(event->idle, scene.idle);
    switch (event->kind) {
    case TWI_ON_MESSAGE:
        log_add("%c.%s(%u:%u w%" PRIu64 ")", who, name, event->peer, event->message, event->word);
        break;
    case TWI_ON_TASKS:
        log_add("%c.%s(%u:%u w%" PRIu64 ")", who, name, event->peer, event->count, event->word);
        break;
    case TWI_ON_READ:
    case TWI_ON_LOCK:
    case TWI_ON_GAVE:
        log_add("%c.%s(%u:%u)", who, name, event->peer, event->count);
        break;
    case TWI_ON_START:
    case TWI_ON_HUNGRY:
    case TWI_ON_FED:
    case TWI_ON_LOAD:
    case TWI_ON_TIMER:
    case TWI_ON_PASSIVE:
    case TWI_ON_ACTIVE:
        log_add("%c.%s", who, name);
        break;
    }
}

static inline void follow_script(char who, const struct twi_event *event,
                                 struct twi_actions *actions)
{
    log_event(who, event);
    for (uint32_t i = 0; i < scene.script_count; i++) {
        struct script *script = &scene.scripts[i];
        if (script->who != who || script->on != event->kind)
            continue;
        for (uint32_t k = 0; k < script->count && k < TWI_ACTIONS_MOST; k++)
            twi_act(actions, script->actions[k]);
        actions->count = script->count;
        if (!script->stays)
            script->who = 0;
        return;
    }
}

static inline void policy_step(void *state, const struct twi_event *event,
                               struct twi_actions *actions)
{
    (void)state;
    follow_script('P', event, actions);
}

static inline void detector_step(void *state, const struct twi_event *event,
                                 struct twi_actions *actions)
{
    (void)state;
    follow_script('D', event, actions);
}

static inline size_t machine_size(const struct twi_rules *rules)
{
    return rules->workers * 8;
}

static inline void machine_start(void *state, const struct twi_rules *rules)
{
    assert_int_equal(*(uint64_t *)state, 0);
    assert_int_equal(rules->place, 0);
}

static const struct twi_machine scripted_policy = {
    .name = "policy", .size = machine_size, .start = machine_start, .step = policy_step};
static const struct twi_machine scripted_detector = {
    .name = "detector", .size = machine_size, .start = machine_start, .step = detector_step};

#define ON(whose, event, ...)                                                                      \
    do {                                                                                           \
        const struct twi_action actions_[] = {__VA_ARGS__};                                        \
        struct script *script_ = &scene.scripts[scene.script_count++];                             \
        *script_ = (struct script){                                                                \
            .who = whose, .on = event, .count = sizeof actions_ / sizeof *actions_};               \
        memcpy(script_->actions, actions_, sizeof actions_);                                       \
    } while (0)

#define SEND(to, which, with)                                                                      \
    {                                                                                              \
        .kind = TWI_DO_SEND, .peer = to, .message = which, .word = with                            \
    }
#define GIVE(to, most, with)                                                                       \
    {                                                                                              \
        .kind = TWI_DO_GIVE, .peer = to, .count = most, .word = with                               \
    }
#define DO(what, whom)                                                                             \
    {                                                                                              \
        .kind = TWI_DO_##what, .peer = whom                                                        \
    }
#define WATCH(what, how_many)                                                                      \
    {                                                                                              \
        .kind = TWI_DO_##what, .count = how_many                                                   \
    }

// ---- the fabric ----

static inline uint64_t fabric_now(struct twi_fabric *fabric)
{
    (void)fabric;
    return scene.now_ns;
}

static inline void fabric_send(struct twi_fabric *fabric, uint32_t to,
                               const struct twi_packet *packet, const void *bytes)
{
    (void)fabric;
    char whom = "PDT"[packet->machine];
    assert_int_equal(packet->epoch, twi_host_epoch(scene.host));
    if (whom == 'T')
        log_add("send(%u:T%u '%.*s' w%" PRIu64 ")", to, packet->count, (int)packet->size,
                (const char *)bytes, packet->word);
    else
        log_add("send(%u:%c%u w%" PRIu64 ")", to, whom, packet->message, packet->word);
}

static inline void fabric_read(struct twi_fabric *fabric, uint32_t of)
{
    (void)fabric;
    log_add("read(%u)", of);
}

static inline void fabric_lock(struct twi_fabric *fabric, uint32_t of)
{
    (void)fabric;
    log_add("lock(%u)", of);
}

static inline void fabric_unlock(struct twi_fabric *fabric, uint32_t of)
{
    (void)fabric;
    log_add("unlock(%u)", of);
}

static inline void fabric_publish(struct twi_fabric *fabric, uint32_t load)
{
    (void)fabric;
    scene.published = load;
}

static inline void fabric_timer(struct twi_fabric *fabric, uint64_t at_ns)
{
    (void)fabric;
    log_add("timer(%" PRIu64 ")", at_ns);
}

static const struct twi_fabric_calls scene_fabric_calls = {.name = "by hand",
                                                           .now_ns = fabric_now,
                                                           .send = fabric_send,
                                                           .read = fabric_read,
                                                           .lock = fabric_lock,
                                                           .unlock = fabric_unlock,
                                                           .publish = fabric_publish,
                                                           .timer = fabric_timer};

// ---- the pool ----

static inline uint32_t pool_load(void *pool)
{
    (void)pool;
    return scene.load;
}

static inline uint32_t pool_idle(void *pool)
{
    (void)pool;
    return scene.idle;
}

static inline int pool_is_passive(void *pool)
{
    (void)pool;
    return scene.is_passive;
}

static inline uint32_t pool_take(void *pool, uint32_t thief, uint32_t most, const void **bytes,
                                 uint32_t *size)
{
    (void)pool, (void)thief;
    uint32_t taken = most < scene.load ? most : scene.load;
    scene.load -= taken;
    *bytes = "abcdefgh";
    *size = taken;
    log_add("take(%u)", most);
    if (scene.looks_inside)
        twi_host_look(scene.host);
    return taken;
}

static inline void pool_add(void *pool, uint32_t count, const void *bytes, uint32_t size)
{
    (void)pool;
    scene.load += count;
    scene.is_passive = 0;
    log_add("add(%u '%.*s')", count, (int)size, (const char *)bytes);
}

static const struct twi_pool_calls scene_pool_calls = {pool_load, pool_idle, pool_is_passive,
                                                       pool_take, pool_add};

// ---- all together ----

static inline void scene_record(void *recorder, uint32_t place, const struct twi_machine *machine,
                                const struct twi_event *event, const struct twi_actions *actions)
{
    (void)event, (void)actions;
    assert_ptr_equal(recorder, &scene);
    assert_int_equal(place, 0);
    assert_true(machine == &scripted_policy || machine == &scripted_detector);
    scene.recorded++;
}

// A host before its first phase; the place has work, and nobody is idle.
static inline void scene_open(void)
{
    scene =
        (struct host_scene){.fabric = {.calls = &scene_fabric_calls, .places = 5}, .now_ns = 1000};
    struct twi_host_parts parts = {.policy = &scripted_policy,
                                   .detector = &scripted_detector,
                                   .rules = {.places = 5, .workers = 4, .hungry = 2},
                                   .fabric = &scene.fabric,
                                   .pool = &scene_pool_calls,
                                   .record = scene_record,
                                   .recorder = &scene};
    scene.host = twi_host_create(&parts);
    assert_non_null(scene.host);
}

static inline void scene_close(void)
{
    twi_host_destroy(scene.host);
}

// ---- what comes ----

static inline void come(uint32_t from, struct twi_packet packet, const char *bytes)
{
    packet.size = (uint32_t)strlen(bytes);
    scene.fabric.sink->packet(scene.host, from, &packet, bytes);
}

enum { TO_POLICY, TO_DETECTOR, TO_POOL };

#define COME(from, epoch_, to, message_, word_)                                                    \
    come(from,                                                                                     \
         (struct twi_packet){.epoch = epoch_, .machine = to, .message = message_, .word = word_},  \
         "")

#define COME_TASKS(from, epoch_, bytes, word_)                                                     \
    come(from,                                                                                     \
         (struct twi_packet){                                                                      \
             .epoch = epoch_, .machine = TO_POOL, .count = sizeof(bytes) - 1, .word = word_},      \
         bytes)

// The detector says that the phase is over.
#define COME_END(epoch)                                                                            \
    do {                                                                                           \
        ON('D', TWI_ON_MESSAGE, {.kind = TWI_DO_FINISH});                                          \
        COME(4, epoch, TO_DETECTOR, 9, 0);                                                         \
    } while (0)

#endif
