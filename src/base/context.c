// SPDX-License-Identifier: Apache-2.0
// Makes fresh contexts for the assembler switches: a frame that the switch can restore, whose
// return address is the start routine and whose saved registers hold the entry and its argument.
#include "base/context.h"

#include <stdint.h>
#include <string.h>

#ifndef TWI_UCONTEXT

void twi_context_start(void);

#if defined(__x86_64__)
enum { FRAME_WORDS = 10, CONTROL_WORDS = 0, ENTRY = 3, ARGUMENT = 4, RETURN = 7 };

static void frame_set_control(uintptr_t *frame)
{
    uint32_t mxcsr;
    uint16_t x87;
    __asm__("stmxcsr %0" : "=m"(mxcsr));
    __asm__("fnstcw %0" : "=m"(x87));
    frame[CONTROL_WORDS] = mxcsr | (uintptr_t)x87 << 32;
}

const char *twi_context_kind(void)
{
    return "x86-64";
}
#elif defined(__aarch64__)
enum { FRAME_WORDS = 22, ENTRY = 0, ARGUMENT = 1, RETURN = 11, CONTROL_WORDS = 20 };

static void frame_set_control(uintptr_t *frame)
{
    uintptr_t fpcr;
    __asm__("mrs %0, fpcr" : "=r"(fpcr));
    frame[CONTROL_WORDS] = fpcr;
}

const char *twi_context_kind(void)
{
    return "aarch64";
}
#endif

void twi_context_make(struct twi_context *context, void *low, void *high, void (*entry)(void *),
                      void *argument)
{
    (void)low;
    uintptr_t top = (uintptr_t)high & ~(uintptr_t)63;
    uintptr_t *frame = (uintptr_t *)top - FRAME_WORDS;
    memset(frame, 0, FRAME_WORDS * sizeof *frame);
    frame_set_control(frame);
    frame[ENTRY] = (uintptr_t)entry;
    frame[ARGUMENT] = (uintptr_t)argument;
    frame[RETURN] = (uintptr_t)twi_context_start;
    context->stack_pointer = frame;
}

#endif
