// SPDX-License-Identifier: Apache-2.0
// The fabric alone, at as many places as a launcher starts. Each place runs the same steps and ends
// with 1 at the first thing that is wrong.
//   fabric all|dies|huge [host_places [spin_us]]
// `dies`: the last place ends while the others wait for it; `huge`: a packet that is too large.
#include <pthread.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "base/os.h"
#include "fabric/load.h"

enum message { NUMBER, SIZED, MIDDLING, ARRIVED, GO, ENTER, LEAVE, ECHO, PING, STRAY };
enum { PAIRS = 100, RING = 10000, ROUNDS = 20, TRIPS = 2000, PLACES_MOST = 64 };
enum { MIDDLING_MOST = 50, MIDDLING_STEP = 1499 }; // bytes: such packets go in pieces
enum { MS = 1000000 };

static const uint32_t sizes[] = {0,     1,       7,       4072, 4095,    4096,
                                 65536, 1 << 20, 8 << 20, 3,    1 << 20, 64};

struct place {
    struct twi_fabric *fabric;
    unsigned round;                    // of meetings
    uint64_t arrived, gone;            // at place 0: who has come; elsewhere: how often it said go
    uint64_t next[PLACES_MOST];        // number expected from each place
    uint64_t numbers, sized, middling; // come
    uint64_t middling_of[PLACES_MOST];
    uint64_t inside, entries, echoes; // of the lock
    uint64_t pings;
    uint32_t loads[PLACES_MOST], read; // answers
    int answered, is_ours;
    unsigned timers;
};

