// SPDX-License-Identifier: Apache-2.0
// The fabric of one place: what it brings, and a host on it.
// ctest: workers=1
#include "support.h"

#include <string.h>

#include "base/os.h"
#include "fabric/fabric.h"
#include "steal/host.h"

enum { MS = 1000000 };

// ---- the fabric ----

struct told {
    char kinds[32]; // a letter for each call, in their order
    size_t count;
    uint64_t words[32];
    char bytes[32];
    struct twi_fabric *answers; // who sends on from inside a call; may be NULL
};

static void note(struct told *told, char kind, uint64_t word)
{
    told->words[told->count] = word;
    told->kinds[told->count++] = kind;
}

static void on_packet(void *host, uint32_t from, const struct twi_packet *packet, const void *bytes)
{
    struct told *told = host;
    assert_int_equal(from, 0);
    if (packet->size)
        memcpy(told->bytes, bytes, packet->size);
    note(told, 'p', packet->word);
    if (told->answers)
        told->answers->calls->send(told->answers, 0, packet, bytes);
}

static void on_read(void *host, uint32_t of, uint32_t load)
{
    assert_int_equal(of, 0);
    note(host, 'r', load);
}

static void on_locked(void *host, uint32_t of, int is_ours)
{
    assert_int_equal(of, 0);
    note(host, 'l', (uint64_t)is_ours);
}

static void on_timer(void *host)
{
    note(host, 't', 0);
}

static const struct twi_sink sink = {on_packet, on_read, on_locked, on_timer};

static struct twi_fabric *make(struct told *told)
{
    struct twi_fabric *fabric = twi_self_create();
    assert_non_null(fabric);
    assert_int_equal(fabric->place, 0);
    assert_int_equal(fabric->places, 1);
    *told = (struct told){.count = 0};
    fabric->sink = &sink;
    fabric->host = told;
    return fabric;
}

static void send_word(struct twi_fabric *fabric, uint64_t word, const char *bytes)
{
    struct twi_packet packet = {.word = word, .size = (uint32_t)strlen(bytes)};
    fabric->calls->send(fabric, 0, &packet, bytes);
}

static void test_fabric_self_sends_to_itself(void **state)
{
    (void)state;
    struct told told;
    struct twi_fabric *fabric = make(&told);
    char bytes[] = "hello";
    send_word(fabric, 1, "");
    send_word(fabric, 2, bytes);
    bytes[0] = 'j';
    assert_int_equal(told.count, 0); // nothing comes but by progress
    assert_int_equal(fabric->calls->progress(fabric), 2);
    assert_string_equal(told.kinds, "pp");
    assert_int_equal(told.words[0], 1);
    assert_int_equal(told.words[1], 2);
    assert_string_equal(told.bytes, "hello");
    assert_int_equal(fabric->calls->progress(fabric), 0);
    told.answers = fabric; // what is sent from inside a call waits
    send_word(fabric, 3, "");
    assert_int_equal(fabric->calls->progress(fabric), 1);
    assert_int_equal(fabric->calls->progress(fabric), 1);
    send_word(fabric, 4, "never comes");
    twi_self_destroy(fabric);
    twi_self_destroy(NULL);
}

static void test_fabric_self_reads_and_locks(void **state)
{
    (void)state;
    struct told told;
    struct twi_fabric *fabric = make(&told);
    fabric->calls->publish(fabric, 17);
    fabric->calls->read(fabric, 0);
    fabric->calls->lock(fabric, 0);
    fabric->calls->lock(fabric, 0);
    fabric->calls->unlock(fabric, 0);
    fabric->calls->lock(fabric, 0);
    send_word(fabric, 5, "");
    assert_int_equal(fabric->calls->progress(fabric), 5);
    assert_string_equal(told.kinds, "rlllp");
    const uint64_t expected[] = {17, 1, 0, 1, 5};
    assert_memory_equal(told.words, expected, sizeof expected);
    twi_self_destroy(fabric);
}

