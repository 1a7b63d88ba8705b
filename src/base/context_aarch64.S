// SPDX-License-Identifier: Apache-2.0
// Frame, from the saved stack pointer up: x19 to x28, x29, x30, d8 to d15, fpcr (see context.c). A
// fresh one holds its entry in x19 and the argument in x20.
    .text
    .globl twi_context_switch
    .hidden twi_context_switch
    .type twi_context_switch, %function
twi_context_switch:
    .cfi_startproc
    sub sp, sp, #176
    stp x19, x20, [sp]
    stp x21, x22, [sp, #16]
    stp x23, x24, [sp, #32]
    stp x25, x26, [sp, #48]
    stp x27, x28, [sp, #64]
    stp x29, x30, [sp, #80]
    stp d8, d9, [sp, #96]
    stp d10, d11, [sp, #112]
    stp d12, d13, [sp, #128]
    stp d14, d15, [sp, #144]
    mrs x9, fpcr
    str x9, [sp, #160]
    mov x9, sp
    str x9, [x0]
    ldr x9, [x1]
    mov sp, x9
    ldr x9, [sp, #160]
    msr fpcr, x9
    ldp x19, x20, [sp]
    ldp x21, x22, [sp, #16]
    ldp x23, x24, [sp, #32]
    ldp x25, x26, [sp, #48]
    ldp x27, x28, [sp, #64]
    ldp x29, x30, [sp, #80]
    ldp d8, d9, [sp, #96]
    ldp d10, d11, [sp, #112]
    ldp d12, d13, [sp, #128]
    ldp d14, d15, [sp, #144]
    add sp, sp, #176
    ret
    .cfi_endproc
    .size twi_context_switch, .-twi_context_switch

    .globl twi_context_start
    .hidden twi_context_start
    .type twi_context_start, %function
twi_context_start:
    .cfi_startproc
    .cfi_undefined x30
    mov x0, x20
    mov x29, xzr
    blr x19
    brk #1
    .cfi_endproc
    .size twi_context_start, .-twi_context_start

    .section .note.GNU-stack, "", %progbits
