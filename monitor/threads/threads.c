/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * threads.c -- a state for each Lisp thread that was ever counted.
 *
 * Model.  The states are a list.  To count a thread is to make its state and
 * to hang it into the thread's environment, where the allocators find it;
 * from then on its gate says whether it counts.  Threads that began unseen
 * (while nothing was counted) are found in the runtime's own list.
 *
 * Invariant: a state whose `env' is NULL is that of an ended thread which
 * found no memory to be merged; nothing but its tree and counters is used.
 *
 * Not done here: threads that end (ended_threads.c).
 */
#include "threads/threads.h"

#include <stdlib.h>
#include <string.h>

#include "balance/free_lists.h"
#include "hook/hook.h"
#include "monitor_internal.h"
#include "threads/safepoint.h"
#include "code/sites.h"
#include "threads/thread_labels.h"

enum {
  DEFAULT_BUDGET = 8 << 20 /* contexts; address space until touched */
};

static uintptr_t
stack_base_of(pthread_t thread)
{
  pthread_attr_t attributes;
  void *low = NULL;
  size_t size = 0;
  if (pthread_getattr_np(thread, &attributes) != 0)
    return UINTPTR_MAX;
  pthread_attr_getstack(&attributes, &low, &size);
  pthread_attr_destroy(&attributes);
  return (uintptr_t)low + size;
}

void
thread_free(struct thread_state *t)
{
  context_tree_release(&t->tree);
  stack_walk_release(&t->walk);
  arena_release(&t->known_leaves.arena);
  free(t->label);
  free(t);
}

int
thread_tree_init(struct context_tree *tree)
{
  return context_tree_init(tree, monitor.budget,
                           (monitor.options & MPROF_UNFOLDED) == 0,
                           site_function_in_tree, NULL);
}

/* A state for the thread with this environment; NULL when memory ran out. */
static struct thread_state *
new_thread(cl_env_ptr env, pthread_t thread)
{
  struct thread_state *t = calloc(1, sizeof *t);
  if (t == NULL)
    return NULL;
  hook_init(&t->hooks);
  t->env = env;
  t->thread = thread;
  if (thread_tree_init(&t->tree) != 0 || stack_walk_init(&t->walk) != 0 ||
      known_leaves_init(&t->known_leaves) != 0) {
    thread_free(t);
    return NULL;
  }
  t->walk.stack_base = stack_base_of(thread);
  t->walk.whole = (monitor.options & MPROF_FULL_WALK) != 0;
  t->label = thread_label(env);
  t->serial = ++monitor.last_serial;
  t->gate = GATE_CLOSED;
  t->next = monitor.threads;
  monitor.threads = t;
  return t;
}

struct thread_state *
threads_find(cl_env_ptr env)
{
  struct thread_state *t = monitor.threads;
  while (t != NULL && t->env != env)
    t = t->next;
  return t;
}

bool
threads_count(cl_env_ptr env, pthread_t thread, enum gate gate, bool new)
{
  struct thread_state *t = threads_find(env);
  if (t == NULL) {
    t = new_thread(env, thread);
    if (t == NULL)
      return false;
    if (new)
      monitor.ended_figures.thread_record_bytes +=
          free_lists_record_bytes(thread);
  }
  __atomic_store_n(&t->gate, gate, __ATOMIC_SEQ_CST);
  if (env != ecl_process_env_unsafe() || gate == GATE_OPEN)
    __atomic_store_n(&env->allocation_hooks, &t->hooks, __ATOMIC_RELEASE);
  return true;
}

int
threads_count_all(bool new)
{
  struct safepoint_roster *roster = &monitor.roster;
  int added = 0;
  if (!safepoint_list(roster, monitor.threads))
    return -1;
  for (size_t i = 0; i < roster->count; i++) {
    struct safepoint_thread *thread = &roster->threads[i];
    const struct thread_state *t = threads_find(thread->env);
    if (t != NULL &&
        (thread->env->allocation_hooks != NULL ||
         thread->env == ecl_process_env_unsafe()))
      continue;
    if (!threads_count(thread->env, thread->thread, GATE_PAUSED, new))
      return -1;
    added++;
  }
  return added;
}

void
threads_release_all(void)
{
  for (struct thread_state *t = monitor.threads; t != NULL; t = t->next) {
    if (t->env == NULL)
      continue;
    t->env->allocation_hooks = NULL;
    thread_state_begin_epoch(t);
  }
}

void
threads_start(cl_env_ptr env)
{
  monitor_lock_for_event();
  if (monitor.running) {
    threads_count(env, pthread_self(), GATE_OPEN, true);
    /* A thread that Lisp makes is not active yet.  One that imports itself
     * is,
       and has allocated what it needs without a word. */
    if (env->own_process->process.phase == ECL_PROCESS_ACTIVE)
      monitor.ended_figures.imported_threads++;
  }
  pthread_mutex_unlock(&monitor.lock);
}

bool
threads_take_options(unsigned long budget, int options)
{
  monitor.budget = budget == 0 || budget > DEFAULT_BUDGET * 16ul
                       ? DEFAULT_BUDGET
                       : (uint32_t)budget;
  monitor.options = options;
  for (struct thread_state *t = monitor.threads; t != NULL; t = t->next) {
    context_tree_release(&t->tree);
    if (thread_tree_init(&t->tree) != 0)
      return false;
    t->walk.whole = (options & MPROF_FULL_WALK) != 0;
    thread_state_begin_epoch(t);
  }
  return true;
}

void
threads_forget_figures(void)
{
  for (struct thread_state **p = &monitor.threads; *p != NULL;) {
    struct thread_state *t = *p;
    if (t->env == NULL) {
      *p = t->next;
      thread_free(t);
      continue;
    }
    context_tree_clear(&t->tree);
    t->count = t->bytes = t->large_bytes = 0;
    t->walk.truncated = t->walk.finalizers = t->walk.differing = 0;
    memset(t->granules, 0, sizeof t->granules);
    memset(t->records, 0, sizeof t->records);
    thread_state_forget_objects(t);
    thread_state_begin_epoch(t);
    p = &t->next;
  }
}

bool
thread_has_counted(const struct thread_state *t)
{
  return t->tree.leaf_count > 1; /* leaf 0 is none */
}

void
thread_add_counters(struct monitor_figures *to, const struct thread_state *t)
{
  to->allocations += t->count;
  to->counted_threads += thread_has_counted(t);
  to->bytes += t->bytes;
  for (size_t g = 0; g < CLASSIFY_GRANULES; g++)
    to->granules[g] += t->granules[g];
  to->large_bytes += t->large_bytes;
  to->finalizers += t->records[0];
  to->weak_links += t->records[1];
  to->truncated_walks += t->walk.truncated;
  to->finalizer_walks += t->walk.finalizers;
  to->differing_walks += t->walk.differing;
}
