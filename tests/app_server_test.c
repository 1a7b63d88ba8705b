// SPDX-License-Identifier: Apache-2.0
// The HTTP server against its own client, and against a thread that says what clients should not.
#include "app_support.h"

#include <errno.h>
#include <poll.h>
#include <pthread.h>
#include <sys/resource.h>
#include <sys/socket.h>

#include "apps/net.h"
#include "apps/server/server.h"

#define GET(path) "GET " path " HTTP/1.1\r\nHost: t\r\n\r\n"
#define MS UINT64_C(1000000)

static const struct sockaddr_in any_port = {.sin_family = AF_INET};

static struct server opened(struct server_limits limits)
{
    struct server server;
    struct sockaddr_in address = any_port;
    address.sin_addr.s_addr = htonl(INADDR_LOOPBACK);
    if (!limits.connections)
        limits.connections = 20;
    if (!limits.timeout_ns)
        limits.timeout_ns = 20000 * MS;
    assert_int_equal(server_open(&server, &limits, &address), 0);
    return server;
}

// ---- what the thread says and hears; it does not assert, for cmocka is the main thread's ----

struct talk {
    struct server *server;
    bool (*say)(struct server *server);
    bool stops; // the server, afterwards
    bool good;
};

static int dial(const struct server *server)
{
    struct timeval patience = {.tv_sec = 20};
    int made = net_connect(&server->address);
    if (made >= 0)
        setsockopt(made, SOL_SOCKET, SO_RCVTIMEO, &patience, sizeof patience);
    return made;
}

static bool say(int socket, const char *text)
{
    return send(socket, text, strlen(text), MSG_NOSIGNAL) == (ssize_t)strlen(text);
}

// An answer with this status and, unless NULL, this body comes next, without other words after it.
static bool hear(int socket, int status, const char *body)
{
    char text[1024], start[32];
    size_t have = 0;
    char *end = NULL;
    while (!end && have < sizeof text - 1 && recv(socket, text + have, 1, 0) == 1) {
        text[++have] = '\0';
        end = strstr(text, "\r\n\r\n");
    }
    const char *length = end ? strstr(text, "Content-Length: ") : NULL;
    size_t size = length ? strtoul(length + strlen("Content-Length: "), NULL, 10) : sizeof text;
    if (size > sizeof text - 1 - have || recv(socket, end + 4, size, MSG_WAITALL) != (ssize_t)size)
        return false;
    end[4 + size] = '\0';
    snprintf(start, sizeof start, "HTTP/1.1 %d ", status);
    return strncmp(text, start, strlen(start)) == 0 && (!body || strcmp(end + 4, body) == 0);
}

// What was said too late for a connection that is closed resets it.
static bool hear_end(int socket)
{
    char byte;
    ssize_t got = recv(socket, &byte, 1, 0);
    bool ended = got == 0 || (got < 0 && errno == ECONNRESET);
    close(socket);
    return ended;
}

static void *talk_thread(void *argument)
{
    struct talk *talk = argument;
    talk->good = talk->say(talk->server);
    if (talk->stops)
        server_stop(talk->server);
    return NULL;
}

// Serves while a thread talks; the server is still open afterwards.
static void converse(struct server *server, bool (*text)(struct server *), bool stops)
{
    struct talk talk = {.server = server, .say = text, .stops = stops};
    pthread_t thread;
    assert_int_equal(pthread_create(&thread, NULL, talk_thread, &talk), 0);
    assert_int_equal(server_run(NULL, server, 0, NULL), 0);
    pthread_join(thread, NULL);
    assert_true(talk.good);
    server_close(server);
}

// ---- the tests ----

static void test_server_answers_itself(void **state)
{
    (void)state;
    static const struct server_limits limits[] = {
        {.connections = 0}, {.connections = 1}, {.work_ns = 50000}, {.connections = 3}};
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++) {
        struct server server = opened(limits[i]);
        uint64_t wrong = 1, requests = i ? 40 : (uint64_t)test_scaled(500);
        assert_int_equal(server_run(NULL, &server, requests, &wrong), 0);
        assert_int_equal(wrong, 0);
        assert_int_equal(server.counts.answered, requests);
        assert_int_equal(server.counts.refused, requests / 5 * 2);
        assert_int_equal(server.counts.timeouts, 0);
        assert_null(server.open_first);
        server_close(&server);
    }
}

