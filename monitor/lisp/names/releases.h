/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * releases.h -- what the releases of ECL keep in different places.
 *
 * These are the stacks of a thread and the bindings in it.  Everything else
 * that the monitor asks of ECL is the same in all releases that there are
 * patches for: what it needs beyond ECL's own interface is in
 * ecl/allocation_monitor.h.
 *
 * Any thread may call these; none of them allocates. */
#pragma once

#include <stdbool.h>

#include <ecl/ecl.h>

/* What the collector scans of a thread beside its C stack up to `c_begin'. */
struct release_stacks {
  const void *c_begin;                   /* the oldest word of its C stack */
  size_t c_bytes;                        /* how long that can become */
  const void *arguments, *arguments_end; /* of functions */
  const void *bindings, *bindings_end;   /* earlier values of symbols */
  const void *frames, *frames_end;       /* of BLOCK, CATCH, ... */
};

/* The field of an environment by its name in newer releases, and by that in
 * older ones. */
#if ECL_VERSION_NUMBER >= 240510
#define RELEASE_FIELD(newer, older) newer
#else
#define RELEASE_FIELD(newer, older) older
#endif

/* Returns whether the thread has begun to run.  A new one notes its stack
 * first of all.  In newer releases one that was not made by ECL never does,
 * and is active when it is listed. */
static inline bool
release_has_begun(cl_object process, cl_env_ptr env)
{
  return env->RELEASE_FIELD(c_stack.org, cs_org) != NULL ||
         (ECL_VERSION_NUMBER >= 240510 &&
          process->process.phase == ECL_PROCESS_ACTIVE);
}

/* Returns the values of symbols in that thread, by the symbols' numbers, and
 * sets *SIZE to how many there are.  Returns NULL while the parent has not
 * allocated them yet, which it does last of all. */
static inline const cl_object *
release_bindings(cl_env_ptr env, cl_index *size)
{
  *size = env->RELEASE_FIELD(bds_stack.tl_bindings_size,
                             thread_local_bindings_size);
  return env->RELEASE_FIELD(bds_stack.tl_bindings, thread_local_bindings);
}

/* Returns the stacks of the thread, which has begun. */
static inline struct release_stacks
release_stacks(cl_env_ptr env)
{
  return (struct release_stacks){
      .c_begin = env->RELEASE_FIELD(c_stack.org, cs_org),
      .c_bytes = env->RELEASE_FIELD(c_stack.max_size, cs_max_size),
      .arguments = env->RELEASE_FIELD(run_stack.org, stack),
      .arguments_end = env->RELEASE_FIELD(run_stack.top, stack_top),
      .bindings = env->RELEASE_FIELD(bds_stack.org, bds_org),
      .bindings_end = env->RELEASE_FIELD(bds_stack.top, bds_top) + 1,
      .frames = env->RELEASE_FIELD(frs_stack.org, frs_org),
      .frames_end = env->RELEASE_FIELD(frs_stack.top, frs_top) + 1};
}

/* Calls FREED, unless it is NULL, for each stack of a thread that ends.  Newer
 * releases free them when the thread has no environment, and tell nobody. */
static inline void
release_stacks_freed(cl_env_ptr env, void (*freed)(void *memory))
{
  cl_index size;
  const struct release_stacks s = release_stacks(env);
  if (ECL_VERSION_NUMBER < 240510 || freed == NULL)
    return;
  freed((void *)release_bindings(env, &size));
  freed((void *)s.arguments);
  freed((void *)s.bindings);
  freed((void *)s.frames);
}
