// SPDX-License-Identifier: Apache-2.0
// Searches with a task for every node: n queens (size: n) and UTS (size: of tree T<size>), the
// application's own code beside its sequential search.
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

#include "apps/nqueens/nqueens.h"
#include "apps/uts/uts.h"
#include "cases.h"

static struct twb_answer run_queens(const struct twb_job *job)
{
    double start = twb_seconds();
    uint64_t solutions = nqueens_sequential((unsigned)job->size);
    return (struct twb_answer){twb_seconds() - start, solutions};
}

static struct twb_answer run_queens_fork(const struct twb_job *job)
{
    uint64_t solutions = 0;
    double start = twb_seconds();
    twb_require(nqueens_fork(NULL, (unsigned)job->size, (unsigned)job->size, &solutions));
    return (struct twb_answer){twb_seconds() - start, solutions};
}

typedef int search_fn(const struct tw_options *options, const struct uts_tree *tree,
                      struct uts_count *count);

static int search_sequential(const struct tw_options *options, const struct uts_tree *tree,
                             struct uts_count *count)
{
    (void)options;
    return uts_search(tree, count) ? 0 : TW_ENOMEM;
}

// The answer is the number of nodes, 0 when leaves or depth are not those known.
static struct twb_answer run_uts(const struct twb_job *job, enum uts_sha sha, search_fn *search)
{
    static struct uts_tree tree;
    struct uts_count count;
    char name[16];
    snprintf(name, sizeof name, "T%ld", job->size);
    const struct uts_named_tree *named = uts_find_named(name);
    if (named == NULL || uts_tree_init(&tree, &named->parameters, sha, 1) != NULL) {
        fprintf(stderr, "serve: no tree %s\n", name);
        exit(1);
    }
    double start = twb_seconds();
    twb_require(search(NULL, &tree, &count));
    double seconds = twb_seconds() - start;
    bool right = memcmp(&count, &named->known, sizeof count) == 0;
    return (struct twb_answer){seconds, right ? count.nodes : 0};
}

static struct twb_answer run_portable(const struct twb_job *job)
{
    return run_uts(job, UTS_SHA_PORTABLE, search_sequential);
}

static struct twb_answer run_portable_fork(const struct twb_job *job)
{
    return run_uts(job, UTS_SHA_PORTABLE, uts_search_fork);
}

static struct twb_answer run_portable_async(const struct twb_job *job)
{
    return run_uts(job, UTS_SHA_PORTABLE, uts_search_async);
}

static struct twb_answer run_ni(const struct twb_job *job)
{
    return run_uts(job, UTS_SHA_NI, search_sequential);
}

static struct twb_answer run_ni_fork(const struct twb_job *job)
{
    return run_uts(job, UTS_SHA_NI, uts_search_fork);
}

static struct twb_answer run_ni_async(const struct twb_job *job)
{
    return run_uts(job, UTS_SHA_NI, uts_search_async);
}

const struct twb_case twb_search_cases[] = {
    {"nqueens", run_queens},         {"nqueens_fork", run_queens_fork}, {"uts", run_portable},
    {"uts_fork", run_portable_fork}, {"uts_async", run_portable_async}, {"uts_ni", run_ni},
    {"uts_ni_fork", run_ni_fork},    {"uts_ni_async", run_ni_async},    {NULL, NULL},
};
