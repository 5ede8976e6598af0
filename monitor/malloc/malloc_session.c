/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * malloc_session.c -- see malloc_session.h, and mprof_malloc.h for what a
 * program may call.
 */
#include "malloc/malloc_session.h"

#include <errno.h>
#include <limits.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <unistd.h>

#include "code/code_objects.h"
#include "malloc/environment.h"
#include "malloc/malloc_monitor.h"
#include "malloc/mprof_malloc.h"
#include "malloc/process_events.h"
#include "malloc/profile_file.h"
#include "malloc/thread_stack.h"
#include "walk/rule_cache.h"

#define EXPORT __attribute__((visibility("default")))

enum {
  BUDGET = 8u << 20,
  MOST_BUDGET = (1 << LEAF_BITS) - 1,
  SMALLEST_BUDGET = 1 << 12
};

static struct {
  pid_t process;
  uint64_t saved_events; /* that the file has: old when there are more */
  uint64_t autosave;     /* 0: never */
} session;

/* ---- saving ---- */

static void __attribute__((noinline)) complain(int status)
{
  char line[PATH_MAX + 128];
  const int n = snprintf(line, sizeof line, "mprof: cannot write '%s': %s\n",
                         profile_file_name(), strerrordesc_np(status));
  const ssize_t ignored = write(STDERR_FILENO, line, (size_t)n);
  (void)ignored;
}

/* All is locked. */
static int
save_locked(const struct code_objects *objects)
{
  const uint64_t now = stripes_events();
  int status;
  if (now == session.saved_events)
    return 0;
  status = profile_file_write(objects);
  if (status == 0)
    session.saved_events = now;
  return status;
}

/* The linker's lock comes before the monitor's, as a thread in dlopen may
 * allocate; but a handler of a signal may have interrupted this thread with
 * the monitor's, and then it is too late for it. */
static int
save(void)
{
  struct spin_lock *const lock = &malloc_monitor.lock;
  const bool locked = spin_holds(lock);
  struct code_objects objects = {0};
  int status = ENOMEM;
  if (code_objects_list(&objects, locked)) {
    if (!locked)
      spin_lock(lock);
    stripes_lock();
    status = save_locked(&objects);
    stripes_unlock();
    if (!locked)
      spin_unlock(lock);
    code_objects_release(&objects);
  }
  if (status != 0)
    complain(status);
  return status;
}

int
malloc_session_save(void)
{
  struct stripes_interrupted interrupted;
  int status;
  if (!malloc_monitor.ready || stripes_events() == session.saved_events ||
      !malloc_session_mine())
    return 0;
  malloc_monitor_inside++;
  stripes_interrupt(&interrupted, &malloc_monitor.tree);
  status = save();
  stripes_resume(&interrupted);
  malloc_monitor_inside--;
  return status;
}

bool
malloc_session_is_interrupted(void)
{
  return spin_holds(&malloc_monitor.lock) || stripes_are_interrupted();
}

/* The next time is so many allocations after now.  With all stripes locked.
 */
static void
expect_autosave(void)
{
  stripes.save_at =
      session.autosave == 0 ? UINT64_MAX : stripes_count() + session.autosave;
  stripes_settle();
}

static void
set_autosave(uint64_t count)
{
  stripes_lock();
  session.autosave = count;
  expect_autosave();
  stripes_unlock();
}

void
malloc_session_autosave(void)
{
  bool still;
  stripes_lock();
  still = stripes_count() >= stripes.save_at; /* no other was faster */
  if (still)
    expect_autosave();
  stripes_unlock();
  if (still)
    malloc_session_save();
}

bool
malloc_session_mine(void)
{
  return session.process == 0 || session.process == getpid();
}

/* ---- counting ---- */

static void
lock_all(struct malloc_monitor *m)
{
  spin_lock(&m->lock);
  stripes_lock();
}

static void
unlock_all(struct malloc_monitor *m)
{
  stripes_unlock();
  spin_unlock(&m->lock);
}

/* Which function a context is of: see context_tree.h. */
static uint32_t
function_of(void *functions, uint64_t site, uint32_t caller)
{
  (void)caller;
  return function_number_of_site(functions, site);
}

static bool
open_tree(struct malloc_monitor *m, uint32_t budget)
{
  const bool fold = environment_value("MPROF_UNFOLDED") == NULL;
  while (context_tree_init(&m->tree, budget, fold, function_of,
                           &m->functions) != 0) {
    budget /= 2; /* address space is limited */
    if (budget < SMALLEST_BUDGET)
      return false;
  }
  if (!stripes_open(m->tree.budget)) {
    context_tree_release(&m->tree);
    return false;
  }
  arena_wipe_on_fork(&m->tree.context_arena);
  arena_wipe_on_fork(&m->tree.leaf_arena);
  arena_wipe_on_fork(&m->tree.kind_arena);
  return true;
}

bool
malloc_session_open(void)
{
  struct malloc_monitor *m = &malloc_monitor;
  lock_all(m);
  if (!m->ready)
    m->ready = open_tree(m, BUDGET);
  unlock_all(m);
  return m->ready;
}

void
malloc_session_count(bool on)
{
  __atomic_store_n(&malloc_monitor.counting, on, __ATOMIC_RELEASE);
}

/* Forget all figures, and which objects live.  With all locked. */
static void
forget(struct malloc_monitor *m)
{
  if (!m->ready)
    return;
  context_tree_clear(&m->tree);
  stripes_forget();
  region_table_clear(&m->regions);
  m->truncated_walks = m->lost_objects = 0;
  session.saved_events = 0;
  expect_autosave();
}

static void
forget_now(void)
{
  lock_all(&malloc_monitor);
  forget(&malloc_monitor);
  unlock_all(&malloc_monitor);
}

void
malloc_session_forked(void)
{
  struct malloc_monitor *m = &malloc_monitor;
  m->lock.holder = 0;
  rule_cache_forked();
  stripes_forked();
  forget(m);
  thread_stacks_forked();
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
  lock_all(m);
  if (m->ready) {
    forget(m);
    context_tree_release(&m->tree);
    stripes_close();
    m->ready = false;
  }
  if (budget > MOST_BUDGET)
    budget = MOST_BUDGET;
  m->ready = open_tree(m, (uint32_t)budget);
  unlock_all(m);
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
  stripes.recent_count =
      recent < TEMPORARY_MOST ? (unsigned)recent : TEMPORARY_MOST;
  thread_stacks_open();
  process_events_open();
  malloc_session_save_at_exit();
  if (count != NULL && strcmp(count, "off") == 0) {
    malloc_session_count(false);
    forget_now();
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
  forget_now();
  if (filename != NULL)
    profile_file_set(filename);
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
  struct malloc_monitor *const m = &malloc_monitor;
  struct thread_stack *thread;
  malloc_monitor_inside++;
  thread = thread_stack_mine();
  if (thread != NULL) {
    spin_lock(&m->lock);
    region_enter(&m->regions, MALLOC_REGIONS, &thread->regions,
                 name == NULL ? "" : name);
    spin_unlock(&m->lock);
  }
  malloc_monitor_inside--;
}

EXPORT void
mprof_region_end(void)
{
  struct malloc_monitor *const m = &malloc_monitor;
  struct thread_stack *thread;
  malloc_monitor_inside++;
  thread = thread_stack_mine();
  if (thread != NULL) {
    spin_lock(&m->lock);
    region_leave(&m->regions, &thread->regions, true);
    spin_unlock(&m->lock);
  }
  malloc_monitor_inside--;
}
