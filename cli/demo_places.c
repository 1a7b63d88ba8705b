// SPDX-License-Identifier: Apache-2.0
// See demo_places.h. A child becomes the launcher of `twill run uts --json`; what that prints comes
// through a pipe.
#include "cli/demo_places.h"

#include <fcntl.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>
#include <sys/wait.h>
#include <unistd.h>

#include "cli/command.h"
#include "cli/launch.h"

enum { OUTPUT_MOST = 1 << 16, PATIENCE_S = 60 };

struct search {
    uint64_t nodes;
    double seconds;
    uint64_t taken[2][2]; // thief, victim
};

static void become_launcher(const char *tree, const char *mpi, unsigned workers, int output)
{
    char count[16];
    snprintf(count, sizeof count, "%u", workers);
    const char *words[] = {"twill",     "run",   "uts",      "--tree", tree,
                           "--workers", count,   "--mpi",    mpi,      "--json",
                           "--check",   "table", "--places", "2",      NULL};
    int nowhere = open("/dev/null", O_RDWR);
    dup2(nowhere, STDIN_FILENO);
    dup2(output, STDOUT_FILENO);
    dup2(nowhere, STDERR_FILENO); // which is told in one sentence
    alarm(PATIENCE_S);
    launch_places("twill demo", 2, mpi, (char **)words);
    _exit(EXIT_FAILED);
}

// All that the child prints, and its status.
static int run_child(const char *tree, const char *mpi, unsigned workers, char *output)
{
    int ends[2], status;
    size_t used = 0;
    ssize_t more;
    if (pipe(ends) != 0)
        return -1;
    fflush(NULL);
    pid_t child = fork();
    if (child == 0)
        become_launcher(tree, mpi, workers, ends[1]);
    close(ends[1]);
    while (child > 0 && (more = read(ends[0], output + used, OUTPUT_MOST - 1 - used)) > 0)
        used += (size_t)more;
    output[used] = '\0';
    close(ends[0]);
    return child > 0 && waitpid(child, &status, 0) == child ? status : -1;
}

// What follows the key; NULL: it is not there.
static const char *value_of(const char *output, const char *key)
{
    const char *found = strstr(output, key);
    return found ? found + strlen(key) : NULL;
}

static bool search_once(const char *tree, const char *mpi, unsigned workers, struct search *search)
{
    static char output[OUTPUT_MOST];
    if (run_child(tree, mpi, workers, output) != 0 || !strstr(output, "\"verified\": true"))
        return false;
    const char *nodes = value_of(output, "\"nodes\": ");
    const char *seconds = value_of(output, "\"seconds\": ");
    const char *taken = value_of(output, "\"steal_matrix\": ");
    if (!nodes || !seconds || !taken)
        return false;
    search->nodes = strtoull(nodes, NULL, 10);
    search->seconds = strtod(seconds, NULL);
    for (int i = 0; i < 4; i++) {
        taken += strcspn(taken, "0123456789");
        search->taken[i / 2][i % 2] = strtoull(taken, (char **)&taken, 10);
    }
    return true;
}

static void print(const struct search *best, unsigned workers, double sequential)
{
    char name[64];
    snprintf(name, sizeof name, "2 places, %u worker%s", workers, workers == 1 ? "" : "s each");
    printf("  %-20s%8.3f s%8.1f million nodes/s   %.2f times as fast\n", name, best->seconds,
           (double)best->nodes / best->seconds * 1e-6, sequential / best->seconds);
    printf("\nPlaces are processes, which could as well be on two machines.\n"
           "Place 1 took %" PRIu64 " tasks from place 0, place 0 took %" PRIu64 " from place 1.\n",
           best->taken[1][0], best->taken[0][1]);
}

void demo_places(const char *tree, const char *mpi, unsigned workers, int rounds, double sequential)
{
    struct search best = {.seconds = 0};
    printf("\nThe same at two places, joined by MPI:\n\n");
    if (launch_is_done() || !launch_name(mpi)) {
        printf("  left out: %s\n", launch_is_done() ? "a launcher has started this very command"
                                                    : "no MPI launcher (mpirun) is here");
        return;
    }
    for (int i = 0; i < rounds; i++) {
        struct search search;
        if (!search_once(tree, mpi, workers, &search)) {
            printf("  left out: they do not start; 'twill run uts --places 2' says why\n");
            return;
        }
        if (best.seconds == 0 || search.seconds < best.seconds)
            best = search;
    }
    print(&best, workers, sequential);
}
