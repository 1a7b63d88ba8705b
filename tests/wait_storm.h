// SPDX-License-Identifier: Apache-2.0
// Storms of sleeps and of connections, with deadlines and cancellations at random: the small ones
// of wait_stress_test.c, the large ones of soak/wait_storm_test.c.
#ifndef TEST_WAIT_STORM_H
#define TEST_WAIT_STORM_H

#include "io_ways.h"

#include <arpa/inet.h>
#include <errno.h>
#include <netinet/in.h>
#include <sys/resource.h>
#include <unistd.h>

#include "base/rng.h"
#include "patience.h"

struct storm {
    long each; // sleeps of a task, connections of a client
    int tasks;
    struct sockaddr_in address;
    int listens;
    long done, ended_early, wrong;
    int over; // the next connection is the last
};

static inline void storm_count(struct storm *s, int error)
{
    long *to = error == 0                                       ? &s->done
               : error == TW_ETIMEDOUT || error == TW_ECANCELED ? &s->ended_early
                                                                : &s->wrong;
    __atomic_fetch_add(to, 1, __ATOMIC_RELAXED);
}

// ---- sleeps ----

TW_TASK(storm_sleep, {
    struct storm *storm;
    uint64_t seed;
})
{
    struct twi_rng rng = {.counter = self.seed};
    for (long i = 0; i < self.storm->each; i++) {
        uint64_t ns = twi_rng_below(&rng, 2 * MS), begun = tw_now_ns();
        int error = 0;
        if (twi_rng_below(&rng, 8)) {
            error = tw_sleep(ns);
        } else { // cancelled by its attempt, if that is the first
            struct tw_outcome outcome;
            tw_attempt(&outcome, .timeout_ns = 1 + twi_rng_below(&rng, MS))
            {
                error = tw_sleep(ns);
            }
        }
        storm_count(self.storm, !error && tw_now_ns() - begun < ns ? TW_EIO : error);
    }
}

TW_TASK(storm_sleeps, { struct storm *storm; })
{
    for (int i = 0; i < self.storm->tasks; i++)
        tw_async(storm_sleep, .storm = self.storm, .seed = (uint64_t)i * 100000);
}

// ---- connections ----

TW_TASK(storm_echo, { int fd; })
{
    char bytes[64];
    int64_t got = tw_read(self.fd, bytes, sizeof bytes, TW_NEVER);
    if (got > 0)
        got = tw_write(self.fd, bytes, (size_t)got, TW_NEVER);
    if (got > 0) // until the client is gone, who has the last word
        (void)tw_read(self.fd, bytes, 1, TW_NEVER);
    close(self.fd);
}

TW_TASK(storm_serve, { struct storm *storm; })
{
    for (;;) {
        int fd = tw_accept(self.storm->listens, NULL, NULL, TW_NEVER);
        if (fd >= 0 && __atomic_load_n(&self.storm->over, __ATOMIC_ACQUIRE)) {
            close(fd);
            break;
        }
        if (fd >= 0)
            tw_async(storm_echo, .fd = fd);
        else
            storm_count(self.storm, fd);
    }
}

static inline int storm_exchange(int fd, const struct sockaddr_in *address, uint64_t deadline_ns)
{
    char said[] = "hello", heard[sizeof said] = "";
    int error = tw_connect(fd, (const struct sockaddr *)address, sizeof *address, deadline_ns);
    int64_t moved = error ? error : tw_write(fd, said, sizeof said, deadline_ns);
    if (moved > 0)
        moved = tw_read(fd, heard, sizeof heard, deadline_ns);
    if (moved < 0)
        return (int)moved;
    return moved == sizeof said && strcmp(said, heard) == 0 ? 0 : TW_EIO;
}

