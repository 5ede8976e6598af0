/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * arch.h -- all that depends on the processor: where a frame keeps the
 * caller's frame pointer and its return address, and the trampoline that a
 * marked frame returns to.  A new architecture is one assembler file, one
 * that reads instructions (instruction.h), the registers in unwind.h, the
 * code of a signal's return below and, if its frames look different, the two
 * accessors.
 *
 * A frame here is the value of the frame pointer: it points to the saved
 * frame pointer of the caller, and the word above holds the return address.
 * So it is on x86-64, and on AArch64 with -fno-omit-frame-pointer.
 */
#ifndef MPROF_ARCH_H
#define MPROF_ARCH_H

#include <pthread.h>
#include <stdint.h>
#include <string.h>

static inline uintptr_t
frame_caller(uintptr_t frame)
{
  return *(uintptr_t *)frame;
}

/* Where the frame keeps its return address. */
static inline uintptr_t *
frame_return_slot(uintptr_t frame)
{
  return (uintptr_t *)frame + 1;
}

/* The thread pointer of a thread, from which its thread-local variables are
 * counted: in the GNU C library on x86-64 a pthread_t is just that. */
static inline uintptr_t
arch_thread_pointer(pthread_t thread)
{
  return (uintptr_t)thread;
}

/* Where a marked frame returns to: takes the mark off the shadow stack of
 * this thread (see marker_stack.h) and goes on at the real return address
 * with all return values and callee-saved registers as they were. */
extern char mprof_return_trampoline[];

/* Whether a return to `ip' leaves a signal handler: the C library's code
 * there is `mov $15, %rax; syscall' (rt_sigreturn).  libunwind knows such a
 * frame only when it steps into it from a callee. */
static inline int
arch_is_signal_return(uintptr_t ip)
{
  static const unsigned char code[] = { 0x48, 0xC7, 0xC0, 0x0F, 0x00,
                                        0x00, 0x00, 0x0F, 0x05 };
  return memcmp((const void *)ip, code, sizeof code) == 0;
}

/* True when the processor checks return addresses against a copy of its own
 * (shadow stack, Intel CET): then frames cannot be marked. */
int arch_has_shadow_stack(void);

#endif
