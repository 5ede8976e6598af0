/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * hidden.h -- objects whose addresses are nowhere until a program shows them:
 * for tests of what is reachable.
 */
#ifndef HIDDEN_H
#define HIDDEN_H

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
  __asm__ volatile("xor %%ebx, %%ebx\n\txor %%r12d, %%r12d\n\t"
                   "xor %%r13d, %%r13d\n\txor %%r14d, %%r14d\n\t"
                   "xor %%r15d, %%r15d\n\txor %%eax, %%eax\n\t"
                   "xor %%ecx, %%ecx\n\txor %%edx, %%edx\n\t"
                   "xor %%esi, %%esi\n\txor %%edi, %%edi\n\t"
                   "xor %%r8d, %%r8d\n\txor %%r9d, %%r9d\n\t"
                   "xor %%r10d, %%r10d\n\txor %%r11d, %%r11d" ::
                       : "rbx", "r12", "r13", "r14", "r15", "rax", "rcx",
                         "rdx", "rsi", "rdi", "r8", "r9", "r10", "r11");
}

/* An object, which nothing knows. */
static ALONE uintptr_t
hide(size_t bytes)
{
  const uintptr_t p = (uintptr_t)malloc(bytes) ^ MASK;
  wipe();
  return p;
}

#endif
