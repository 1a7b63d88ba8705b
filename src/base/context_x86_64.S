// SPDX-License-Identifier: Apache-2.0
// Frame, from the saved stack pointer up: control words, r15, r14, r13, r12, rbx, rbp, return
// address (see context.c). A fresh one holds its entry in r13 and the argument in r12.
// It ends with a return if both stacks were left by the same call, as fibers are (twi_switch): the
// processor then foresees it, and the returns after it. Else it would expect a return to where this
// was called from, and a jump is better. Loading control words takes longer than to see that they
// are the same.
    .text
    .globl twi_context_switch
    .hidden twi_context_switch
    .type twi_context_switch, @function
twi_context_switch:
    .cfi_startproc
    movq (%rsp), %rdx
    pushq %rbp
    pushq %rbx
    pushq %r12
    pushq %r13
    pushq %r14
    pushq %r15
    subq $8, %rsp
    stmxcsr (%rsp)
    fnstcw 4(%rsp)
    movl (%rsp), %eax
    movzwl 4(%rsp), %ecx
    movq %rsp, (%rdi)
    movq (%rsi), %rsp
    cmpl %eax, (%rsp)
    jne 2f
    cmpw %cx, 4(%rsp)
    jne 2f
3:
    addq $8, %rsp
    popq %r15
    popq %r14
    popq %r13
    popq %r12
    popq %rbx
    popq %rbp
    cmpq %rdx, (%rsp)
    jne 1f
    ret
1:
    popq %rcx
    jmp *%rcx
2:
    ldmxcsr (%rsp)
    fldcw 4(%rsp)
    jmp 3b
    .cfi_endproc
    .size twi_context_switch, .-twi_context_switch

    .globl twi_context_start
    .hidden twi_context_start
    .type twi_context_start, @function
twi_context_start:
    .cfi_startproc
    .cfi_undefined rip
    movq %r12, %rdi
    xorl %ebp, %ebp
    call *%r13
    ud2
    .cfi_endproc
    .size twi_context_start, .-twi_context_start

    .section .note.GNU-stack, "", @progbits
