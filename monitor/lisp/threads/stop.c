/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * stop.c -- see stop.h for the protocol.
 *
 * Not done here: the hook's half (count_allocation.c), and what the
 * collector's answer consists of (collector_balance.c). */
#include "lisp/threads/stop.h"

#include <errno.h>
#include <fcntl.h>
#include <inttypes.h>
#include <linux/membarrier.h>
#include <stdio.h>
#include <sys/syscall.h>
#include <sys/uio.h>
#include <time.h>
#include <unistd.h>

#include "image/spin_lock.h"
#include "lisp/names/releases.h"
#include "lisp/threads/threads.h"

/* ---- gates ---- */

bool
stop_init(void)
{
  return syscall(__NR_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED,
                 0, 0) == 0;
}

void
stop_barrier(void)
{
  syscall(__NR_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

void
stop_set_gates(enum gate gate)
{
  const cl_env_ptr self = ecl_process_env_unsafe();
  unsigned looks = 0;
  if (gate == GATE_OPEN)
    stop_barrier();
  for (struct thread_state *t = monitor.threads; t != NULL; t = t->next)
    if (gate != GATE_PAUSED || t->env == NULL || t->env != self)
      __atomic_store_n(&t->gate, (int)gate, __ATOMIC_SEQ_CST);
  if (gate == GATE_OPEN)
    return;
  stop_barrier();
  /* this thread is in the hook when a signal handler forks there */
  for (struct thread_state *t = monitor.threads; t != NULL; t = t->next)
    while (t->env != self &&
           __atomic_load_n(&t->inside, __ATOMIC_ACQUIRE) != 0)
      wait_a_little(looks++);
}

/* ---- patience ---- */

enum { PATIENCE = 5000 }; /* looks: a second or so */

/* Lets other threads run for a while.  Returns false after PATIENCE times. */
static bool
has_patience(unsigned *looks)
{
  wait_a_little((*looks)++);
  return *looks < PATIENCE;
}

/* ---- threads at rest ---- */

/* Reads a file that has: "0 0x3 ...", six arguments, the stack pointer and
 * the place; without the arguments: "-1 0x7ffe... 0x7f..."; or "running". */
bool
system_call_of(pthread_t thread, struct system_call *call)
{
  char path[64], text[256];
  ssize_t length;
  int file, read_numbers;
  clockid_t clock;
  if (pthread_getcpuclockid(thread, &clock) != 0)
    return false;
  /* the thread's number is in that of its clock */
  snprintf(path, sizeof path, "/proc/self/task/%d/syscall",
           (int)~(clock >> 3));
  file = open(path, O_RDONLY | O_CLOEXEC);
  if (file < 0)
    return false;
  length = read(file, text, sizeof text - 1);
  close(file);
  text[length < 0 ? 0 : length] = '\0';
  read_numbers = sscanf(text, "%ld %" SCNx64 "%*x %*x %*x %*x %*x %" SCNx64,
                        &call->number, &call->argument, &call->stack_pointer);
  if (read_numbers == 2)
    call->stack_pointer = call->argument;
  return read_numbers >= 2;
}

/* The system calls in which ECL leaves interrupts disabled and which neither
 * the collector nor the allocators make. */
static const long system_calls[] = {
    SYS_read,   SYS_pread64, SYS_readv,   SYS_recvfrom, SYS_recvmsg,
    SYS_accept, SYS_accept4, SYS_connect, SYS_pselect6, SYS_ppoll,
    SYS_wait4,  SYS_waitid,  SYS_fcntl,   SYS_flock,
#ifdef SYS_poll
    SYS_poll,   SYS_select,
#endif
};

/* Returns whether the thread sleeps in one of these, or waits for the
 * monitor's lock. */
static bool
sleeps_elsewhere(pthread_t thread)
{
  struct system_call call;
  if (!system_call_of(thread, &call))
    return false;
  if (call.number == SYS_futex)
    return call.argument == (uintptr_t)&monitor.lock;
  for (size_t i = 0; i < sizeof system_calls / sizeof *system_calls; i++)
    if (call.number == system_calls[i])
      return true;
  return false;
}

static bool
is_held(const struct thread_state *t)
{
  return __atomic_load_n(&t->held.present, __ATOMIC_ACQUIRE);
}

/* Waits until all other threads are at rest; returns false after a second. */
static bool
wait_for_rest(void)
{
  const cl_env_ptr self = ecl_process_env();
  unsigned looks = 0;
  for (const struct thread_state *t = monitor.threads; t != NULL; t = t->next)
    while (t->env != NULL && t->env != self &&
           t->env->disable_interrupts != 0 && !is_held(t) &&
           !(looks >= WAIT_YIELDS && sleeps_elsewhere(t->thread)))
      if (!has_patience(&looks))
        return false;
  return true;
}

/* Returns the number of instances of which the thread has only the header, as
 * when it runs finalizers; 0 for a thread that ends, since the collector may
 * have reclaimed what its environment refers to. */
static uint64_t
instances_begun(const struct thread_state *t)
{
  return t->env == NULL || t->env->own_process->process.env == NULL
             ? 0
             : (uint64_t)t->env->interrupt_struct->instances_begun;
}

/* Returns the bytes that the collector gave to threads which wait at their
 * gates, and to those in finalizers for the header of an instance. */
static uint64_t
held_bytes(void)
{
  struct requests requests = {0};
  for (const struct thread_state *t = monitor.threads; t != NULL;
       t = t->next) {
    requests_add(&requests, sizeof(struct ecl_instance), instances_begun(t));
    if (is_held(t))
      requests_add_objects(&requests, t->held.what, t->held.bytes, 1);
  }
  return requests.rounded_bytes;
}

/* ---- the runtime's list of threads ---- */

struct listed {
  cl_env_ptr env; /* of a thread that is not counted; NULL: all are */
  pthread_t thread;
  int to_come; /* listed, but no thread has been made for them */
  bool begins; /* one is just being made */
};

/* Copies an environment that was listed.  Returns false if it is not there
 * any more, since the kernel did not make a thread for it. */
static bool
read_environment(cl_env_ptr env, struct cl_env_struct *copy)
{
  const struct iovec to = {copy, sizeof *copy}, from = {env, sizeof *env};
  const ssize_t got = process_vm_readv(getpid(), &to, 1, &from, 1, 0);
  if (got >= 0 || errno == EFAULT)
    return got == (ssize_t)sizeof *copy;
  *copy = *env; /* a filter of system calls does not let us ask */
  return true;
}

/* Looks for a thread that is not counted, and for those that are to come.
 *
 * A thread begins with a record that the collector makes, long before it sets
 * anything in its environment; its parent may wait at its gate by then.  What
 * the parent allocates for it comes before, and so does what it sets in that
 * environment, the bindings last.
 *
 * The list has a lock, which may be held by a thread that waits at its gate.
 * It is not needed: a thread that comes is put at the end, or a longer list
 * takes the place of this one; when one goes, those behind it move one place
 * towards the beginning, so from the end on each is met.  What is left behind
 * the last one is met twice, or has no environment any more.  The environment
 * of a thread that has begun stays as long as the monitor's lock is held:
 * when it ends it takes it out, asks for that lock, and then gives it back.
 */
static struct listed
look_through_list(void)
{
  const cl_object list = cl_core.processes;
  const cl_env_ptr self = ecl_process_env();
  struct listed l = {0};
  struct cl_env_struct now;
  cl_index size;
  for (cl_index i = list->vector.dim; i-- > 0;) {
    const cl_object p = list->vector.self.t[i];
    const cl_env_ptr env = p == OBJNULL || Null(p) ? NULL : p->process.env;
    if (env == NULL || !read_environment(env, &now))
      continue;
    if (!release_has_begun(p, &now)) {
      if (release_bindings(&now, &size) != NULL)
        l.begins = true;
      else
        l.to_come++;
    } else if (now.allocation_hooks == NULL &&
               (env != self || threads_find(env) == NULL)) {
      /* this one has no hooks while it stops the others */
      l.env = env;
      l.thread = p->process.thread;
    }
  }
  return l;
}

enum { NOT_KNOWN = -1 };

/* Hangs the hooks, with a paused gate, into all threads without hooks, which
 * began before the end of a run, or else before the beginning of one.  Waits
 * for a thread that begins.  Returns the number of these threads, or -1 when
 * memory ran out.  Sets *TO_COME to the number that is still to come, or to
 * NOT_KNOWN if one made no progress with its beginning. */
static int
count_all_threads(bool in_run, int *to_come)
{
  struct listed l = look_through_list();
  unsigned looks = 0;
  int added = 0;
  for (; l.env != NULL || (l.begins && has_patience(&looks));
       l = look_through_list()) {
    if (l.env == NULL)
      continue;
    if (!threads_count(l.env, l.thread, GATE_PAUSED))
      return -1;
    if (in_run)
      monitor.gone.thread_record_bytes += collector_record_bytes(l.thread);
    added++;
  }
  *to_come = l.begins ? NOT_KNOWN : l.to_come;
  return added;
}

/* ---- settling with the collector ---- */

static int64_t
bytes_on_lists(void)
{
  int64_t bytes = monitor.ended_list_bytes;
  for (struct thread_state *t = monitor.threads; t != NULL; t = t->next) {
    const int64_t more = t->env == NULL ? 0 : collector_list_bytes(t->thread);
    if (more < 0)
      return -1;
    bytes += more;
  }
  return bytes;
}

enum { SUM_ATTEMPTS = 1000 };

/* Asks what the collector has given out, as of a moment in which all threads
 * are at rest; at the end of a run (`in_run'), or at the beginning of one.
 * The gates are paused, and stay so.  Returns false when memory ran out.
 *
 * A thread at rest may go on until it comes to its gate.  Then it holds more
 * bytes than before: also if it had the header of an instance and has its
 * slots now, though that is one object all the time. */
static bool
settle(struct collector_balance *b, bool in_run)
{
  for (int attempt = 0; attempt < SUM_ATTEMPTS; attempt++) {
    uint64_t held, held_after;
    int to_come, to_come_after;
    const int found = count_all_threads(in_run, &to_come);
    bool at_rest;
    stop_set_gates(GATE_PAUSED);
    at_rest = wait_for_rest();
    held = held_bytes();
    *b = collector_balance(bytes_on_lists);
    stop_barrier();
    at_rest &= wait_for_rest();
    held_after = held_bytes();
    b->bytes -= held_after;
    if (found < 0 || to_come == NOT_KNOWN || !at_rest) {
      b->doubts |= BALANCE_REST;
      return found >= 0;
    }
    if (held_after == held &&
        count_all_threads(in_run, &to_come_after) == 0 &&
        to_come_after == to_come)
      return true;
  }
  b->doubts |= BALANCE_REST;
  return true;
}

void
stop_threads(void)
{
  struct collector_balance now;
  settle(&now, true);
  collector_balance_add(&monitor.collector, &monitor.at_start, &now);
}

bool
start_threads(void)
{
  const bool all = settle(&monitor.at_start, false);
  stop_set_gates(all || monitor.running ? GATE_OPEN : GATE_CLOSED);
  return all;
}

void
stop_begin_forked(void)
{
  monitor.at_start = collector_balance_forked(bytes_on_lists);
}
