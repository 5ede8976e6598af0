/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * control.c -- see control.h.
 */
#include "malloc/session/control.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "code/code_objects.h"
#include "common/control_page.h"
#include "malloc/choice.h"
#include "malloc/count/malloc_snapshot.h"
#include "malloc/environment.h"
#include "malloc/session/malloc_profile.h"
#include "malloc/session/malloc_session.h"
#include "write/gzip_file.h"
#include "write/quiet.h"

enum { STACK_BYTES = 1 << 18 };

static struct {
  struct control_page *page; /* NULL: nobody asks */
  char *snapshot;            /* behind it; may not be touched */
  size_t snapshot_bytes;
  struct spin_lock listing;  /* libraries: who forks waits for that */
  struct spin_lock lock;     /* of what follows, for who starts or ends it */
  bool runs;
  bool ends; /* it is to; the thread looks */
  pid_t number;
  pthread_t thread;
} control;

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
hand_over(const struct gzip_file *file)
{
  if (file->length > control.snapshot_bytes)
    return EFBIG;
  if (mprotect(control.snapshot, file->length, PROT_READ | PROT_WRITE) != 0)
    return errno;
  memcpy(control.snapshot, file->contents.base, file->length);
  mprotect(control.snapshot, file->length, PROT_NONE);
  control.page->length = file->length;
  return 0;
}

static int
write_figures(const struct code_objects *objects,
              struct malloc_snapshot *snapshot)
{
  const struct malloc_figures figures = malloc_figures(objects, snapshot);
  struct gzip_file file = {.plain = true};
  gzip_file_open_in_memory(&file);
  malloc_profile_write(&file, &figures);
  gzip_file_close(&file);
  if (file.failed == 0)
    file.failed = hand_over(&file);
  arena_release(&file.contents);
  return file.failed;
}

/* No fork comes while the linker's lock may be this thread's, or the child
 * could load no library. */
static bool
list_objects(struct code_objects *objects)
{
  bool listed;
  spin_lock(&control.listing);
  listed = code_objects_list(objects, false);
  spin_unlock(&control.listing);
  return listed;
}

