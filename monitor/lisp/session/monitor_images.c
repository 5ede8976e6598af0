/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * monitor_images.c -- the figures as an image, for the reader to make a
 * profile of: a snapshot in memory, or a file in which they are counted
 * (image/image.h), where names are noted when their numbers are given.
 *
 * To take a snapshot while counting is to hold up all threads, so that trees,
 * counters and the collector's sum are of the same moment.
 *
 * Not done here: stopping threads (stop.c), the image (snapshot/). */
#include "monitor.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>

#include "image/image.h"
#include "lisp/session/monitor_lock.h"
#include "lisp/snapshot/snapshot.h"
#include "lisp/threads/stop.h"
#include "lisp/threads/threads.h"

/* ---- a snapshot ---- */

/* Wipes what functions that have returned left on the stack, since frames to
 * come would keep it alive where they do not write; and the values of the
 * last Lisp function. */
static void __attribute__((noinline)) forget_words(cl_env_ptr env)
{
  enum { STACK_BYTES = 64 << 10 };
  volatile char stack[STACK_BYTES];
  for (size_t i = 0; i < sizeof stack; i++)
    stack[i] = 0;
  for (size_t i = 0; i < ECL_MULTIPLE_VALUES_LIMIT; i++)
    env->values[i] = ECL_NIL;
}

/* Takes the figures.  If objects are followed, live objects and references
 * are as of one moment: the world is stopped, and takes no memory meanwhile.
 */
static bool
take(struct snapshot *snapshot, int before)
{
  const bool held = (before & MPROF_HOLDERS) != 0 && monitor.follow;
  struct live_graph graph = {.notes = &snapshot->notes};
  bool taken;
  snapshot->balanced = (before & MPROF_UNBALANCED) == 0;
  if (!snapshot_reserve(snapshot))
    return false;
  if (monitor.running && snapshot->balanced)
    stop_threads();
  else if (monitor.running)
    stop_set_gates(GATE_PAUSED);
  if ((before & (MPROF_COLLECT | MPROF_HOLDERS)) != 0) {
    forget_words(ecl_process_env());
    GC_gcollect();
  }
  taken = monitor_list_code();
  if (monitor.follow) {
    GC_disable();
    GC_stop_world_external();
  }
  taken =
      taken && snapshot_take(snapshot) && (!held || live_graph_take(&graph));
  if (monitor.follow) {
    GC_start_world_external();
    GC_enable();
  }
  if (monitor.running && snapshot->balanced)
    start_threads();
  else if (monitor.running)
    stop_set_gates(GATE_OPEN);
  taken = taken && snapshot_complete(snapshot, held ? &graph : NULL);
  live_graph_release(&graph);
  return taken;
}

/* Keeps the lock while memory is asked for and given back, too: malloc may
 * not be thrown out of either. */
void *
mprof_monitor_snapshot(int before)
{
  struct snapshot *snapshot;
  if (!monitor_enter())
    return NULL;
  snapshot = calloc(1, sizeof *snapshot);
  if (snapshot == NULL || !take(snapshot, before)) {
    monitor_fail("out of memory");
    if (snapshot != NULL)
      snapshot_release(snapshot);
    free(snapshot);
    snapshot = NULL;
  }
  monitor_leave();
  return snapshot;
}

const void *
mprof_snapshot_octets(const void *snapshot)
{
  return ((const struct snapshot *)snapshot)->contents.base;
}

unsigned long
mprof_snapshot_length(const void *snapshot)
{
  return ((const struct snapshot *)snapshot)->length;
}

void
mprof_snapshot_free(void *snapshot)
{
  monitor_lock();
  snapshot_release(snapshot);
  free(snapshot);
  monitor_unlock();
}

/* ---- a file ---- */

/* Gives the image the rights of a file whose place it takes. */
int
mprof_monitor_map(const char *path)
{
  struct stat before;
  bool replaces;
  int error, status = 0;
  if (!monitor_enter())
    return 1;
  replaces = lstat(path, &before) == 0 && S_ISREG(before.st_mode);
  error = image_open(path, IMAGE_LISP, false);
  if (error == 0) {
    if (replaces)
      chmod(path, before.st_mode & 07777);
    region_table_map(&monitor.regions);
    if (monitor.has_figures) /* else the trees are made when it starts */
      threads_map();
    error = image_opened();
  }
  if (error != 0)
    status = monitor_fail("cannot write '%s': %s", path,
                          error == EEXIST ? "it is not a regular file"
                                          : strerrordesc_np(error));
  monitor_leave();
  return status;
}

int
mprof_monitor_unmap(int keep)
{
  int status = 0;
  if (!monitor_enter())
    return 1;
  if (!image_close(keep != 0))
    status = monitor_fail("out of memory");
  monitor_leave();
  return status;
}
