// SPDX-License-Identifier: Apache-2.0
// UTS over places, as its own MPI version has it: a task carries several nodes.
//
// A task searches below its nodes by itself, the newest first, and keeps those that wait in an
// array. When there are twice as many as a chunk holds, the oldest become a task, which idle places
// and workers take. So there is a task for every few nodes rather than for each, and one that is
// stolen brings more.
#include <string.h>

#include <twill/twill.h>

#include "apps/uts/tally.h"

struct waiting {
    struct uts_state state;
    uint32_t height;
};

struct chunk {
    uint32_t count;
    struct waiting node[UTS_CHUNK_MOST];
};

static const struct uts_tree *tree; // the one that is searched
static uint32_t most;               // nodes of a chunk

// Takes the oldest nodes out.
static struct chunk cut(struct waiting *list, uint32_t *count)
{
    struct chunk chunk = {.count = most};
    memcpy(chunk.node, list, most * sizeof *list);
    *count -= most;
    memmove(list, list + most, *count * sizeof *list);
    return chunk;
}

TW_TASK(visit_chunk, { struct chunk chunk; })
{
    struct waiting list[2 * UTS_CHUNK_MOST];
    uint32_t count = self.chunk.count;
    struct uts_count found = {0};
    memcpy(list, self.chunk.node, count * sizeof *list);
    while (count > 0) {
        struct waiting node = list[--count];
        unsigned children = uts_state_children(tree, node.height, &node.state);
        uts_count_node(&found, node.height, children);
        for (unsigned i = 0; i < children; i++) {
            if (count == 2 * most)
                tw_async_any(visit_chunk, .chunk = cut(list, &count));
            list[count].height = node.height + 1;
            uts_hash_child(tree, &node.state, i, &list[count++].state);
        }
    }
    uts_tally_add(&found);
}

TW_TASK(search_chunks, { int unused; })
{
    tw_finish {
        struct chunk root = {.count = 1};
        root.node[0].state = tree->root;
        tw_async_any(visit_chunk, .chunk = root);
    }
}

int uts_search_chunks(const struct tw_options *options, const struct uts_tree *searched,
                      uint32_t chunk, struct uts_count *count)
{
    tree = searched;
    most = chunk;
    uts_tally_clear();
    return uts_tally_sum(tw_run_with(options, search_chunks, .unused = 0), count);
}