/* There is something to write of even if nothing was allocated yet. */
static int
take_snapshot(void)
{
  struct code_objects objects = {0};
  struct malloc_snapshot snapshot;
  int status = ENOMEM;
  if (malloc_monitor_open(&malloc_monitor) && list_objects(&objects) &&
      malloc_snapshot_take(&snapshot)) {
    control.page->figures.stopped_ns = snapshot.stopped_ns;
    status = write_figures(&objects, &snapshot);
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
find_figures(void)
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
  control.page->figures = f;
  return 0;
}

static int
answer(enum control_request request)
{
  switch (request) {
  case CONTROL_SNAPSHOT:
    return take_snapshot();
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
  return find_figures();
}

/* ---- the thread ---- */

/* Who asks has the lock for a moment; a process that has it longer is another
 * one that answers, where programs are chosen by their names. */
static int
lock_answerer(struct control_page *page)
{
  struct timespec until;
  clock_gettime(CLOCK_REALTIME, &until);
  until.tv_sec++;
  return pthread_mutex_timedlock(&page->answerer, &until);
}

/* Be the one that answers.  What the program that this process was before has
 * begun, nobody ends. */
static bool
take_over(struct control_page *page)
{
  const int status = lock_answerer(page);
  if (status == EOWNERDEAD)
    pthread_mutex_consistent(&page->answerer);
  else if (status != 0)
    return false;
  page->process = getpid();
  page->reason[0] = '\0';
  if (__atomic_load_n(&page->state, __ATOMIC_ACQUIRE) == CONTROL_TAKEN)
    control_answer(page, ESRCH);
  return true;
}

static void *
answer_requests(void *unused)
{
  struct control_page *const page = control.page;
  malloc_monitor_inside++;
  pthread_setname_np(pthread_self(), "mprof");
  __atomic_store_n(&control.number, gettid(), __ATOMIC_RELEASE);
  if (!take_over(page))
    return unused;
  for (;;) {
    const uint32_t bell = __atomic_load_n(&page->bell, __ATOMIC_ACQUIRE);
    if (__atomic_load_n(&control.ends, __ATOMIC_ACQUIRE))
      break;
    if (control_change(page, CONTROL_ASKED, CONTROL_TAKEN))
      control_answer(page, answer(page->request));
    else
      control_wait(&page->bell, bell, NULL);
  }
  pthread_mutex_unlock(&page->answerer);
  return unused;
}

/* It has the signals blocked that its maker has. */
static void
start(void)
{
  pthread_attr_t how;
  struct quiet quiet;
  quiet_begin(&quiet, true);
  control.ends = false;
  control.number = 0;
  pthread_attr_init(&how);
  pthread_attr_setstacksize(&how, STACK_BYTES);
  control.runs =
      pthread_create(&control.thread, &how, answer_requests, NULL) == 0 ||
      pthread_create(&control.thread, NULL, answer_requests, NULL) == 0;
  pthread_attr_destroy(&how);
  quiet_end(&quiet);
}

/* The kernel knows of it a little longer than pthread_join waits. */
static void
stop(void)
{
  __atomic_store_n(&control.ends, true, __ATOMIC_RELEASE);
  control_ring(control.page);
  pthread_join(control.thread, NULL);
  while (syscall(SYS_tgkill, getpid(), control.number, 0) == 0)
    sched_yield();
  control.runs = false;
}

/* With its lock, and so that what the C library allocates is not counted. */
static void
change(void (*function)(void), bool runs)
{
  const int saved = errno;
  malloc_monitor_inside++;
  spin_lock(&control.lock);
  if (control.page != NULL && control.runs == runs)
    function();
  spin_unlock(&control.lock);
  malloc_monitor_inside--;
  errno = saved;
}

void
control_pause(void)
{
  change(stop, true);
}

void
control_resume(void)
{
  change(start, false);
}

/* ---- begin and end ---- */

/* Whether it is the process that the variable is for, or one that has one of
 * the names.  After exec there is a plus sign before its number. */
static bool
is_asked(void)
{
  const char *root = environment_value("MPROF_ROOT_PID");
  return choice_by_name() || root == NULL ||
         strtol(root, NULL, 10) == (long)getpid();
}

/* For a snapshot.  Where address space is limited, what is taken here the
 * program does not get. */
static size_t
snapshot_room(void)
{
  enum { PART = 64 };
  struct rlimit limit;
  if (getrlimit(RLIMIT_AS, &limit) == 0 &&
      limit.rlim_cur / PART < CONTROL_SNAPSHOT_BYTES)
    return limit.rlim_cur / PART & ~(size_t)(CONTROL_PAGE_BYTES - 1);
  return CONTROL_SNAPSHOT_BYTES;
}

/* The page, and what is behind it, are mapped apart. */
static bool
map(const char *path)
{
  const int file = open(path, O_RDWR | O_CLOEXEC);
  const size_t room = snapshot_room();
  void *page, *snapshot;
  if (file < 0)
    return false;
  page = mmap(NULL, CONTROL_PAGE_BYTES, PROT_READ | PROT_WRITE, MAP_SHARED,
              file, 0);
  snapshot =
      mmap(NULL, room, PROT_NONE, MAP_SHARED, file, CONTROL_PAGE_BYTES);
  close(file);
  if (page != MAP_FAILED && snapshot != MAP_FAILED) {
    madvise(snapshot, room, MADV_DONTDUMP);
    control.snapshot = snapshot;
    control.snapshot_bytes = room;
    control.page = page;
    return true;
  }
  if (page != MAP_FAILED)
    munmap(page, CONTROL_PAGE_BYTES);
  return false;
}

static void
give_reason(const char *why)
{
  snprintf(control.page->reason, sizeof control.page->reason, "%s", why);
}

void
control_begin(void)
{
  const char *path = environment_value("MPROF_CONTROL");
  const int saved = errno;
  if (path != NULL && *path != '\0' && is_asked() && control.page == NULL &&
      map(path)) {
    control_resume();
    if (!control.runs && control.page->process == 0)
      give_reason("it may start no thread");
  }
  errno = saved;
}

void
control_end(const char *why)
{
  struct control_page *const page = control.page;
  if (page == NULL)
    return;
  if (page->process == getpid())
    give_reason(why);
  control_pause();
  control.page = NULL;
  munmap(page, CONTROL_PAGE_BYTES);
  munmap(control.snapshot, control.snapshot_bytes);
}

void
control_before_fork(void)
{
  if (!spin_holds(&control.listing)) /* a handler interrupted a fork */
    spin_lock(&control.listing);
}

void
control_after_fork(void)
{
  if (spin_holds(&control.listing))
    spin_unlock(&control.listing);
}

void
control_forked(void)
{
  control.page = NULL;
  control.runs = false;
  control.lock.holder = control.listing.holder = 0;
}
