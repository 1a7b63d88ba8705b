// SPDX-License-Identifier: Apache-2.0
// The fabric between two places, measured. See measure.h.
//
// Place 0 asks, place 1 answers. Where places look all the time, a way is half of a round trip.
// Where they sleep, the time of sending travels along: both places have the same clock.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <time.h>
#include <unistd.h>

#include <twill/atomic.h>
#include <twill/runtime.h>

#include "base/os.h"
#include "fabric/load.h"
#include "sim/measure.h"

enum {
    TRIPS = 40,    // of a sample
    WARM_UP = 200, // trips
    BURST = 64,
    QUIET_NS = 100000, // what is sent has come after that
    REST_US = 400,     // a place is asleep after that
    WAIT_NS = 100000000,
    SPINNERS_MOST = 256,
};

static const uint32_t sizes[] = {0, 256, 4096, 65536};
enum { SIZES = sizeof sizes / sizeof sizes[0] };

// What place 0 sends, and place 1 answers with the same.
enum message {
    ECHO,       // answered at once, with as many bytes
    WHEN,       // answered by the time at which it came
    BURSTED,    // not answered
    BURST_BACK, // answered by many
    ASLEEP,     // word: whether to sleep from now on
    USED,       // answered by the time that the thread has computed
    OVER,
};

struct end {
    struct twi_fabric *fabric;
    struct sim_notes *notes;
    unsigned char *bytes; // as many as any packet has
    uint64_t packets, reads, word;
    int sleeps, is_over;
};

static void send(struct end *end, enum message message, uint64_t word, uint32_t size)
{
    struct twi_packet packet = {.message = (uint16_t)message, .word = word, .size = size};
    end->fabric->calls->send(end->fabric, 1 - end->fabric->place, &packet, end->bytes);
}

static uint64_t used_ns(void)
{
    struct timespec used;
    clock_gettime(CLOCK_THREAD_CPUTIME_ID, &used);
    return (uint64_t)used.tv_sec * 1000000000u + (uint64_t)used.tv_nsec;
}

static void answer(struct end *end, const struct twi_packet *packet)
{
    switch ((enum message)packet->message) {
    case ECHO:
        send(end, ECHO, 0, packet->size);
        break;
    case WHEN:
        send(end, WHEN, twi_now_ns(), 0);
        break;
    case BURSTED:
        break;
    case BURST_BACK:
        for (int i = 0; i < BURST; i++)
            send(end, BURSTED, 0, 0);
        break;
    case ASLEEP:
        end->sleeps = (int)packet->word;
        send(end, ASLEEP, 0, 0);
        break;
    case USED:
        send(end, USED, used_ns(), 0);
        break;
    case OVER:
        end->is_over = 1;
        break;
    }
}

static void on_packet(void *host, uint32_t from, const struct twi_packet *packet, const void *bytes)
{
    struct end *end = host;
    (void)from, (void)bytes;
    end->packets++;
    end->word = packet->word;
    if (end->fabric->place == 1)
        answer(end, packet);
}

static void on_read(void *host, uint32_t of, uint32_t load)
{
    (void)of, (void)load;
    ((struct end *)host)->reads++;
}

static void on_locked(void *host, uint32_t of, int is_ours)
{
    (void)host, (void)of, (void)is_ours;
}

static void on_timer(void *host)
{
    (void)host;
}

static const struct twi_sink sink = {on_packet, on_read, on_locked, on_timer};

static void look(struct end *end)
{
    if (end->fabric->calls->progress(end->fabric) == 0 && end->sleeps)
        end->fabric->calls->wait(end->fabric, twi_now_ns() + WAIT_NS);
}

// ---- place 0 ----

static void ask(struct end *end, enum message message, uint64_t word, uint32_t size)
{
    uint64_t before = end->packets;
    send(end, message, word, size);
    while (end->packets == before)
        look(end);
}

static double trip_ns(struct end *end, uint32_t size)
{
    uint64_t begun = twi_now_ns();
    for (int i = 0; i < TRIPS; i++)
        ask(end, ECHO, 0, size);
    return (double)(twi_now_ns() - begun) / TRIPS;
}

static void note(struct end *end, const char *name, double value)
{
    end->notes->note(end->notes, name, value);
}

static void measure_ways(struct end *end)
{
    char name[32];
    for (int i = 0; i < SIZES; i++) {
        snprintf(name, sizeof name, "way-%u", sizes[i]);
        note(end, name, trip_ns(end, sizes[i]) / 2);
    }
}

static void spin(uint64_t ns)
{
    uint64_t begun = twi_now_ns();
    while (twi_now_ns() - begun < ns)
        twi_relax();
}

