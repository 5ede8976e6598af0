/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * malloc_session.c -- see malloc_session.h.
 */
#include "malloc/session/malloc_session.h"

#include <errno.h>
#include <string.h>
#include <time.h>
#include <unistd.h>

#include "code/code_objects.h"
#include "malloc/choice.h"
#include "malloc/count/malloc_code.h"
#include "malloc/count/malloc_monitor.h"
#include "malloc/count/malloc_thread.h"
#include "malloc/count/other_heap.h"
#include "malloc/count/own_stack.h"
#include "malloc/environment.h"
#include "malloc/interpose/objects.h"
#include "malloc/interpose/real_allocator.h"
#include "malloc/reach/reach.h"
#include "malloc/reach/stopped_threads.h"
#include "malloc/session/attach.h"
#include "malloc/session/autosave.h"
#include "malloc/session/control.h"
#include "malloc/session/control_answer.h"
#include "malloc/session/end_signals.h"
#include "malloc/session/helper.h"
#include "malloc/session/interruption.h"
#include "malloc/session/lost.h"
#include "malloc/session/mapped.h"
#include "malloc/session/profile_file.h"
#include "tree/arena.h"
#include "tree/image.h"
#include "tree/new_file.h"
#include "unwind/frame_rule.h"
#include "write/quiet.h"

static struct {
  pid_t process;
  uint64_t saved_events; /* that the file has: old when there are more */
} session;

struct malloc_session_since malloc_session_since;

/* ---- saving ---- */

/* Whether the file is this process's, which is not so between vfork and exec.
 */
static bool
is_ours(void)
{
  return !arenas_are_sealed() && !real_allocator_bypassed() &&
         (session.process == 0 || session.process == getpid());
}

/* The linker's lock comes before the monitor's, as a thread in dlopen may
 * allocate; where this thread has the monitor's it is too late for it. */
int
malloc_session_locked(int (*work)(struct code_objects *))
{
  struct code_objects objects = {0};
  struct interruption interruption;
  struct quiet quiet;
  int status = ENOMEM;
  bool spare;
  quiet_begin(&quiet, true);
  interruption_begin(&interruption);
  spare = arena_spare_begin();
  if (code_objects_list(&objects, interruption.locked)) {
    interruption_lock_all(&interruption);
    status = work(&objects);
    interruption_unlock_all(&interruption);
  }
  code_objects_release(&objects);
  if (spare)
    arena_spare_end();
  interruption_end(&interruption);
  quiet_end(&quiet);
  return status;
}

/* The number of events that a file would report. */
static uint64_t
events(void)
{
  return (malloc_monitor.ready ? stripes_events() : 0) +
         (other_heap == NULL ? 0 : other_heap->events()) +
         malloc_monitor.lost_objects;
}

/* Whether so many are to be written. */
static bool
is_new(uint64_t now)
{
  return now != session.saved_events || (lost_is_wanted() && now != 0);
}

/* All is locked. */
static int
write_file(void *objects)
{
  const uint64_t now = events();
  int status = 0;
  if (!is_new(now))
    return 0;
  if (malloc_monitor.ready)
    status = profile_file_write(objects);
  if (status == 0)
    session.saved_events = now;
  return malloc_monitor.ready ? status : ENOMEM;
}

/* A process of its own has fewer files open than this one. */
static int
close_one_and_write(void *objects)
{
  close(STDIN_FILENO);
  return write_file(objects);
}

static int
save(struct code_objects *objects)
{
  int status;
  lost_seek(objects);
  status = write_file(objects);
  if (status == EMFILE && !helper_is_forbidden())
    status = helper_run(close_one_and_write, objects, false);
  reach_forget();
  return status;
}

int
malloc_session_save(void)
{
  int status;
  if (!is_ours())
    return 0;
  profile_file_mark();
  if (!is_new(events()))
    return 0;
  status = malloc_session_locked(save);
  profile_file_say_why("cannot write",
                       status == 0 ? NULL : strerrordesc_np(status));
  return status;
}

void
malloc_session_save_before_exec(void)
{
  if (malloc_session_save() == 0 && is_ours())
    image_is_saved(true);
}

void
malloc_session_goes_on(void)
{
  if (is_ours())
    image_is_saved(false);
}

static void
save_and_say(void)
{
  if (malloc_session_save() == 0)
    image_close(false);
  profile_file_say_why("cannot find what is lost in", lost_end());
}

/* The end may come in a handler of a signal, with a few KB of stack. */
void
malloc_session_save_at_end(const struct stopped_thread *here)
{
  if (!is_ours())
    return;
  lost_begin(here);
  if (!is_new(events()) || !own_stack_call(save_and_say))
    save_and_say();
}

void
malloc_session_leaves(const char *why)
{
  if (is_ours())
    profile_file_say_end(why);
}

/* If it fails the end will say so. */
static int
keep_and_save(struct code_objects *objects)
{
  profile_file_keep();
  save(objects);
  return 0;
}

