/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * forward.h -- a function in front of another that takes any number of
 * arguments: C cannot pass these on.
 */
#ifndef MPROF_FORWARD_H
#define MPROF_FORWARD_H

/* Define the function `name', whose arguments are whatever they are: it calls
 * `before' with the second of them, and then is the function to which
 * `*target' points, with registers and stack as they were.  Exceptions and
 * walks go through it. */
#define ARCH_FORWARD(name, before, target)                                  \
  __asm__(".text\n"                                                         \
          ".globl " #name "\n"                                              \
          ".type " #name ", @function\n" #name ":\n"                        \
          "  .cfi_startproc\n"                                              \
          "  pushq %rdi\n  .cfi_adjust_cfa_offset 8\n"                      \
          "  pushq %rsi\n  .cfi_adjust_cfa_offset 8\n"                      \
          "  pushq %rdx\n  .cfi_adjust_cfa_offset 8\n"                      \
          "  pushq %rcx\n  .cfi_adjust_cfa_offset 8\n"                      \
          "  pushq %r8\n  .cfi_adjust_cfa_offset 8\n"                       \
          "  pushq %r9\n  .cfi_adjust_cfa_offset 8\n"                       \
          "  pushq %rax\n  .cfi_adjust_cfa_offset 8\n"                      \
          "  movq %rsi, %rdi\n"                                             \
          "  call " #before "\n"                                            \
          "  popq %rax\n  .cfi_adjust_cfa_offset -8\n"                      \
          "  popq %r9\n  .cfi_adjust_cfa_offset -8\n"                       \
          "  popq %r8\n  .cfi_adjust_cfa_offset -8\n"                       \
          "  popq %rcx\n  .cfi_adjust_cfa_offset -8\n"                      \
          "  popq %rdx\n  .cfi_adjust_cfa_offset -8\n"                      \
          "  popq %rsi\n  .cfi_adjust_cfa_offset -8\n"                      \
          "  popq %rdi\n  .cfi_adjust_cfa_offset -8\n"                      \
          "  jmp *" #target "(%rip)\n"                                      \
          "  .cfi_endproc\n"                                                \
          ".size " #name ", . - " #name "\n");

#endif
