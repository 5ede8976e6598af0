/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * malloc_session.c -- see malloc_session.h, and mprof_malloc.h for what a
 * program may call.
 */
#include "malloc/malloc_session.h"

#include <errno.h>
#include <limits.h>
#include <sched.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "malloc/environment.h"
#include "malloc/function_numbers.h"
#include "malloc/malloc_monitor.h"
#include "malloc/malloc_regions.h"
#include "malloc/mprof_malloc.h"
#include "malloc/objects.h"
#include "malloc/process_events.h"
#include "malloc/profile_file.h"
#include "malloc/rule_cache.h"
#include "malloc/thread_stack.h"

#define EXPORT __attribute__((visibility("default")))

enum {
  BUDGET = 8u << 20,
  MOST_BUDGET = 1 << 28,
  SMALLEST_BUDGET = 1 << 12
};

static struct {
  pid_t process;
  uint64_t saved_count; /* allocations and frees that the file has */
  uint64_t autosave;    /* 0: never */
} session;

/* ---- saving ---- */

/* The number of events until now: the file is old when this has changed. */
static uint64_t
events(void)
{
  return malloc_monitor.count + malloc_monitor.freed_count;
}

static void __attribute__((noinline))
complain(int status)
{
  char line[PATH_MAX + 128];
  const int n = snprintf(line, sizeof line, "mprof: cannot write '%s': %s\n",
                         profile_file_name(), strerrordesc_np(status));
  const ssize_t ignored = write(STDERR_FILENO, line, (size_t)n);
  (void)ignored;
}

/* The thread that is writing the file; 0: none.  One at a time, since they
 * use one name until it is complete; a signal in the midst of it writes no
 * other. */
static int saver;

static bool
begin_save(void)
{
  const int me = gettid();
  int other = 0;
  while (!__atomic_compare_exchange_n(&saver, &other, me, false,
                                      __ATOMIC_ACQUIRE, __ATOMIC_RELAXED)) {
    if (other == me)
      return false;
    other = 0;
    sched_yield();
  }
  return true;
}

static int
save(void)
{
  const uint64_t now = events();
  int status;
  if (now == session.saved_count)
    return 0;
  malloc_monitor_inside++;
  status = profile_file_write();
  malloc_monitor_inside--;
  if (status == 0)
    session.saved_count = now;
  else
    complain(status);
  return status;
}

int
malloc_session_save(void)
{
  int status;
  if (!malloc_monitor.ready || events() == session.saved_count ||
      !malloc_session_mine() || !begin_save())
    return 0;
  status = save();
  __atomic_store_n(&saver, 0, __ATOMIC_RELEASE);
  return status;
}

bool
malloc_session_lock_comes_free(void)
{
  if (malloc_monitor_inside == 0)
    return true;
  for (int i = 0; i < 1000; i++) {
    if (__atomic_load_n(&malloc_monitor.lock.held, __ATOMIC_ACQUIRE) == 0)
      return true;
    sched_yield();
  }
  return false;
}

void
malloc_session_save_last(void)
{
  if (!malloc_session_lock_comes_free())
    spin_unlock(&malloc_monitor.lock);
  malloc_session_save();
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
  arena_wipe_on_fork(&m->tree.context_arena);
  arena_wipe_on_fork(&m->tree.leaf_arena);
  arena_wipe_on_fork(&m->tree.kind_arena);
  arena_wipe_on_fork(&m->life_arena);
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
  saver = 0;
  rule_cache_forked();
  spin_lock(&m->lock);
  forget(m);
  spin_unlock(&m->lock);
  thread_stacks_forked(m->unloads);
  session.process = getpid();
  profile_file_forked();
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
  profile_file_open();
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
    profile_file_set(filename);
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