static bool refused(struct server *server, const char *text, int status)
{
    int socket = dial(server);
    bool good = say(socket, text) && hear(socket, status, NULL) && hear_end(socket);
    if (!good)
        fprintf(stderr, "not answered by %d: %s\n", status, text);
    return good;
}

static bool say_what_is_wrong(struct server *server)
{
    char huge[HTTP_HEAD_MAX + 100];
    memset(huge, 'x', sizeof huge);
    memcpy(huge, "GET / HTTP/1.1\r\nx: ", 19);
    huge[sizeof huge - 1] = '\0';
    return refused(server, "nonsense\r\n\r\n", 400) &&
           refused(server, "GET / HTTP/1.1\r\n\r\nGET /", 400) && refused(server, huge, 431) &&
           refused(server, "POST / HTTP/1.1\r\nHost: t\r\nContent-Length: 2\r\n\r\nab", 405) &&
           refused(server, "GET / HTTP/1.1\r\nHost: t\r\nContent-Length: 2\r\n\r\nab", 413) &&
           refused(server, "GET / HTTP/9.1\r\n\r\n", 505) &&
           refused(server, "GET / HTTP/1.0\r\n\r\n", 200);
}

static bool say_what_is_elsewhere(struct server *server)
{
    static const char *const paths[] = {"/fib/",   "/fib/41",  "/fib/99999999999999999999999",
                                        "/fib/-1", "/fib/1x",  "/work/1000001",
                                        "//",      "/fibs/10", "/work"};
    int socket = dial(server);
    bool good = true;
    for (size_t i = 0; i < sizeof paths / sizeof paths[0]; i++) {
        char text[128];
        snprintf(text, sizeof text, "GET %s HTTP/1.1\r\nHost: t\r\n\r\n", paths[i]);
        good = good && say(socket, text) && hear(socket, 404, NULL);
    }
    good = good && say(socket, "PUT / HTTP/1.1\r\nHost: t\r\n\r\n") && hear(socket, 405, NULL);
    good = good && say(socket, GET("/")) && hear(socket, 200, SERVER_GREETING);
    close(socket);
    return good;
}

static void test_server_refuses(void **state)
{
    (void)state;
    struct server server = opened((struct server_limits){0});
    converse(&server, say_what_is_wrong, true);
    assert_int_equal(server.counts.answered, 7);
    assert_int_equal(server.counts.refused, 6);
    server = opened((struct server_limits){0});
    converse(&server, say_what_is_elsewhere, true);
    assert_int_equal(server.counts.refused, 10);
}

static bool say_in_pieces(struct server *server)
{
    static const char text[] = GET("/fib/30");
    int socket = dial(server);
    bool good = true;
    for (size_t i = 0; i < sizeof text - 1; i++) {
        good = good && send(socket, text + i, 1, MSG_NOSIGNAL) == 1;
        poll(NULL, 0, 1);
    }
    good = good && hear(socket, 200, "832040\n");
    close(socket);
    return good;
}

static bool say_many_at_once(struct server *server)
{
    int socket = dial(server);
    bool good = say(socket, GET("/fib/1") GET("/fib/10") GET("/work/7") GET("/x") GET("/fib/20"));
    good = good && hear(socket, 200, "1\n") && hear(socket, 200, "55\n") &&
           hear(socket, 200, "7\n") && hear(socket, 404, NULL) && hear(socket, 200, "6765\n");
    close(socket);
    return good;
}

static void test_server_reads_as_it_comes(void **state)
{
    (void)state;
    struct server server = opened((struct server_limits){0});
    converse(&server, say_in_pieces, true);
    server = opened((struct server_limits){0});
    converse(&server, say_many_at_once, true);
    assert_int_equal(server.counts.connections, 1);
}

static bool say_nothing(struct server *server)
{
    int silent = dial(server), halfway = dial(server);
    return say(halfway, "GET /") && hear_end(silent) && hear_end(halfway);
}

static void test_server_closes_idle_connections(void **state)
{
    (void)state;
    struct server server = opened((struct server_limits){.timeout_ns = 200 * MS});
    converse(&server, say_nothing, true);
    assert_int_equal(server.counts.timeouts, 2);
    assert_int_equal(server.counts.answered, 0);
}

