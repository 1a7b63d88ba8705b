// SPDX-License-Identifier: Apache-2.0
// Map and reduce: every source gives the oracle's sum, with the latency hidden and not; the late
// server keeps its rules and ends when it should.
#include "app_support.h"

#include <errno.h>
#include <poll.h>
#include <sys/resource.h>
#include <sys/socket.h>
#include <sys/wait.h>

#include "apps/busy.h"
#include "apps/mapreduce/mapreduce.h"
#include "apps/net.h"

#define MS UINT64_C(1000000)

// Opens the source, runs, closes; returns the nanoseconds of the run, or 0 for a wrong one.
static uint64_t timed_run(struct source *source, uint64_t leaves, uint64_t *connections)
{
    struct mapreduce run = {.leaves = leaves, .work_rounds = 50, .source = source};
    if (source_open(source, leaves) != 0)
        return 0;
    uint64_t start = app_now_ns();
    int error = mapreduce_fork(NULL, &run);
    uint64_t taken = app_now_ns() - start;
    if (connections)
        *connections = source->connections.count;
    source_close(source);
    return error == 0 && run.sum == mapreduce_oracle(leaves, 50) ? taken : 0;
}

static void test_mapreduce_oracle(void **state)
{
    (void)state;
    assert_int_equal(mapreduce_oracle(2, 0), source_value(0) + source_value(1));
    assert_int_equal(mapreduce_oracle(1, 9), busy_work(source_value(0), 9));
    assert_int_not_equal(mapreduce_oracle(100, 1), mapreduce_oracle(100, 2));
    assert_int_equal(mapreduce_bound_ns(5 * MS, 1000, 2000, 4), 5 * MS + 500000);
    assert_int_equal(busy_rounds(0), 0);
    assert_true(busy_rounds(1000 * MS) > 1000000);
}

static void test_mapreduce_every_source(void **state)
{
    (void)state;
    for (unsigned kind = SOURCE_TIMER; kind <= SOURCE_FILE; kind++) {
        for (unsigned hide = 0; hide < 2; hide++) {
            struct source source = {
                .kind = (enum source_kind)kind, .hide = hide, .latency_ns = MS / 2};
            for (uint64_t leaves = 1; leaves <= 50; leaves += 7)
                assert_true(timed_run(&source, leaves, NULL) > 0);
        }
    }
}

// One after the other the leaves would take forty seconds.
static void test_mapreduce_hides_latency(void **state)
{
    (void)state;
    for (unsigned kind = SOURCE_TIMER; kind <= SOURCE_FILE; kind++) {
        struct source source = {
            .kind = (enum source_kind)kind, .hide = true, .latency_ns = 200 * MS};
        uint64_t taken = timed_run(&source, 200, NULL);
        assert_true(taken >= 200 * MS);
        assert_true(taken < 10000 * MS);
    }
}

static void test_mapreduce_without_hiding_holds_the_worker(void **state)
{
    (void)state;
    for (unsigned kind = SOURCE_TIMER; kind <= SOURCE_FILE; kind++) {
        struct source source = {.kind = (enum source_kind)kind, .latency_ns = 5 * MS};
        struct mapreduce run = {.leaves = 1, .source = &source};
        assert_int_equal(source_open(&source, 1), 0);
        assert_int_equal(mapreduce_fork(NULL, &run), 0);
        source_close(&source);
        assert_true(timed_run(&source, 24, NULL) >= 24 * 5 * MS / run.workers);
    }
}

// The limit cannot be raised again: a process of its own.
static void test_mapreduce_with_few_descriptors(void **state)
{
    (void)state;
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        struct rlimit few = {.rlim_cur = 70, .rlim_max = 74};
        struct source source = {.kind = SOURCE_TCP, .hide = true, .latency_ns = MS};
        uint64_t connections = 0;
        if (setrlimit(RLIMIT_NOFILE, &few) != 0)
            _exit(2);
        bool good = timed_run(&source, 100, &connections) >= 10 * MS;
        _exit(good && connections == 10 ? 0 : 1);
    }
    int status;
    assert_int_equal(waitpid(child, &status, 0), child);
    assert_int_equal(status, 0);
}

