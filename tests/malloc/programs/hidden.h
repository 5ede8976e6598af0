/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * hidden.h -- objects whose addresses are nowhere until a program shows them:
 * for tests of what is reachable.
 */
#pragma once

#include <stdint.h>
#include <stdlib.h>

/* An address that is none, to be kept where it shall not be found. */
#define MASK ((uintptr_t)-1)
#define SHOW(p) ((void *)((p) ^ MASK))
#define ALONE __attribute__((noinline))

/* What calls have left below this frame, and in registers. */
static ALONE void
wipe(void)
{
  volatile char stack[1 << 16];
  for (size_t i = 0; i < sizeof stack; i++)
    stack[i] = 0;
#ifdef __aarch64__
  __asm__ volatile("mov x0, 0\n\tmov x1, 0\n\tmov x2, 0\n\tmov x3, 0\n\t"
                   "mov x4, 0\n\tmov x5, 0\n\tmov x6, 0\n\tmov x7, 0\n\t"
                   "mov x8, 0\n\tmov x9, 0\n\tmov x10, 0\n\tmov x11, 0\n\t"
                   "mov x12, 0\n\tmov x13, 0\n\tmov x14, 0\n\tmov x15, 0\n\t"
                   "mov x16, 0\n\tmov x17, 0\n\t"
                   "mov x19, 0\n\tmov x20, 0\n\tmov x21, 0\n\tmov x22, 0\n\t"
                   "mov x23, 0\n\tmov x24, 0\n\tmov x25, 0\n\tmov x26, 0\n\t"
                   "mov x27, 0\n\tmov x28, 0" ::
                       : "x0", "x1", "x2", "x3", "x4", "x5", "x6", "x7",
                         "x8", "x9", "x10", "x11", "x12", "x13", "x14", "x15",
                         "x16", "x17",
                         "x19", "x20", "x21", "x22", "x23", "x24", "x25", "x26",
                         "x27", "x28");
#else
  __asm__ volatile("xor %%ebx, %%ebx\n\txor %%r12d, %%r12d\n\t"
                   "xor %%r13d, %%r13d\n\txor %%r14d, %%r14d\n\t"
                   "xor %%r15d, %%r15d\n\txor %%eax, %%eax\n\t"
                   "xor %%ecx, %%ecx\n\txor %%edx, %%edx\n\t"
                   "xor %%esi, %%esi\n\txor %%edi, %%edi\n\t"
                   "xor %%r8d, %%r8d\n\txor %%r9d, %%r9d\n\t"
                   "xor %%r10d, %%r10d\n\txor %%r11d, %%r11d" ::
                       : "rbx", "r12", "r13", "r14", "r15", "rax", "rcx",
                         "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11");
#endif
}

/* An object, which nothing knows. */
static ALONE uintptr_t
hide(size_t bytes)
{
  uintptr_t p = (uintptr_t)malloc(bytes) ^ MASK;
  __asm__ volatile("" : "+r"(p)); /* not behind the call */
  wipe();
  return p;
}
