/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * thread.c -- records of threads, made when a thread first allocates, and
 * used again when it has ended.  Profiles tell threads apart by name only, as
 * there may be thousands. */
#include "c/count/thread.h"

#include <pthread.h>
#include <stdbool.h>
#include <string.h>

#include "arch/arch.h"
#include "code/code_objects.h"
#include "code/frame_rule.h"
#include "code/frame_step.h"
#include "image/arena.h"
#include "image/image.h"
#include "image/signals.h"
#include "image/spin_lock.h"

/* ---- what a thread has begun ---- */

void
thread_forget(struct thread *thread, uint64_t generation)
{
  call_chain_forget(&thread->chain);
  thread->cache_generation++;
  thread->generation = generation;
}

/* Completes or undoes what this thread had begun in the monitor before it
 * jumped out, and unlocks the locks that it holds, but for those that are
 * held with signals blocked (signals_hold). */
static void
abandon(void)
{
  this_thread.pool = 0;
  stripes_recover();
  spin_abandon(&frame_rules.lock);
  spin_abandon(&code_objects.lock);
  spin_abandon(&monitor.functions.table.lock);
  spin_abandon(&monitor.lock);
  spin_abandon(&monitor.objects.lock);
  if (this_thread.record != NULL) /* it may have been at a walk */
    thread_forget(this_thread.record, stripes.generation);
}

/* ---- threads ---- */

/* Gives back the record of a thread that ends.  The C library calls it again
 * if the thread allocates after that, which makes another record. */
static void
end_thread(void *data)
{
  struct thread *thread = data;
  struct signals_held signals;
  if (!own_process_known())
    return;
  if (this_thread.inside != 0) /* with no call active */
    abandon();
  signals_hold(&signals);
  this_thread.inside = 1;
  this_thread.record = NULL;
  spin_lock(&monitor.threads.lock);
  stripes_leave(&thread->user);
  thread->next = monitor.threads.unused;
  monitor.threads.unused = thread;
  spin_unlock(&monitor.threads.lock);
  this_thread.inside = 0;
  signals_let_go(&signals);
}

void
threads_open(void)
{
  const bool made = pthread_key_create(&monitor.threads.key, end_thread) == 0;
  __atomic_store_n(&monitor.threads.has_key, made, __ATOMIC_RELEASE);
  thread_mine();
}

/* Returns the label of threads with that name.  The names beyond the last
 * label share that. */
static uint32_t
label_of_name(const char *name)
{
  uint32_t label = 1;
  while (label <= monitor.threads.name_count &&
         strcmp(monitor.threads.names[label], name) != 0)
    label++;
  if (label == LABELS)
    return LABELS - 1;
  if (label > monitor.threads.name_count) {
    monitor.threads.name_count++;
    strcpy(monitor.threads.names[label],
           label == LABELS - 1 ? "(others)" : name);
    image_note(NOTE_THREAD, label, 0, 0, monitor.threads.names[label]);
  }
  return label;
}

/* Allocates a record, all zero; returns NULL without memory. */
static struct thread *
allocate(void)
{
  struct arena arena;
  struct thread *thread;
  if (arena_reserve(&arena, sizeof *thread) != 0)
    return NULL;
  thread = arena.base;
  if (call_chain_init(&thread->chain) == 0)
    return thread;
  arena_release(&arena);
  return NULL;
}

struct thread *
thread_make(void)
{
  const uint64_t generation =
      __atomic_load_n(&stripes.generation, __ATOMIC_ACQUIRE);
  char name[NAME_BYTES] = "";
  struct signals_held signals;
  signals_hold(&signals);
  spin_lock(&monitor.threads.lock);
  struct thread *thread = monitor.threads.unused;
  if (thread != NULL)
    monitor.threads.unused = thread->next;
  spin_unlock(&monitor.threads.lock);
  if (thread != NULL || (thread = allocate()) != NULL) {
    thread_forget(thread, generation);
    thread->regions = (struct region_stack){0};
    if (!arenas_are_sealed())
      pthread_getname_np(pthread_self(), name, sizeof name);
    spin_lock(&monitor.threads.lock);
    thread->label = label_of_name(name);
    stripes_join(&thread->user);
    spin_unlock(&monitor.threads.lock);
    this_thread.record = thread;
    if (__atomic_load_n(&monitor.threads.has_key, __ATOMIC_ACQUIRE))
      pthread_setspecific(monitor.threads.key, thread);
  }
  signals_let_go(&signals);
  return thread;
}

/* ---- a jump out of the monitor ---- */

enum { MANY_FRAMES = 1 << 16 };

extern const char __ehdr_start[] HIDDEN, etext[] HIDDEN;

bool
is_own_code(uintptr_t ip)
{
  return ip - (uintptr_t)__ehdr_start < (uintptr_t)(etext - __ehdr_start);
}

/* Returns whether the call that was in the monitor before this one is active:
 * it has a frame further out than the frames of the present one, in code of
 * this library.  If the stack cannot be read that far, it is taken to be
 * active. */
static bool
is_active(const uintptr_t *frame)
{
  struct stack_frame at = {
      .ip = frame[1], .sp = arch_frame_stack(frame), .pointer = frame[0]};
  bool asks = is_own_code(at.ip);
  for (int i = 0; i < MANY_FRAMES; i++) {
    struct stack_frame next;
    const enum frame_step s = frame_step(&at, &next);
    if (s > FRAME_STEP_SIGNAL)
      return s != FRAME_STEP_OUTERMOST;
    at = next;
    asks = asks && is_own_code(at.ip);
    if (!asks && is_own_code(at.ip))
      return true;
  }
  return true;
}

bool
thread_recover(const uintptr_t *frame)
{
  if (!own_process_known() || this_thread.forking || is_active(frame))
    return false;
  abandon();
  this_thread.inside = 1;
  return true;
}

/* ---- all threads ---- */

void
threads_reserve(unsigned count)
{
  struct signals_held signals;
  struct thread *thread;
  signals_hold(&signals);
  while (count-- > 0 && (thread = allocate()) != NULL) {
    spin_lock(&monitor.threads.lock);
    thread->next = monitor.threads.unused;
    monitor.threads.unused = thread;
    spin_unlock(&monitor.threads.lock);
  }
  signals_let_go(&signals);
}
