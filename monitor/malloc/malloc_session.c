/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * malloc_session.c -- see malloc_session.h, and mprof_malloc.h for what a
 * program may call.
 */
#include "malloc/malloc_session.h"

#include <errno.h>
#include <fcntl.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/stat.h>
#include <unistd.h>

#include "malloc/environment.h"
#include "malloc/function_numbers.h"
#include "malloc/malloc_monitor.h"
#include "malloc/malloc_profile.h"
#include "malloc/malloc_regions.h"
#include "malloc/mprof_malloc.h"
#include "malloc/objects.h"
#include "malloc/process_events.h"
#include "malloc/rule_cache.h"
#include "malloc/thread_stack.h"

#define EXPORT __attribute__((visibility("default")))

enum {
  BUDGET = 8u << 20,
  MOST_BUDGET = 1 << 28,
  SMALLEST_BUDGET = 1 << 12,
  SUFFIX_BYTES = 40,
  ROOT_PID_BYTES = 11 /* as long for any process: programs allocate for it */
};

static struct {
  char path[PATH_MAX]; /* of the file; empty: see take_path */
  char base[PATH_MAX]; /* the same without what tells processes apart */
  pid_t process;
  bool follows;         /* see set_predecessor_aside */
  uint64_t saved_count; /* allocations and frees that the file has */
  uint64_t autosave;    /* 0: never */
} session;

/* ---- the file ---- */

/* The number of events until now: the file is old when this has changed. */
static uint64_t
events(void)
{
  return malloc_monitor.count + malloc_monitor.freed_count;
}

/* Another name than the ones that other processes, or this one before exec,
 * have taken: FILE.PID, FILE.PID.2, ... */
static void
take_name_of_process(char name[PATH_MAX])
{
  char stem[PATH_MAX];
  int file = -1;
  snprintf(stem, sizeof stem, "%.*s.%ld", PATH_MAX - SUFFIX_BYTES,
           session.base, (long)getpid());
  memcpy(name, stem, sizeof stem);
  for (int i = 2; i < 10000 && file < 0; i++) {
    file = open(name, O_WRONLY | O_CREAT | O_EXCL | O_CLOEXEC, 0666);
    if (file >= 0 || errno != EEXIST)
      break;
    snprintf(name, PATH_MAX, "%.*s.%d", PATH_MAX - SUFFIX_BYTES, stem, i);
  }
  if (file >= 0)
    close(file);
}

/* The program that this process was before exec has written what it had
 * counted to the file, in case that the next one is without mprof.  It is
 * not, so the file is for this one: that of the other is a file beside it. */
static void
set_predecessor_aside(void)
{
  struct stat there;
  char aside[PATH_MAX];
  session.follows = false;
  if (lstat(session.base, &there) != 0 || !S_ISREG(there.st_mode))
    return;
  take_name_of_process(aside);
  if (rename(session.base, aside) != 0)
    unlink(aside);
}

/* The name is made sure of only when there is something to be written, for
 * most children of a fork become another program at once. */
static void
take_path(void)
{
  if (session.path[0] == '\0')
    take_name_of_process(session.path);
  else if (session.follows)
    set_predecessor_aside();
}

/* Absolute, since the program may change its folder; "%p" is replaced. */
static void
set_base(const char *name)
{
  char number[SUFFIX_BYTES];
  size_t n = 0;
  snprintf(number, sizeof number, "%ld", (long)getpid());
  if (name[0] != '/' && getcwd(session.base, sizeof session.base) != NULL) {
    n = strlen(session.base);
    if (n + 1 < sizeof session.base)
      session.base[n++] = '/';
  }
  for (; *name != '\0' && n + SUFFIX_BYTES < sizeof session.base; name++) {
    if (name[0] == '%' && name[1] == 'p') {
      memcpy(session.base + n, number, strlen(number));
      n += strlen(number);
      name++;
    } else {
      session.base[n++] = *name;
    }
  }
  session.base[n] = '\0';
}

/* In the process that the variable names, or where nobody has set it, the
 * file is the one that was asked for.  It is the same process after exec: a
 * plus sign says that there was a program before.  Other processes find
 * another number than theirs. */
