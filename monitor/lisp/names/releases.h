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

#if ECL_VERSION_NUMBER >= 240510

/* Returns whether the thread has begun to run.  A new one notes its stack
 * first of all; one that was not made by ECL never does, and is active when
 * it is listed. */
static inline bool
release_has_begun(cl_object process, cl_env_ptr env)
{
  return env->c_stack.org != NULL ||
         process->process.phase == ECL_PROCESS_ACTIVE;
}

/* Returns whether its parent has allocated all for it, the bindings last. */
static inline bool
release_is_made(cl_env_ptr env)
{
  return env->bds_stack.tl_bindings != NULL;
}

/* Returns the values of symbols in that thread, by their numbers. */
static inline const cl_object *
release_bindings(cl_env_ptr env, cl_index *size)
{
  *size = env->bds_stack.tl_bindings_size;
  return env->bds_stack.tl_bindings;
}

static inline struct release_stacks
release_stacks(cl_env_ptr env)
{
  return (struct release_stacks){.c_begin = env->c_stack.org,
                                 .c_bytes = env->c_stack.max_size,
                                 .arguments = env->run_stack.org,
                                 .arguments_end = env->run_stack.top,
                                 .bindings = env->bds_stack.org,
                                 .bindings_end = env->bds_stack.top + 1,
                                 .frames = env->frs_stack.org,
                                 .frames_end = env->frs_stack.top + 1};
}

#else

static inline bool
release_has_begun(cl_object process, cl_env_ptr env)
{
  (void)process;
  return env->cs_org != NULL;
}

static inline bool
release_is_made(cl_env_ptr env)
{
  return env->thread_local_bindings != NULL;
}

static inline const cl_object *
release_bindings(cl_env_ptr env, cl_index *size)
{
  *size = env->thread_local_bindings_size;
  return env->thread_local_bindings;
}

static inline struct release_stacks
release_stacks(cl_env_ptr env)
{
  return (struct release_stacks){.c_begin = env->cs_org,
                                 .c_bytes = env->cs_max_size,
                                 .arguments = env->stack,
                                 .arguments_end = env->stack_top,
                                 .bindings = env->bds_org,
                                 .bindings_end = env->bds_top + 1,
                                 .frames = env->frs_org,
                                 .frames_end = env->frs_top + 1};
}

#endif
