/* -*- Mode: C; c-basic-offset: 2; indent-tabs-mode: nil -*- */
/* vim: set filetype=c tabstop=2 shiftwidth=2 expandtab: */

/*
 * malloc_hooks.c -- memory from malloc that serves objects of a type
 *
 * A part of memory.d with --enable-allocation-hooks; see allocation_monitor.h.
 */

static inline void *
malloc_from(cl_type t, cl_index n, void *frame)
{
  const cl_env_ptr the_env = ecl_process_env_unsafe();
  const cl_index what = t | ECL_ALLOCATED_RAW | ECL_ALLOCATED_MALLOC;
  void *ptr;
  if (!the_env)
    return ecl_malloc(n);
  ecl_disable_interrupts_env(the_env);
  ptr = malloc(n);
  if (ptr != NULL)
    ECL_ALLOCATED_FROM(the_env, frame, ECL_ALLOCATED_KIND(what, n), ptr);
  ecl_enable_interrupts_env(the_env);
  if (ptr == NULL) out_of_memory();
  return ptr;
}

void *
_ecl_malloc_part(cl_type t, cl_index n)
{
  return malloc_from(t, n, ECL_FRAME_ADDRESS());
}

void *
_ecl_realloc_part(cl_type t, void *ptr, cl_index osize, cl_index nsize)
{
  void *p = malloc_from(t, nsize, ECL_FRAME_ADDRESS());
  ecl_copy(p, ptr, (osize < nsize) ? osize : nsize);
  ecl_free(ptr);
  return p;
}
