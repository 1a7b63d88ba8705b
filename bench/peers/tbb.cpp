// SPDX-License-Identifier: Apache-2.0
// oneTBB.
//
// The fastest form that was found: parallel_invoke on two halves with one task_group_context for
// all calls, since creating a context costs as much as the rest of the call. `fib_group` is the
// form of the manual, a task_group per call. Loops are parallel_for; sweeps over a grid keep their
// rows on the same worker by an affinity_partitioner.
#include <pthread.h>

#include <oneapi/tbb/blocked_range.h>
#include <oneapi/tbb/blocked_range2d.h>
#include <oneapi/tbb/global_control.h>
#include <oneapi/tbb/parallel_for.h>
#include <oneapi/tbb/parallel_invoke.h>
#include <oneapi/tbb/partitioner.h>
#include <oneapi/tbb/version.h>

#include "../kernels.h"
#include "../probe.h"
#include "../serve.h"
#include "apps.h"
#include "queens.h"
#include "tbb_arena.h"
#include "uts_tree.h"

static long fib(int n)
{
    if (n < 2)
        return n;
    long a, b;
    tbb::parallel_invoke([&a, n] { a = fib(n - 1); }, [&b, n] { b = fib(n - 2); }, *context);
    return a + b;
}

static long fib_group(int n)
{
    if (n < 2)
        return n;
    long a, b;
    tbb::task_group group;
    group.run([&a, n] { a = fib_group(n - 1); });
    b = fib_group(n - 2);
    group.wait();
    return a + b;
}

static long queens(queens_board board);

// The boards that follow when the next queen stands on one of the columns `free`.
static long queens_on(queens_board board, unsigned free)
{
    unsigned others = free & (free - 1);
    if (others == 0)
        return free == 0 ? 0 : queens(queens_place(board, free));
    long a, b;
    tbb::parallel_invoke([&] { a = queens(queens_place(board, free)); },
                         [&] { b = queens_on(board, others); }, *context);
    return a + b;
}

static long queens(queens_board board)
{
    return queens_complete(board) ? 1 : queens_on(board, queens_free(board));
}

static long uts(const uts_node &node);

static long uts_siblings(const uts_node &parent, unsigned begin, unsigned end)
{
    if (end - begin == 1) {
        uts_node child;
        uts_child(&parent, begin, &child);
        return uts(child);
    }
    unsigned middle = begin + (end - begin) / 2;
    long a, b;
    tbb::parallel_invoke([&] { a = uts_siblings(parent, begin, middle); },
                         [&] { b = uts_siblings(parent, middle, end); }, *context);
    return a + b;
}

static long uts(const uts_node &node)
{
    unsigned children = uts_children(&node);
    return children == 0 ? 1 : 1 + uts_siblings(node, 0, children);
}

static twb_answer run_fib(const twb_job *job)
{
    return timed(job, [=] { return fib(static_cast<int>(job->size)); });
}

static twb_answer run_fib_group(const twb_job *job)
{
    return timed(job, [=] { return fib_group(static_cast<int>(job->size)); });
}

static twb_answer run_nqueens(const twb_job *job)
{
    return timed(job, [=] { return queens(queens_empty(job->size)); });
}

static twb_answer run_uts(const twb_job *job)
{
    uts_node root;
    uts_root(peer_tree(job->size), &root);
    return timed(job, [&] { return uts(root); });
}

static void multiply(const matmul *m)
{
    size_t tiles = matmul_tiles(m);
    tbb::parallel_for(tbb::blocked_range2d<size_t>(0, tiles, 0, tiles), [=](const auto &part) {
        for (size_t row = part.rows().begin(); row != part.rows().end(); row++)
            for (size_t column = part.cols().begin(); column != part.cols().end(); column++)
                matmul_tile(m, row, column);
    });
}

static void sweep(const stencil *s, tbb::affinity_partitioner &partitioner)
{
    tbb::parallel_for(
        tbb::blocked_range<size_t>(1, s->n - 1),
        [=](const tbb::blocked_range<size_t> &rows) {
            for (size_t row = rows.begin(); row != rows.end(); row++)
                stencil_row(s, row);
        },
        partitioner);
}

static twb_answer run_matmul(const twb_job *job)
{
    matmul *m = twb_matmul(job->size);
    twb_answer answer = timed(job, [=] {
        multiply(m);
        return 0L;
    });
    answer.check = matmul_checksum(m);
    return answer;
}

static twb_answer run_stencil(const twb_job *job)
{
    static tbb::affinity_partitioner partitioner;
    stencil *s = twb_stencil(job->size);
    twb_answer answer = timed(job, [=] {
        for (int i = 0; i < TWB_SWEEPS; i++) {
            sweep(s, partitioner);
            stencil_swap(s);
        }
        return 0L;
    });
    answer.check = stencil_checksum(s);
    return answer;
}

static void offer(twb_probe *probe)
{
    tbb::task_group group;
    twb_probe_arm(probe);
    group.run([=] { twb_probe_start(probe); });
    twb_probe_await(probe);
    group.wait();
}

static twb_answer run_steal_hot(const twb_job *job)
{
    return {arena(job).execute([=] { return twb_steal_hot(offer, job->size); }), 0};
}

static twb_answer run_wake_cold(const twb_job *job)
{
    return {arena(job).execute([=] { return twb_wake_cold(offer, job->size); }), 0};
}

static twb_answer run_idle(const twb_job *job)
{
    twb_job warm = {job->workers, 20};
    run_fib(&warm); // workers start with the first task
    return {arena(job).execute([=] { return twb_idle_share(job->size); }), 0};
}

static twb_answer run_startup(const twb_job *job)
{
    double start = twb_seconds();
    {
        tbb::task_scheduler_handle handle{tbb::attach{}};
        tbb::task_arena fresh(static_cast<int>(job->workers));
        fresh.execute([] { tbb::parallel_invoke([] {}, [] {}); });
        fresh.terminate();
        tbb::finalize(handle, std::nothrow);
    }
    return {twb_seconds() - start, 0};
}

struct arguments {
    int count;
    char **text;
    int status;
};

static void *serve(void *given)
{
    static const twb_case cases[] = {
        {"fib", run_fib},
        {"fib_group", run_fib_group},
        {"nqueens", run_nqueens},
        {"uts", run_uts},
        {"steal_hot", run_steal_hot},
        {"wake_cold", run_wake_cold},
        {"idle", run_idle},
        {"startup", run_startup},
        {"sort", peer_run_sort},
        {"sort_library", peer_run_sort_library},
        {"skynet", peer_run_skynet},
        {"fft", peer_run_fft},
        {"matmul", run_matmul},
        {"stencil", run_stencil},
        {nullptr, nullptr},
    };
    tbb::task_group_context shared;
    context = &shared;
    arguments *a = static_cast<arguments *>(given);
    a->status = twb_serve(cases, TBB_VERSION_STRING, a->count - 1, a->text + 1);
    return nullptr;
}

// A wait runs other tasks on top of the waiting one, so that deep trees overflow usual stacks.
int main(int argc, char **argv)
{
    const size_t stack = 256 << 20;
    tbb::global_control control(tbb::global_control::thread_stack_size, stack);
    arguments given = {argc, argv, 1};
    pthread_attr_t attributes;
    pthread_t thread;
    pthread_attr_init(&attributes);
    pthread_attr_setstacksize(&attributes, stack);
    if (pthread_create(&thread, &attributes, serve, &given) == 0)
        pthread_join(thread, nullptr);
    return given.status;
}
