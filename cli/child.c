// SPDX-License-Identifier: Apache-2.0
// See child.h.
#include "cli/child.h"

#include <fcntl.h>
#include <poll.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include <twill/runtime.h>

#include "cli/launch.h"

enum { WORDS_MOST = 64, LINE_MOST = 4096, GRACE_MS = 3000, LOOK_US = 20000 };
#define SECOND_NS UINT64_C(1000000000)

static void become(const struct child *child)
{
    char *argv[WORDS_MOST] = {(char[]){"twill"}};
    char self[4096];
    size_t used = 1;
    while (child->words[used - 1] && used < WORDS_MOST - 1) {
        argv[used] = strdup(child->words[used - 1]);
        used++;
    }
    if (child->places) {
        launch_places(child->name, child->places, child->mpi, argv);
        return;
    }
    ssize_t length = readlink("/proc/self/exe", self, sizeof self - 1);
    self[length > 0 ? length : 0] = '\0';
    execv(self, argv);
    perror(self);
}

// Reads what is there until its end. 0: it is not there in time.
static int read_lines(const struct child *child, int from)
{
    char text[LINE_MOST];
    size_t used = 0;
    uint64_t end_ns = tw_now_ns() + child->seconds * SECOND_NS;
    for (;;) {
        uint64_t now_ns = tw_now_ns();
        struct pollfd ready = {.fd = from, .events = POLLIN};
        if (now_ns >= end_ns || poll(&ready, 1, (int)((end_ns - now_ns) / 1000000) + 1) == 0)
            return 0;
        ssize_t got = read(from, text + used, sizeof text - 1 - used);
        if (got <= 0)
            return 1;
        used += (size_t)got;
        text[used] = '\0';
        char *line = text, *stop;
        for (; (stop = strchr(line, '\n')) != NULL; line = stop + 1) {
            *stop = '\0';
            child->line(child->self, line);
        }
        used -= (size_t)(line - text);
        memmove(text, line, used);
        if (used == sizeof text - 1) // too long for anything that is read here
            used = 0;
    }
}

// A launcher that is asked to ends its places, too.
static int end_child(pid_t process)
{
    int status;
    kill(process, SIGTERM);
    for (int ms = 0; ms < GRACE_MS; ms += LOOK_US / 1000, usleep(LOOK_US))
        if (waitpid(process, &status, WNOHANG) == process)
            return -1;
    kill(process, SIGKILL);
    waitpid(process, &status, 0);
    return -1;
}

static void complain(const struct child *child, const char *what)
{
    fprintf(stderr, "%s: %s:", child->name, what);
    for (const char **word = child->words; *word; word++)
        fprintf(stderr, " %s", *word);
    if (child->places)
        fprintf(stderr, ", at %u places", child->places);
    fputc('\n', stderr);
}

int child_run(const struct child *child)
{
    int ends[2], status;
    if (pipe(ends) != 0) {
        perror(child->name);
        return -1;
    }
    fflush(NULL);
    pid_t process = fork();
    if (process == 0) {
        int nothing = open("/dev/null", O_RDONLY | O_CLOEXEC); // a launcher would read our stdin
        dup2(nothing, STDIN_FILENO);
        dup2(ends[1], STDOUT_FILENO);
        close(ends[0]);
        close(ends[1]);
        become(child);
        _exit(127);
    }
    close(ends[1]);
    int came = process > 0 && read_lines(child, ends[0]);
    close(ends[0]);
    if (process < 0) {
        perror(child->name);
        return -1;
    }
    if (!came) {
        complain(child, "took too long and was ended");
        return end_child(process);
    }
    waitpid(process, &status, 0);
    if (WIFEXITED(status) && WEXITSTATUS(status) == 0)
        return 0;
    complain(child, "failed");
    return -1;
}
