// SPDX-License-Identifier: Apache-2.0
// A program that has started MPI itself, as programs with a main part of their own do: the fabric
// uses it, leaves its messages alone and does not finalise it. It is started without thread
// support: only the thread that did it may then open the fabric.
#include <pthread.h>
#include <stdio.h>
#include <string.h>

#include <mpi.h>

#include "fabric/load.h"

static const struct twi_mpi_settings settings;

static int came;

static void on_packet(void *host, uint32_t from, const struct twi_packet *packet, const void *bytes)
{
    (void)host, (void)from, (void)bytes;
    came += packet->word == 42;
}

static void *open_elsewhere(void *is_refused)
{
    struct twi_loaded loaded;
    char message[2000] = "";
    *(int *)is_refused =
        twi_fabric_load(&loaded, "auto", &settings, message, sizeof message) != 0 &&
        strstr(message, "only the thread that did it") != NULL;
    return NULL;
}

static int check(int is_right, const char *what)
{
    if (!is_right)
        fprintf(stderr, "own: %s\n", what);
    return !is_right;
}

static int use_fabric(int rank, int size)
{
    static const struct twi_sink sink = {.packet = on_packet};
    struct twi_loaded loaded;
    char message[2000] = "";
    if (check(!twi_fabric_load(&loaded, "auto", &settings, message, sizeof message), message))
        return 1;
    struct twi_fabric *fabric = loaded.fabric;
    int wrong =
        check(loaded.facts.was_running && loaded.facts.is_main_only, "other facts") +
        check(fabric->place == (uint32_t)rank && fabric->places == (uint32_t)size, "other places");
    fabric->sink = &sink;
    fabric->calls->send(fabric, (uint32_t)((rank + 1) % size), &(struct twi_packet){.word = 42},
                        NULL);
    while (!came)
        if (!fabric->calls->progress(fabric))
            fabric->calls->wait(fabric, fabric->calls->now_ns(fabric) + 1000000000u);
    twi_fabric_unload(&loaded);
    return wrong;
}

int main(int argc, char **argv)
{
    int rank, size, sum, got = -1, is_refused = 0;
    pthread_t thread;
    MPI_Request request;
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank);
    MPI_Comm_size(MPI_COMM_WORLD, &size);
    // A message of the program's own is under way meanwhile.
    MPI_Isend(&rank, 1, MPI_INT, (rank + 1) % size, 0, MPI_COMM_WORLD, &request);
    if (pthread_create(&thread, NULL, open_elsewhere, &is_refused))
        return 1;
    pthread_join(thread, NULL);
    int wrong = check(is_refused, "another thread was let in") + use_fabric(rank, size);
    MPI_Recv(&got, 1, MPI_INT, (rank + size - 1) % size, 0, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    MPI_Wait(&request, MPI_STATUS_IGNORE);
    wrong += check(got == (rank + size - 1) % size, "its own message was lost");
    MPI_Allreduce(&rank, &sum, 1, MPI_INT, MPI_SUM, MPI_COMM_WORLD);
    wrong += check(sum == size * (size - 1) / 2, "MPI no longer works");
    MPI_Finalize();
    if (rank == 0 && !wrong)
        printf("all is well\n");
    return wrong;
}
