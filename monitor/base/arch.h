/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * arch.h -- what depends on the processor in the walks of stacks: where a
 * frame keeps the caller's frame pointer and its return address, the
 * instruction that sets a frame word to zero, and the registers that say
 * where a frame is.
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
#include <ucontext.h>

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

/* How far below the frame pointer the word is that the instruction at `at'
 * sets to zero: `movq $0, -N(%rbp)', with N in one byte or in four.  0: it is
 * another instruction, or the word is further off than a call_site can say. */
static inline uint32_t
arch_frame_word(uintptr_t at)
{
  const uint8_t *code = (const uint8_t *)at;
  int32_t distance;
  if (code[0] != 0x48 || code[1] != 0xC7)
    return 0;
  if (code[2] == 0x45)
    distance = (int8_t)code[3];
  else if (code[2] == 0x85)
    memcpy(&distance, code + 3, sizeof distance);
  else
    return 0;
  return distance < 0 && distance >= -0xFFF8 && distance % 8 == 0
             ? (uint32_t)-distance
             : 0;
}

/* By their numbers in call-frame information (System V ABI, AMD64 supplement,
 * figure 3.36). */
enum {
  ARCH_REGISTER_FRAME_POINTER = 6,
  ARCH_REGISTER_STACK_POINTER = 7,
  ARCH_REGISTER_RETURN = 16
};

/* What a signal interrupted.  At the return address of the handler the stack
 * pointer `sp' points to the kernel's record of it. */
static inline void
arch_interrupted(uintptr_t sp, uintptr_t *ip, uintptr_t *interrupted_sp,
                 uintptr_t *frame)
{
  const ucontext_t *context = (const ucontext_t *)sp;
  *ip = (uintptr_t)context->uc_mcontext.gregs[REG_RIP];
  *interrupted_sp = (uintptr_t)context->uc_mcontext.gregs[REG_RSP];
  *frame = (uintptr_t)context->uc_mcontext.gregs[REG_RBP];
}

#endif