static bool say_three(struct server *server)
{
    int idle = dial(server), busy = dial(server);
    return say(idle, GET("/")) && hear(idle, 200, NULL) && say(busy, GET("/")) &&
           hear(busy, 200, NULL) && say(busy, GET("/")) && hear(busy, 200, NULL) &&
           hear_end(busy) && hear_end(idle);
}

static void test_server_stops_after_its_requests(void **state)
{
    (void)state;
    struct server server = opened((struct server_limits){.requests = 3});
    converse(&server, say_three, false);
    assert_int_equal(server.counts.answered, 3);
}

static bool stop_meanwhile(struct server *server)
{
    int socket = dial(server);
    bool good = say(socket, GET("/")) && hear(socket, 200, NULL) && say(socket, GET("/work/50000"));
    poll(NULL, 0, 10);
    server_stop(server);
    server_stop(server);
    return good && hear(socket, 200, "50000\n") && hear_end(socket);
}

static void test_server_finishes_open_requests(void **state)
{
    (void)state;
    struct server server = opened((struct server_limits){0});
    converse(&server, stop_meanwhile, false);
    assert_int_equal(server.counts.answered, 2);
}

static bool use_up_descriptors(struct server *server)
{
    struct rlimit before, full;
    int first = dial(server);
    bool good = say(first, GET("/")) && hear(first, 200, NULL);
    int second = socket(AF_INET, SOCK_STREAM | SOCK_CLOEXEC, 0), next = dup(second);
    close(next);
    getrlimit(RLIMIT_NOFILE, &before);
    full = (struct rlimit){.rlim_cur = (rlim_t)next, .rlim_max = before.rlim_max};
    setrlimit(RLIMIT_NOFILE, &full);
    good = good && connect(second, (struct sockaddr *)&server->address, sizeof any_port) == 0 &&
           say(second, GET("/fib/2"));
    for (int tries = 0; tries < 4000; tries++) {
        if (__atomic_load_n(&server->counts.accept_waits, __ATOMIC_RELAXED) > 0)
            break;
        poll(NULL, 0, 5);
    }
    setrlimit(RLIMIT_NOFILE, &before);
    good = good && hear(second, 200, "1\n") && say(first, GET("/")) && hear(first, 200, NULL);
    close(first);
    close(second);
    return good;
}

static void test_server_outlives_a_lack_of_descriptors(void **state)
{
    (void)state;
    struct server server = opened((struct server_limits){0});
    converse(&server, use_up_descriptors, true);
    assert_true(server.counts.accept_waits > 0);
    assert_int_equal(server.counts.answered, 3);
}

static void test_server_options(void **state)
{
    (void)state;
    static const char *const words[APP_WORDS_MAX] = {"--self", "50", "--connections", "2"};
    void *settings = malloc(server_app.settings_size);
    assert_non_null(settings);
    assert_int_equal(app_parse(&server_app, settings, words), CLI_PARSED);
    struct app_run run = {.check = APP_CHECK_AUTO};
    assert_int_equal(server_app.run(settings, &run), APP_DONE);
    assert_true(run.verified);
    struct app_run sequential = {.sequential = true};
    assert_int_equal(server_app.run(settings, &sequential), APP_REFUSED);
    assert_non_null(strstr(sequential.message, "--sequential is not accepted"));
    free(settings);
    app_refuses(&server_app, "--address", "localhost", "--address does not accept 'localhost'");
    app_refuses(&server_app, "--port", "65536", "--port does not accept '65536'");
    app_refuses(&server_app, "--connections", "0", "--connections does not accept '0'");
    app_refuses(&server_app, "--timeout", "0",
                "--timeout does not accept '0': give a time from 1ms");
}

int main(void)
{
    const struct CMUnitTest tests[] = {
        cmocka_unit_test(test_server_answers_itself),
        cmocka_unit_test(test_server_refuses),
        cmocka_unit_test(test_server_reads_as_it_comes),
        cmocka_unit_test(test_server_closes_idle_connections),
        cmocka_unit_test(test_server_stops_after_its_requests),
        cmocka_unit_test(test_server_finishes_open_requests),
        cmocka_unit_test(test_server_outlives_a_lack_of_descriptors),
        cmocka_unit_test(test_server_options),
    };
    return cmocka_run_group_tests(tests, NULL, NULL);
}
