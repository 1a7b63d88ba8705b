// SPDX-License-Identifier: Apache-2.0
// Switching stacks. A context is a suspended computation; switching saves the callee-saved
// registers and the floating-point control words, and nothing of the signal state.
#ifndef TWI_CONTEXT_H
#define TWI_CONTEXT_H

#include <stddef.h>

#if defined(TWI_UCONTEXT)
#include <ucontext.h>
struct twi_context {
    ucontext_t saved;
};
#else
struct twi_context {
    void *stack_pointer;
};
#endif

// Makes a context that calls entry(argument) on the stack [low, high) when first switched to.
// entry must not return.
void twi_context_make(struct twi_context *context, void *low, void *high, void (*entry)(void *),
                      void *argument);

// Saves the caller in `from` and goes on with `to`; returns when someone switches back.
void twi_context_switch(struct twi_context *from, const struct twi_context *to);

// "x86-64", "aarch64" or "ucontext".
const char *twi_context_kind(void);

#endif
