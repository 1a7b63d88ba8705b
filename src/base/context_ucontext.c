// SPDX-License-Identifier: Apache-2.0
// Contexts by the C library, for machines without an assembler switch. Slower: each switch is a
// system call for the signal mask.
#include "base/context.h"

#ifdef TWI_UCONTEXT
#include <pthread.h>
#include <signal.h>
#include <stdint.h>
#include <stdlib.h>

// makecontext passes ints: a pointer takes two.
static void start(unsigned entry_high, unsigned entry_low, unsigned argument_high,
                  unsigned argument_low)
{
    uintptr_t entry = (uintptr_t)entry_high << 32 | entry_low;
    uintptr_t argument = (uintptr_t)argument_high << 32 | argument_low;
    ((void (*)(void *))entry)((void *)argument);
    abort();
}

void twi_context_make(struct twi_context *context, void *low, void *high, void (*entry)(void *),
                      void *argument)
{
    uint64_t e = (uintptr_t)entry, a = (uintptr_t)argument;
    getcontext(&context->saved);
    context->saved.uc_stack.ss_sp = low;
    context->saved.uc_stack.ss_size = (size_t)((char *)high - (char *)low);
    context->saved.uc_link = NULL;
    makecontext(&context->saved, (void (*)(void))start, 4, (unsigned)(e >> 32), (unsigned)e,
                (unsigned)(a >> 32), (unsigned)a);
}

// The signal mask is the thread's, not the fiber's: the switch would bring that of who made or left
// the fiber.
void twi_context_switch(struct twi_context *from, const struct twi_context *to)
{
    pthread_sigmask(SIG_SETMASK, NULL, &((struct twi_context *)to)->saved.uc_sigmask);
    swapcontext(&from->saved, &to->saved);
}

const char *twi_context_kind(void)
{
    return "ucontext";
}
#endif
