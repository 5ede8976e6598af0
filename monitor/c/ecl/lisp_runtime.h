/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * lisp_runtime.h -- the ECL that is in this process, and the collector that
 * it allocates from: the functions that others here stand in front of.
 *
 * An ECL without mprof's patches calls its allocators, and these the
 * collector, by the linkage tables, so that what is preloaded comes first.
 * The collector is called once for each request, with ECL's interrupts
 * disabled: there requests are counted.  The allocator that calls it has
 * announced what they are for (allocators.c).
 *
 * Nothing is counted if ECL has mprof's patches, and so a monitor of its own,
 * or if it is another release than this was made for, whose layout of objects
 * is not known.  The functions here then only call the real ones.
 */
#ifndef MPROF_LISP_RUNTIME_H
#define MPROF_LISP_RUNTIME_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ecl/ecl.h>

#include "base/attributes.h"

struct lisp_runtime {
  bool found;        /* an ECL, and whether it is counted */
  bool hooked;       /* it is */
  bool awaits_first; /* but no request has been counted yet */
  bool counted;      /* requests are */
  void *(*malloc)(size_t), *(*malloc_atomic)(size_t); /* the collector's */
};

extern struct lisp_runtime lisp_runtime HIDDEN;

/* Find ECL: one of its functions is called. */
void lisp_runtime_find(void);

/* Whether requests are counted; then all else is known. */
static inline bool
lisp_runtime_counts(void)
{
  return __atomic_load_n(&lisp_runtime.counted, __ATOMIC_ACQUIRE);
}

static inline void
lisp_runtime_begin(void)
{
  if (__builtin_expect(
          !__atomic_load_n(&lisp_runtime.found, __ATOMIC_ACQUIRE), 0))
    lisp_runtime_find();
}

/* What has that name behind this library; NULL: nothing. */
void *lisp_runtime_search(const char *name);

/* The function that this library has one of its own in front of. */
#define REAL(name)                                                           \
  ({                                                                         \
    static __typeof__(&name) real_##name;                                    \
    if (__builtin_expect(real_##name == NULL, 0))                            \
      real_##name = (__typeof__(&name))lisp_runtime_search(#name);           \
    real_##name;                                                             \
  })

/* How large the function or the variable of ECL at that address is, in bytes;
 * 0: that cannot be told. */
size_t lisp_runtime_symbol_bytes(const void *at);

#endif
