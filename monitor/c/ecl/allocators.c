/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * allocators.c -- in front of ECL's allocators and of the collector's.
 *
 * ECL's announce what the next request to the collector is for, and from
 * where.  The collector's count the request, once, with ECL's interrupts
 * disabled.
 *
 * A request may run finalizers, which make requests of their own: what was
 * announced is taken before.
 */
#include "c/ecl/lisp_balance.h"
#include "c/ecl/lisp_heap.h"
#include "c/ecl/lisp_names.h"
#include "c/ecl/lisp_runtime.h"
#include "c/interpose/interposed.h"

/* What ECL's allocator says of the next request; and what those that call it
 * say of the next object, beside its type (LISP_WHAT). */
static __thread struct lisp_request announced
    __attribute__((tls_model("initial-exec")));
static __thread uint32_t next_more __attribute__((tls_model("initial-exec")));

/* How many bodies an object of the type may get, each by a request after that
 * for the object. */
static const uint8_t bodies[t_end] = {
    [t_array] = 2, /* dimensions, and data */
    [t_vector] = 1,    [t_string] = 1,    [t_base_string] = 1,
    [t_bitvector] = 1, [t_hashtable] = 1, [t_instance] = 1,
    [t_bytecodes] = 1, [t_foreign] = 1,   [t_readtable] = 1,
    [t_stream] = 1,
};

static inline void
announce(const uintptr_t *frame, cl_type type, uint32_t body_count)
{
  lisp_runtime_begin();
  announced = (struct lisp_request){.frame = frame,
                                    .what = LISP_WHAT(type, next_more),
                                    .bodies = body_count};
  next_more = 0;
}

/* ---- the commonest objects ---- */

/* These are made here, as ECL makes them. */

static __thread cl_env_ptr known_env
    __attribute__((tls_model("initial-exec")));

static cl_env_ptr __attribute__((noinline)) find_env(void)
{
  return known_env = (ecl_process_env)(); /* not the headers' macro */
}

HOOK_INLINE void *
allocate_counted(void *(*request)(size_t), size_t bytes, cl_type type,
                 const uintptr_t *frame)
{
  cl_env_ptr env = known_env;
  if (__builtin_expect(env == NULL, 0))
    env = find_env();
  ecl_disable_interrupts_env(env);
  void *object = request(bytes);
  if (object != NULL)
    lisp_hook_allocated(
        object, bytes,
        (struct lisp_request){.frame = frame, .what = LISP_WHAT(type, 0)});
  ecl_enable_interrupts_env(env);
  return object;
}

static cl_object __attribute__((noinline))
cons_slow(cl_object a, cl_object d, const uintptr_t *frame)
{
  announce(frame, t_list, 0);
  return REAL(ecl_cons)(a, d);
}

HOOK_INLINE cl_object
cons(cl_object a, cl_object d, const uintptr_t *frame)
{
  struct ecl_cons *made;
  if (__builtin_expect(!lisp_runtime_counts(), 0))
    return cons_slow(a, d, frame);
  made = allocate_counted(lisp_runtime.malloc, sizeof *made, t_list, frame);
  made->car = a;
  made->cdr = d;
  return ECL_PTR_CONS(made);
}

EXPORT cl_object
ecl_cons(cl_object a, cl_object d)
{
  return cons(a, d, FRAME);
}

#undef ecl_list1 /* newer releases have it as a macro */
EXPORT cl_object ecl_list1(cl_object a);

EXPORT cl_object
ecl_list1(cl_object a)
{
  return cons(a, ECL_NIL, FRAME);
}

/* A thread loses its environment, or gets another one. */
EXPORT void _ecl_dealloc_env(cl_env_ptr env);

EXPORT void
_ecl_dealloc_env(cl_env_ptr env)
{
  known_env = NULL;
  lisp_balance_leave();
  REAL(_ecl_dealloc_env)(env);
}

EXPORT bool
ecl_import_current_thread(cl_object name, cl_object bindings)
{
  known_env = NULL;
  lisp_balance_return(false);
  bool imported = REAL(ecl_import_current_thread)(name, bindings);
  if (imported)
    lisp_balance_return(true);
  return imported;
}

