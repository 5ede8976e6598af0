/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * x86_64.S -- the return trampoline.
 *
 * It runs after the RET of a marked frame: the stack pointer is one word
 * above that frame's return slot.  The top of this thread's marker stack is
 * the mark of that frame, but for marks of frames that a jump left behind
 * (longjmp): those lie deeper in the stack, that is, their slots have lower
 * addresses; they are dropped here.
 *
 * Registers: return values are in rax, rdx, xmm0, xmm1, st0 and st1; rbx,
 * rbp, r12-r15 belong to the caller.  Only rcx, rsi and rdi are used.
 *
 * It ends in an indirect JMP: the processor's return predictor has lost one
 * entry (the RET that came here) and a second RET would make it lose step
 * for good (measured in a prototype: 7.5 ns against 16 to 30).
 *
 * The offsets are those of struct marker_stack and struct marker, checked by
 * _Static_assert in marker_stack.c.
 */
        .text
        .p2align 4
        .globl  mprof_return_trampoline
        .hidden mprof_return_trampoline
        .type   mprof_return_trampoline, @function
mprof_return_trampoline:
        .cfi_startproc
        .cfi_undefined rip              /* a debugger stops here */
        movq    mprof_markers@gottpoff(%rip), %rcx
        movq    %fs:(%rcx), %rcx        /* struct marker_stack * */
        movq    (%rcx), %rsi            /* its top */
        leaq    -8(%rsp), %rdi          /* the slot that was returned from */
        cmpq    %rdi, (%rsi)
        jne     2f
1:      movq    8(%rsi), %rdi           /* the real return address */
        subq    $24, %rsi
        movq    %rsi, (%rcx)
        jmp     *%rdi
2:      subq    $24, %rsi               /* left behind by a jump */
        cmpq    %rdi, (%rsi)
        jne     2b
        jmp     1b
        .cfi_endproc
        .size   mprof_return_trampoline, . - mprof_return_trampoline

        /* int arch_has_shadow_stack(void): RDSSP is a no-op without one */
        .p2align 4
        .globl  arch_has_shadow_stack
        .hidden arch_has_shadow_stack
        .type   arch_has_shadow_stack, @function
arch_has_shadow_stack:
        .cfi_startproc
        xorl    %eax, %eax
        xorl    %ecx, %ecx
        rdsspq  %rcx
        testq   %rcx, %rcx
        setne   %al
        ret
        .cfi_endproc
        .size   arch_has_shadow_stack, . - arch_has_shadow_stack

        .section .note.GNU-stack,"",@progbits