TW_TASK(storm_connect, {
    struct storm *storm;
    uint64_t seed;
})
{
    struct twi_rng rng = {.counter = self.seed};
    struct linger at_once = {1, 0}; // or the system would run out of ports
    for (long i = 0; i < self.storm->each; i++) {
        struct tw_outcome outcome;
        int fd = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0);
        int error = TW_EIO;
        uint32_t way = twi_rng_below(&rng, 8);
        uint64_t soon = 1 + twi_rng_below(&rng, 2 * MS);
        if (way == 0) {
            tw_attempt(&outcome, .timeout_ns = soon)
            {
                error = storm_exchange(fd, &self.storm->address, TW_NEVER);
            }
        } else {
            error =
                storm_exchange(fd, &self.storm->address, way == 1 ? tw_now_ns() + soon : TW_NEVER);
        }
        storm_count(self.storm, error);
        setsockopt(fd, SOL_SOCKET, SO_LINGER, &at_once, sizeof at_once);
        close(fd);
    }
}

// The server is not cancelled, for what it has accepted is to be closed.
TW_TASK(storm_connections, { struct storm *storm; })
{
    const struct sockaddr *address = (const struct sockaddr *)&self.storm->address;
    tw_async(storm_serve, .storm = self.storm);
    tw_finish {
        for (int i = 0; i < self.storm->tasks; i++)
            tw_async(storm_connect, .storm = self.storm, .seed = (uint64_t)i * 100000);
    }
    int fd = socket(AF_INET, SOCK_STREAM, 0);
    __atomic_store_n(&self.storm->over, 1, __ATOMIC_RELEASE);
    if (tw_connect(fd, address, sizeof self.storm->address, TW_NEVER) != 0)
        storm_count(self.storm, TW_EIO);
    close(fd);
}

static inline void storm_listen(struct storm *s)
{
    socklen_t length = sizeof s->address;
    s->address = (struct sockaddr_in){.sin_family = AF_INET};
    s->address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    s->listens = socket(AF_INET, SOCK_STREAM, 0);
    assert_int_equal(bind(s->listens, (struct sockaddr *)&s->address, length), 0);
    assert_int_equal(listen(s->listens, 4096), 0);
    assert_int_equal(getsockname(s->listens, (struct sockaddr *)&s->address, &length), 0);
}

// ---- both ----

// Stacks are for those who wait, not for all who ever did.
static inline void storm_check(const struct storm *s, const struct tw_stats *stats, int stacks_each)
{
    uint64_t most = (uint64_t)s->tasks * (uint64_t)stacks_each + 64 * (uint64_t)stats->workers + 64;
    print_message("%ld done, %ld ended early, %lu stacks\n", s->done, s->ended_early,
                  (unsigned long)stats->sum.stacks);
    assert_int_equal(s->wrong, 0);
    assert_int_equal(s->done + s->ended_early, s->each * s->tasks);
    assert_true(s->done > s->ended_early);
    assert_true(stats->sum.stacks <= most);
}

static inline void storm_of_sleeps(int tasks, long sleeps)
{
    struct storm storm = {.tasks = tasks, .each = sleeps / tasks};
    struct tw_stats stats = {.room = 0};
    struct tw_options options;
    assert_int_equal(tw_options_init(&options, NULL, 0), 0);
    options.stats = &stats;
    assert_int_equal(tw_run_with(&options, storm_sleeps, .storm = &storm), 0);
    storm_check(&storm, &stats, 1);
}

static inline void storm_of_connections(int clients, long connections, const char *io)
{
    struct rlimit limit;
    struct tw_stats stats = {.room = 0};
    struct tw_options options;
    int before = test_open_descriptors();
    getrlimit(RLIMIT_NOFILE, &limit);
    rlim_t most = limit.rlim_cur < 100000 ? limit.rlim_cur : 100000;
    int room = (int)most / 4; // two ends each, and those that are left behind
    struct storm storm = {.tasks = clients < room ? clients : room};
    storm.each = connections / storm.tasks;
    assert_int_equal(tw_options_init(&options, NULL, 0), 0);
    assert_int_equal(tw_options_set(&options, "io", io, NULL, 0), 0);
    options.stats = &stats;
    storm_listen(&storm);
    assert_int_equal(tw_run_with(&options, storm_connections, .storm = &storm), 0);
    close(storm.listens);
    storm_check(&storm, &stats, 3);
    assert_int_equal(test_open_descriptors(), before);
}

#endif
