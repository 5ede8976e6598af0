/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * arch.h -- all that depends on the processor.  Each processor has a file in
 * this folder, which defines what follows; a port is one file more.
 *
 * A *frame* here is the value of the frame pointer in a function that keeps
 * one.  It points to the caller's frame pointer, and the return address is in
 * the word above.  That is so on both processors.  What else is in the frame,
 * and where, is not.
 *
 * ARCH_PAGE is the largest page that a kernel may have, in bytes.
 *
 * Registers, by their numbers in call-frame information:
 *
 *     ARCH_REGISTER_FRAME_POINTER, ARCH_REGISTER_STACK_POINTER
 *     ARCH_REGISTER_RETURN    which has the return address
 *     ARCH_RETURN_AT          where a call leaves that, in words from the
 *                             caller's stack pointer; 0: in the register
 *
 * Frames:
 *
 *     arch_return_address(w)  the address in the word W of a frame, which may
 *                             be signed
 *     ARCH_FRAME              of the function that uses it, three words for
 *                             arch_frame_stack: the caller's frame pointer,
 *                             the return address, and possibly one more.
 *                             They are there until the function returns.
 *     arch_frame_stack(f)     the caller's stack pointer
 *     ARCH_FRAME_IS_AT_TOP    whether it is just above those two words of a
 *                             frame
 *     arch_frame_set(at, &n)  whether the instruction at AT sets the frame
 *                             pointer, to the stack pointer and N
 *     arch_zeroed(at, &n)     the register and the distance N from it that
 *                             the instruction at AT sets to zero; -1: it is
 *                             another one
 *
 * Signals:
 *
 *     arch_interrupted        what a signal interrupted
 *     arch_link               where its ARCH_REGISTER_RETURN is
 *     arch_is_signal_return   whether the code at an address, for which there
 *                             is no call-frame information, is what the
 *                             handler returns to
 *
 * Threads:
 *
 *     arch_thread_pointer     from which its thread-local variables count
 *     arch_system_call        without the C library: it may be made wherever
 *                             that may not be asked, and errno stays as it is
 *     arch_traced_*           of a thread that this process traces
 *     ARCH_RED_ZONE           bytes below the stack pointer that are in use
 *     ARCH_THREAD_VECTOR      where the thread pointer has the address of the
 *                             vector of dynamic variables, in words
 *     ARCH_THREAD_IS_BELOW    whether the C library's record of the thread is
 *                             below the thread pointer, and the static
 *                             variables above, or the other way round
 *
 * Code that calls (instructions can be told for certain only from the
 * beginning of a function; whoever reads them backward has to check that what
 * they name is of the kind that it should be):
 *
 *     arch_call_target        where the call before a return address goes
 *     arch_call_slot          or which slot has the address of that
 *     arch_linkage_slot       the slot of an entry of a linkage table
 *     arch_table_argument     of a call: whether its second argument is from
 *                             a table that a variable of the file points to
 *     ARCH_CALL_BYTES         of a call of a place, and, at least, by a
 *     ARCH_REGISTER_CALL_BYTES   register
 *     ARCH_CODE_STEP          instructions begin at multiples of it
 *
 * The dynamic linker's relocations that store the address of a function:
 *
 *     ARCH_RELOCATION_CALL, ARCH_RELOCATION_DATA, ARCH_RELOCATION_WORD
 */
#ifndef MPROF_ARCH_H
#define MPROF_ARCH_H

#include <elf.h>
#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>
#include <string.h>
#include <sys/ptrace.h>
#include <sys/types.h>
#include <sys/uio.h>
#include <sys/user.h>
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

/* Where the frame keeps its return address. */
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

#endif
