// SPDX-License-Identifier: Apache-2.0
// See order.h. Everything is under one lock: who switches the check on looks for mistakes, not for
// speed.
#include "core/order.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "base/lock.h"

enum { NAME_SIZE = 64, MESSAGE_SIZE = 400 };

struct node {
    char name[NAME_SIZE]; // a copy: a mutex may go without a word
    uint32_t *after;      // nodes that were taken while this one was held
    size_t count, room;
    uint32_t next_free;
    // Of the search under way.
    uint32_t search;   // its number, once it has come here
    uint32_t from;     // whence
    uint32_t in_queue; // the next node to look at
};

// Node 0 stands for none.
static struct {
    struct twi_lock lock;
    struct node *node;
    uint32_t count, room;
    uint32_t free; // the first of the numbers that can be used again
    uint32_t search;
} graph;

static void *grow(void *array, size_t count, size_t size)
{
    void *grown = realloc(array, count * size);
    if (!grown)
        tw_misuse("no memory is left to check the order of locks", "");
    return grown;
}

// ---- nodes ----

static uint32_t fresh_number(void)
{
    uint32_t n = graph.free;
    if (n) {
        graph.free = graph.node[n].next_free;
        return n;
    }
    if (graph.count == graph.room) {
        graph.room = graph.room ? 2 * graph.room : 64;
        graph.node = grow(graph.node, graph.room, sizeof *graph.node);
    }
    graph.count += graph.count == 0;
    return graph.count++;
}

static uint32_t number_of(struct tw_mutex *mutex)
{
    if (!mutex->node) {
        mutex->node = fresh_number();
        struct node *node = &graph.node[mutex->node];
        memset(node, 0, sizeof *node);
        snprintf(node->name, sizeof node->name, "%s", mutex->name);
    }
    return mutex->node;
}

static int has_edge(const struct node *node, uint32_t to)
{
    for (size_t i = 0; i < node->count; i++)
        if (node->after[i] == to)
            return 1;
    return 0;
}

static void add_edge(struct node *node, uint32_t to)
{
    if (node->count == node->room) {
        node->room = node->room ? 2 * node->room : 4;
        node->after = grow(node->after, node->room, sizeof *node->after);
    }
    node->after[node->count++] = to;
}

// ---- cycles ----

// The shortest way from `start` to `goal`, breadth first. Afterwards `from` leads back from the
// goal. 1 when there is one.
static int find_way(uint32_t start, uint32_t goal)
{
    uint32_t last = start, search = ++graph.search;
    graph.node[start].search = search;
    graph.node[start].in_queue = 0;
    for (uint32_t at = start; at; at = graph.node[at].in_queue) {
        if (at == goal)
            return 1;
        for (size_t i = 0; i < graph.node[at].count; i++) {
            uint32_t to = graph.node[at].after[i];
            if (graph.node[to].search == search)
                continue;
            graph.node[to].search = search;
            graph.node[to].from = at;
            graph.node[to].in_queue = 0;
            graph.node[last].in_queue = to;
            last = to;
        }
    }
    return 0;
}

static void append(char *text, const char *before, uint32_t node)
{
    size_t length = strlen(text);
    snprintf(text + length, MESSAGE_SIZE - length, "%s'%s'", before, graph.node[node].name);
}

// `from` leads from `held` back to `wanted`; the way forth is the other way round, so it is turned.
static void report_cycle(uint32_t held, uint32_t wanted)
{
    char text[MESSAGE_SIZE] = "locks are taken in a cycle: ";
    uint32_t before = 0;
    for (uint32_t at = held; at;) {
        uint32_t next = at == wanted ? 0 : graph.node[at].from;
        graph.node[at].in_queue = before;
        before = at;
        at = next;
    }
    append(text, "", held);
    for (uint32_t at = wanted; at; at = graph.node[at].in_queue)
        append(text, " -> ", at);
    tw_misuse(text, "");
}

static void add(uint32_t held, uint32_t wanted)
{
    if (has_edge(&graph.node[held], wanted))
        return;
    if (find_way(wanted, held))
        report_cycle(held, wanted);
    add_edge(&graph.node[held], wanted);
}

void twi_order_add(struct tw_mutex *wanted, struct tw_mutex *held)
{
    twi_lock_take(&graph.lock);
    uint32_t to = number_of(wanted);
    for (; held; held = held->below)
        add(number_of(held), to);
    twi_lock_drop(&graph.lock);
}

void twi_order_forget(struct tw_mutex *mutex)
{
    uint32_t gone = mutex->node;
    if (!gone)
        return;
    twi_lock_take(&graph.lock);
    for (uint32_t n = 1; n < graph.count; n++) {
        struct node *node = &graph.node[n];
        size_t kept = 0;
        for (size_t i = 0; i < node->count; i++)
            if (node->after[i] != gone)
                node->after[kept++] = node->after[i];
        node->count = kept;
    }
    struct node *node = &graph.node[gone];
    free(node->after);
    memset(node, 0, sizeof *node);
    node->next_free = graph.free;
    graph.free = gone;
    mutex->node = 0;
    twi_lock_drop(&graph.lock);
}

void twi_order_hold(void)
{
    twi_lock_take(&graph.lock);
}

void twi_order_release(void)
{
    twi_lock_drop(&graph.lock);
}
