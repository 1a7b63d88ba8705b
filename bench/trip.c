// SPDX-License-Identifier: Apache-2.0
// See trip.h. Place 0 offers tasks that do nothing, a few at a time, and sleeps in between; place 1
// steals them. Who communicates is awake at both: the communication worker of place 0 (dedicated),
// and at place 1 its worker, which searches all the time. Two processors have no room for more. A
// request is stamped when it goes
// to the fabric, between which and the host this file stands; the first task after it as its first
// act. Places of a host have the same clock.
#include "trip.h"

#include <inttypes.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "cases.h"
#include "place/place.h"
#include "placed.h"
#include "probe.h"
#include "stats.h"

enum {
    FOR_POLICY = 0,    // whom a packet is for, as steal/host.c numbers them
    PING = UINT16_MAX, // a message of no policy
    OFFERED = 8,       // tasks at a time
    OFFER_US = 300,    // from one time to the next
    SEARCH_NS = 5000000,
    PINGS = 2000,
    HAND_OVERS = 2000,
    SAMPLES_MOST = 1 << 16,
    SAMPLES_LEAST = 20,
};

static const struct twi_fabric_calls *fabric_calls;
static uint64_t requested; // when; 0: its task has come. writers: communication worker, worker
static double sample[SAMPLES_MOST];
static size_t samples;

static void send_stamped(struct twi_fabric *fabric, uint32_t to, const struct twi_packet *packet,
                         const void *bytes)
{
    if (packet->machine == FOR_POLICY && packet->message == TWI_REQUEST)
        __atomic_store_n(&requested, twb_now(), __ATOMIC_RELAXED); // relaxed: the task comes later
    fabric_calls->send(fabric, to, packet, bytes);
}

TW_TASK(stolen, { int nothing; })
{
    if (tw_here() == 0)
        return;
    uint64_t now = twb_now();
    uint64_t since = __atomic_exchange_n(&requested, 0, __ATOMIC_RELAXED); // relaxed: likewise
    if (since != 0 && samples < SAMPLES_MOST)
        sample[samples++] = (double)(now - since) * twb_tick();
}

TW_TASK(offer_all, { long ms; })
{
    tw_finish {
        for (long us = 0; us < self.ms * 1000; us += OFFER_US) {
            for (int i = 0; i < OFFERED; i++)
                tw_async_any(stolen, .nothing = 0);
            twb_sleep_us(OFFER_US);
        }
    }
}

// ---- the fabric's round trip ----

static unsigned pings; // come
static const struct twi_sink *host_sink;

// The first may come while this place still has to do with the sum before it.
static void count_ping(void *host, uint32_t from, const struct twi_packet *packet,
                       const void *bytes)
{
    if (packet->message == PING)
        pings++;
    else
        host_sink->packet(host, from, packet, bytes);
}

static void await_pings(struct twi_fabric *fabric, unsigned count)
{
    while (pings < count)
        (void)fabric->calls->progress(fabric);
}

static void ping(struct twi_fabric *fabric, uint32_t to)
{
    fabric->calls->send(fabric, to, &(struct twi_packet){.message = PING}, NULL);
}

// Place 1 begins; place 0 takes the time.
static double round_trip(struct twi_fabric *fabric)
{
    static struct twi_sink sink;
    static double trip[PINGS];
    uint64_t nothing = 0;
    host_sink = fabric->sink;
    sink = *host_sink;
    sink.packet = count_ping;
    fabric->sink = &sink;
    twb_require(tw_places_sum(&nothing, 1));
    if (fabric->place == 1)
        ping(fabric, 0);
    else
        await_pings(fabric, 1);
    for (unsigned i = 0; i < PINGS; i++) {
        uint64_t begun = twb_now();
        if (fabric->place == 0)
            ping(fabric, 1);
        await_pings(fabric, i + 1 + (fabric->place == 0));
        if (fabric->place == 1)
            ping(fabric, 0);
        trip[i] = (double)(twb_now() - begun) * twb_tick();
    }
    fabric->sink = host_sink;
    return twb_median(trip, PINGS);
}

// ---- the hand-over ----

TW_TASK(hand_over_all, { double *median; })
{
    const struct twb_job job = {.workers = 2, .size = HAND_OVERS, .parameters = ""};
    *self.median = twb_find_case(twb_latency_cases, "steal_hot")->run(&job).value;
}

static double hand_over(void)
{
    struct tw_options options;
    struct tw_pool *pool;
    struct tw_job job;
    double median = 0;
    tw_options_init(&options, NULL, 0);
    options.workers = 2;
    options.bind = TW_BIND_ON;
    twb_require(tw_pool_start(&pool, &options));
    twb_require(tw_submit(pool, &job, hand_over_all, .median = &median));
    twb_require(tw_job_wait(&job));
    twb_require(tw_pool_stop(pool));
    return median;
}

// ---- all of it ----

static void steal_for(struct twi_fabric *fabric, long ms)
{
    static struct twi_fabric_calls calls;
    struct tw_options options;
    tw_options_init(&options, NULL, 0);
    options.workers = 1;
    options.comm = fabric->place == 0 ? TW_COMM_DEDICATED : TW_COMM_SHARED;
    options.spin_ns = SEARCH_NS;
    options.policy = "baseline"; // asks who has something, and only when a worker wants it
    calls = *fabric_calls;
    calls.send = send_stamped;
    fabric->calls = &calls;
    twb_require(tw_run_with(&options, offer_all, .ms = ms));
    fabric->calls = fabric_calls;
}

int twb_trip(int argc, char **argv)
{
    long ms = argc > 0 ? strtol(argv[0], NULL, 10) : 0;
    char message[1024];
    if (argc > 1 && strcmp(argv[1], "apart") == 0)
        twi_place_settings.host_places = 1;
    if (tw_places_open(NULL, message, sizeof message) != 0 || tw_places() != 2 || ms < 1) {
        fprintf(stderr, "bench: trip: wants two places and a time: %s\n", message);
        return 2;
    }
    struct twi_fabric *fabric = twi_place_here()->fabric;
    fabric_calls = fabric->calls;
    (void)twb_tick();
    double local = tw_here() == 0 ? hand_over() : 0, remote = round_trip(fabric);
    steal_for(fabric, ms);
    uint64_t found[] = {samples, samples ? (uint64_t)(1e9 * twb_median(sample, samples)) : 0};
    twb_require(tw_places_sum(found, 2));
    if (tw_here() == 0)
        printf("{\"trip\": %.9f, \"round_trip\": %.9f, \"hand_over\": %.9f, \"ratio\": %.4f, "
               "\"samples\": %" PRIu64 ", \"verified\": %s}\n",
               1e-9 * (double)found[1], remote, local, 1e-9 * (double)found[1] / (remote + local),
               found[0], found[0] >= SAMPLES_LEAST ? "true" : "false");
    return 0;
}