/* ---- others ---- */

/* Floats have no pointers in them. */
static const uint8_t float_bytes[t_end] = {
    [t_singlefloat] = sizeof(struct ecl_singlefloat),
    [t_doublefloat] = sizeof(struct ecl_doublefloat),
    [t_longfloat] = sizeof(struct ecl_long_float),
};

EXPORT cl_object
ecl_alloc_object(cl_type t)
{
  if (__builtin_expect(t < t_end && float_bytes[t] != 0, 1) &&
      lisp_runtime_counts()) {
    cl_object made = allocate_counted(lisp_runtime.malloc_atomic,
                                      float_bytes[t], t, FRAME);
    made->d.t = (int8_t)t;
    return made;
  }
  announce(FRAME, t, t < t_end ? bodies[t] : 0);
  return REAL(ecl_alloc_object)(t);
}

EXPORT cl_object
ecl_alloc_compact_object(cl_type t, cl_index extra)
{
  announce(FRAME, t, 0);
  return REAL(ecl_alloc_compact_object)(t, extra);
}

EXPORT cl_object
ecl_alloc_simple_vector(cl_index length, cl_elttype type)
{
  lisp_runtime_begin();
  next_more = (uint32_t)type + 1;
  return REAL(ecl_alloc_simple_vector)(length, type);
}

EXPORT cl_object
ecl_allocate_instance(cl_object class, cl_index size)
{
  lisp_runtime_begin();
  next_more = lisp_names_class(class);
  return REAL(ecl_allocate_instance)(class, size);
}

/* ---- the collector ---- */

/* What is known of the request; without a frame if it is not to be counted.
 */
HOOK_INLINE struct lisp_request
take_announced(const uintptr_t *frame)
{
  struct lisp_request r = {0};
  if (__builtin_expect(!lisp_runtime_counts(), 0)) {
    if (!lisp_runtime.awaits_first || !malloc_monitor_is_counting())
      return r;
    lisp_balance_begin();
  }
  r = announced.frame != NULL
          ? announced
          : (struct lisp_request){.frame = frame, .what = ECL_ALLOCATED_RAW};
  announced.frame = NULL;
  return r;
}

#define REQUEST(name)                                                        \
  EXPORT void *name(size_t bytes)                                            \
  {                                                                          \
    const struct lisp_request request = take_announced(FRAME);               \
    void *const object = REAL(name)(bytes);                                  \
    if (request.frame != NULL && object != NULL)                             \
      lisp_hook_allocated(object, bytes, request);                           \
    return object;                                                           \
  }

REQUEST(GC_malloc)
REQUEST(GC_malloc_atomic)
REQUEST(GC_malloc_ignore_off_page)
REQUEST(GC_malloc_atomic_ignore_off_page)
REQUEST(GC_malloc_uncollectable)

/* ---- what the collector requests of itself ---- */

/* A finalizer that replaces another needs no record, nor does one that is
 * taken back, or of what is not in the collector's heap. */
EXPORT void
GC_register_finalizer_no_order(void *object, GC_finalization_proc function,
                               void *data, GC_finalization_proc *old_function,
                               void **old_data)
{
  GC_finalization_proc before = NULL;
  REAL(GC_register_finalizer_no_order)
  (object, function, data, &before, old_data);
  if (old_function != NULL)
    *old_function = before;
  if (lisp_runtime_counts() && function != NULL && before == NULL &&
      GC_is_heap_ptr(object))
    lisp_balance_record(collector_rounded_bytes(ECL_FINALIZER_RECORD_BYTES));
}

/* It says 0 for a link that is new. */
EXPORT int
GC_general_register_disappearing_link(void **link, const void *object)
{
  const int known = REAL(GC_general_register_disappearing_link)(link, object);
  if (lisp_runtime_counts() && known == 0)
    lisp_balance_record(collector_rounded_bytes(ECL_WEAK_LINK_RECORD_BYTES));
  return known;
}
