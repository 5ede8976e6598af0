/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * threads.c -- a state for each Lisp thread that was ever counted.
 *
 * Model.  The states are a list.  To count a thread is to make its state and
 * to hang it into the thread's environment, where the allocators find it;
 * from then on its gate says whether it counts.
 *
 * A thread that ends leaves its state, of which only name, tree and counters
 * are used from then on; its `env' is NULL.  When one of its name begins,
 * that goes on with the state, whose counters are added to those of all
 * threads that are gone.  Once MOST_ENDED states are of threads that have
 * ended, threads of further names are counted as one name.
 *
 * stop.c finds the threads that began while nothing was counted. */
#include "lisp/threads/threads.h"

#include <stdlib.h>
#include <string.h>

#include "image/image.h"
#include "lisp/hook/hook.h"
#include "lisp/live/live_table.h"
#include "lisp/names/lisp_functions.h"
#include "lisp/names/lisp_printer.h"
#include "lisp/names/releases.h"
#include "monitor.h"

enum {
  MOST_ENDED = 256,
  USUAL_BUDGET = 8 << 20 /* contexts; address space until touched */
};

struct monitor monitor = {.lock = PTHREAD_MUTEX_INITIALIZER};

/* ---- names ---- */

/* Returns whether a thread of that name is counted under it. */
static bool
has_place(const char *name)
{
  unsigned ended = 0;
  for (const struct thread_state *t = monitor.threads; t != NULL;
       t = t->next) {
    if (strcmp(t->name, name) == 0)
      return true;
    ended += t->env == NULL;
  }
  return ended < MOST_ENDED;
}

/* Returns the name under which the thread is counted, from malloc, or NULL
 * without memory. */
static char *
new_name(cl_env_ptr env)
{
  const cl_object process = env->own_process;
  struct lisp_printer out = {0};
  const char *name = "?";
  char *copy;
  if (process != OBJNULL && !Null(process)) {
    lisp_printer_name(&out, process->process.name, NAMED_THREAD);
    name = lisp_printer_end(&out);
  }
  if (name != NULL && name[0] == '\0')
    name = "[unnamed]";
  if (name != NULL && !has_place(name))
    name = "[other threads]";
  copy = name == NULL ? NULL : strdup(name);
  arena_release(&out.text);
  return copy;
}

static void
note_name(const struct thread_state *t)
{
  image_note(NOTE_THREAD, t->tree.owner, 0, 0, t->name);
}

/* ---- states ---- */

/* Releases what only a thread that lives needs. */
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
                        site_function_in_tree, NULL) != 0)
    return false;
  tree->fold_places = call_sites_shared.apart;
  context_tree_map(tree);
  return true;
}

/* Forgets what is counted beside the tree. */
static void
forget_counters(struct thread_state *t)
{
  t->count = t->bytes = 0;
  t->walk.finalizers = t->walk.differing = t->walk.lost_calls = 0;
  memset(&t->requests, 0, sizeof t->requests);
  memset(t->records, 0, sizeof t->records);
  t->last.object = NULL;
  memset(t->waiting, 0, sizeof t->waiting);
}

/* Adds all but what the trees tell. */
static void
add_counters(struct counters *to, const struct thread_state *t)
{
  to->allocations += t->count;
  to->threads += t->count != 0 || t->bytes != 0;
  to->bytes += t->bytes;
  to->requests.rounded_bytes += t->requests.rounded_bytes;
  to->requests.malloc_bytes += t->requests.malloc_bytes;
  to->finalizers += t->records[0];
  to->weak_links += t->records[1];
  to->finalizer_walks += t->walk.finalizers;
  to->differing_walks += t->walk.differing;
  to->lost_calls += t->walk.lost_calls;
}

/* Returns where the list has the thread with this environment, or for NULL
 * one of that name which has ended; or else the end of the list. */
static struct thread_state **
place_of(cl_env_ptr env, const char *name)
{
  struct thread_state **p = &monitor.threads;
  while (*p != NULL &&
         ((*p)->env != env || (env == NULL && strcmp((*p)->name, name) != 0)))
    p = &(*p)->next;
  return p;
}

/* Makes a state that takes the name, as if the thread had ended.  Returns
 * NULL without memory. */
static struct thread_state *
make_state(char *name)
{
  struct thread_state *const t = calloc(1, sizeof *t);
  if (t == NULL) {
    free(name);
    return NULL;
  }
  t->name = name;
  if (!follow(t) || !init_tree(&t->tree)) {
    free_thread(t);
    return NULL;
  }
  note_name(t);
  return t;
}

/* Returns a state for the thread with this environment, which goes on with
 * one that has ended; NULL without memory. */
static struct thread_state *
new_thread(cl_env_ptr env, pthread_t thread)
{
  char *const name = new_name(env);
  struct thread_state **const p = name == NULL ? NULL : place_of(NULL, name);
  struct thread_state *t;
  if (p == NULL)
    return NULL;
  if (*p != NULL)
    free(name);
  else if ((*p = make_state(name)) == NULL)
    return NULL;
  t = *p;
  add_counters(&monitor.gone, t);
  forget_counters(t);
  t->walk = (struct stack_walk){0};
  t->regions = (struct region_stack){0};
  t->thread = thread;
  if (stack_walk_init(&t->walk, monitor.whole_walks) != 0 ||
      last_objects_init(&t->last_objects) != 0) {
    release_walks(t);
    return NULL;
  }
  t->env = env;
  return t;
}

struct thread_state *
threads_find(cl_env_ptr env)
{
  return *place_of(env, "");
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

void
threads_forget_frames(void)
{
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
  stack_walk_end_epochs();
  threads_forget_frames();
}

void
threads_start(cl_env_ptr env)
{
  monitor_lock();
  if (monitor.running) {
    if (threads_find(env) == NULL)
      monitor.gone.thread_record_bytes +=
          collector_record_bytes(pthread_self());
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

struct counters
threads_counters(void)
{
  struct counters all = monitor.gone;
  for (const struct thread_state *t = monitor.threads; t != NULL;
       t = t->next) {
    add_counters(&all, t);
    if (t->tree.contexts != NULL)
      all.contexts += (uint64_t)t->tree.context_count - CONTEXT_FIRST +
                      t->tree.leaf_count - LEAF_FIRST;
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
  release_stacks_freed(env, ecl_allocation_monitor.freed);
  monitor_lock();
  hook_hang(env, NULL);
  struct thread_state **const p = place_of(env, ""), *const t = *p;
  if (t != NULL) {
    const int64_t listed = collector_list_bytes(t->thread);
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
    note_name(t);
    t->walk.whole = monitor.whole_walks;
  }
  stack_walk_end_epochs();
  threads_forget_frames();
  return true;
}

void
threads_map(void)
{
  for (struct thread_state *t = monitor.threads; t != NULL; t = t->next)
    if (t->tree.contexts != NULL) {
      context_tree_map(&t->tree);
      note_name(t);
    }
}

void
threads_forget_figures(void)
{
  live.lost = 0;
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
      if (!live_collection_add(&t->live))
        live_lose();
    }
    forget_counters(t);
    p = &t->next;
  }
  stack_walk_end_epochs();
  threads_forget_frames();
  live.number = live.peak_bytes = 0;
  memset(&monitor.gone, 0, sizeof monitor.gone);
}
