/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * allocators.c -- in front of ECL's allocators: they leave word of what the
 * next request to the collector is for, and from where; or they are such
 * allocators.
 */
#include "arch/forward.h"
#include "malloc/ecl/lisp_balance.h"
#include "malloc/ecl/lisp_heap.h"
#include "malloc/ecl/lisp_names.h"
#include "malloc/ecl/lisp_runtime.h"
#include "malloc/interpose/interposed.h"

__thread struct lisp_call lisp_call HIDDEN_THREAD;

/* How many bodies an object of the type may get, each by a request after that
 * for the object. */
static const uint8_t bodies[t_end] = {
    [t_array] = 2, /* dimensions, and data */
    [t_vector] = 1,      [t_string] = 1,   [t_base_string] = 1,
    [t_bitvector] = 1,   [t_hashtable] = 1, [t_instance] = 1,
    [t_bytecodes] = 1,   [t_foreign] = 1,   [t_readtable] = 1,
    [t_stream] = 1,
};

static inline void
leave_word(const uintptr_t *frame, uint32_t what)
{
  lisp_runtime_begin();
  lisp_call.frame = frame;
  lisp_call.what = what;
  lisp_call.bodies = 0;
}

/* ---- the commonest objects ---- */

/* These are made here, as ECL makes them: what that costs, a look-up of the
 * thread's environment, is less than what counting them does. */

static __thread cl_env_ptr known_env
    __attribute__((tls_model("initial-exec")));

static cl_env_ptr __attribute__((noinline))
find_env(void)
{
  return known_env = BEHIND(ecl_process_env)();
}

HOOK_INLINE void *
make(void *(*request)(size_t), size_t bytes, cl_type type,
     const uintptr_t *frame)
{
  cl_env_ptr env = known_env;
  void *object;
  if (__builtin_expect(env == NULL, 0))
    env = find_env();
  ecl_disable_interrupts_env(env);
  object = request(bytes);
  if (object != NULL)
    lisp_hook_allocated(object, bytes, frame, LISP_WHAT(type, 0), 0);
  ecl_enable_interrupts_env(env);
  return object;
}

static cl_object __attribute__((noinline))
cons_otherwise(cl_object a, cl_object d, const uintptr_t *frame)
{
  leave_word(frame, LISP_WHAT(t_list, 0));
  return BEHIND(ecl_cons)(a, d);
}

HOOK_INLINE cl_object
cons(cl_object a, cl_object d, const uintptr_t *frame)
{
  struct ecl_cons *made;
  if (__builtin_expect(!lisp_runtime.counted, 0))
    return cons_otherwise(a, d, frame);
  made = make(lisp_runtime.malloc, sizeof *made, t_list, frame);
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
  BEHIND(_ecl_dealloc_env)(env);
}

EXPORT bool
ecl_import_current_thread(cl_object name, cl_object bindings)
{
  bool imported;
  known_env = NULL;
  lisp_balance_come(false);
  imported = BEHIND(ecl_import_current_thread)(name, bindings);
  if (imported)
    lisp_balance_come(true);
  return imported;
}

/* ---- others ---- */

/* What is known of the next object of that type beside this. */
static uint32_t
take_more(cl_type t)
{
  uint32_t more = 0;
  if (t == t_instance) {
    more = lisp_names_class(lisp_call.class);
    lisp_call.class = OBJNULL;
  } else {
    more = lisp_call.element;
    lisp_call.element = 0;
  }
  return more;
}

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
      lisp_runtime.counted) {
    cl_object made =
        make(lisp_runtime.malloc_atomic, float_bytes[t], t, FRAME);
    made->d.t = (int8_t)t;
    return made;
  }
  leave_word(FRAME, LISP_WHAT(t, 0));
  if (t < t_end && bodies[t] != 0) {
    lisp_call.what = LISP_WHAT(t, take_more(t));
    lisp_call.bodies = bodies[t];
  }
  return BEHIND(ecl_alloc_object)(t);
}

EXPORT cl_object
ecl_alloc_compact_object(cl_type t, cl_index extra)
{
  leave_word(FRAME, LISP_WHAT(t, take_more(t)));
  return BEHIND(ecl_alloc_compact_object)(t, extra);
}

EXPORT cl_object
ecl_alloc_simple_vector(cl_index length, cl_elttype type)
{
  lisp_runtime_begin();
  lisp_call.element = (uint32_t)type + 1;
  return BEHIND(ecl_alloc_simple_vector)(length, type);
}

EXPORT cl_object
ecl_allocate_instance(cl_object class, cl_index size)
{
  lisp_runtime_begin();
  lisp_call.class = class;
  return BEHIND(ecl_allocate_instance)(class, size);
}

/* si_make_structure (narg, type, ...): whatever its arguments are, they stay
 * where they are. */
HIDDEN void lisp_make_structure_of(cl_object type);
HIDDEN void *lisp_make_structure;
void *lisp_make_structure;

void
lisp_make_structure_of(cl_object type)
{
  lisp_runtime_begin();
  lisp_call.class = type;
  lisp_runtime_behind(&lisp_make_structure, "si_make_structure");
}

ARCH_FORWARD(si_make_structure, lisp_make_structure_of, lisp_make_structure)
