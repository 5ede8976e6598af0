/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * threads.c -- a state for each Lisp thread that was ever counted.
 *
 * Model.  The states are a list.  To count a thread is to make its state and
 * to hang it into the thread's environment, where the allocators find it;
 * from then on its gate says whether it counts.
 *
 * A thread that ends leaves its state, of which only name, tree and counters
 * are used from then on; its `env' is NULL.  When one of its name begins, that
 * goes on with the state, whose counters are added to those of all threads
 * that are gone.
 *
 * Not done here: finding the threads that began while nothing was counted
 * (stop.c), and their names (thread_names.c). */
#include "lisp/threads/threads.h"

/* For the collector's signals; our threads are none of its business. */
#define GC_THREADS
#define GC_NO_THREAD_REDIRECTS
#include <gc/gc.h>
#include <stdlib.h>
#include <string.h>

#include "image/image.h"
#include "lisp/hook/hook.h"
#include "lisp/live/live_table.h"
#include "lisp/names/lisp_functions.h"
#include "monitor.h"

enum { USUAL_BUDGET = 8 << 20 }; /* contexts; address space until touched */

struct monitor monitor = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- the lock ---- */

void
monitor_lock(void)
{
  sigset_t interrupts, before;
  sigfillset(&interrupts);
  sigdelset(&interrupts, SIGSEGV);
  sigdelset(&interrupts, SIGBUS);
  sigdelset(&interrupts, GC_get_suspend_signal());
  sigdelset(&interrupts, GC_get_thr_restart_signal());
  pthread_sigmask(SIG_BLOCK, &interrupts, &before);
  pthread_mutex_lock(&monitor.lock);
  monitor.signals = before;
}

void
monitor_unlock(void)
{
  const sigset_t before = monitor.signals;
  pthread_mutex_unlock(&monitor.lock);
  pthread_sigmask(SIG_SETMASK, &before, NULL);
}

/* ---- states ---- */

/* Release what only a thread that lives needs. */
static void
release_walks(struct thread_state *t)
{
  stack_walk_release(&t->walk);
  arena_release(&t->last_objects.arena);
}

/* Follows its objects as the options say; returns false without memory. */
static bool
follow(struct thread_state *t)
{
  if (!monitor.follow)
    live_collection_remove(&t->live);
  else if (!live_table_is_open(&t->live) && !live_collection_add(&t->live))
    return false;
  t->hooks = hook_table;
  return true;
}

static void
free_thread(struct thread_state *t)
{
  live_collection_remove(&t->live);
  context_tree_release(&t->tree);
  release_walks(t);
  free(t->name);
  free(t);
}

/* Makes a tree with the budget and options of now. */
static bool
init_tree(struct context_tree *tree)
{
  if (context_tree_init(tree, monitor.budget, monitor.fold,
                        site_function_in_tree, NULL, NULL) != 0)
    return false;
  tree->fold_places = call_sites_shared.apart;
  context_tree_map(tree);
  return true;
}

/* Forget what is counted beside the tree. */
static void
forget_counters(struct thread_state *t)
{
  t->count = t->bytes = 0;
  t->walk.finalizers = t->walk.differing = 0;
  memset(&t->requests, 0, sizeof t->requests);
  memset(t->records, 0, sizeof t->records);
  t->last.object = NULL;
  memset(t->waiting, 0, sizeof t->waiting);
}

static bool
init_walks(struct thread_state *t)
{
  return stack_walk_init(&t->walk, monitor.whole_walks) == 0 &&
         last_objects_init(&t->last_objects, t->thread) == 0;
}

/* Adds all but what the trees tell. */
static void
add_counters(struct counters *to, const struct thread_state *t)
{
  to->allocations += t->count;
  to->threads += t->count != 0 || t->bytes != 0;
  to->bytes += t->bytes;
  requests_add_all(&to->requests, &t->requests);
  to->finalizers += t->records[0];
  to->weak_links += t->records[1];
  to->finalizer_walks += t->walk.finalizers;
  to->differing_walks += t->walk.differing;
}

/* Goes on with the state of a thread that has ended; false without memory. */
static bool
take_over(struct thread_state *t, cl_env_ptr env, pthread_t thread)
{
  add_counters(&monitor.gone, t);
  forget_counters(t);
  t->walk = (struct stack_walk){0};
  t->regions = (struct region_stack){0};
  t->thread = thread;
  if (!init_walks(t)) {
    release_walks(t);
    return false;
  }
  t->env = env;
  return true;
}

/* Makes a state for the thread, which takes the name (NULL: there was no
 * memory for it); returns NULL without memory. */
static struct thread_state *
make_state(cl_env_ptr env, pthread_t thread, char *name)
{
  struct thread_state **p = &monitor.threads;
  struct thread_state *const t = name == NULL ? NULL : calloc(1, sizeof *t);
  if (t == NULL) {
    free(name);
    return NULL;
  }
  t->env = env;
  t->thread = thread;
  t->name = name;
  if (!follow(t) || !init_tree(&t->tree) || !init_walks(t)) {
    free_thread(t);
    return NULL;
  }
  thread_name_note(t);
  t->gate = GATE_CLOSED;
  while (*p != NULL)
    p = &(*p)->next;
  *p = t;
  return t;
}

/* Returns a state for the thread with this environment, or NULL without
 * memory. */
static struct thread_state *
new_thread(cl_env_ptr env, pthread_t thread)
{
  char *const name = thread_name_new(env, monitor.threads);
  struct thread_state *const t =
      name == NULL ? NULL : thread_name_ended(name, monitor.threads);
  if (t == NULL)
    return make_state(env, thread, name);
  free(name);
  return take_over(t, env, thread) ? t : NULL;
}

/* Returns where the list has the thread with this environment, or ends. */
static struct thread_state **
place_of(cl_env_ptr env)
{
  struct thread_state **p = &monitor.threads;
  while (*p != NULL && (*p)->env != env)
    p = &(*p)->next;
  return p;
}

struct thread_state *
threads_find(cl_env_ptr env)
{
  return *place_of(env);
}

bool
threads_count(cl_env_ptr env, pthread_t thread, enum gate gate)
{
  struct thread_state *t = threads_find(env);
  if (t == NULL && (t = new_thread(env, thread)) == NULL)
    return false;
  __atomic_store_n(&t->gate, (int)gate, __ATOMIC_SEQ_CST);
  if (env != ecl_process_env_unsafe() || gate == GATE_OPEN)
    hook_hang(env, &t->hooks);
  return true;
}

/* Forgets all frames. */
static void
begin_epochs(void)
{
  stack_walk_end_epochs();
  for (struct thread_state *t = monitor.threads; t != NULL; t = t->next)
    if (t->env != NULL) {
      stack_walk_begin_epoch(&t->walk);
      last_objects_forget(&t->last_objects);
    }
}

void
threads_release_all(void)
{
  for (struct thread_state *t = monitor.threads; t != NULL; t = t->next)
    if (t->env != NULL)
      hook_hang(t->env, NULL);
  begin_epochs();
}

void
threads_began_in_run(pthread_t thread)
{
  monitor.gone.thread_record_bytes +=
      collector_record_bytes(collector_lists(thread));
}

void
threads_start(cl_env_ptr env)
{
  monitor_lock();
  if (monitor.running) {
    if (threads_find(env) == NULL)
      threads_began_in_run(pthread_self());
    if (!threads_count(env, pthread_self(), GATE_OPEN))
      monitor.gone.uncounted_threads++;
    /* A thread that Lisp makes is not active yet.  One that imports itself
       is, and has allocated what it needs without a word. */
    if (env->own_process->process.phase == ECL_PROCESS_ACTIVE)
      monitor.gone.imported_threads++;
  }
  monitor_unlock();
}

/* ---- counters ---- */

bool
thread_has_counted(const struct thread_state *t)
{
  return t->tree.leaf_count > LEAF_FIRST;
}

struct counters
threads_counters(void)
{
  struct counters all = monitor.gone;
  for (const struct thread_state *t = monitor.threads; t != NULL;
       t = t->next) {
    add_counters(&all, t);
    all.contexts += context_tree_paths(&t->tree);
    all.context_bytes += context_tree_bytes(&t->tree);
    all.overflows += t->tree.overflowed;
  }
  return all;
}

/* ---- threads that end ---- */

/* Adds what is on the thread's lists: the collector gives these to the
 * others, and counts what is on them once more when one takes it. */
void
threads_end(cl_env_ptr env)
{
  monitor_lock();
  hook_hang(env, NULL);
  struct thread_state **const p = place_of(env), *const t = *p;
  if (t != NULL) {
    const int64_t listed = collector_list_bytes(collector_lists(t->thread));
    if (listed >= 0)
      monitor.ended_list_bytes += listed;
    else
      monitor.collector.doubts |= BALANCE_LISTS;
    if (thread_has_counted(t)) {
      t->env = NULL;
      release_walks(t);
    } else {
      add_counters(&monitor.gone, t);
      *p = t->next;
      free_thread(t);
    }
  }
  monitor_unlock();
}

/* ---- forks ---- */

void
threads_forked(void)
{
  const cl_env_ptr self = ecl_process_env_unsafe();
  if (monitor.running)
    monitor.collector.doubts |= BALANCE_FORK;
  for (struct thread_state *t = monitor.threads; t != NULL; t = t->next) {
    if (t->env == NULL || t->env == self)
      continue;
    t->inside = 0;
    t->held.present = false;
    t->env = NULL; /* which keeps its hooks: nobody is to count it anew */
    release_walks(t);
  }
}

/* ---- all threads ---- */

bool
threads_take_options(unsigned long budget, int options)
{
  const bool sites = (options & MPROF_SITES) != 0;
  monitor.budget = budget == 0 ? USUAL_BUDGET : (uint32_t)budget;
  monitor.fold = (options & MPROF_UNFOLDED) == 0;
  monitor.whole_walks = (options & MPROF_FULL_WALK) != 0;
  monitor.follow = (options & MPROF_LIVE) != 0;
  if (call_sites_shared.apart != sites) {
    call_sites_shared.apart = sites;
    call_sites_outdate();
  }
  for (struct thread_state *t = monitor.threads; t != NULL; t = t->next) {
    context_tree_release(&t->tree);
    if (!follow(t) || !init_tree(&t->tree))
      return false;
    thread_name_note(t);
    t->walk.whole = monitor.whole_walks;
  }
  begin_epochs();
  return true;
}

void
threads_map(void)
{
  for (struct thread_state *t = monitor.threads; t != NULL; t = t->next)
    if (t->tree.contexts != NULL && !image_has(t->tree.contexts)) {
      context_tree_map(&t->tree);
      thread_name_note(t);
    }
}

void
threads_forget_figures(void)
{
  for (struct thread_state **p = &monitor.threads; *p != NULL;) {
    struct thread_state *t = *p;
    if (t->env == NULL) {
      *p = t->next;
      free_thread(t);
      continue;
    }
    context_tree_clear(&t->tree);
    if (live_table_is_open(&t->live)) {
      live_collection_remove(&t->live);
      t->live.lost += !live_collection_add(&t->live);
    }
    forget_counters(t);
    p = &t->next;
  }
  begin_epochs();
  live.number = live.peak_bytes = 0;
  memset(&monitor.gone, 0, sizeof monitor.gone);
}

void
threads_forget_code(void)
{
  for (struct thread_state *t = monitor.threads; t != NULL; t = t->next)
    if (t->env != NULL)
      last_objects_forget(&t->last_objects);
}
