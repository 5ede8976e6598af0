/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * collector.c -- in front of the collector: each request is counted here,
 * once.  ECL has its interrupts disabled.
 *
 * A request may run finalizers, and these make requests of their own: the
 * word that was left is taken before.  The collector's own requests, by which
 * it serves others, are not counted.
 */
#include "malloc/ecl/lisp_balance.h"
#include "malloc/ecl/lisp_heap.h"
#include "malloc/ecl/lisp_runtime.h"
#include "malloc/interpose/interposed.h"

/* The word for the request; without a frame if it is not to be counted. */
HOOK_INLINE struct lisp_call
take_call(const uintptr_t *frame)
{
  struct lisp_call call = {0};
  if (__builtin_expect(!lisp_runtime.counted, 0)) {
    if (!lisp_runtime.awaits || !malloc_monitor_is_counting())
      return call;
    lisp_balance_begin();
  }
  call = lisp_call;
  lisp_call.frame = NULL;
  if (call.frame == NULL) {
    call.what = LISP_WHAT(t_start, 0);
    call.bodies = 0;
    if (frame[1] - lisp_runtime.collector.start >=
        lisp_runtime.collector.bytes)
      call.frame = frame;
  }
  return call;
}

#define REQUEST(name)                                                        \
  EXPORT void *name(size_t bytes)                                            \
  {                                                                          \
    const struct lisp_call call = take_call(FRAME);                          \
    void *const object = BEHIND(name)(bytes);                                \
    if (call.frame != NULL && object != NULL)                                \
      lisp_hook_allocated(object, bytes, call.frame, call.what,              \
                          call.bodies);                                      \
    return object;                                                           \
  }

REQUEST(GC_malloc)
REQUEST(GC_malloc_atomic)
REQUEST(GC_malloc_ignore_off_page)
REQUEST(GC_malloc_atomic_ignore_off_page)
REQUEST(GC_malloc_uncollectable)

/* ---- what the collector requests of itself ---- */

static void
count_record(uint64_t *records)
{
  if (malloc_monitor_is_counting())
    __atomic_fetch_add(records, 1, __ATOMIC_RELAXED);
}

/* A finalizer that replaces another needs no record, nor does one that is
 * taken back, or of what is not in the collector's heap. */
EXPORT void
GC_register_finalizer_no_order(void *object, GC_finalization_proc function,
                               void *data,
                               GC_finalization_proc *old_function,
                               void **old_data)
{
  GC_finalization_proc before = NULL;
  BEHIND(GC_register_finalizer_no_order)(object, function, data, &before,
                                         old_data);
  if (old_function != NULL)
    *old_function = before;
  if (lisp_runtime.counted && function != NULL && before == NULL &&
      GC_is_heap_ptr(object))
    count_record(&lisp_heap.finalizers);
}

/* It says 0 for a link that is new. */
EXPORT int
GC_general_register_disappearing_link(void **link, const void *object)
{
  const int known = BEHIND(GC_general_register_disappearing_link)(link, object);
  if (lisp_runtime.counted && known == 0)
    count_record(&lisp_heap.links);
  return known;
}
