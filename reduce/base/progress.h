/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Who wants to know how far long work is.
 *
 * Whoever does the work says what it is doing, and how much of how much is
 * done, as often as it likes: telling costs three stores.  The library only
 * tells; whether anybody looks, and when, is the affair of the command, which
 * may do so at any time, also in a signal handler.
 */

#pragma once

#include <stdatomic.h>
#include <stddef.h>
#include <stdint.h>

struct progress {
  _Atomic(const char *)
      what; /* a constant such as "reading"; NULL: nothing */
  _Atomic uint64_t done;
  _Atomic uint64_t whole; /* 0: not known */
};

/* What is told; NULL: nobody listens, as in the library.  The command sets it
 * before its work begins. */
extern struct progress *progress_listener;

/* Says that DONE of WHOLE (0: not known) of WHAT, a constant, is done. */
static inline void
progress_tell(const char *what, uint64_t done, uint64_t whole)
{
  struct progress *progress = progress_listener;
  if (progress == NULL)
    return;
  atomic_store_explicit(&progress->done, done, memory_order_relaxed);
  atomic_store_explicit(&progress->whole, whole, memory_order_relaxed);
  atomic_store_explicit(&progress->what, what, memory_order_relaxed);
}
