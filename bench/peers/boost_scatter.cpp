// SPDX-License-Identifier: Apache-2.0
// Scatter-gather on Boost.Fiber: a fiber for each task, buffered channels of the least size.
#include <memory>
#include <vector>

#include "../leaves.h"
#include "../scatter.h"
#include "boost_fibers.h"

typedef fibers::buffered_channel<uint64_t> channel;

// One of the tasks beside the central one, and its two channels.
struct outpost {
    channel out{2}, back{2};
    fibers::fiber fiber;
    explicit outpost(uint64_t loops)
    {
        fiber = start([this, loops] {
            uint64_t number;
            while (out.pop(number) == fibers::channel_op_status::success)
                back.push(twb_leaf(static_cast<long>(number), loops));
        });
    }
    ~outpost()
    {
        out.close();
        fiber.join();
    }
};

typedef std::vector<std::unique_ptr<outpost>> outposts;

static uint64_t go_round(const twb_scatter &scatter, const outposts &others, long round)
{
    uint64_t sum = 0, number = twb_scatter_first(&scatter, round);
    for (auto &other : others) {
        other->out.push(number);
        number = twb_scatter_next(&scatter, number);
    }
    for (auto &other : others)
        sum += other->back.value_pop();
    return sum;
}

static twb_answer be_central(const twb_scatter &scatter)
{
    outposts others;
    for (long i = 0; i < scatter.tasks; i++)
        others.push_back(std::make_unique<outpost>(scatter.loops));
    go_round(scatter, others, 0);
    uint64_t sum = 0;
    double begun = twb_seconds();
    for (long round = 1; round <= scatter.rounds; round++)
        sum += go_round(scatter, others, round);
    return {twb_seconds() - begun, sum};
}

twb_answer run_scatter(const twb_job *job)
{
    twb_scatter scatter = twb_scatter_read(job->parameters, job->size);
    if (job->workers > 1)
        work_with(job->workers);
    return be_central(scatter);
}
