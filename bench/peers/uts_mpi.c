// SPDX-License-Identifier: Apache-2.0
// UTS as a plain MPI program: the peer of `twill bench places --only vs_plain_mpi`.
//
// What a careful programmer writes by hand, in the manner of uts-1.1's MPI version: each rank
// searches its own stack depth first and looks for requests every 8 nodes; who has none left asks a
// rank at random, again and again, and spins meanwhile; who is asked gives 20 nodes, the oldest, of
// 40 or more. A token goes round while ranks are idle, black if some rank has given nodes since it
// came by; when it comes back white to rank 0, all is over. Nodes and SHA-1 are the application's
// own (apps/uts), compiled by the same compiler.
//
// Chunks of 20 are uts-1.1's. The stacks of T1 seldom hold 40 nodes; with --half who is asked gives
// half of what it has, 20 at most: what somebody arrives at who tunes the program for this tree.
//
//     mpirun -n 2 uts-openmpi --tree T1 [--half]
#include <mpi.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/uts/uts.h"

enum { POLL = 8, CHUNK = 20 };
enum tag { REQUEST = 1, NODES, NOTHING, TOKEN, OVER };

// A node as it travels.
struct parcel {
    struct uts_state state;
    uint32_t height;
};

struct rank {
    int number, ranks;
    struct uts_tree tree;
    struct uts_node *node; // the stack
    size_t bottom, top, room;
    struct uts_count count;
    int least; // so many are given, or none
    int asked; // whom; -1: nobody
    int has_token, token_is_black, is_black, began, over;
    uint64_t random;
};

static struct uts_node *push_room(struct rank *r, size_t more)
{
    if (r->top + more > r->room) {
        memmove(r->node, r->node + r->bottom, (r->top - r->bottom) * sizeof *r->node);
        r->top -= r->bottom;
        r->bottom = 0;
        while (r->top + more > r->room / 2)
            r->room *= 2;
        r->node = realloc(r->node, r->room * sizeof *r->node);
        if (r->node == NULL)
            MPI_Abort(MPI_COMM_WORLD, 1);
    }
    return r->node + r->top;
}

static void visit(struct rank *r)
{
    const struct uts_node *last = &r->node[--r->top];
    unsigned children = uts_children(last);
    uts_count_node(&r->count, last->height, children);
    if (children == 0)
        return;
    struct uts_node parent = *last;
    struct uts_node *child = push_room(r, children);
    for (unsigned i = 0; i < children; i++)
        uts_child(&parent, i, &child[i]);
    r->top += children;
}

// ---- messages ----

static void send_empty(int to, enum tag tag)
{
    MPI_Send(NULL, 0, MPI_BYTE, to, tag, MPI_COMM_WORLD);
}

static void answer(struct rank *r, int thief)
{
    struct parcel parcel[CHUNK];
    size_t half = (r->top - r->bottom) / 2;
    int count = half < CHUNK ? (int)half : CHUNK;
    if (count < r->least) {
        send_empty(thief, NOTHING);
        return;
    }
    for (int i = 0; i < count; i++) {
        const struct uts_node *node = &r->node[r->bottom++];
        parcel[i] = (struct parcel){node->state, node->height};
    }
    r->is_black = 1;
    MPI_Send(parcel, count * (int)sizeof *parcel, MPI_BYTE, thief, NODES, MPI_COMM_WORLD);
}

static void take(struct rank *r, const struct parcel *parcel, const MPI_Status *status)
{
    int size;
    MPI_Get_count(status, MPI_BYTE, &size);
    size_t count = (size_t)size / sizeof *parcel;
    struct uts_node *node = push_room(r, count);
    for (size_t i = 0; i < count; i++)
        node[i] = (struct uts_node){parcel[i].state, parcel[i].height, &r->tree};
    r->top += count;
}

static void receive(struct rank *r, const MPI_Status *status)
{
    struct parcel parcel[CHUNK];
    int black = 0, from = status->MPI_SOURCE;
    void *bytes = status->MPI_TAG == TOKEN ? (void *)&black : (void *)parcel;
    MPI_Recv(bytes, status->MPI_TAG == TOKEN ? (int)sizeof black : (int)sizeof parcel, MPI_BYTE,
             from, status->MPI_TAG, MPI_COMM_WORLD, MPI_STATUS_IGNORE);
    switch ((enum tag)status->MPI_TAG) {
    case REQUEST:
        answer(r, from);
        break;
    case NODES:
        take(r, parcel, status);
        r->asked = -1;
        break;
    case NOTHING:
        r->asked = -1;
        break;
    case TOKEN:
        r->has_token = 1;
        r->token_is_black = black;
        break;
    case OVER:
        r->over = 1;
        break;
    }
}

