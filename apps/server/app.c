// SPDX-License-Identifier: Apache-2.0
// `twill run server`.
#include <arpa/inet.h>
#include <signal.h>
#include <stdio.h>
#include <string.h>

#include <twill/twill.h>

#include "apps/app.h"
#include "apps/server/server.h"

#define PORT_USUAL 8080
#define PORT_OPEN 65536 // none was given

struct settings {
    uint64_t port, requests, connections, self;
    uint64_t work_ns, timeout_ns;
    const char *address;
};

static const struct cli_option options[] = {
    {"port", "PORT", "port to listen on, 0 for one that is free (8080, with --self 0)", CLI_COUNT,
     offsetof(struct settings, port), 0, 65535, NULL},
    {"address", "IPV4", "address to listen on, 0.0.0.0 for all (127.0.0.1)", CLI_TEXT,
     offsetof(struct settings, address), 0, 0, NULL},
    {"requests", "N", "how many to answer before it stops, 0 for no limit (0)", CLI_COUNT,
     offsetof(struct settings, requests), 0, 1e15, NULL},
    {"connections", "N", "how many may be open at once; others wait (1000)", CLI_COUNT,
     offsetof(struct settings, connections), 1, 1000000, NULL},
    {"work", "TIME", "work for each request besides what it asks for (0)", CLI_TIME,
     offsetof(struct settings, work_ns), 0, 1e9, NULL},
    {"timeout", "TIME", "for a request to come and for its answer to be taken (5s)", CLI_TIME,
     offsetof(struct settings, timeout_ns), 1e6, 3600e9, NULL},
    {"self", "N", "make so many requests itself, compare the answers and stop (0)", CLI_COUNT,
     offsetof(struct settings, self), 0, 1e9, NULL},
    {.name = NULL},
};

static void defaults(void *settings)
{
    *(struct settings *)settings = (struct settings){.port = PORT_OPEN,
                                                     .address = "127.0.0.1",
                                                     .connections = 1000,
                                                     .timeout_ns = UINT64_C(5000000000)};
}

// ---- signals ----

static struct server *interrupted;

static void stop_by_signal(int signal)
{
    (void)signal;
    server_stop(interrupted);
}

// The second signal ends the program, should the first not.
static void catch_signals(struct server *server, struct sigaction before[2])
{
    struct sigaction action = {.sa_handler = stop_by_signal,
                               .sa_flags = (int)(SA_RESETHAND | SA_RESTART)};
    interrupted = server;
    sigaction(SIGINT, &action, &before[0]);
    sigaction(SIGTERM, &action, &before[1]);
}

static void leave_signals(const struct sigaction before[2])
{
    sigaction(SIGINT, &before[0], NULL);
    sigaction(SIGTERM, &before[1], NULL);
}

// ---- a run ----

static void report(struct app_run *run, const struct settings *settings,
                   const struct server *server)
{
    const struct server_counts *counts = &server->counts;
    run->parameters[0] =
        (struct app_fact){.name = "port", .count = ntohs(server->address.sin_port)};
    run->parameters[1] = (struct app_fact){.name = "work_us", .count = settings->work_ns / 1000};
    run->parameters[2] = (struct app_fact){.name = "self", .count = settings->self};
    run->results[0] = (struct app_fact){.name = "answered", .count = counts->answered};
    run->results[1] = (struct app_fact){.name = "refused", .count = counts->refused};
    run->results[2] = (struct app_fact){.name = "connections", .count = counts->connections};
    run->results[3] = (struct app_fact){.name = "timeouts", .count = counts->timeouts};
    run->results[4] = (struct app_fact){.name = "accept_waits", .count = counts->accept_waits};
    run->work = (struct app_fact){.name = "requests", .count = counts->answered};
}

static enum app_outcome serve(const struct settings *settings, struct app_run *run,
                              struct server *server)
{
    struct sigaction before[2];
    uint64_t wrong = 0;
    catch_signals(server, before);
    if (settings->self == 0)
        fprintf(stderr, "listening on %s:%u\n", settings->address, ntohs(server->address.sin_port));
    app_start(run);
    int error = server_run(run->options, server, settings->self, &wrong);
    enum app_outcome outcome = app_stop(run, error);
    leave_signals(before);
    if (outcome != APP_DONE)
        return outcome;
    report(run, settings, server);
    run->checked = APP_CHECK_NONE;
    if (settings->self > 0 && run->check != APP_CHECK_NONE) {
        run->checked = APP_CHECK_ORACLE;
        run->verified = wrong == 0;
    }
    return APP_DONE;
}

static bool parse_settings(const struct settings *settings, struct app_run *run,
                           struct sockaddr_in *address)
{
    uint64_t port = settings->port;
    if (port == PORT_OPEN)
        port = settings->self ? 0 : PORT_USUAL;
    *address = (struct sockaddr_in){.sin_family = AF_INET, .sin_port = htons((uint16_t)port)};
    if (run->sequential) {
        snprintf(
            run->message, sizeof run->message,
            "--sequential is not accepted: there is no server without tasks; give --workers 1");
        return false;
    }
    if (inet_pton(AF_INET, settings->address, &address->sin_addr) == 1)
        return true;
    snprintf(run->message, sizeof run->message,
             "--address does not accept '%s': give four numbers, such as 127.0.0.1 or 0.0.0.0",
             settings->address);
    return false;
}

static enum app_outcome run(const void *given, struct app_run *run)
{
    const struct settings *settings = given;
    const struct server_limits limits = {.requests = settings->requests,
                                         .connections = (uint32_t)settings->connections,
                                         .timeout_ns = settings->timeout_ns,
                                         .work_ns = settings->work_ns};
    struct sockaddr_in address;
    struct server server;
    if (!parse_settings(settings, run, &address))
        return APP_REFUSED;
    int error = server_open(&server, &limits, &address);
    if (error) {
        snprintf(
            run->message, sizeof run->message,
            "--address %s, --port %u: cannot listen there: %s; --port 0 picks one that is free",
            settings->address, ntohs(address.sin_port), strerror(-error));
        return APP_FAILED;
    }
    enum app_outcome outcome = serve(settings, run, &server);
    server_close(&server);
    return outcome;
}

const struct twill_app server_app = {
    .name = "server",
    .summary = "an HTTP server whose requests are computed in parallel, for wrk and the like",
    .options = options,
    .settings_size = sizeof(struct settings),
    .defaults = defaults,
    .run = run,
};
