/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * safepoint.c -- see the header for the model.
 *
 * Why interrupts disabled and enabled can be believed: a thread stores 1,
 * takes the object, then loads the pointer to its hooks; the monitor stores
 * that pointer, has the kernel put a barrier on all processors, then loads
 * the flag.  Either the thread sees the hooks or the monitor sees the flag.
 */
#include "threads/safepoint.h"

#include <errno.h>
#include <fcntl.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <sys/syscall.h>
#include <time.h>
#include <unistd.h>

#include "hook/classify.h"

enum {
  YIELDS = 200,            /* before sleeping between two looks */
  PATIENCE_NS = 1000000000 /* for all looks together */
};

/* ---- visitors ------------------------------------------------------------
 */

static struct {
  pthread_mutex_t lock;
  struct safepoint_visitor *first;
} visitors = {.lock = PTHREAD_MUTEX_INITIALIZER};

void
safepoint_visit(struct safepoint_visitor *visitor, cl_env_ptr env)
{
  visitor->env = env;
  pthread_mutex_lock(&visitors.lock);
  visitor->next = visitors.first;
  visitors.first = visitor;
  pthread_mutex_unlock(&visitors.lock);
}

void
safepoint_visited(struct safepoint_visitor *visitor)
{
  struct safepoint_visitor **p = &visitors.first;
  pthread_mutex_lock(&visitors.lock);
  while (*p != visitor)
    p = &(*p)->next;
  *p = visitor->next;
  pthread_mutex_unlock(&visitors.lock);
}

static bool
is_visitor(cl_env_ptr env)
{
  const struct safepoint_visitor *v;
  pthread_mutex_lock(&visitors.lock);
  v = visitors.first;
  while (v != NULL && v->env != env)
    v = v->next;
  pthread_mutex_unlock(&visitors.lock);
  return v != NULL;
}

/* ---- patience ------------------------------------------------------------
 */

struct patience {
  unsigned looks;
  struct timespec begin;
};

/* Let other threads run for a while.  False when it has been too long. */
static bool
wait_a_little(struct patience *p)
{
  struct timespec now, pause = {.tv_nsec = 50000};
  if (p->looks++ == 0)
    clock_gettime(CLOCK_MONOTONIC, &p->begin);
  if (p->looks < YIELDS) {
    sched_yield();
    return true;
  }
  nanosleep(&pause, NULL);
  clock_gettime(CLOCK_MONOTONIC, &now);
  return (now.tv_sec - p->begin.tv_sec) * 1000000000LL +
             (now.tv_nsec - p->begin.tv_nsec) <
         PATIENCE_NS;
}

/* ---- threads that sleep in the kernel -------------------------------------
 */

/* The system calls in which ECL leaves interrupts disabled and which neither
 * the collector nor the allocators make. */
static bool
is_foreign_to_allocation(long number)
{
  switch (number) {
  case SYS_read:
  case SYS_pread64:
  case SYS_readv:
  case SYS_recvfrom:
  case SYS_recvmsg:
  case SYS_accept:
  case SYS_accept4:
  case SYS_connect:
  case SYS_pselect6:
  case SYS_ppoll:
  case SYS_wait4:
  case SYS_waitid:
  case SYS_fcntl:
  case SYS_flock:
#ifdef SYS_poll
  case SYS_poll:
  case SYS_select:
#endif
    return true;
  default:
    return false;
  }
}

/* The kernel says in which system call a thread sleeps: "0 0x3 ...", or
 * "running". */
static bool
sleeps_elsewhere(pthread_t thread)
{
  clockid_t clock;
  char path[64], text[32];
  ssize_t length;
  long number;
  char *end;
  int file;
  if (pthread_getcpuclockid(thread, &clock) != 0)
    return false;
  /* The kernel's encoding of a thread's clock has the thread's number. */
  snprintf(path, sizeof path, "/proc/self/task/%d/syscall",
           (int)~(clock >> 3));
  file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return false;
  length = read(file, text, sizeof text - 1);
  close(file);
  if (length <= 0)
    return false;
  text[length] = '\0';
  number = strtol(text, &end, 10);
  return end != text && *end == ' ' && is_foreign_to_allocation(number);
}

/* ---- states ---------------------------------------------------------------
 */