static bool
is_root_process(void)
{
  static char ours[] = "MPROF_ROOT_PID=+000000000";
  const char *text = environment_value("MPROF_ROOT_PID");
  const long process = (long)getpid();
  if (text != NULL && strtol(text, NULL, 10) != process)
    return false;
  session.follows = text != NULL && *text == '+';
  snprintf(strchr(ours, '+'), ROOT_PID_BYTES, "+%09u",
           (unsigned)process % 1000000000u);
  environment_set(ours);
  return true;
}

static void
read_file_name(void)
{
  const char *name = environment_value("MPROF_OUT");
  const char *preloaded = environment_value("LD_PRELOAD");
  const bool root = is_root_process();
  if (name == NULL || *name == '\0')
    name = preloaded != NULL && strstr(preloaded, "libmprof-malloc") != NULL
               ? "mprof.data.%p"
               : "mprof.data";
  set_base(name);
  if (root)
    memcpy(session.path, session.base, sizeof session.path);
}

int
malloc_session_save(void)
{
  const uint64_t now = events();
  char line[PATH_MAX + 128];
  int status, n;
  if (!malloc_monitor.ready || now == session.saved_count ||
      !malloc_session_mine())
    return 0;
  if (session.base[0] == '\0')
    read_file_name();
  take_path();
  malloc_monitor_inside++;
  status = malloc_profile_write(session.path);
  malloc_monitor_inside--;
  if (status == 0) {
    session.saved_count = now;
  } else {
    n = snprintf(line, sizeof line, "mprof: cannot write '%s': %s\n",
                 session.path, strerrordesc_np(status));
    if (write(STDERR_FILENO, line, (size_t)n) != n)
      return status;
  }
  return status;
}

/* The next time is so many allocations after now.  Under the lock. */
static void
expect_autosave(struct malloc_monitor *m)
{
  m->save_at =
      session.autosave == 0 ? UINT64_MAX : m->count + session.autosave;
}

static void
set_autosave(uint64_t count)
{
  spin_lock(&malloc_monitor.lock);
  session.autosave = count;
  expect_autosave(&malloc_monitor);
  spin_unlock(&malloc_monitor.lock);
}

void
malloc_session_autosave(void)
{
  struct malloc_monitor *m = &malloc_monitor;
  bool still;
  spin_lock(&m->lock);
  still = m->count >= m->save_at; /* no other thread was faster */
  if (still)
    expect_autosave(m);
  spin_unlock(&m->lock);
  if (still)
    malloc_session_save();
}

bool
malloc_session_mine(void)
{
  return session.process == 0 || session.process == getpid();
}

/* ---- counting ---- */

/* Which function a context is of: see context_tree.h. */
static uint32_t
function_of(void *closure, uint64_t site, uint32_t caller)
{
  (void)closure;
  (void)caller;
  return function_number(site);
}

static bool
open_tree(struct malloc_monitor *m, uint32_t budget)
{
  const bool fold = environment_value("MPROF_UNFOLDED") == NULL;
  while (context_tree_init(&m->tree, budget, fold, function_of, NULL) != 0) {
    budget /= 2; /* address space is limited */
    if (budget < SMALLEST_BUDGET)
      return false;
  }
  if (arena_reserve(&m->life_arena,
                    ((size_t)budget + 1) * sizeof *m->lives) != 0) {
    context_tree_release(&m->tree);
    return false;
  }
  m->lives = m->life_arena.base;
  return true;
}

bool
malloc_session_open(void)
{
  struct malloc_monitor *m = &malloc_monitor;
  bool ready;
  spin_lock(&m->lock);
  if (!m->ready && open_tree(m, BUDGET))
    m->ready = true;
  ready = m->ready;
  spin_unlock(&m->lock);
  return ready;
}

void
malloc_session_count(bool on)
{
  __atomic_store_n(&malloc_monitor_counting, on ? 1 : 0, __ATOMIC_RELEASE);
}

/* Forget all figures, and which objects live.  Under the lock. */
static void
forget(struct malloc_monitor *m)
{
  if (!m->ready)
    return;
  context_tree_clear(&m->tree);
  arena_clear(&m->life_arena);
  __atomic_store_n(&m->epoch, (uint16_t)(m->epoch + 1), __ATOMIC_RELEASE);
  objects_forget();
  region_table_clear(&malloc_regions);
  m->count = m->bytes = m->freed_count = m->freed_bytes = 0;
  m->peak_bytes = m->peak = 0;
  m->truncated_walks = m->lost_objects = 0;
  memset(m->recent, 0, sizeof m->recent);
  m->unloads++; /* chains have contexts of the old tree */
  session.saved_count = 0;
  expect_autosave(m);
}

