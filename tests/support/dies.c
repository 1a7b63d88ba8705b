// SPDX-License-Identifier: Apache-2.0
#include "support.h"

#include <signal.h>
#include <sys/wait.h>
#include <unistd.h>

enum { CHILD_SECONDS = 60 };

int test_dies(void (*what)(void), char *text, size_t size)
{
    int pipe_ends[2];
    assert_int_equal(pipe(pipe_ends), 0);
    pid_t child = fork();
    if (child == 0) {
        dup2(pipe_ends[1], STDERR_FILENO);
        signal(SIGSEGV, SIG_DFL); // cmocka's would go on with the next test
        signal(SIGABRT, SIG_DFL);
        alarm(CHILD_SECONDS);
        what();
        _exit(0);
    }
    close(pipe_ends[1]);
    size_t got = 0;
    for (ssize_t n; got + 1 < size && (n = read(pipe_ends[0], text + got, size - 1 - got)) > 0;)
        got += (size_t)n;
    text[got] = '\0';
    close(pipe_ends[0]);
    int status;
    waitpid(child, &status, 0);
    return WIFSIGNALED(status) || WEXITSTATUS(status) != 0;
}
