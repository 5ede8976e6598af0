/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * free_lists.h -- the collector's private free lists of each thread.
 *
 * A thread takes small objects from lists of its own, without a lock.  The
 * collector counts a list as given out when it makes it, so what lies on the
 * lists has been counted by it and not been allocated by anybody.
 *
 * Where they are.  libgc has one thread-local variable: the pointer to the
 * lists, which are part of the record that it keeps of the thread.  libgc is
 * loaded when the program starts, so that variable is at the same distance
 * from the thread pointer in every thread, and any thread can read it.
 *
 * Limits.  The layout is the collector's private affair (bdwgc 8.x).  All of
 * it is checked, and what is not as expected is not read.
 */
#ifndef MPROF_FREE_LISTS_H
#define MPROF_FREE_LISTS_H

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

/* Where they are. */
struct free_lists { /* all zero: not known */
  bool found;
  intptr_t offset; /* of libgc's variable from the thread pointer */
  uintptr_t data_start, data_end; /* of libgc */
};

/* Find that out, if it is as this file expects it. */
void free_lists_open(struct free_lists *lists);

/* Bytes on the lists of a thread that lives and does not allocate, or else
 * some number; -1 when they cannot be read.  Another thread's: only while the
 * collector's lock is held (GC_call_with_alloc_lock). */
int64_t free_lists_bytes(const struct free_lists *lists, pthread_t thread);

/* Bytes of the collector's record of a thread that lives.  The collector
 * counts them as given out when the thread begins.  0 for the first thread,
 * whose record is static, and when it cannot be read. */
uint64_t free_lists_record_bytes(const struct free_lists *lists,
                                 pthread_t thread);

#endif
