// SPDX-License-Identifier: Apache-2.0
// What the files of the peer in Boost.Fiber share.
#ifndef PEER_BOOST_FIBERS_H
#define PEER_BOOST_FIBERS_H

#include <boost/fiber/all.hpp>

#include "../serve.h"

namespace fibers = boost::fibers;

static const std::size_t stack_size = 16 * 1024;

template <typename Body> static fibers::fiber start(Body body)
{
    return fibers::fiber(fibers::launch::post, std::allocator_arg,
                         boost::context::fixedsize_stack(stack_size), body);
}

// Lets this thread and others share fibers; the others stay until the process ends.
void work_with(unsigned workers);

twb_answer run_scatter(const twb_job *job); // boost_scatter.cpp

#endif
