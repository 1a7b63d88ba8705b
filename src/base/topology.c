// SPDX-License-Identifier: Apache-2.0
#define _GNU_SOURCE
#include "base/topology.h"

#include <stdio.h>
#include <string.h>

#include "base/cpus.h"
#include "base/thread.h"

unsigned twi_topology_nodes(void)
{
    char list[256];
    FILE *f = fopen("/sys/devices/system/node/online", "re");
    if (!f)
        return 1;
    char *got = fgets(list, sizeof list, f);
    fclose(f);
    // "0" is one node; "0-3" or "0,2" are several.
    return got && strpbrk(list, "-,") ? 2 : 1;
}

static unsigned order_by_number(int *order, unsigned room)
{
    unsigned n = 0;
    for (int cpu; n < room && (cpu = twi_cpus_nth(n)) >= 0;)
        order[n++] = cpu;
    return n;
}

#ifdef TWI_HWLOC
#include <hwloc.h>

// The few calls made, found at run time.
struct hwloc_calls {
    int (*init)(hwloc_topology_t *);
    int (*load)(hwloc_topology_t);
    void (*destroy)(hwloc_topology_t);
    int (*depth_of)(hwloc_topology_t, hwloc_obj_type_t);
    unsigned (*count_at)(hwloc_topology_t, int);
    hwloc_obj_t (*object_at)(hwloc_topology_t, int, unsigned);
};

static int calls_find(struct hwloc_calls *calls)
{
    static const char *const names[] = {
        "hwloc_topology_init",  "hwloc_topology_load",       "hwloc_topology_destroy",
        "hwloc_get_type_depth", "hwloc_get_nbobjs_by_depth", "hwloc_get_obj_by_depth",
    };
    return twi_library_calls("libhwloc.so.15", names, sizeof names / sizeof *names, calls);
}

int twi_topology_has_hwloc(void)
{
    struct hwloc_calls calls;
    return calls_find(&calls);
}

static int is_allowed(int cpu, const int *allowed, unsigned n)
{
    for (unsigned i = 0; i < n; i++)
        if (allowed[i] == cpu)
            return 1;
    return 0;
}

// The first processing unit of each core, then the second, and so on; cores in hwloc's order.
static unsigned order_by_core(const struct hwloc_calls *c, hwloc_topology_t topology, int *order,
                              unsigned room)
{
    int allowed[room];
    unsigned n = 0, allowed_count = order_by_number(allowed, room);
    int depth = c->depth_of(topology, HWLOC_OBJ_CORE);
    unsigned cores = depth < 0 ? 0 : c->count_at(topology, depth);
    for (unsigned turn = 0, more = 1; more && n < allowed_count; turn++) {
        more = 0;
        for (unsigned i = 0; i < cores; i++) {
            hwloc_obj_t core = c->object_at(topology, depth, i);
            if (turn >= core->arity)
                continue;
            more = 1;
            int cpu = (int)core->children[turn]->os_index;
            if (is_allowed(cpu, allowed, allowed_count) && n < room)
                order[n++] = cpu;
        }
    }
    return n == allowed_count ? n : order_by_number(order, room);
}

static unsigned order_by_hwloc(int *order, unsigned room)
{
    struct hwloc_calls calls;
    hwloc_topology_t topology;
    if (!calls_find(&calls) || calls.init(&topology) != 0)
        return order_by_number(order, room);
    unsigned n = calls.load(topology) == 0 ? order_by_core(&calls, topology, order, room)
                                           : order_by_number(order, room);
    calls.destroy(topology);
    return n;
}
#else
int twi_topology_has_hwloc(void)
{
    return 0;
}

static unsigned order_by_hwloc(int *order, unsigned room)
{
    return order_by_number(order, room);
}
#endif

unsigned twi_topology_order(int use_hwloc, int *order, unsigned room)
{
    return use_hwloc ? order_by_hwloc(order, room) : order_by_number(order, room);
}
