/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * program_calls.c -- what a program may call: see mprof_malloc.h. */
#define MPROF_MALLOC_LIBRARY
#include "mprof_malloc.h"

#include <errno.h>
#include <stddef.h>
#include <stdio.h>

#include "arch/arch.h"
#include "c/count/monitor.h"
#include "c/count/thread.h"
#include "c/image/process_image.h"
#include "c/interpose/objects.h"
#include "c/interpose/real_allocator.h"
#include "image/arena.h"

/* Returns 0 and writes nothing: all that is counted is in the image at once.
 */
EXPORT int
mprof_save(void)
{
  return 0;
}

EXPORT void
set_mprof_autosave(int count)
{
  (void)count;
}

EXPORT void
mprof_stop(void)
{
  if (own_process_known())
    monitor_count(false);
}

/* Keeps the file where the program filters its system calls.  Forgets nothing
 * and keeps the file in the handler of a signal that interrupted an
 * allocation: the interrupted count may have the locks. */
EXPORT void
mprof_restart(const char *filename)
{
  const int saved = errno;
  if (!real_allocator_is_ours() || !own_process_known())
    return;
  const bool entered = thread_enter(ARCH_FRAME);
  if (entered && filename != NULL && !arenas_are_sealed() &&
      process_image_set(filename))
    monitor_leave_image();
  else if (entered)
    monitor_forget();
  monitor_count(true);
  this_thread.inside--;
  errno = saved;
}

/* Enters the region NAME, or leaves the innermost one where that is NULL.
 * Does neither in the handler of a signal that interrupted an allocation. */
static void
change_region(const char *name)
{
  const int saved = errno;
  if (!real_allocator_is_ours() || !own_process_known())
    return;
  const bool entered = thread_enter(ARCH_FRAME);
  struct thread *thread = entered ? thread_mine() : NULL;
  if (thread != NULL) {
    spin_lock(&monitor.lock);
    if (name != NULL)
      region_enter(&monitor.regions, &thread->regions, name);
    else
      region_leave(&monitor.regions, &thread->regions, true);
    spin_unlock(&monitor.lock);
  }
  this_thread.inside--;
  errno = saved;
}

EXPORT void
mprof_region_begin(const char *name)
{
  change_region(name == NULL ? "" : name);
}

EXPORT void
mprof_region_end(void)
{
  change_region(NULL);
}

EXPORT void
mprof_label_push(const char *key, const char *value)
{
  char name[REGION_PATH_BYTES];
  snprintf(name, sizeof name, "%s=%s", key == NULL ? "" : key,
           value == NULL ? "" : value);
  change_region(name);
}

EXPORT void
mprof_label_pop(void)
{
  change_region(NULL);
}

/* Counts the object as one in the region pool=POOL within the thread's own.
 * Does nothing in the handler of a signal that interrupted an allocation. */
EXPORT void
mprof_allocated(void *object, size_t bytes, const char *pool)
{
  const int saved = errno;
  char name[REGION_PATH_BYTES];
  if (object == NULL || !real_allocator_is_ours() || !own_process_known())
    return;
  const bool entered = thread_enter(ARCH_FRAME);
  struct thread *thread = entered ? thread_mine() : NULL;
  if (thread == NULL) {
    this_thread.inside--;
  } else {
    snprintf(name, sizeof name, "pool=%s", pool == NULL ? "" : pool);
    spin_lock(&monitor.lock);
    this_thread.pool =
        region_within(&monitor.regions, thread->regions.region, name);
    spin_unlock(&monitor.lock);
    objects_register_bare(object_of_pool(object), bytes, ARCH_FRAME);
    this_thread.pool = 0;
  }
  errno = saved;
}

EXPORT void
mprof_freed(void *object)
{
  struct object_record taken;
  if (object == NULL || !real_allocator_is_ours())
    return;
  thread_enter(ARCH_FRAME);
  objects_unregister_bare(object_of_pool(object), &taken);
  objects_count_free(&taken);
  this_thread.inside--;
}
