/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * arch.h -- everything that depends on the processor.  Each processor has one
 * file in this folder, which defines the names below.
 *
 * A *frame* is the value of the frame pointer in a function that keeps one.
 * It points to the caller's frame pointer, and the return address is in the
 * next word.  This holds on both processors; where the rest of the frame is
 * does not.
 *
 * ARCH_PAGE is the largest page size of any kernel, in bytes.
 *
 * Registers, by their numbers in call-frame information:
 *
 *     ARCH_REGISTER_FRAME_POINTER, ARCH_REGISTER_STACK_POINTER
 *     ARCH_REGISTER_RETURN    holds the return address
 *     ARCH_RETURN_AT          where a call stores the return address, in
 *                             words from the caller's stack pointer; 0: in
 *                             the register only
 *
 * Frames:
 *
 *     arch_return_address(w)  the address in the word W of a frame, without
 *                             its signature
 *     ARCH_FRAME              a record of the current function for
 *                             arch_frame_stack: the caller's frame pointer,
 *                             the return address, and possibly one more word.
 *                             It is valid until the function returns.
 *     arch_frame_stack(f)     the caller's stack pointer
 *     ARCH_CODE_STEP          the alignment of instructions
 *     ARCH_FRAME_IS_AT_TOP    whether the caller's stack pointer is just
 *                             above the first two words of a frame
 *     arch_frame_set(at, &n)  whether the instruction at AT sets the frame
 *                             pointer to the stack pointer plus N
 *     arch_zeroed(at, &n)     if the instruction at AT stores a zero, the
 *                             base register, and the offset N; otherwise -1
 *
 * Signals:
 *
 *     arch_interrupted        the registers that a signal interrupted;
 *                             returns where the kernel keeps the instruction
 *                             pointer, which arch_link takes
 *     arch_link               where the interrupted ARCH_REGISTER_RETURN is
 *     arch_is_signal_return   whether a handler returns to this address, for
 *                             which there is no call-frame information
 *
 * Threads:
 *
 *     arch_thread_pointer     the address that thread-local variables are
 *                             relative to
 *     arch_system_call        a system call without the C library; returns
 *                             -ERROR if it fails, and leaves errno alone
 *     arch_add                adds to a word that other threads read and this
 *                             one alone writes, before what follows; on
 *                             x86-64 in one instruction, so that a handler of
 *                             a signal may add to it as well
 *     ARCH_RED_ZONE           bytes in use below the stack pointer, at most
 *     ARCH_THREAD_VECTOR      where the address of the vector of dynamic
 *                             variables is, in words from the thread pointer
 *     ARCH_THREAD_IS_BELOW    whether the C library's thread record is below
 *                             the thread pointer and the static variables
 *                             above it, or the other way round
 *
 * Relocations of the dynamic linker that store the address of a function:
 *
 *     ARCH_RELOCATION_CALL, ARCH_RELOCATION_DATA, ARCH_RELOCATION_WORD */
#pragma once

#include <elf.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <ucontext.h>

#if defined __x86_64__
#include "arch/x86_64.h"
#elif defined __aarch64__
#include "arch/aarch64.h"
#else
#error "mprof is for x86-64 and AArch64"
#endif

static inline uintptr_t
frame_caller(uintptr_t frame)
{
  return *(uintptr_t *)frame;
}

/* Returns where the frame keeps its return address. */
static inline uintptr_t *
frame_return_slot(uintptr_t frame)
{
  return (uintptr_t *)frame + 1;
}

static inline uintptr_t
frame_return(uintptr_t frame)
{
  return arch_return_address(*frame_return_slot(frame));
}
