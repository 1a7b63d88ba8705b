// SPDX-License-Identifier: Apache-2.0
// Fibonacci numbers by the recursion that defines them: next to no work in each of a great many
// calls, so that what remains is the cost of a task.
#ifndef APPS_FIB_H
#define APPS_FIB_H

#include <stdint.h>

#define FIB_N_MAX 93 // the last that 64 bits hold

struct tw_options;

uint64_t fib_value(unsigned n); // by addition, at once
uint64_t fib_calls(unsigned n); // how many calls the recursion makes

// The recursion, every call a real one: not inlined, not turned into a loop.
uint64_t fib_recursive(unsigned n);

// A task for each call. 0 or a TW_E... code.
int fib_fork(const struct tw_options *options, unsigned n, uint64_t *value);
int fib_async(const struct tw_options *options, unsigned n, uint64_t *value);

#endif