#define EXPECT(at, is, want)                                                                       \
    do {                                                                                           \
        unsigned long long is_ = (is), want_ = (want);                                             \
        if (is_ != want_) {                                                                        \
            fprintf(stderr, "%s:%d: place %u: %s is %llu, not %llu\n", __FILE__, __LINE__,         \
                    (at)->fabric->place, #is, is_, want_);                                         \
            exit(1);                                                                               \
        }                                                                                          \
    } while (0)

static void send(struct place *p, uint32_t to, enum message message, uint64_t word)
{
    p->fabric->calls->send(p->fabric, to,
                           &(struct twi_packet){.message = (uint16_t)message, .word = word}, NULL);
}

// ---- what comes ----

static void check_bytes(struct place *p, uint32_t from, const struct twi_packet *packet,
                        const unsigned char *bytes)
{
    EXPECT(p, packet->count, from);
    EXPECT(p, (uintptr_t)bytes % 16, 0);
    for (uint32_t i = 0; i < packet->size; i++)
        if (bytes[i] != (unsigned char)(i * 31 + from))
            EXPECT(p, bytes[i], (unsigned char)(i * 31 + from));
}

static void on_packet(void *host, uint32_t from, const struct twi_packet *packet, const void *bytes)
{
    struct place *p = host;
    switch ((enum message)packet->message) {
    case NUMBER:
        EXPECT(p, packet->word, p->next[from]);
        p->next[from]++;
        p->numbers++;
        break;
    case SIZED:
        EXPECT(p, packet->word, p->sized % (sizeof sizes / sizeof *sizes));
        EXPECT(p, packet->size, sizes[packet->word]);
        check_bytes(p, from, packet, bytes);
        p->sized++;
        break;
    case MIDDLING:
        EXPECT(p, packet->word, p->middling_of[from]);
        EXPECT(p, packet->size, packet->word * MIDDLING_STEP);
        check_bytes(p, from, packet, bytes);
        p->middling_of[from]++;
        p->middling++;
        break;
    case ARRIVED:
        p->arrived++;
        break;
    case GO:
        p->gone++;
        break;
    case ENTER:
        EXPECT(p, p->inside, 0);
        p->inside = 1;
        p->entries++;
        send(p, from, ECHO, 0);
        break;
    case LEAVE:
        EXPECT(p, p->inside, 1);
        p->inside = 0;
        send(p, from, ECHO, 0);
        break;
    case ECHO:
        p->echoes++;
        break;
    case PING:
        p->pings++;
        break;
    case STRAY:
        break;
    }
}

static void on_read(void *host, uint32_t of, uint32_t load)
{
    struct place *p = host;
    p->loads[of] = load;
    p->read++;
}

static void on_locked(void *host, uint32_t of, int is_ours)
{
    struct place *p = host;
    EXPECT(p, of, 0);
    p->is_ours = is_ours;
    p->answered = 1;
}

static void on_timer(void *host)
{
    ((struct place *)host)->timers++;
}

static const struct twi_sink sink = {
    .packet = on_packet, .read = on_read, .locked = on_locked, .timer = on_timer};

// ---- waiting ----

static uint64_t now(struct place *p)
{
    return p->fabric->calls->now_ns(p->fabric);
}

// Until *counter is `want`, for a minute at most.
static void until(struct place *p, const uint64_t *counter, uint64_t want)
{
    uint64_t end = now(p) + 60000ull * MS;
    while (*counter < want && now(p) < end)
        if (!p->fabric->calls->progress(p->fabric))
            p->fabric->calls->wait(p->fabric, end);
    EXPECT(p, *counter, want);
}

static void meet(struct place *p)
{
    uint32_t places = p->fabric->places;
    p->round++;
    send(p, 0, ARRIVED, 0);
    if (p->fabric->place == 0) {
        until(p, &p->arrived, (uint64_t)p->round * places);
        for (uint32_t to = 0; to < places; to++)
            send(p, to, GO, 0);
    }
    until(p, &p->gone, p->round);
}

// ---- the steps ----

static void try_pairs(struct place *p)
{
    uint32_t places = p->fabric->places, ring = (p->fabric->place + 1) % places;
    uint64_t number[PLACES_MOST] = {0};
    for (int i = 0; i < PAIRS; i++)
        for (uint32_t to = 0; to < places; to++)
            send(p, to, NUMBER, number[to]++);
    for (int i = 0; i < RING; i++) {
        send(p, ring, NUMBER, number[ring]++);
        if (i % 1000 == 0)
            p->fabric->calls->progress(p->fabric);
    }
    until(p, &p->numbers, (uint64_t)PAIRS * places + RING);
    meet(p);
    EXPECT(p, p->numbers, (uint64_t)PAIRS * places + RING);
}

static unsigned char *make_bytes(struct place *p, uint32_t size)
{
    unsigned char *bytes = malloc(size);
    for (uint32_t i = 0; i < size; i++)
        bytes[i] = (unsigned char)(i * 31 + p->fabric->place);
    return bytes;
}

static void try_sizes(struct place *p)
{
    enum { COUNT = sizeof sizes / sizeof *sizes };
    uint32_t me = p->fabric->place;
    unsigned char *bytes = make_bytes(p, 8 << 20);
    for (uint32_t i = 0; i < COUNT; i++) {
        struct twi_packet packet = {.message = SIZED, .count = me, .size = sizes[i], .word = i};
        p->fabric->calls->send(p->fabric, (me + 1) % p->fabric->places, &packet, bytes);
    }
    memset(bytes, 0, 8 << 20); // they were ours again
    free(bytes);
    until(p, &p->sized, COUNT);
    meet(p);
}

// From everybody to everybody at once: pieces of several packets come in turn.
static void try_middling(struct place *p)
{
    uint32_t me = p->fabric->place, places = p->fabric->places;
    unsigned char *bytes = make_bytes(p, MIDDLING_MOST * MIDDLING_STEP);
    for (uint32_t i = 0; i < MIDDLING_MOST; i++)
        for (uint32_t to = 0; to < places; to++) {
            struct twi_packet packet = {
                .message = MIDDLING, .count = me, .size = i * MIDDLING_STEP, .word = i};
            p->fabric->calls->send(p->fabric, to, &packet, bytes);
        }
    free(bytes);
    until(p, &p->middling, (uint64_t)MIDDLING_MOST * places);
    meet(p);
}

static void try_loads(struct place *p)
{
    uint32_t places = p->fabric->places;
    for (uint32_t base = 1000; base <= 2000; base += 1000) {
        p->fabric->calls->publish(p->fabric, base + p->fabric->place);
        meet(p);
        p->read = 0;
        for (uint32_t of = 0; of < places; of++)
            p->fabric->calls->read(p->fabric, of);
        EXPECT(p, p->read, 0); // from inside progress only
        while (p->read < places)
            if (!p->fabric->calls->progress(p->fabric))
                p->fabric->calls->wait(p->fabric, now(p) + 1000ull * MS);
        for (uint32_t of = 0; of < places; of++)
            EXPECT(p, p->loads[of], base + of);
        meet(p);
    }
}

static void take_lock(struct place *p)
{
    do {
        p->answered = 0;
        p->fabric->calls->lock(p->fabric, 0);
        while (!p->answered)
            if (!p->fabric->calls->progress(p->fabric))
                p->fabric->calls->wait(p->fabric, now(p) + 1000ull * MS);
    } while (!p->is_ours);
}

static void try_locks(struct place *p)
{
    for (unsigned i = 0; i < ROUNDS; i++) {
        take_lock(p);
        send(p, 0, ENTER, 0);
        until(p, &p->echoes, 2 * i + 1);
        send(p, 0, LEAVE, 0);
        until(p, &p->echoes, 2 * i + 2);
        p->fabric->calls->unlock(p->fabric, 0);
    }
    meet(p);
    EXPECT(p, p->entries, p->fabric->place == 0 ? (uint64_t)ROUNDS * p->fabric->places : 0);
    if (p->fabric->place == 0) { // who holds it does not get it again
        take_lock(p);
        p->answered = 0;
        p->fabric->calls->lock(p->fabric, 0);
        while (!p->answered)
            p->fabric->calls->progress(p->fabric);
        EXPECT(p, (unsigned)p->is_ours, 0);
        p->fabric->calls->unlock(p->fabric, 0);
    }
    meet(p);
}

static void try_timers(struct place *p)
{
    const struct twi_fabric_calls *calls = p->fabric->calls;
    uint64_t start = now(p);
    calls->timer(p->fabric, start + 3600000ull * MS);
    calls->timer(p->fabric, start + 20 * MS);
    while (!p->timers && now(p) < start + 10000ull * MS)
        if (!calls->progress(p->fabric))
            calls->wait(p->fabric, start + 10000ull * MS);
    EXPECT(p, p->timers, 1);
    EXPECT(p, now(p) >= start + 20 * MS, 1);
    calls->timer(p->fabric, now(p) + 5 * MS);
    calls->timer(p->fabric, 0);
    start = now(p);
    while (now(p) < start + 20 * MS)
        if (!calls->progress(p->fabric))
            calls->wait(p->fabric, start + 20 * MS);
    EXPECT(p, p->timers, 1);
    meet(p);
}

static void *call_later(void *fabric)
{
    usleep(30000);
    ((struct twi_fabric *)fabric)->calls->wake(fabric);
    return NULL;
}

// Nobody sends meanwhile: every place does this between two meetings.
static void try_wakes(struct place *p)
{
    const struct twi_fabric_calls *calls = p->fabric->calls;
    pthread_t thread;
    uint64_t start = now(p);
    while (now(p) < start + 50 * MS) // the other places have heard that all are here
        if (!calls->progress(p->fabric))
            calls->wait(p->fabric, start + 50 * MS);
    start = now(p);
    if (pthread_create(&thread, NULL, call_later, p->fabric))
        exit(1);
    calls->wait(p->fabric, start + 20000ull * MS);
    EXPECT(p, now(p) >= start + 20 * MS, 1);
    EXPECT(p, now(p) < start + 10000ull * MS, 1);
    pthread_join(thread, NULL);
    calls->wake(p->fabric); // before the wait: it is remembered
    calls->wait(p->fabric, start + 40000ull * MS);
    EXPECT(p, now(p) < start + 20000ull * MS, 1);
    calls->progress(p->fabric);
    meet(p);
}

// Both look all the time, then both wait.
static void try_trips(struct place *p, int waits)
{
    uint32_t me = p->fabric->place;
    uint64_t start = now(p), before = waits && p->fabric->places <= 2 ? TRIPS : 0;
    if (p->fabric->places > 1 && me < 2)
        for (uint64_t i = 1; i <= TRIPS; i++) {
            if (me == 0)
                send(p, 1, PING, 0);
            while (p->pings < before + i)
                if (!p->fabric->calls->progress(p->fabric) && waits)
                    p->fabric->calls->wait(p->fabric, now(p) + 1000ull * MS);
            if (me == 1)
                send(p, 0, PING, 0);
        }
    if (me == 0 && p->fabric->places > 1)
        printf("%s round trip: %.2f us\n", waits ? "sleeping" : "spinning",
               (double)(now(p) - start) / TRIPS / 1000);
    meet(p);
}

static void run(struct twi_loaded *loaded, int is_first)
{
    struct place p = {.fabric = loaded->fabric};
    p.fabric->sink = &sink;
    p.fabric->host = &p;
    meet(&p);
    try_pairs(&p);
    try_middling(&p);
    try_sizes(&p);
    if (is_first) {
        try_loads(&p);
        try_locks(&p);
        try_timers(&p);
        try_wakes(&p);
        if (p.fabric->places <= 2) // the others would wait beside them
            try_trips(&p, 0);
        try_trips(&p, 1);
    }
    send(&p, (p.fabric->place + 1) % p.fabric->places, STRAY, 0);
}

static void tell(const struct twi_loaded *loaded)
{
    const struct twi_mpi_facts *facts = &loaded->facts;
    if (!loaded->plugin)
        printf("no MPI\n");
    else if (loaded->fabric->place == 0)
        printf("%s, %s, %u of %u places share memory, %u processors\n", facts->mpi, facts->level,
               facts->neighbours, loaded->fabric->places, facts->sharing.sharers);
}

// Does not return, or waits until it is ended.
static void run_badly(struct twi_loaded *loaded, int is_huge)
{
    struct place p = {.fabric = loaded->fabric};
    p.fabric->sink = &sink;
    p.fabric->host = &p;
    meet(&p);
    if (is_huge)
        p.fabric->calls->send(p.fabric, (p.fabric->place + 1) % p.fabric->places,
                              &(struct twi_packet){.size = UINT32_MAX}, &p);
    if (p.fabric->place == p.fabric->places - 1)
        exit(3);
    until(&p, &p.gone, 2);
}

int main(int argc, char **argv)
{
    struct twi_loaded loaded;
    const char *asked = getenv("TWILL_MPI"), *what = argc > 1 ? argv[1] : "all";
    struct twi_mpi_settings settings = {
        .host_places = argc > 2 ? (uint32_t)atoi(argv[2]) : 0,
        .spin_ns = argc > 3 ? (uint64_t)atoi(argv[3]) * 1000 : 0,
    };
    char message[2000];
    for (int i = 0; i < 2; i++) { // twice: a program may run places several times
        if (twi_fabric_load(&loaded, asked ? asked : "auto", &settings, message, sizeof message)) {
            fprintf(stderr, "%s\n", message);
            return 1;
        }
        uint32_t place = loaded.fabric->place;
        if (loaded.fabric->places > PLACES_MOST)
            return 1;
        if (i == 0)
            tell(&loaded);
        if (strcmp(what, "all") != 0)
            run_badly(&loaded, strcmp(what, "huge") == 0);
        run(&loaded, i == 0);
        twi_fabric_unload(&loaded);
        if (place == 0 && i == 1)
            printf("all is well\n");
    }
    return 0;
}
