// SPDX-License-Identifier: Apache-2.0
// Boost.Fiber, and Boost.Context's bare switch.
//
// Trees run on as many threads as there are workers, each with the library's work-stealing
// scheduler; the form of it that never blocks, since one that blocks is not told of work it could
// steal. Stacks are small and come from malloc. Fibers have no sockets: over TCP it does not serve.
#include <malloc.h>

#include <cstdio>
#include <cstdlib>
#include <thread>
#include <vector>

#include <boost/context/detail/fcontext.hpp>
#include <boost/fiber/algo/work_stealing.hpp>
#include <boost/fiber/all.hpp>
#include <boost/version.hpp>

#include "../leaves.h"
#include "../serve.h"
#include "boost_fibers.h"

namespace context = boost::context::detail;

static const long group = 10;

static twb_answer since(double begun, uint64_t check)
{
    return {twb_seconds() - begun, check};
}

// ---- trees ----

static uint64_t add_up(const twb_tree &tree, long begin, long end)
{
    if (end - begin == 1) {
        boost::this_fiber::sleep_for(std::chrono::microseconds(tree.wait_us));
        return twb_leaf(begin, tree.rounds);
    }
    long middle = begin + (end - begin) / 2;
    uint64_t left;
    fibers::fiber forked = start([&] { left = add_up(tree, begin, middle); });
    uint64_t right = add_up(tree, middle, end);
    forked.join();
    return left + right;
}

void work_with(unsigned workers)
{
    static bool here;
    if (here)
        return;
    here = true;
    for (unsigned i = 1; i < workers; i++)
        std::thread([workers] {
            fibers::use_scheduling_algorithm<fibers::algo::work_stealing>(workers);
            fibers::promise<void> never;
            never.get_future().wait();
        }).detach();
    fibers::use_scheduling_algorithm<fibers::algo::work_stealing>(workers);
}

static twb_answer run_tree(const twb_job *job, const twb_tree &tree)
{
    work_with(job->workers);
    double begun = twb_seconds();
    uint64_t sum = 0;
    start([&] { sum = add_up(tree, 0, tree.leaves); }).join();
    return since(begun, sum);
}

static twb_answer run_timer(const twb_job *job)
{
    return run_tree(job, twb_tree_timer(job->size));
}

static twb_answer run_work(const twb_job *job)
{
    return run_tree(job, twb_tree_work(job->size));
}

// ---- two in turn, on one thread ----

static twb_answer run_yield(const twb_job *job)
{
    long each = job->size / 2, yields = 0;
    auto often = [&] {
        for (long i = 0; i < each; i++, yields++)
            boost::this_fiber::yield();
    };
    double begun = twb_seconds();
    fibers::fiber first = start(often), second = start(often);
    first.join();
    second.join();
    return since(begun, static_cast<uint64_t>(yields));
}

static twb_answer run_pass_value(const twb_job *job)
{
    typedef fibers::unbuffered_channel<uint64_t> channel;
    channel ping, pong;
    uint64_t value = 0;
    double begun = twb_seconds();
    fibers::fiber back = start([&] {
        for (long i = 0; i < job->size / 2; i++)
            pong.push(ping.value_pop() + 1);
    });
    fibers::fiber forth = start([&] {
        for (long i = 0; i < job->size / 2; i++) {
            ping.push(value + 1);
            value = pong.value_pop();
        }
    });
    forth.join();
    back.join();
    return since(begun, value);
}

// ---- many that wait ----

struct crowd {
    std::vector<fibers::promise<uint64_t>> promises;
    std::vector<fibers::fiber> waiting;
    uint64_t left = 0;
    explicit crowd(long size) : promises(static_cast<std::size_t>(size))
    {
        waiting.reserve(promises.size());
        for (auto &promise : promises)
            waiting.push_back(start([this, &promise] { left += promise.get_future().get(); }));
        boost::this_fiber::yield(); // they are first in the queue, and each runs until it waits
    }
    uint64_t release()
    {
        for (auto &promise : promises)
            promise.set_value(1);
        for (auto &fiber : waiting)
            fiber.join();
        return left;
    }
};

static twb_answer run_spawn_parking(const twb_job *job)
{
    uint64_t released = 0;
    double begun = twb_seconds();
    for (long i = 0; i < job->size / group; i++)
        released += crowd(group).release();
    return since(begun, released);
}

static twb_answer run_parked_bytes(const twb_job *job)
{
    double before = twb_resident_bytes();
    crowd here(job->size);
    double bytes = (twb_resident_bytes() - before) / static_cast<double>(job->size);
    return {bytes, here.release()};
}

// ---- the bare switch ----

static void return_always(context::transfer_t from)
{
    for (;;)
        from = context::jump_fcontext(from.fctx, nullptr);
}

static twb_answer run_switch(const twb_job *job)
{
    static char stack[64 * 1024] __attribute__((aligned(64)));
    context::transfer_t there = {
        context::make_fcontext(stack + sizeof stack, sizeof stack, return_always), nullptr};
    double begun = twb_seconds();
    for (long i = 0; i < job->size / 2; i++)
        there = context::jump_fcontext(there.fctx, nullptr);
    return since(begun, 0);
}

static const twb_case cases[] = {
    {"mapreduce_timer", run_timer},
    {"mapreduce_work", run_work},
    {"yield", run_yield},
    {"pass_value", run_pass_value},
    {"spawn_parking", run_spawn_parking},
    {"parked_bytes", run_parked_bytes},
    {"switch", run_switch},
    {"scatter", run_scatter},
    {nullptr, nullptr},
};

int main(int argc, char **argv)
{
    mallopt(M_TRIM_THRESHOLD, 1 << 30); // or each crowd's stacks would be new to the system
    int status =
        twb_serve(cases, "Boost.Fiber " BOOST_LIB_VERSION ", g++ " __VERSION__, argc - 1, argv + 1);
    std::fflush(nullptr);
    std::_Exit(status); // its other threads still look for fibers at this one
}
