/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * control_answer.c -- see control_answer.h.
 */
#include "malloc/session/control_answer.h"

#include <errno.h>
#include <string.h>
#include <sys/mman.h>

#include "code/code_objects.h"
#include "malloc/count/malloc_snapshot.h"
#include "malloc/session/malloc_profile.h"
#include "malloc/session/malloc_session.h"
#include "write/gzip_file.h"

static struct spin_lock listing; /* libraries: who forks waits for that */

static uint64_t
nanoseconds(struct timespec time)
{
  return (uint64_t)time.tv_sec * 1000000000 + (uint64_t)time.tv_nsec;
}

static uint64_t
now(void)
{
  struct timespec time = {0};
  clock_gettime(CLOCK_MONOTONIC, &time);
  return nanoseconds(time);
}

/* ---- a snapshot ---- */

/* The pages are there only for who writes, as a program may lock all that it
 * has in memory. */
static int
hand_over(const struct gzip_file *file, void *place, size_t room)
{
  if (file->length > room)
    return EFBIG;
  if (mprotect(place, file->length, PROT_READ | PROT_WRITE) != 0)
    return errno;
  memcpy(place, file->contents.base, file->length);
  mprotect(place, file->length, PROT_NONE);
  return 0;
}

static int
write_figures(const struct code_objects *objects,
              struct malloc_snapshot *snapshot, struct control_page *page,
              void *place, size_t room)
{
  const struct malloc_figures figures = malloc_figures(objects, snapshot);
  struct gzip_file file = {.plain = true};
  gzip_file_open_in_memory(&file);
  malloc_profile_write(&file, &figures);
  gzip_file_close(&file);
  if (file.failed == 0)
    file.failed = hand_over(&file, place, room);
  page->length = file.length;
  arena_release(&file.contents);
  return file.failed;
}

/* No fork comes while the linker's lock may be this thread's, or the child
 * could load no library. */
static bool
list_objects(struct code_objects *objects)
{
  bool listed;
  spin_lock(&listing);
  listed = code_objects_list(objects, false);
  spin_unlock(&listing);
  return listed;
}

/* There is something to write of even if nothing was allocated yet. */
static int
take_snapshot(struct control_page *page, void *place, size_t room)
{
  struct code_objects objects = {0};
  struct malloc_snapshot snapshot;
  int status = ENOMEM;
  if (malloc_monitor_open(&malloc_monitor) && list_objects(&objects) &&
      malloc_snapshot_take(&snapshot)) {
    page->figures.stopped_ns = snapshot.stopped_ns;
    status = write_figures(&objects, &snapshot, page, place, room);
    malloc_snapshot_release(&snapshot);
  }
  code_objects_release(&objects);
  return status;
}

/* ---- answers ---- */

/* With all locked. */
static void
add_live(struct control_figures *f)
{
  for (uint32_t i = 0; i < stripes.used; i++) {
    const struct stripe *const s = &stripes.stripe[i];
    f->live_bytes += (uint64_t)s->live;
    f->live_objects += s->count - s->freed_count;
  }
}

static int
find_figures(struct control_page *page)
{
  const struct malloc_monitor *const m = &malloc_monitor;
  struct control_figures f = {.counting = malloc_monitor_is_counting()};
  struct malloc_total total;
  uint64_t begin;
  if (!malloc_monitor_open(&malloc_monitor))
    return ENOMEM;
  malloc_monitor_lock(&malloc_monitor);
  begin = now();
  total = malloc_monitor_settle(&malloc_monitor, NULL);
  f.allocations = total.count;
  f.bytes = total.bytes;
  f.peak_bytes = total.peak_bytes;
  f.contexts = context_tree_paths(&m->tree);
  f.overflows = m->tree.overflowed;
  f.lost = m->lost_objects;
  add_live(&f);
  malloc_monitor_unlock(&malloc_monitor);
  f.stopped_ns = now() - begin;
  f.counting_since = nanoseconds(malloc_session_since.counting);
  f.figures_since = nanoseconds(malloc_session_since.figures);
  page->figures = f;
  return 0;
}

int
control_do(struct control_page *page, void *place, size_t room)
{
  switch ((enum control_request)page->request) {
  case CONTROL_SNAPSHOT:
    return take_snapshot(page, place, room);
  case CONTROL_START:
    malloc_session_count(true);
    break;
  case CONTROL_STOP:
    malloc_session_count(false);
    break;
  case CONTROL_RESET:
    malloc_session_forget();
    break;
  case CONTROL_STATUS:
    break;
  default:
    return EINVAL;
  }
  return find_figures(page);
}

/* ---- forks ---- */

void
control_before_fork(void)
{
  if (!spin_holds(&listing)) /* a handler interrupted a fork */
    spin_lock(&listing);
}

void
control_after_fork(void)
{
  if (spin_holds(&listing))
    spin_unlock(&listing);
}

void
control_list_forked(void)
{
  listing.holder = 0;
}
