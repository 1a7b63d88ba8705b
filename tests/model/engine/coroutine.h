// SPDX-License-Identifier: Apache-2.0
// Coroutines for the model's threads. One may be dropped in the middle and prepared anew: nothing
// is unwound.
#ifndef MODEL_COROUTINE_H
#define MODEL_COROUTINE_H

#if !defined(__x86_64__) && !defined(__aarch64__)
#include <ucontext.h>
#endif

struct mc_coroutine {
#if defined(__x86_64__) || defined(__aarch64__)
    void *stack_pointer;
#else
    ucontext_t context;
#endif
};

// The next switch to it calls entry(), which must not return. `number` chooses the stack, 0 to 8.
void mc_coroutine_prepare(struct mc_coroutine *coroutine, int number, void (*entry)(void));
void mc_coroutine_switch(struct mc_coroutine *from, struct mc_coroutine *to);

#endif
