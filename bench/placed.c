// SPDX-License-Identifier: Apache-2.0
// See placed.h.
#include "placed.h"

#include <errno.h>
#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/prctl.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/launch.h"
#include "serve.h"

#define WORDS_MAX 64
#define OUTPUT_MAX (1 << 20)
#define LEAVE_SECONDS 5 // until who was asked to end is made to

void twb_placed_write(const struct twb_placed *placed, char text[TWB_PLACED_TEXT])
{
    snprintf(text, TWB_PLACED_TEXT, "placed:%s:%u:%s:%s:%s:%s", placed->mpi, placed->places,
             placed->tcp ? "tcp" : "any", placed->number, placed->words,
             placed->program ? placed->program : "");
}

bool twb_placed_read(struct twb_placed *placed, char *text)
{
    char *field[6];
    for (size_t i = 0; i < 6; i++) {
        field[i] = text;
        if (i == 5)
            break; // a path may have colons
        text = text ? strchr(text, ':') : NULL;
        if (text == NULL)
            return false;
        *text++ = '\0';
    }
    *placed = (struct twb_placed){.mpi = field[0],
                                  .places = (unsigned)strtoul(field[1], NULL, 10),
                                  .tcp = strcmp(field[2], "tcp") == 0,
                                  .number = field[3],
                                  .words = field[4],
                                  .program = field[5][0] ? field[5] : NULL};
    return true;
}

// ---- one run ----

static void set_tcp(void)
{
    static const char *const settings[][2] = {
        {"OMPI_MCA_pml", "ob1"},   {"OMPI_MCA_btl", "tcp,self"}, {"UCX_TLS", "tcp,self"},
        {"UCX_NET_DEVICES", "lo"}, {"MPIR_CVAR_NOLOCAL", "1"},
    };
    for (size_t i = 0; i < sizeof settings / sizeof *settings; i++)
        setenv(settings[i][0], settings[i][1], 1);
}

// Becomes the launcher, or the program.
static void become(const struct twb_placed *placed, int output)
{
    struct launch_line line = {.words = 0};
    const char *words[WORDS_MAX + 1] = {NULL};
    char text[TWB_PLACED_TEXT], self[4096];
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    int nothing = open("/dev/null", O_RDONLY);
    prctl(PR_SET_PDEATHSIG, SIGTERM);
    dup2(nothing, STDIN_FILENO); // a launcher would take what is for us
    dup2(output, STDOUT_FILENO);
    signal(SIGPIPE, SIG_DFL);
    if (placed->tcp)
        set_tcp();
    bool none = strcmp(placed->mpi, "none") == 0;
    if (!none && !launch_line_make(&line, placed->places, placed->mpi))
        _exit(127);
    size_t used = line.words;
    memcpy(words, line.word, used * sizeof *words);
    self[length > 0 ? length : 0] = '\0';
    words[used++] = placed->program ? placed->program : self;
    snprintf(text, sizeof text, "%s", placed->words);
    for (char *word = strtok(text, " "); word && used < WORDS_MAX; word = strtok(NULL, " "))
        words[used++] = word;
    execvp(words[0], (char *const *)words);
    fprintf(stderr, "bench: cannot start %s: %s\n", words[0], strerror(errno));
    _exit(127);
}

// Reads until the end, or for so long. False: that was not enough.
static bool read_all(int from, char *output, double until)
{
    size_t used = 0;
    for (;;) {
        double left = until - twb_seconds();
        struct pollfd ready = {.fd = from, .events = POLLIN};
        int polled = left > 0 ? poll(&ready, 1, (int)(left * 1000) + 1) : 0;
        if (polled < 0 && errno == EINTR)
            continue;
        if (polled <= 0)
            return false;
        char rest[4096];
        ssize_t got = read(from, rest, sizeof rest);
        if (got <= 0)
            return got == 0;
        for (ssize_t i = 0; i < got && used + 1 < OUTPUT_MAX; i++)
            output[used++] = rest[i];
        output[used] = '\0';
    }
}

static void end(pid_t pid, int from, char *output)
{
    kill(pid, SIGTERM);
    if (!read_all(from, output, twb_seconds() + LEAVE_SECONDS))
        kill(pid, SIGKILL);
}

static bool find_number(const char *output, const char *key, double *value)
{
    char quoted[80];
    snprintf(quoted, sizeof quoted, "\"%s\":", key);
    const char *at = strstr(output, quoted);
    return at != NULL && sscanf(at + strlen(quoted), "%lf", value) == 1;
}

static bool judge(const struct twb_placed *placed, int status, const char *output, double *value)
{
    const char *wrong = NULL;
    if (status != 0)
        wrong = "it failed";
    else if (strstr(output, "\"verified\": true") == NULL)
        wrong = "its result is wrong";
    else if (!find_number(output, placed->number, value))
        wrong = "it does not tell the number";
    if (wrong != NULL && !placed->optional)
        fprintf(stderr, "bench: %u places by %s, %s: %s: %s\n", placed->places, placed->mpi,
                placed->words, placed->number, wrong);
    return wrong == NULL;
}

bool twb_placed_run(const struct twb_placed *placed, double *value)
{
    int pipes[2], status = -1;
    char *output = calloc(1, OUTPUT_MAX);
    if (output == NULL || pipe2(pipes, O_CLOEXEC) != 0) {
        free(output);
        return false;
    }
    fflush(NULL);
    pid_t pid = fork();
    if (pid == 0)
        become(placed, pipes[1]);
    close(pipes[1]);
    if (pid > 0 && !read_all(pipes[0], output, twb_seconds() + TWB_PLACED_SECONDS)) {
        fprintf(stderr, "bench: %u places by %s, %s: it hangs\n", placed->places, placed->mpi,
                placed->words);
        end(pid, pipes[0], output);
    }
    while (pid > 0 && waitpid(pid, &status, 0) < 0 && errno == EINTR)
        ;
    close(pipes[0]);
    bool good = judge(placed, status, output, value);
    free(output);
    return good;
}