static void test_fabric_self_keeps_time(void **state)
{
    (void)state;
    struct told told;
    struct twi_fabric *fabric = make(&told);
    uint64_t begun = fabric->calls->now_ns(fabric);
    fabric->calls->timer(fabric, begun + 3600000 * UINT64_C(1000000));
    fabric->calls->timer(fabric, begun + 20 * MS); // instead
    assert_int_equal(fabric->calls->progress(fabric), 0);
    while (told.count == 0) {
        fabric->calls->wait(fabric, UINT64_MAX);
        (void)fabric->calls->progress(fabric);
    }
    assert_true(fabric->calls->now_ns(fabric) >= begun + 20 * MS);
    assert_string_equal(told.kinds, "t");
    assert_int_equal(fabric->calls->progress(fabric), 0); // once
    fabric->calls->timer(fabric, 1);
    fabric->calls->timer(fabric, 0); // never
    assert_int_equal(fabric->calls->progress(fabric), 0);
    fabric->calls->wait(fabric, fabric->calls->now_ns(fabric) + 5 * MS);
    assert_true(fabric->calls->now_ns(fabric) >= begun + 25 * MS);
    send_word(fabric, 1, "");
    fabric->calls->wait(fabric, UINT64_MAX); // something has come
    twi_self_destroy(fabric);
}

static void send_away(void)
{
    struct twi_fabric *fabric = twi_self_create();
    fabric->calls->send(fabric, 1, &(struct twi_packet){0}, NULL);
}

static void test_fabric_self_has_one_place(void **state)
{
    (void)state;
    char text[500];
    assert_true(test_dies(send_away, text, sizeof text));
    assert_non_null(strstr(text, "a packet to a place that is not there"));
}

// ---- with a host ----

struct pool {
    uint32_t load, running;
};

static uint32_t pool_load(void *pool)
{
    return ((struct pool *)pool)->load;
}

static uint32_t pool_idle(void *pool)
{
    return 1 - ((struct pool *)pool)->running;
}

static int pool_is_passive(void *pool)
{
    return !((struct pool *)pool)->load && !((struct pool *)pool)->running;
}

static uint32_t pool_take(void *pool, uint32_t thief, uint32_t most, const void **bytes,
                          uint32_t *size)
{
    (void)thief;
    (void)pool, (void)most, (void)bytes, (void)size;
    return 0;
}

static void pool_add(void *pool, uint32_t count, const void *bytes, uint32_t size)
{
    (void)bytes, (void)size;
    ((struct pool *)pool)->load += count;
}

static const struct twi_pool_calls pool_calls = {pool_load, pool_idle, pool_is_passive, pool_take,
                                                 pool_add};

static void run_phases(const struct twi_machine *policy, const struct twi_machine *detector)
{
    struct pool pool = {0, 0};
    struct twi_fabric *fabric = twi_self_create();
    struct twi_host_parts parts = {.policy = policy,
                                   .detector = detector,
                                   .rules = {.places = 1,
                                             .workers = 1,
                                             .threshold = 2,
                                             .batch = 4,
                                             .hungry = 1,
                                             .tries = 2,
                                             .backoff_ns = 1000,
                                             .backoff_most_ns = 10000,
                                             .seed = 1},
                                   .fabric = fabric,
                                   .pool = &pool_calls,
                                   .pool_of = &pool};
    struct twi_host *host = twi_host_create(&parts);
    for (uint32_t phase = 1; phase <= 3; phase++) {
        pool.load = phase - 1; // the first has no work at all
        twi_host_begin(host);
        for (; pool.load; pool.load--) {
            assert_false(twi_host_is_finished(host));
            pool.running = 1;
            twi_host_look(host);
            (void)fabric->calls->progress(fabric);
            pool.running = 0;
        }
        for (int i = 0; i < 10 && !twi_host_is_finished(host); i++) {
            twi_host_look(host);
            (void)fabric->calls->progress(fabric);
        }
        if (!twi_host_is_finished(host))
            fail_msg("%s, %s: phase %u does not end", policy->name, detector->name, phase);
        assert_int_equal(twi_host_epoch(host), phase);
    }
    assert_int_equal(twi_host_counts(host)->packets, 0); // there is nobody to talk to
    assert_int_equal(twi_host_steals(host)->requests, 0);
    twi_host_destroy(host);
    twi_self_destroy(fabric);
}

static void test_fabric_self_with_every_machine(void **state)
{
    (void)state;
    for (const struct twi_machine *const *policy = twi_policies; *policy; policy++)
        for (const struct twi_machine *const *detector = twi_detectors; *detector; detector++)
            run_phases(*policy, *detector);
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_fabric_self_sends_to_itself),
        cmocka_unit_test(test_fabric_self_reads_and_locks),
        cmocka_unit_test(test_fabric_self_keeps_time),
        cmocka_unit_test(test_fabric_self_has_one_place),
        cmocka_unit_test(test_fabric_self_with_every_machine),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