void
malloc_session_forked(void)
{
  struct malloc_monitor *m = &malloc_monitor;
  m->lock.held = 0;
  rule_cache_forked();
  thread_stacks_forked();
  spin_lock(&m->lock);
  forget(m);
  spin_unlock(&m->lock);
  session.process = getpid();
  session.path[0] = '\0';
  session.follows = false;
}

/* ---- begin and end ---- */

static unsigned long
number_from(const char *variable, unsigned long otherwise)
{
  const char *text = environment_value(variable);
  return text == NULL || *text == '\0' ? otherwise : strtoul(text, NULL, 10);
}

/* Another budget than the one that the first allocations found. */
static void
set_budget(unsigned long budget)
{
  struct malloc_monitor *m = &malloc_monitor;
  spin_lock(&m->lock);
  if (m->ready) {
    forget(m);
    context_tree_release(&m->tree);
    arena_release(&m->life_arena);
    m->ready = false;
  }
  if (budget > MOST_BUDGET)
    budget = MOST_BUDGET;
  m->ready = open_tree(m, (uint32_t)budget);
  spin_unlock(&m->lock);
}

/* What __cxa_atexit registers. */
static void
end(void *unused)
{
  (void)unused;
  malloc_session_save();
}

void
malloc_session_save_at_exit(void)
{
  static bool registered;
  extern int __cxa_atexit(void (*)(void *), void *, void *);
  if (!registered)
    registered = __cxa_atexit(end, NULL, NULL) == 0;
}

static void __attribute__((constructor)) begin(void)
{
  const char *count = environment_value("MPROF_COUNT");
  const unsigned long budget = number_from("MPROF_BUDGET", 0);
  const unsigned long recent = number_from("MPROF_TEMPORARY", 1);
  malloc_monitor_inside++;
  session.process = getpid();
  if (session.base[0] == '\0') /* nothing was saved yet */
    read_file_name();
  if (budget != 0)
    set_budget(budget);
  malloc_session_open();
  set_autosave(number_from("MPROF_AUTOSAVE", 0));
  malloc_monitor.recent_count =
      recent < TEMPORARY_MOST ? (unsigned)recent : TEMPORARY_MOST;
  thread_stacks_open();
  process_events_open();
  malloc_session_save_at_exit();
  if (count != NULL && strcmp(count, "off") == 0) {
    malloc_session_count(false);
    spin_lock(&malloc_monitor.lock);
    forget(&malloc_monitor);
    spin_unlock(&malloc_monitor.lock);
  }
  malloc_monitor_inside--;
}

/* ---- for the program ---- */

EXPORT int
mprof_save(void)
{
  return malloc_session_save();
}

EXPORT void
mprof_stop(void)
{
  malloc_session_count(false);
  malloc_session_save();
}

EXPORT void
mprof_restart(const char *filename)
{
  malloc_monitor_inside++;
  malloc_session_open();
  spin_lock(&malloc_monitor.lock);
  forget(&malloc_monitor);
  spin_unlock(&malloc_monitor.lock);
  if (filename != NULL) {
    set_base(filename);
    memcpy(session.path, session.base, sizeof session.path);
    session.follows = false;
  }
  malloc_session_count(true);
  malloc_monitor_inside--;
}

EXPORT void
set_mprof_autosave(int count)
{
  set_autosave(count > 0 ? (uint64_t)count : 0);
}

EXPORT void
mprof_region_begin(const char *name)
{
  struct thread_stack *thread;
  malloc_monitor_inside++;
  thread = thread_stack_mine();
  if (thread != NULL)
    malloc_regions_enter(thread, name == NULL ? "" : name);
  malloc_monitor_inside--;
}

EXPORT void
mprof_region_end(void)
{
  struct thread_stack *thread;
  malloc_monitor_inside++;
  thread = thread_stack_mine();
  if (thread != NULL)
    malloc_regions_leave(thread);
  malloc_monitor_inside--;
}