void
malloc_session_seal(void)
{
  profile_file_say("counting stops, since system calls are filtered:",
                   " has the allocations until now");
  profile_file_mark();
  malloc_session_count(false);
  end_signals_close();
  arenas_seal();
}

bool
malloc_session_keep(void)
{
  if (!is_ours())
    return false;
  malloc_session_locked(keep_and_save);
  return true;
}

extern int __cxa_atexit(void (*)(void *), void *, void *);
extern int __cxa_at_quick_exit(void (*)(void *), void *);
extern int __register_atfork(void (*)(void), void (*)(void), void (*)(void),
                             void *);

/* What both register. */
static void
end(void *unused)
{
  struct stopped_thread here;
  (void)unused;
  stopped_thread_here(&here);
  if (other_heap != NULL && is_ours())
    other_heap->end();
  malloc_session_save_at_end(&here);
}

void
malloc_session_save_at_exit(void)
{
  static bool registered;
  if (!registered)
    registered = __cxa_atexit(end, NULL, NULL) == 0;
}

/* ---- counting ---- */

void
malloc_session_count(bool on)
{
  if (on != malloc_monitor_is_counting())
    clock_gettime(CLOCK_REALTIME, &malloc_session_since.counting);
  __atomic_store_n(&malloc_monitor.counting, on && !arenas_are_sealed(),
                   __ATOMIC_RELEASE);
}

/* All is locked. */
static void
forget(void)
{
  image_forgets(true);
  malloc_monitor_forget(&malloc_monitor);
  image_forgets(false);
  session.saved_events = 0;
  clock_gettime(CLOCK_REALTIME, &malloc_session_since.figures);
  autosave_expect();
}

void
malloc_session_forget(void)
{
  malloc_monitor_lock(&malloc_monitor);
  forget();
  malloc_monitor_unlock(&malloc_monitor);
}

/* ---- forks ---- */

static struct interruption forking;

/* Nobody else is in the monitor while the process is copied, but for who only
 * reads what the child forgets. */
static void
before_fork(void)
{
  struct interruption interruption;
  malloc_monitor_forks = true;
  control_before_fork();
  interruption_begin(&interruption);
  interruption_lock_all(&interruption);
  objects_lock();
  image_before_fork(false);
  forking = interruption;
}

static void
after_fork_in_parent(void)
{
  const struct interruption interruption = forking;
  image_after_fork_in_parent();
  objects_unlock();
  interruption_unlock_all(&interruption);
  interruption_end(&interruption);
  control_after_fork();
  malloc_monitor_forks = false;
}

static void
after_fork_in_child(void)
{
  if (arenas_are_sealed()) {
    after_fork_in_parent();
    return;
  }
  image_after_fork_in_child();
  objects_unlock();
  arena_spare_forked();
  own_stack_forked();
  malloc_code_forked();
  malloc_monitor.lock.holder = malloc_monitor.steady.holder = 0;
  frame_rules_forked();
  stripes_forked();
  forget();
  malloc_threads_forked();
  control_forked();
  if (other_heap != NULL)
    other_heap->forked();
  profile_file_forked();
  if (choice_without_children()) { /* nor is it the process that saves */
    malloc_session_count(false);
    arenas_seal();
  } else {
    session.process = getpid();
  }
  malloc_monitor_inside--;
  malloc_monitor_forks = false;
}

/* ---- begin ---- */

/* What stays for good. */
static void
register_handlers(void)
{
  malloc_threads_open();
  __register_atfork(before_fork, after_fork_in_parent, after_fork_in_child,
                    NULL); /* pthread_atfork, for any C library */
  __cxa_at_quick_exit(end, NULL); /* what else it calls may allocate */
  malloc_session_save_at_exit();
}

void
malloc_session_begin(void)
{
  static bool registered;
  const char *count = environment_value("MPROF_COUNT");
  const unsigned long recent = environment_number("MPROF_TEMPORARY", 1);
  malloc_monitor_inside++;
  session.process = getpid();
  clock_gettime(CLOCK_REALTIME, &malloc_session_since.figures);
  malloc_session_since.counting = malloc_session_since.figures;
  new_file_keep_mask();
  profile_file_open();
  stripes.recent_count =
      recent < TEMPORARY_MOST ? (unsigned)recent : TEMPORARY_MOST;
  if (!registered)
    register_handlers();
  registered = true;
  lost_open();
  mapped_open();
  autosave_set(environment_number("MPROF_AUTOSAVE", AUTOSAVE_DOUBLED));
  end_signals_open();
  if (count != NULL && strcmp(count, "off") == 0) {
    malloc_session_count(false);
    malloc_session_forget();
  }
  control_begin();
  malloc_monitor_inside--;
}

void
malloc_session_end(void)
{
  control_end("it is no longer profiled");
  session.process = -1;
}

static void __attribute__((constructor)) begin(void)
{
  if (!attach_is_awaited() && real_allocator_is_ours())
    malloc_session_begin();
}