static void poll(struct rank *r)
{
    MPI_Status status;
    int there = 1;
    while (there) {
        MPI_Iprobe(MPI_ANY_SOURCE, MPI_ANY_TAG, MPI_COMM_WORLD, &there, &status);
        if (there)
            receive(r, &status);
    }
}

// ---- without work ----

static void pass_token(struct rank *r)
{
    int black = r->number == 0 ? 0 : r->token_is_black || r->is_black;
    r->has_token = r->is_black = 0;
    MPI_Send(&black, sizeof black, MPI_BYTE, (r->number + 1) % r->ranks, TOKEN, MPI_COMM_WORLD);
}

// Idle, and awaiting nothing: what is on the way to this rank is at most a request.
static void look_for_end(struct rank *r)
{
    if (!r->has_token)
        return;
    if (r->number != 0 || !r->began || r->token_is_black || r->is_black) {
        r->began = 1;
        pass_token(r);
        return;
    }
    r->over = 1;
    for (int i = 1; i < r->ranks; i++)
        send_empty(i, OVER);
}

static void ask(struct rank *r)
{
    r->random = r->random * 6364136223846793005u + 1442695040888963407u;
    int other = (int)((r->random >> 33) % (uint64_t)(r->ranks - 1));
    r->asked = other < r->number ? other : other + 1;
    send_empty(r->asked, REQUEST);
}

static void search(struct rank *r)
{
    while (!r->over) {
        for (int i = 0; i < POLL && r->top > r->bottom; i++)
            visit(r);
        if (r->ranks > 1)
            poll(r);
        if (r->top > r->bottom || r->asked >= 0 || r->over)
            continue;
        if (r->ranks == 1)
            return;
        look_for_end(r);
        if (!r->over)
            ask(r);
    }
}

// Others' requests are answered until nobody awaits an answer any more.
static void leave(struct rank *r)
{
    MPI_Request all;
    int done = 0;
    while (r->asked >= 0)
        poll(r);
    MPI_Ibarrier(MPI_COMM_WORLD, &all);
    while (!done) {
        poll(r);
        MPI_Test(&all, &done, MPI_STATUS_IGNORE);
    }
}

// ---- the program ----

static void run(struct rank *r, const struct uts_named_tree *named, int gives_half)
{
    r->least = gives_half ? 1 : CHUNK;
    r->room = 1 << 16;
    r->node = malloc(r->room * sizeof *r->node);
    if (r->node == NULL || uts_tree_init(&r->tree, &named->parameters, UTS_SHA_PORTABLE, 1))
        MPI_Abort(MPI_COMM_WORLD, 1);
    r->asked = -1;
    r->has_token = r->number == 0;
    r->random = (uint64_t)r->number + 1;
    MPI_Barrier(MPI_COMM_WORLD);
    double begun = MPI_Wtime();
    if (r->number == 0)
        uts_root(&r->tree, &r->node[r->top++]);
    search(r);
    leave(r);
    double seconds = MPI_Wtime() - begun;
    uint64_t here[] = {r->count.nodes, r->count.leaves}, all[2];
    MPI_Reduce(here, all, 2, MPI_UINT64_T, MPI_SUM, 0, MPI_COMM_WORLD);
    if (r->number == 0)
        printf("{\"seconds\": %.9f, \"nodes\": %llu, \"verified\": %s}\n", seconds,
               (unsigned long long)all[0],
               all[0] == named->known.nodes && all[1] == named->known.leaves ? "true" : "false");
    free(r->node);
}

static int tell_version(void)
{
    char text[MPI_MAX_LIBRARY_VERSION_STRING];
    int length;
    MPI_Get_library_version(text, &length);
    text[strcspn(text, ",\n")] = '\0';
    for (char *c = text; *c; c++)
        if (*c == '\t')
            *c = ' ';
    printf("plain MPI, %s, gcc " __VERSION__ "\n", text);
    return 0;
}

int main(int argc, char **argv)
{
    struct rank rank = {0};
    if (argc == 2 && strcmp(argv[1], "--version") == 0)
        return tell_version();
    const struct uts_named_tree *named =
        argc > 2 && strcmp(argv[1], "--tree") == 0 ? uts_find_named(argv[2]) : NULL;
    int gives_half = argc == 4 && strcmp(argv[3], "--half") == 0;
    if (named == NULL || argc != 3 + gives_half) {
        fprintf(stderr, "usage: %s --tree NAME [--half]\n", argv[0]);
        return 2;
    }
    MPI_Init(&argc, &argv);
    MPI_Comm_rank(MPI_COMM_WORLD, &rank.number);
    MPI_Comm_size(MPI_COMM_WORLD, &rank.ranks);
    run(&rank, named, gives_half);
    MPI_Finalize();
    return 0;
}
