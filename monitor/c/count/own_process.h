/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * own_process.h -- tells a process from the copies of it that count for
 * themselves.
 *
 * Model.  A copy may be made without a handler of the parent's: by _Fork, by
 * clone, or by a system call.  So a page that the kernel empties in each copy
 * (MADV_WIPEONFORK, Linux 4.14) says whose the figures in memory are.  A copy
 * begins anew when it first counts or frees, and costs nothing until then.  A
 * child that shares its parent's memory (vfork, CLONE_VM) also shares the
 * page, and counts as a thread of the parent.
 *
 * Until the copy has begun, its counters are mapped from its parent's image.
 * So all but the hook's fast path, which finds neither `counting' nor
 * `known', call own_process_known before they use the monitor, the stripes or
 * any lock.
 *
 * Takes memory from the kernel alone; may run inside the hook. */
#pragma once

#include <stdbool.h>

#include "arch/arch.h"
#include "base/attributes.h"
#include "image/spin_lock.h"

extern union own_process {
  struct {
    bool known;            /* the figures in memory are this process's */
    bool counting;         /* allocations, now; any thread may read it */
    struct spin_lock lock; /* held by the thread that begins the process */
  };
  _Alignas(ARCH_PAGE) char page[ARCH_PAGE]; /* alone in it */
} own_process HIDDEN;

/* Begins in the first process, or in a copy of it.  Returns false in a copy
 * that cannot have counters of its own, and for a signal handler that
 * interrupted this function in its thread. */
bool own_process_begin(void);

/* Returns whether the figures in memory are this process's; may begin it. */
static inline bool
own_process_known(void)
{
  return __builtin_expect(
             __atomic_load_n(&own_process.known, __ATOMIC_ACQUIRE), 1) ||
         own_process_begin();
}

/* Empties the page as the kernel does, where it does not. */
void own_process_forked(void);

/* Calls BEGIN_COPY from now on when a copy begins, with whether it counts.
 * That forgets what is the parent's, and returns false if it cannot. */
void own_process_open(bool (*begin_copy)(bool counting));

/* Counts allocations from now on, or does not; so will copies. */
void own_process_count(bool on);

/* Counts nothing from now on, and changes no figure. */
void own_process_give_up(void);
