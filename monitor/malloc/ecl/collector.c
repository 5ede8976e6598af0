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
#include "malloc/ecl/lisp_hook.h"
#include "malloc/ecl/lisp_runtime.h"
#include "malloc/interpose/interposed.h"

EXPORT void *GC_malloc(size_t bytes);
EXPORT void *GC_malloc_atomic(size_t bytes);
EXPORT void *GC_malloc_ignore_off_page(size_t bytes);
EXPORT void *GC_malloc_atomic_ignore_off_page(size_t bytes);
EXPORT void *GC_malloc_uncollectable(size_t bytes);
EXPORT void GC_register_finalizer_no_order(void *object,
                                           GC_finalization_proc function,
                                           void *data,
                                           GC_finalization_proc *old_function,
                                           void **old_data);
EXPORT int GC_general_register_disappearing_link(void **link,
                                                 const void *object);

/* Whether the request is one to count; `call' becomes the word for it. */
HOOK_INLINE bool
take_call(struct lisp_call *call, const uintptr_t *frame)
{
  if (__builtin_expect(!lisp_runtime.counted, 0)) {
    if (!__atomic_load_n(&lisp_runtime.sought, __ATOMIC_ACQUIRE))
      lisp_runtime_find_collector();
    if (!lisp_runtime.awaits || !malloc_monitor_is_counting())
      return false;
    lisp_balance_begin();
  }
  *call = lisp_call;
  lisp_call.frame = NULL;
  if (call->frame != NULL)
    return true;
  call->frame = frame;
  call->what = LISP_WHAT(t_start, 0);
  call->bodies = 0;
  return frame[1] - lisp_runtime.collector.start >=
         lisp_runtime.collector.bytes;
}

#define REQUEST(name)                                                        \
  void *GC_##name(size_t bytes)                                              \
  {                                                                          \
    struct lisp_call call;                                                   \
    const bool counts = take_call(&call, FRAME);                             \
    void *const object = lisp_runtime.name(bytes);                           \
    if (counts && object != NULL)                                            \
      lisp_hook_allocated(object, bytes, call.frame, call.what,              \
                          call.bodies);                              \
    return object;                                                           \
  }

REQUEST(malloc)
REQUEST(malloc_atomic)
REQUEST(malloc_ignore_off_page)
REQUEST(malloc_atomic_ignore_off_page)
REQUEST(malloc_uncollectable)

/* ---- what the collector requests of itself ---- */

/* A finalizer that replaces another needs no record, nor does one that is
 * taken back, or of what is not in the collector's heap. */
void
GC_register_finalizer_no_order(void *object, GC_finalization_proc function,
                               void *data,
                               GC_finalization_proc *old_function,
                               void **old_data)
{
  GC_finalization_proc function_before = NULL;
  void *data_before = NULL;
  if (!__atomic_load_n(&lisp_runtime.sought, __ATOMIC_ACQUIRE))
    lisp_runtime_find_collector();
  lisp_runtime.register_finalizer(object, function, data, &function_before,
                                  &data_before);
  if (old_function != NULL)
    *old_function = function_before;
  if (old_data != NULL)
    *old_data = data_before;
  if (lisp_runtime.counted && function != NULL && function_before == NULL &&
      GC_is_heap_ptr(object))
    lisp_heap_record(false);
}

/* It says 0 for a link that is new. */
int
GC_general_register_disappearing_link(void **link, const void *object)
{
  int known;
  if (!__atomic_load_n(&lisp_runtime.sought, __ATOMIC_ACQUIRE))
    lisp_runtime_find_collector();
  known = lisp_runtime.register_link(link, object);
  if (lisp_runtime.counted && known == 0)
    lisp_heap_record(true);
  return known;
}
