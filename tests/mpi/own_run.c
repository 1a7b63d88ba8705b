// SPDX-License-Identifier: Apache-2.0
// A program that starts and finalises MPI itself and runs tasks at its places meanwhile, with each
// of MPI's thread levels.
//
//   own_run <single|funneled|serialized|multiple> [thread|later]
//
// thread: another one calls tw_run; later: it does, but the places were joined by this one. Says
// "all is well" at place 0; "refused" where MPI is not for other threads. It sees as well who calls
// MPI: below "serialized" nobody does but the thread that has started it.
#include <pthread.h>
#include <stdatomic.h>
#include <stdio.h>
#include <string.h>

#include <mpi.h>
#include <twill/twill.h>

static _Atomic uint64_t leaves;
static int wrong, is_refused;
static pthread_t starter; // of MPI
static _Atomic unsigned looks, looks_elsewhere;

// Called by the fabric instead of MPI's.
__attribute__((visibility("default"))) int
MPI_Improbe(int source, int tag, MPI_Comm comm, int *flag, MPI_Message *message, MPI_Status *status)
{
    looks++;
    looks_elsewhere += !pthread_equal(pthread_self(), starter);
    return PMPI_Improbe(source, tag, comm, flag, message, status);
}

TW_TASK(tree, { uint32_t depth; })
{
    if (self.depth == 0) {
        for (volatile int i = 0; i < 5000; i++)
            continue;
        leaves++;
        return;
    }
    for (uint32_t i = 0; i < 4; i++)
        tw_async_any(tree, .depth = self.depth - 1);
}

static void require(int holds, const char *what)
{
    if (!holds)
        fprintf(stderr, "own_run: %s\n", what);
    wrong += !holds;
}

static void *run_twice(void *unused)
{
    char message[1024] = "";
    for (int i = 0; i < 2; i++) {
        int error = tw_run(tree, .depth = 6);
        uint64_t sum = leaves;
        if (error && tw_places_open(NULL, message, sizeof message) == error &&
            strstr(message, "only the thread that did it")) {
            is_refused = 1;
            return unused;
        }
        require(error == 0, "tw_run failed");
        require(tw_places_sum(&sum, 1) == 0 && sum == 4096, "other leaves");
        leaves = 0;
    }
    return unused;
}

static int level_of(const char *name)
{
    return strcmp(name, "multiple") == 0     ? MPI_THREAD_MULTIPLE
           : strcmp(name, "serialized") == 0 ? MPI_THREAD_SERIALIZED
           : strcmp(name, "funneled") == 0   ? MPI_THREAD_FUNNELED
                                             : MPI_THREAD_SINGLE;
}

int main(int argc, char **argv)
{
    int rank, size, sum, got = -1, level, over;
    MPI_Request request;
    pthread_t thread;
    MPI_Init_thread(&argc, &argv, level_of(argc > 1 ? argv[1] : ""), &level);
    starter = pthread_self();
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    MPI_Isend(&rank, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD, &request);
    if (argc > 2 && strcmp(argv[2], "later") == 0)
        require(tw_places() == (unsigned)size, "other places");
    if (argc > 2 && pthread_create(&thread, NULL, run_twice, NULL) == 0)
        pthread_join(thread, NULL);
    else
        run_twice(NULL);
    MPI_Recv(&got, 1, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    require(looks > 0 || is_refused, "nobody looks for messages");
    require(level >= MPI_THREAD_SERIALIZED || looks_elsewhere == 0, "a worker has called MPI");
    require(got == (rank + size - 1) % size, "its own message was lost");
    MPI_Allreduce(&wrong, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    MPI_Finalized(&over);
    require(!over, "MPI was finalised");
    MPI_Finalize();
    if (rank == 0 && sum + wrong == 0)
        printf("%s\n", is_refused ? "refused" : "all is well");
    return wrong;
}
