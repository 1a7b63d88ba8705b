// SPDX-License-Identifier: Apache-2.0
// What the parts of the oneTBB peer share: the arena and the context of all calls.
#ifndef PEER_TBB_ARENA_H
#define PEER_TBB_ARENA_H

#include <oneapi/tbb/task_arena.h>
#include <oneapi/tbb/task_group.h>

#include "../serve.h"

inline tbb::task_group_context *context;

inline tbb::task_arena &arena(const twb_job *job)
{
    static tbb::task_arena only(static_cast<int>(job->workers));
    return only;
}

template <typename Work> twb_answer timed(const twb_job *job, Work work)
{
    tbb::task_arena &here = arena(job);
    double start = twb_seconds();
    auto check = here.execute(work);
    return {twb_seconds() - start, static_cast<uint64_t>(check)};
}

#endif
