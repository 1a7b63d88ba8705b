// SPDX-License-Identifier: Apache-2.0
// OpenMP tasks and loops, compiled by gcc (libgomp) and by clang (libomp).
//
// The fastest forms that were found: tied tasks, the last child run by its parent; for the tree
// searches no taskwait at all, but a count per thread and the end of the parallel region; for the
// sweeps over a grid one parallel region around all of them. Irregular loops come in every schedule
// that a user would try.
#include <omp.h>

#include "../kernels.h"
#include "../loops.h"
#include "../probe.h"
#include "../serve.h"
#include "apps.h"
#include "queens.h"
#include "uts_tree.h"

static long found;
#pragma omp threadprivate(found)

static long fib(int n)
{
    if (n < 2)
        return n;
    long a;
#pragma omp task shared(a) firstprivate(n)
    a = fib(n - 1);
    long b = fib(n - 2);
#pragma omp taskwait
    return a + b;
}

static void queens(struct queens_board board)
{
    if (queens_complete(board)) {
        found++;
        return;
    }
    for (unsigned free = queens_free(board); free != 0; free &= free - 1) {
        struct queens_board child = queens_place(board, free);
        if ((free & (free - 1)) == 0) {
            queens(child);
        } else {
#pragma omp task firstprivate(child)
            queens(child);
        }
    }
}

static void uts(const struct uts_node *node)
{
    unsigned children = uts_children(node);
    found++;
    for (unsigned i = 0; i < children; i++) {
        struct uts_node child;
        uts_child(node, i, &child);
        if (i + 1 == children) {
            uts(&child);
        } else {
#pragma omp task firstprivate(child)
            uts(&child);
        }
    }
}

static struct twb_answer run_fib(const struct twb_job *job)
{
    long value = 0;
    double start = twb_seconds();
#pragma omp parallel num_threads(job->workers)
#pragma omp single
    value = fib((int)job->size);
    return (struct twb_answer){twb_seconds() - start, (uint64_t)value};
}

static struct twb_answer run_nqueens(const struct twb_job *job)
{
    long sum = 0;
    double start = twb_seconds();
#pragma omp parallel num_threads(job->workers) reduction(+ : sum)
    {
        found = 0;
#pragma omp barrier
#pragma omp single
        queens(queens_empty(job->size));
        sum = found;
    }
    return (struct twb_answer){twb_seconds() - start, (uint64_t)sum};
}

static struct twb_answer run_uts(const struct twb_job *job)
{
    struct uts_node root;
    uts_root(peer_tree(job->size), &root);
    long sum = 0;
    double start = twb_seconds();
#pragma omp parallel num_threads(job->workers) reduction(+ : sum)
    {
        found = 0;
#pragma omp barrier
#pragma omp single
        uts(&root);
        sum = found;
    }
    return (struct twb_answer){twb_seconds() - start, (uint64_t)sum};
}

#define PRAGMA(...) _Pragma(#__VA_ARGS__)
#define RUN_LOOP(name, ...)                                                                        \
    static struct twb_answer name(const struct twb_job *job)                                       \
    {                                                                                              \
        struct twb_loop loop;                                                                      \
        twb_loop_start(&loop, job->size);                                                          \
        double start = twb_seconds();                                                              \
        PRAGMA(omp parallel for num_threads(job->workers) schedule(__VA_ARGS__))                   \
        for (long i = 0; i < loop.n; i++)                                                          \
            twb_loop_iteration(&loop, i);                                                          \
        double seconds = twb_seconds() - start;                                                    \
        return (struct twb_answer){seconds, twb_loop_check(&loop)};                                \
    }
RUN_LOOP(run_loop_static, static)
RUN_LOOP(run_loop_dynamic, dynamic, 1)
RUN_LOOP(run_loop_dynamic64, dynamic, 64)
RUN_LOOP(run_loop_guided, guided)

static struct twb_answer run_matmul(const struct twb_job *job)
{
    struct matmul *m = twb_matmul(job->size);
    size_t tiles = matmul_tiles(m);
    double start = twb_seconds();
#pragma omp parallel for num_threads(job->workers) collapse(2) schedule(dynamic)
    for (size_t row = 0; row < tiles; row++)
        for (size_t column = 0; column < tiles; column++)
            matmul_tile(m, row, column);
    double seconds = twb_seconds() - start;
    return (struct twb_answer){seconds, matmul_checksum(m)};
}

static struct twb_answer run_stencil(const struct twb_job *job)
{
    struct stencil *s = twb_stencil(job->size);
    double start = twb_seconds();
#pragma omp parallel num_threads(job->workers)
    for (int sweep = 0; sweep < TWB_SWEEPS; sweep++) {
#pragma omp for schedule(static)
        for (size_t row = 1; row < s->n - 1; row++)
            stencil_row(s, row);
#pragma omp single
        stencil_swap(s);
    }
    double seconds = twb_seconds() - start;
    return (struct twb_answer){seconds, stencil_checksum(s)};
}

static void offer(struct twb_probe *probe)
{
    twb_probe_arm(probe);
#pragma omp task firstprivate(probe)
    twb_probe_start(probe);
    twb_probe_await(probe);
#pragma omp taskwait
}

static struct twb_answer run_steal_hot(const struct twb_job *job)
{
    double median = 0;
#pragma omp parallel num_threads(job->workers)
#pragma omp single
    median = twb_steal_hot(offer, job->size);
    return (struct twb_answer){median, 0};
}

static struct twb_answer run_wake_cold(const struct twb_job *job)
{
    double median = 0;
#pragma omp parallel num_threads(job->workers)
#pragma omp single
    median = twb_wake_cold(offer, job->size);
    return (struct twb_answer){median, 0};
}

static struct twb_answer run_idle(const struct twb_job *job)
{
    double share = 0;
#pragma omp parallel num_threads(job->workers)
#pragma omp single
    share = twb_idle_share(job->size);
    return (struct twb_answer){share, 0};
}

static struct twb_answer run_startup(const struct twb_job *job)
{
    double start = twb_seconds();
#pragma omp parallel num_threads(job->workers)
#pragma omp single
    found = 1;
    omp_pause_resource_all(omp_pause_hard);
    return (struct twb_answer){twb_seconds() - start, 0};
}

#ifdef __clang__
#define ABOUT "libomp, clang " __clang_version__
#else
#define ABOUT "libgomp, gcc " __VERSION__
#endif

int main(int argc, char **argv)
{
    static const struct twb_case cases[] = {
        {"fib", run_fib},
        {"nqueens", run_nqueens},
        {"uts", run_uts},
        {"sort", peer_run_sort},
        {"skynet", peer_run_skynet},
        {"fft", peer_run_fft},
        {"steal_hot", run_steal_hot},
        {"wake_cold", run_wake_cold},
        {"idle", run_idle},
        {"startup", run_startup},
        {"loop_static", run_loop_static},
        {"loop_dynamic", run_loop_dynamic},
        {"loop_dynamic64", run_loop_dynamic64},
        {"loop_guided", run_loop_guided},
        {"matmul", run_matmul},
        {"stencil", run_stencil},
        {0},
    };
    return twb_serve(cases, ABOUT, argc - 1, argv + 1);
}
