/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * registers.h -- the registers that say where a frame is, by their numbers in
 * call-frame information (System V ABI, AMD64 supplement, figure 3.36), and
 * where the kernel keeps those of code that a signal interrupted.
 */
#ifndef MPROF_ARCH_REGISTERS_H
#define MPROF_ARCH_REGISTERS_H

#include <stdint.h>
#include <ucontext.h>

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