static int dial(const struct late_server *server)
{
    int made = net_connect(&server->address);
    assert_true(made >= 0);
    return made;
}

static uint64_t twice(uint64_t request)
{
    return 2 * request;
}

static void test_mapreduce_late_server_answers_late(void **state)
{
    (void)state;
    struct late_server server;
    uint64_t request = 21, answer = 0, start = app_now_ns();
    assert_int_equal(late_start(&server, 2, 20 * MS, twice), 0);
    int one = dial(&server), two = dial(&server);
    for (size_t i = 0; i < sizeof request; i++)
        assert_int_equal(send(one, (char *)&request + i, 1, MSG_NOSIGNAL), 1);
    assert_int_equal(recv(one, &answer, sizeof answer, MSG_WAITALL), sizeof answer);
    assert_int_equal(answer, 42);
    assert_true(app_now_ns() - start >= 20 * MS);
    uint64_t requests[2] = {1, 2}; // one too many at once
    assert_int_equal(send(two, requests, sizeof requests, MSG_NOSIGNAL), sizeof requests);
    assert_true(recv(two, &answer, sizeof answer, MSG_WAITALL) <= 0);
    close(one);
    close(two);
    late_stop(&server);
}

static void test_mapreduce_late_server_ends_with_its_parent(void **state)
{
    (void)state;
    int pipe_ends[2];
    struct late_server server;
    assert_int_equal(pipe(pipe_ends), 0);
    pid_t child = fork();
    assert_true(child >= 0);
    if (child == 0) {
        bool good = late_start(&server, 2, MS, twice) == 0 &&
                    write(pipe_ends[1], &server, sizeof server) == sizeof server;
        _exit(!good);
    }
    assert_int_equal(read(pipe_ends[0], &server, sizeof server), sizeof server);
    waitpid(child, NULL, 0);
    close(pipe_ends[0]);
    close(pipe_ends[1]);
    int made = 0;
    for (int tries = 0; tries < 2000 && made != -ECONNREFUSED; tries++) { // reset: it ends just now
        made = net_connect(&server.address);
        if (made >= 0)
            close(made);
        poll(NULL, 0, 5);
    }
    assert_int_equal(made, -ECONNREFUSED);
}

static void test_mapreduce_options(void **state)
{
    (void)state;
    app_verifies_with(&mapreduce_app, "--n", "20", "--latency", "1ms", "--source", "timer");
    app_verifies_with(&mapreduce_app, "--n", "20", "--latency", "1ms", "--source", "tcp");
    app_verifies_with(&mapreduce_app, "--n", "20", "--latency", "1ms", "--source", "file");
    app_verifies_with(&mapreduce_app, "--n", "20", "--latency", "100us", "--hide", "off");
    app_refuses(&mapreduce_app, "--n", "0", "--n does not accept '0': give a whole number from 1");
    app_refuses(&mapreduce_app, "--latency", "5",
                "--latency does not accept '5': give a time from 0 to 60s in s, ms, us or ns");
    app_refuses(&mapreduce_app, "--work", "-1us", "--work does not accept '-1us': give a time");
    app_refuses(&mapreduce_app, "--source", "disk",
                "--source does not accept 'disk': give one of timer, tcp, file");
    app_refuses(&mapreduce_app, "--hide", "yes", "--hide does not accept 'yes'");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_mapreduce_oracle),
        cmocka_unit_test(test_mapreduce_every_source),
        cmocka_unit_test(test_mapreduce_hides_latency),
        cmocka_unit_test(test_mapreduce_without_hiding_holds_the_worker),
        cmocka_unit_test(test_mapreduce_with_few_descriptors),
        cmocka_unit_test(test_mapreduce_late_server_answers_late),
        cmocka_unit_test(test_mapreduce_late_server_ends_with_its_parent),
        cmocka_unit_test(test_mapreduce_options),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