// What a packet takes that is sent, or found by a look; and the time between two that follow each
// other.
static void measure_overheads(struct end *end)
{
    uint64_t begun = twi_now_ns();
    for (int i = 0; i < BURST; i++)
        send(end, BURSTED, 0, 0);
    note(end, "send", (double)(twi_now_ns() - begun) / BURST);
    ask(end, ECHO, 0, 0);
    note(end, "burst", (double)(twi_now_ns() - begun) / BURST);
    uint64_t all = end->packets + BURST;
    send(end, BURST_BACK, 0, 0);
    spin(QUIET_NS);
    begun = twi_now_ns();
    while (end->packets < all)
        look(end);
    note(end, "receive", (double)(twi_now_ns() - begun) / BURST);
}

static void measure_read(struct end *end)
{
    uint64_t begun = twi_now_ns(), before = end->reads;
    for (int i = 0; i < TRIPS; i++) {
        end->fabric->calls->read(end->fabric, 1);
        while (end->reads == before + (uint64_t)i)
            look(end);
    }
    note(end, "read", (double)(twi_now_ns() - begun) / TRIPS);
}

// To a place that sleeps: the way, until it has looked.
static void measure_asleep(struct end *end, const char *name)
{
    usleep(REST_US);
    uint64_t sent = twi_now_ns();
    ask(end, WHEN, 0, 0);
    note(end, name, end->word > sent ? (double)(end->word - sent) : 0);
}

// What a packet takes of the processors at each end, when both sleep in between.
static void measure_used(struct end *end, const char *name)
{
    ask(end, USED, 0, 0);
    uint64_t used = end->word + used_ns();
    for (int i = 0; i < TRIPS; i++)
        ask(end, ECHO, 0, 0);
    ask(end, USED, 0, 0);
    used = end->word + used_ns() - used;
    note(end, name, (double)used / (4 * TRIPS + 4));
}

// ---- busy processors ----

struct spinners {
    int stop;
    unsigned count;
    pthread_t thread[SPINNERS_MOST];
};

static void *be_busy(void *stop)
{
    while (!TWI_LOAD((int *)stop, TWI_RELAXED)) // hint
        twi_relax();
    return NULL;
}

static void start_spinners(struct spinners *spinners)
{
    struct tw_machine machine;
    tw_machine_describe(&machine);
    while (spinners->count < machine.workers && spinners->count < SPINNERS_MOST &&
           pthread_create(&spinners->thread[spinners->count], NULL, be_busy, &spinners->stop) == 0)
        spinners->count++;
}

static void stop_spinners(struct spinners *spinners)
{
    TWI_STORE(&spinners->stop, 1, TWI_RELAXED); // hint
    while (spinners->count)
        pthread_join(spinners->thread[--spinners->count], NULL);
}

static void measure_all(struct end *end, unsigned samples)
{
    struct spinners spinners = {0};
    for (int i = 0; i < WARM_UP; i++)
        ask(end, ECHO, 0, 0);
    for (unsigned i = 0; i < samples; i++) {
        measure_ways(end);
        measure_overheads(end);
        measure_read(end);
    }
    ask(end, ASLEEP, 1, 0);
    end->sleeps = 1;
    for (unsigned i = 0; i < samples; i++) {
        measure_asleep(end, "asleep");
        measure_used(end, "used");
    }
    start_spinners(&spinners);
    for (unsigned i = 0; i < samples; i++) {
        measure_asleep(end, "asleep-busy");
        measure_used(end, "used-busy");
    }
    stop_spinners(&spinners);
    send(end, OVER, 0, 0);
}

static int complain(char *message, size_t size, const char *what)
{
    snprintf(message, size, "%s", what);
    return TW_EINVAL;
}

static int measure_with(const struct twi_loaded *loaded, struct end *end, unsigned samples,
                        char *message, size_t size)
{
    if (end->fabric->places != 2)
        return complain(message, size, "not at two places");
    if (loaded->facts.neighbours != 2)
        return complain(message, size, "the two places are on different hosts");
    end->fabric->sink = &sink;
    end->fabric->host = end;
    if (end->fabric->place == 0)
        measure_all(end, samples);
    else
        while (!end->is_over)
            look(end);
    return 0;
}

int sim_measure_pair(struct sim_notes *notes, const char *mpi, unsigned samples, char *message,
                     size_t size)
{
    const struct twi_mpi_settings settings = {.spin_ns = 0};
    struct twi_loaded loaded;
    struct end end = {.notes = notes, .bytes = calloc(1, sizes[SIZES - 1])};
    if (!end.bytes)
        return complain(message, size, "no memory");
    int error = twi_fabric_load(&loaded, mpi, &settings, message, size);
    if (!error) {
        end.fabric = loaded.fabric;
        error = measure_with(&loaded, &end, samples, message, size);
        twi_fabric_unload(&loaded);
    }
    free(end.bytes);
    return error;
}
