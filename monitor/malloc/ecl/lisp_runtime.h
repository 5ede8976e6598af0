/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * lisp_runtime.h -- the ECL that is in this process, and the collector that
 * it allocates from: the functions that others here stand in front of.
 *
 * An ECL without mprof's patches calls its allocators, and these the
 * collector, by the linkage tables, so that what is preloaded comes first.
 * The collector is called once for each request, with ECL's interrupts
 * disabled: there requests are counted (collector.c).  What they are for, the
 * allocator above it knows, and leaves word (allocators.c).
 *
 * Nothing is counted where ECL has mprof's patches, since that has a monitor
 * of its own, nor where it is another release than this was made for: the
 * layout of objects is not known then.  What is in front then calls what is
 * behind.
 */
#ifndef MPROF_LISP_RUNTIME_H
#define MPROF_LISP_RUNTIME_H

#include <pthread.h>
#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ecl/ecl.h>

#include "arch/attributes.h"

struct lisp_runtime {
  bool found;    /* all that is behind, and whether it is counted */
  bool hooked;   /* it is */
  bool awaits;   /* but no request has been counted yet */
  bool counted;  /* requests are */
  bool sought;   /* the collector, if ECL has not been found */
  struct {
    uintptr_t start, bytes; /* of the code of the collector's library */
  } collector;

  void *(*malloc)(size_t), *(*malloc_atomic)(size_t),
      *(*malloc_ignore_off_page)(size_t),
      *(*malloc_atomic_ignore_off_page)(size_t),
      *(*malloc_uncollectable)(size_t);
  void (*register_finalizer)(void *, GC_finalization_proc, void *,
                             GC_finalization_proc *, void **);
  int (*register_link)(void **, const void *);
  int (*register_thread)(const struct GC_stack_base *);
  int (*unregister_thread)(void);
  int (*create_thread)(pthread_t *, const pthread_attr_t *,
                       void *(*)(void *), void *);

  cl_object (*alloc_object)(cl_type), (*cons)(cl_object, cl_object),
      (*alloc_compact_object)(cl_type, cl_index),
      (*alloc_simple_vector)(cl_index, cl_elttype),
      (*allocate_instance)(cl_object, cl_index),
      (*make_structure)(cl_narg, ...);

  cl_object (*interpret)(cl_object, cl_object, cl_object),
      (*init_module)(cl_object, void (*)(cl_object)),
      (*make_cfun)(cl_objectfn_fixed, cl_object, cl_object, int),
      (*make_cfun_va)(cl_objectfn, cl_object, cl_object, int),
      (*make_cclosure_va)(cl_objectfn, cl_object, cl_object, int),
      (*fset)(cl_narg, cl_object, cl_object, ...);
  const struct cl_core_struct *core;
  uintptr_t dispatch; /* ecl_function_dispatch */
  void (*library_close_all)(void);
  void *(*process_env)(void);
  void (*dealloc_env)(cl_env_ptr);
  bool (*import_thread)(cl_object, cl_object);
  bool (*is_lower_case)(ecl_character);
};

extern struct lisp_runtime lisp_runtime HIDDEN;

/* Find what is behind: for the functions of the collector, or of both. */
void lisp_runtime_find(void);
void lisp_runtime_find_collector(void);

/* How large the function or the variable of ECL at that address is, in bytes;
 * 0: that cannot be told. */
size_t lisp_runtime_symbol_bytes(const void *at);

#endif
