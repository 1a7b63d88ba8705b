// SPDX-License-Identifier: Apache-2.0
// Switching between the model's threads: millions of times a second, hence not by ucontext where
// it can be helped (swapcontext makes a system call). Only what a call preserves is saved.
#include "coroutine.h"

#include <stddef.h>
#include <stdint.h>
#include <string.h>

enum { STACKS = 9, STACK_SIZE = 256 * 1024 };

static _Alignas(64) char stacks[STACKS][STACK_SIZE];

#if defined(__x86_64__)

void mc_switch_stack(void **save, void *load);
__asm__(".text\n"
        ".p2align 4\n"
        ".globl mc_switch_stack\n"
        ".hidden mc_switch_stack\n"
        ".type mc_switch_stack, @function\n"
        "mc_switch_stack:\n"
        "    pushq %rbp\n"
        "    pushq %rbx\n"
        "    pushq %r12\n"
        "    pushq %r13\n"
        "    pushq %r14\n"
        "    pushq %r15\n"
        "    movq %rsp, (%rdi)\n"
        "    movq %rsi, %rsp\n"
        "    popq %r15\n"
        "    popq %r14\n"
        "    popq %r13\n"
        "    popq %r12\n"
        "    popq %rbx\n"
        "    popq %rbp\n"
        "    ret\n"
        ".size mc_switch_stack, .-mc_switch_stack\n");

void mc_coroutine_prepare(struct mc_coroutine *coroutine, int number, void (*entry)(void))
{
    // Six registers, the address to return to, and a null return address above it: the stack is
    // then aligned as after a call.
    uintptr_t *top = (uintptr_t *)(stacks[number] + STACK_SIZE) - 8;
    memset(top, 0, 8 * sizeof *top);
    top[6] = (uintptr_t)entry;
    coroutine->stack_pointer = top;
}

#elif defined(__aarch64__)

void mc_switch_stack(void **save, void *load);
__asm__(".text\n"
        ".p2align 4\n"
        ".globl mc_switch_stack\n"
        ".hidden mc_switch_stack\n"
        ".type mc_switch_stack, %function\n"
        "mc_switch_stack:\n"
        "    sub sp, sp, #160\n"
        "    stp x19, x20, [sp]\n"
        "    stp x21, x22, [sp, #16]\n"
        "    stp x23, x24, [sp, #32]\n"
        "    stp x25, x26, [sp, #48]\n"
        "    stp x27, x28, [sp, #64]\n"
        "    stp x29, x30, [sp, #80]\n"
        "    stp d8, d9, [sp, #96]\n"
        "    stp d10, d11, [sp, #112]\n"
        "    stp d12, d13, [sp, #128]\n"
        "    stp d14, d15, [sp, #144]\n"
        "    mov x9, sp\n"
        "    str x9, [x0]\n"
        "    mov sp, x1\n"
        "    ldp x19, x20, [sp]\n"
        "    ldp x21, x22, [sp, #16]\n"
        "    ldp x23, x24, [sp, #32]\n"
        "    ldp x25, x26, [sp, #48]\n"
        "    ldp x27, x28, [sp, #64]\n"
        "    ldp x29, x30, [sp, #80]\n"
        "    ldp d8, d9, [sp, #96]\n"
        "    ldp d10, d11, [sp, #112]\n"
        "    ldp d12, d13, [sp, #128]\n"
        "    ldp d14, d15, [sp, #144]\n"
        "    add sp, sp, #160\n"
        "    ret\n"
        ".size mc_switch_stack, .-mc_switch_stack\n");

void mc_coroutine_prepare(struct mc_coroutine *coroutine, int number, void (*entry)(void))
{
    uintptr_t *top = (uintptr_t *)(stacks[number] + STACK_SIZE) - 20;
    memset(top, 0, 20 * sizeof *top);
    top[11] = (uintptr_t)entry; // x30
    coroutine->stack_pointer = top;
}

#else

void mc_coroutine_prepare(struct mc_coroutine *coroutine, int number, void (*entry)(void))
{
    getcontext(&coroutine->context);
    coroutine->context.uc_stack.ss_sp = stacks[number];
    coroutine->context.uc_stack.ss_size = STACK_SIZE;
    coroutine->context.uc_link = NULL;
    makecontext(&coroutine->context, entry, 0);
}

void mc_coroutine_switch(struct mc_coroutine *from, struct mc_coroutine *to)
{
    swapcontext(&from->context, &to->context);
}

#endif

#if defined(__x86_64__) || defined(__aarch64__)
void mc_coroutine_switch(struct mc_coroutine *from, struct mc_coroutine *to)
{
    mc_switch_stack(&from->stack_pointer, to->stack_pointer);
}
#endif
