// SPDX-License-Identifier: Apache-2.0
// See server.h.
#include "server.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#define ANSWER_TIMEOUT_MS 300000
#define STOP_TIMEOUT_MS 5000

static void become(const char *const argv[], int input, int output, int errors)
{
    prctl(PR_SET_PDEATHSIG, SIGKILL);
    dup2(input, STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    if (errors >= 0)
        dup2(errors, STDERR_FILENO);
    signal(SIGPIPE, SIG_DFL);
    setenv("OMP_STACKSIZE", "256M", 0); // waits of OpenMP run other tasks on top of the waiting one
    execv(argv[0], (char *const *)argv);
    fprintf(stderr, "bench: cannot start %s: %s\n", argv[0], strerror(errno));
    _exit(127);
}

bool twb_server_start(struct twb_server *server, const char *const argv[], int errors)
{
    int to[2], from[2];
    *server = (struct twb_server){.to = -1, .from = -1};
    if (pipe2(to, O_CLOEXEC) != 0)
        return false;
    if (pipe2(from, O_CLOEXEC) != 0) {
        close(to[0]);
        close(to[1]);
        return false;
    }
    signal(SIGPIPE, SIG_IGN); // a server that died is found by its missing answer
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0)
        become(argv, to[0], from[1], errors);
    close(to[0]);
    close(from[1]);
    *server = (struct twb_server){.pid = pid > 0 ? pid : 0, .to = to[1], .from = from[0]};
    return pid > 0;
}

static bool read_line(int fd, char *line, size_t size, int timeout_ms)
{
    size_t used = 0;
    while (used + 1 < size) {
        struct pollfd ready = {.fd = fd, .events = POLLIN};
        int polled = poll(&ready, 1, timeout_ms);
        if (polled < 0 && errno == EINTR)
            continue;
        if (polled <= 0)
            return false;
        ssize_t got = read(fd, line + used, size - 1 - used);
        if (got <= 0)
            return false;
        used += (size_t)got;
        line[used] = '\0';
        if (line[used - 1] == '\n')
            return true;
    }
    return false;
}

bool twb_server_ask(struct twb_server *server, double *value, uint64_t *check)
{
    char line[128];
    if (server->pid == 0)
        return false;
    kill(server->pid, SIGCONT);
    if (write(server->to, "go\n", 3) == 3 &&
        read_line(server->from, line, sizeof line, ANSWER_TIMEOUT_MS) &&
        sscanf(line, "%lf %" SCNu64, value, check) == 2) {
        kill(server->pid, SIGSTOP);
        return true;
    }
    twb_server_stop(server);
    return false;
}

double twb_server_peak_bytes(const struct twb_server *server)
{
    char path[64], line[256];
    double kilobytes = 0;
    snprintf(path, sizeof path, "/proc/%ld/status", (long)server->pid);
    FILE *status = fopen(path, "re");
    if (status == NULL)
        return 0;
    while (fgets(line, sizeof line, status) != NULL)
        if (sscanf(line, "VmHWM: %lf kB", &kilobytes) == 1)
            break;
    fclose(status);
    return kilobytes * 1024;
}

// Its end shows as the end of its output.
static bool ends_in_time(int from)
{
    char rest[64];
    struct pollfd ready = {.fd = from, .events = POLLIN};
    while (poll(&ready, 1, STOP_TIMEOUT_MS) > 0)
        if (read(from, rest, sizeof rest) <= 0)
            return true;
    return false;
}

int twb_server_stop(struct twb_server *server)
{
    if (server->pid == 0)
        return -1;
    close(server->to);
    kill(server->pid, SIGCONT);
    if (!ends_in_time(server->from))
        kill(server->pid, SIGKILL);
    int status = -1;
    while (waitpid(server->pid, &status, 0) < 0 && errno == EINTR)
        ;
    close(server->from);
    server->pid = 0;
    return WIFEXITED(status) ? WEXITSTATUS(status) : -1;
}