static bool
is_held(const struct thread_state *t)
{
  return __atomic_load_n(&t->held.present, __ATOMIC_ACQUIRE);
}

static bool
is_at_rest(const struct thread_state *t, bool ask_kernel)
{
  return t->env == NULL || t->env->disable_interrupts == 0 || is_held(t) ||
         is_visitor(t->env) || (ask_kernel && sleeps_elsewhere(t->thread));
}

bool
safepoint_wait(const struct thread_state *threads, cl_env_ptr self)
{
  struct patience patience = {0};
  for (const struct thread_state *t = threads; t != NULL; t = t->next)
    while (t->env != self && !is_at_rest(t, patience.looks >= YIELDS))
      if (!wait_a_little(&patience))
        return false;
  return true;
}

struct safepoint_held
safepoint_held(const struct thread_state *threads)
{
  struct safepoint_held held = {0};
  for (const struct thread_state *t = threads; t != NULL; t = t->next)
    if (is_held(t)) {
      cl_index bytes = t->held.bytes;
      held.count++;
      if ((t->held.what & ECL_ALLOCATED_SPLIT) != 0) {
        held.rounded_bytes += classify_rounded_bytes(
            classify_granules(sizeof(struct ecl_instance)));
        bytes -= sizeof(struct ecl_instance);
      }
      held.rounded_bytes += classify_rounded_bytes(classify_granules(bytes));
    }
  return held;
}

/* ---- the runtime's list
 * ---------------------------------------------------- */

static const struct thread_state *
state_of_process(const struct thread_state *threads, cl_object process)
{
  while (threads != NULL &&
         (threads->env == NULL || threads->env->own_process != process))
    threads = threads->next;
  return threads;
}

/* A thread that holds the list's lock and waits in the hook will neither
 * change the list nor give the lock back. */
static bool
lock_list(const struct thread_state *threads, bool *locked)
{
  cl_object me = ecl_process_env()->own_process, owner;
  struct patience patience = {0};
  for (;;) {
    const struct thread_state *t;
    owner = ECL_NIL;
    *locked = __atomic_compare_exchange_n(&cl_core.processes_spinlock, &owner,
                                          me, false, __ATOMIC_SEQ_CST,
                                          __ATOMIC_SEQ_CST);
    if (*locked)
      return true;
    t = state_of_process(threads, owner);
    if (t != NULL && is_held(t))
      return true;
    if (!wait_a_little(&patience))
      return false;
  }
}

/* Copy what the list says now.  False when a thread is just being made. */
static bool
copy_list(struct safepoint_roster *roster, const struct thread_state *threads)
{
  cl_object list = cl_core.processes;
  size_t n =
      list->vector.fillp < roster->room ? list->vector.fillp : roster->room;
  roster->count = roster->to_come = 0;
  for (size_t i = 0; i < n; i++) {
    cl_object p = list->vector.self.t[i];
    cl_env_ptr env = p == OBJNULL || Null(p) ? NULL : p->process.env;
    const struct thread_state *parent;
    if (env == NULL)
      continue;
    if (env->cs_org != NULL) { /* the first thing that a new thread sets */
      roster->threads[roster->count].env = env;
      roster->threads[roster->count++].thread = p->process.thread;
      continue;
    }
    parent = state_of_process(threads, p->process.parent);
    if (p->process.thread != 0 && (parent == NULL || !is_held(parent)))
      return false;
    roster->to_come++;
  }
  return true;
}

bool
safepoint_list(struct safepoint_roster *roster,
               const struct thread_state *threads)
{
  struct patience patience = {0};
  for (;;) {
    size_t room = cl_core.processes->vector.dim;
    bool locked, done;
    if (room > roster->room) {
      void *more = realloc(roster->threads, room * sizeof *roster->threads);
      if (more == NULL)
        return false;
      roster->threads = more;
      roster->room = room;
    }
    if (!lock_list(threads, &locked))
      return false;
    done = cl_core.processes->vector.fillp <= roster->room &&
           copy_list(roster, threads);
    if (locked)
      __atomic_store_n(&cl_core.processes_spinlock, ECL_NIL,
                       __ATOMIC_RELEASE);
    if (done || !wait_a_little(&patience))
      return true;
  }
}

void
safepoint_roster_release(struct safepoint_roster *roster)
{
  free(roster->threads);
  *roster = (struct safepoint_roster){0};
}
