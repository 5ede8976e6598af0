/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * unwind.h -- the registers that libunwind is given to begin in the middle of
 * a chain.  Include <libunwind.h> with UNW_LOCAL_ONLY through this.
 */
#ifndef MPROF_ARCH_UNWIND_H
#define MPROF_ARCH_UNWIND_H

#include <stdint.h>
#include <string.h>

#define UNW_LOCAL_ONLY
#include <libunwind.h>

/* libunwind's number of the frame pointer register. */
#define ARCH_UNWIND_FRAME_POINTER UNW_X86_64_RBP

/* A context in which only these three registers are known. */
static inline void
arch_unwind_context(unw_context_t *context, uintptr_t ip, uintptr_t sp,
                    uintptr_t frame)
{
  memset(context, 0, sizeof *context);
  context->uc_mcontext.gregs[REG_RIP] = (greg_t)ip;
  context->uc_mcontext.gregs[REG_RSP] = (greg_t)sp;
  context->uc_mcontext.gregs[REG_RBP] = (greg_t)frame;
}

#endif
