/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * control.c -- see control.h.
 *
 * A process whose first thread ends by itself lives as long as one of the
 * others, of which the C library takes this for one: so it ends then.  Not
 * where a debugger brought the monitor and had stopped another thread: there
 * such a process lives until the monitor goes.
 */
#include "malloc/session/control.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <signal.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/mman.h>
#include <sys/resource.h>

#include "common/control_page.h"
#include "malloc/choice.h"
#include "malloc/count/malloc_monitor.h"
#include "malloc/environment.h"
#include "malloc/session/control_answer.h"
#include "tree/wait.h"
#include "write/quiet.h"

enum { STACK_BYTES = 1 << 18 };

static struct {
  struct control_page *page; /* NULL: nobody asks */
  void *snapshot;            /* behind it; may not be touched */
  size_t snapshot_bytes;
  struct spin_lock lock; /* of what follows, for who starts or ends it */
  bool runs;
  bool ends; /* it is to; the thread looks */
  pid_t number;
  pthread_t thread;
} control;

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
      control_answer(
          page, control_do(page, control.snapshot, control.snapshot_bytes));
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
  unsigned looks = 0;
  __atomic_store_n(&control.ends, true, __ATOMIC_RELEASE);
  control_ring(control.page);
  pthread_join(control.thread, NULL);
  while (syscall(SYS_tgkill, getpid(), control.number, 0) == 0)
    wait_a_little(looks++);
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

/* For a snapshot.  If address space is limited, the program cannot have what
 * this takes. */
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
first_thread_ends(void *unused)
{
  (void)unused;
  control_end("its first thread has ended");
}

/* Called by the first thread; not when the process ends. */
static void
await_end_of_thread(void)
{
  static pthread_key_t key;
  static bool has_key;
  if (!has_key)
    has_key = pthread_key_create(&key, first_thread_ends) == 0;
  if (has_key)
    pthread_setspecific(key, &control);
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
    if (gettid() == getpid())
      await_end_of_thread();
    control_resume();
    if (!control.runs && control.page->process == 0)
      give_reason("it cannot start a thread");
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
control_forked(void)
{
  control.page = NULL;
  control.runs = false;
  control.lock.holder = 0;
  control_list_forked();
}
