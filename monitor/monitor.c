/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * monitor.c -- life cycle: which threads are counted, and when.
 *
 * Model.  Each Lisp thread that was ever counted has a thread_state in a
 * list.  To start is to open the gates and to hang the states into the
 * threads' environments; to stop is the reverse, and then to wait until every
 * thread is outside the hook.  A thread that ends adds its tree to those of
 * all ended threads with its name.
 *
 * Stopping without a lock in the hook: the hook stores `inside', then loads
 * `gate'.  The monitor stores `gate', then asks the kernel for a barrier on
 * all processors that run this process (membarrier), then reads `inside'.
 * So either the hook sees the gate shut or the monitor sees it inside.  The
 * hook pays for two plain stores and a load, and no fence.
 *
 * Locking: `lock' is held by all public functions and by the events that are
 * not allocations (thread start and end, code loaded or unloaded).  The hook
 * never takes it.
 */
#include "monitor.h"

#include <errno.h>
#include <gc/gc.h>
#include <linux/membarrier.h>
#include <pthread.h>
#include <sched.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <sys/syscall.h>
#include <unistd.h>

#include <ecl/ecl.h>

#include "arch/arch.h"
#include "code_index.h"
#include "collector_balance.h"
#include "free_lists.h"
#include "hook.h"
#include "lisp_name.h"
#include "monitor_internal.h"
#include "safepoint.h"
#include "sizes.h"
#include "thread_state.h"

enum {
  DEFAULT_BUDGET = 8 << 20,  /* contexts; address space until touched */
  MARKER_DEPTH = 4 << 20,
  WALK_DEPTH = 4 << 20,
  ENDED_TREES = 256          /* ended threads that keep a tree of their own */
};

enum {
  FUNCTIONS_OF_SPECIAL = 0x1FFFF00 /* | enum site_special */
};

/* The tree of an ended thread; beyond ENDED_TREES, of all with one name. */
struct ended_threads {
  char *label;
  struct context_tree tree;
  struct ended_threads *next;
};

/* How many threads with one name there have been since the last reset. */
struct thread_name {
  char *name;
  unsigned count;
  struct thread_name *next;
};

static struct monitor {
  pthread_mutex_t lock;
  bool opened, running, membarrier;
  bool has_figures;                     /* since the last reset */
  char runtime_version[64];
  int options;
  uint32_t budget;
  struct thread_state *threads;
  struct ended_threads *ended;
  unsigned ended_count;
  struct thread_name *names;
  uint64_t last_serial;
  struct monitor_figures ended_figures; /* counters of ended threads */
  uint64_t collector_bytes;             /* of the runs before this one */
  struct collector_balance at_start;
  bool lists_read, page_settled, at_rest;
  int64_t ended_list_bytes;             /* see thread_end */
  struct safepoint_roster roster;
  uint32_t *retired;                    /* functions of unloaded sites */
  uintptr_t *retired_site;
  uint32_t retired_count, retired_room;
} monitor = { .lock = PTHREAD_MUTEX_INITIALIZER };

static _Thread_local char message[512];

const char *
mprof_monitor_message(void)
{
  return message;
}

static int
fail(int status, const char *text)
{
  snprintf(message, sizeof message, "%s", text);
  return status;
}

/* For the events: a thread that waits here is known to do nothing else. */
static void
lock_for_event(void)
{
  struct safepoint_visitor here;
  safepoint_visit(&here, ecl_process_env_unsafe());
  pthread_mutex_lock(&monitor.lock);
  safepoint_visited(&here);
}

/* ---- sites and functions ------------------------------------------------ */

uint32_t
monitor_function_of(uint64_t site)
{
  uint32_t function;
  if ((site & SITE_OBJECT) != 0)
    return code_index_object((cl_object)(uintptr_t)(site & ~SITE_OBJECT));
  if ((site & SITE_RETIRED) != 0)
    return monitor.retired[site & ~SITE_RETIRED];
  if ((site & SITE_SPECIAL) != 0)
    return FUNCTIONS_OF_SPECIAL | (uint32_t)(site & ~SITE_SPECIAL);
  if ((site & SITE_PASSING) != 0)
    return code_index_passing_apply();
  code_index_find((uintptr_t)site, &function);
  return function;
}

/* The same with its role and FUNCTION_HIDDEN or FUNCTION_ROOT, for the tree. */
static uint32_t
function_in_tree(void *closure, uint64_t site, uint32_t caller)
{
  uint32_t number = code_index_called(monitor_function_of(site), caller);
  uint32_t role = (uint32_t)code_index_phase_role(number);
  uint32_t function = number | role << FUNCTION_ROLE_SHIFT;
  (void)closure;
  switch (code_index_role(number)) {
  case ROLE_RUNTIME: return function | FUNCTION_HIDDEN;
  case ROLE_ROOT: return function | FUNCTION_ROOT;
  case ROLE_SHOWN:
  default: return function;
  }
}

/* ---- gates -------------------------------------------------------------- */

static void
barrier_on_all_processors(void)
{
  if (monitor.membarrier)
    syscall(__NR_membarrier, MEMBARRIER_CMD_PRIVATE_EXPEDITED, 0, 0);
  __atomic_thread_fence(__ATOMIC_SEQ_CST);
}

void
monitor_wait_for_hooks(void)
{
  barrier_on_all_processors();
  for (struct thread_state *t = monitor.threads; t != NULL; t = t->next)
    while (__atomic_load_n(&t->inside, __ATOMIC_ACQUIRE) != 0)
      sched_yield();
}

static void
set_gates(int gate)
{
  for (struct thread_state *t = monitor.threads; t != NULL; t = t->next)
    __atomic_store_n(&t->gate, gate, __ATOMIC_SEQ_CST);
  if (gate != GATE_OPEN)
    monitor_wait_for_hooks();
}

/* While the gates are shut this thread must not allocate through its own
 * hook, nor may the collector run finalizers in it, which are Lisp code. */
struct quiet {
  cl_env_ptr env;
  struct ecl_allocation_hooks *hooks;
  int finalize_on_demand;
};

static struct quiet
begin_quiet(void)
{
  struct quiet q = { .env = ecl_process_env() };
  q.hooks = q.env->allocation_hooks;
  q.env->allocation_hooks = NULL;
  q.finalize_on_demand = GC_get_finalize_on_demand();
  GC_set_finalize_on_demand(1);
  return q;
}

static void
end_quiet(struct quiet q, bool counting)
{
  GC_set_finalize_on_demand(q.finalize_on_demand);
  if (counting)
    q.env->allocation_hooks = q.hooks;
}

/* ---- threads ------------------------------------------------------------ */

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

static char *
name_of(cl_env_ptr env)
{
  cl_object process = env->own_process;
  char *name;
  if (process == OBJNULL || Null(process))
    return strdup("?");
  name = lisp_name_of_thread(process->process.name);
  if (name != NULL && name[0] == '\0') {
    free(name);
    return strdup("[unnamed]");
  }
  return name;
}

/* What tells this thread from all others in the profile: its name, for the
 * second with one name NAME#2, and so on.  From malloc; NULL when memory ran
 * out. */
static char *
new_label(cl_env_ptr env)
{
  char *name = name_of(env), *label;
  struct thread_name *n = monitor.names;
  if (name == NULL)
    return NULL;
  while (n != NULL && strcmp(n->name, name) != 0)
    n = n->next;
  if (n != NULL) {
    if (asprintf(&label, "%s#%u", name, ++n->count) < 0)
      label = NULL;
    free(name);
    return label;
  }
  n = calloc(1, sizeof *n);
  if (n == NULL || (n->name = strdup(name)) == NULL) {
    free(n);
    return name;
  }
  n->count = 1;
  n->next = monitor.names;
  monitor.names = n;
  return name;
}

static void
forget_names(void)
{
  while (monitor.names != NULL) {
    struct thread_name *n = monitor.names;
    monitor.names = n->next;
    free(n->name);
    free(n);
  }
}

/* Number the threads that live anew, the oldest first. */
static void
renew_labels(void)
{
  uint64_t done = 0;
  forget_names();
  for (;;) {
    struct thread_state *next = NULL;
    for (struct thread_state *t = monitor.threads; t != NULL; t = t->next)
      if (t->serial > done && (next == NULL || t->serial < next->serial))
        next = t;
    if (next == NULL)
      return;
    done = next->serial;
    free(next->label);
    next->label = new_label(next->env);
  }
}

static void
free_thread(struct thread_state *t)
{
  context_tree_release(&t->tree);
  marker_stack_release(&t->markers);
  arena_release(&t->walk_arena);
  free(t->label);
  free(t);
}

static int
init_tree(struct context_tree *tree)
{
  return context_tree_init(tree, monitor.budget,
                           (monitor.options & MPROF_UNFOLDED) == 0,
                           function_in_tree, NULL);
}

static bool
markers_allowed(void)
{
  return (monitor.options & MPROF_FULL_WALK) == 0 && !arch_has_shadow_stack();
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
  t->stack_base = stack_base_of(thread);
  t->markers_allowed = markers_allowed();
  t->walk_limit = WALK_DEPTH;
  if (init_tree(&t->tree) != 0 ||
      marker_stack_init(&t->markers, MARKER_DEPTH) != 0 ||
      arena_reserve(&t->walk_arena,
                    WALK_DEPTH * sizeof(struct walked_frame)) != 0) {
    free_thread(t);
    return NULL;
  }
  t->walk = t->walk_arena.base;
  t->label = new_label(env);
  t->serial = ++monitor.last_serial;
  t->gate = GATE_CLOSED;
  t->next = monitor.threads;
  monitor.threads = t;
  return t;
}

static struct thread_state *
state_of(cl_env_ptr env)
{
  struct thread_state *t = monitor.threads;
  while (t != NULL && t->env != env)
    t = t->next;
  return t;
}

/* Hang the hooks into a thread; `gate' is what its allocations find.  A thread
 * that is `new' began while counting, and the collector has made a record of
 * it. */
static bool
count_thread(cl_env_ptr env, pthread_t thread, int gate, bool new)
{
  struct thread_state *t = state_of(env);
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

static void
thread_start(cl_env_ptr env)
{
  lock_for_event();
  if (monitor.running) {
    count_thread(env, pthread_self(), GATE_OPEN, true);
    /* A thread that Lisp makes is not active yet.  One that imports itself is,
       and has allocated what it needs without a word. */
    if (env->own_process->process.phase == ECL_PROCESS_ACTIVE)
      monitor.ended_figures.imported_threads++;
  }
  pthread_mutex_unlock(&monitor.lock);
}

/* The tree of all ended threads with this label; made when it is new. */
static struct context_tree *
ended_tree(const char *label)
{
  struct ended_threads *e = monitor.ended;
  while (e != NULL && strcmp(e->label, label) != 0)
    e = e->next;
  if (e == NULL) {
    e = calloc(1, sizeof *e);
    if (e == NULL || (e->label = strdup(label)) == NULL ||
        init_tree(&e->tree) != 0) {
      if (e != NULL)
        free(e->label);
      free(e);
      return NULL;
    }
    e->next = monitor.ended;
    monitor.ended = e;
    monitor.ended_count++;
  }
  return &e->tree;
}

/* Where the figures of a thread go that ends. */
static struct context_tree *
tree_for_ended(const struct thread_state *t)
{
  struct context_tree *tree = NULL;
  char *name, *label;
  if (t->label != NULL && monitor.ended_count < ENDED_TREES)
    return ended_tree(t->label);
  name = name_of(t->env);
  if (name != NULL && asprintf(&label, "%s (more)", name) >= 0) {
    tree = ended_tree(label);
    free(label);
  }
  free(name);
  return tree;
}

/* Also true of a thread that was only given the body of an object whose header
 * it took before counting began. */
static bool
has_counted(const struct thread_state *t)
{
  return t->tree.leaf_count > 1; /* leaf 0 is none */
}

static void
add_counters(struct monitor_figures *to, const struct thread_state *t)
{
  to->allocations += t->count;
  to->counted_threads += has_counted(t);
  to->bytes += t->bytes;
  for (size_t g = 0; g < CLASSIFY_GRANULES; g++)
    to->granules[g] += t->granules[g];
  to->large_bytes += t->large_bytes;
  to->finalizers += t->records[0];
  to->weak_links += t->records[1];
  to->truncated_walks += t->truncated_walks;
  to->unmarked_walks += t->unmarked_walks;
  to->finalizer_walks += t->finalizer_walks;
}

static void
count_leaf_requests(struct thread_state *t, cl_index bytes, uint64_t count)
{
  cl_index granules = classify_granules(bytes);
  if (granules < CLASSIFY_GRANULES)
    t->granules[granules] += count;
  else
    t->large_bytes += count * granules * CLASSIFY_GRANULE_BYTES;
}

/* A leaf of an ended thread finds no room where all sizes share one: count its
 * requests with those of the thread.  (Those of large objects and of objects
 * in pieces are there already.) */
static void
no_room(void *thread, const struct leaf *leaf)
{
  struct thread_state *t = thread;
  cl_index size = leaf->size;
  if (leaf->count == 0 || size == LEAF_LARGE ||
      (leaf->what & LEAF_PIECES) != 0)
    return;
  if ((leaf->what & ECL_ALLOCATED_SPLIT) != 0) {
    size -= sizeof(struct ecl_instance);
    count_leaf_requests(t, sizeof(struct ecl_instance), leaf->count);
  }
  count_leaf_requests(t, size, leaf->count);
}

static void
thread_end(cl_env_ptr env)
{
  struct thread_state **p = &monitor.threads, *t;
  env->allocation_hooks = NULL;
  lock_for_event();
  while (*p != NULL && (*p)->env != env)
    p = &(*p)->next;
  t = *p;
  if (t != NULL) {
    struct context_tree *tree = NULL;
    int64_t listed = free_lists_bytes(t->thread);
    marker_stack_restore(&t->markers);
    /* The collector gives its lists to the other threads, and counts what is
       on them once more when one takes it. */
    if (listed >= 0)
      monitor.ended_list_bytes += listed;
    else
      monitor.lists_read = false;
    if (has_counted(t))
      tree = tree_for_ended(t);
    if (tree != NULL && !context_tree_merge(tree, &t->tree, no_room, t))
      tree = NULL;
    if (tree != NULL || !has_counted(t)) {
      add_counters(&monitor.ended_figures, t);
      *p = t->next;
      free_thread(t);
    } else {
      t->env = NULL; /* no memory to merge: it stays where it is */
    }
  }
  pthread_mutex_unlock(&monitor.lock);
}

/* ---- code that comes and goes -------------------------------------------- */

static void
names_added(struct ecl_function_names *names)
{
  (void)names;
  lock_for_event();
  if (monitor.running)
    code_index_update();
  pthread_mutex_unlock(&monitor.lock);
}

static void
names_lost(void)
{
  lock_for_event();
  code_index_print_names(false);
  pthread_mutex_unlock(&monitor.lock);
}

struct unloaded {
  uintptr_t start, end;
};

/* The number for good of a site whose code goes away. */
static uint64_t
retire_site(void *closure, uint64_t site)
{
  const struct unloaded *u = closure;
  uint32_t function;
  if (site < u->start || site >= u->end)
    return site;
  for (uint32_t i = monitor.retired_count; i-- > 0;)
    if (monitor.retired_site[i] == site)
      return SITE_RETIRED | i;
  if (monitor.retired_count == monitor.retired_room) {
    uint32_t room = monitor.retired_room == 0 ? SIZE_FIRST_ROOM
                                              : monitor.retired_room * 2;
    uint32_t *functions = realloc(monitor.retired, room * sizeof *functions);
    uintptr_t *sites;
    if (functions == NULL)
      return site;
    monitor.retired = functions;
    sites = realloc(monitor.retired_site, room * sizeof *sites);
    if (sites == NULL)
      return site;
    monitor.retired_site = sites;
    monitor.retired_room = room;
  }
  code_index_find((uintptr_t)site, &function);
  monitor.retired[monitor.retired_count] = function;
  monitor.retired_site[monitor.retired_count] = (uintptr_t)site;
  return SITE_RETIRED | monitor.retired_count++;
}

static void
block_unload(cl_object block, void *base)
{
  struct unloaded u;
  uint32_t first = monitor.retired_count;
  (void)block;
  lock_for_event();
  if (monitor.threads != NULL || monitor.ended != NULL) {
    code_index_range((uintptr_t)base, &u.start, &u.end);
    if (u.start == u.end && code_index_update() == 0)
      code_index_range((uintptr_t)base, &u.start, &u.end); /* C, loaded late */
    set_gates(monitor.running ? GATE_PAUSED : GATE_CLOSED);
    for (struct thread_state *t = monitor.threads; t != NULL; t = t->next) {
      context_tree_rename_sites(&t->tree, retire_site, &u);
      thread_state_forget_calls(t);
    }
    for (struct ended_threads *e = monitor.ended; e != NULL; e = e->next)
      context_tree_rename_sites(&e->tree, retire_site, &u);
    /* the same addresses will be other code's */
    for (uint32_t i = first; i < monitor.retired_count; i++)
      monitor.retired_site[i] = 0;
    code_index_unload((uintptr_t)base);
    if (monitor.running)
      set_gates(GATE_OPEN);
  }
  pthread_mutex_unlock(&monitor.lock);
}

/* ---- the public functions ------------------------------------------------ */

static void
ask_runtime_version(void)
{
  cl_object v = cl_funcall(
      1, ecl_make_symbol("LISP-IMPLEMENTATION-VERSION", "CL"));
  char *text = ECL_STRINGP(v) ? lisp_name_of_thread(v) : NULL;
  snprintf(monitor.runtime_version, sizeof monitor.runtime_version, "%s",
           text != NULL ? text : "");
  free(text);
}

static int
open_monitor(void)
{
  if (monitor.opened)
    return MPROF_OK;
  if (ecl_allocation_monitor.version != ECL_ALLOCATION_MONITOR_VERSION)
    return fail(MPROF_BAD_RUNTIME,
                "this ECL has other allocation hooks; build the patched ECL "
                "and mprof from one source");
  monitor.membarrier =
      syscall(__NR_membarrier, MEMBARRIER_CMD_REGISTER_PRIVATE_EXPEDITED, 0,
              0) == 0;
  if (!monitor.membarrier)
    return fail(MPROF_NOT_SUPPORTED,
                "this kernel has no membarrier system call (Linux 4.14)");
  ecl_allocation_monitor.thread_start = thread_start;
  ecl_allocation_monitor.thread_end = thread_end;
  ecl_allocation_monitor.names_added = names_added;
  ecl_allocation_monitor.block_unload = block_unload;
  ecl_allocation_monitor.names_lost = names_lost;
  ask_runtime_version();
  free_lists_open();
  monitor.lists_read = monitor.page_settled = monitor.at_rest = true;
  monitor.opened = true;
  return MPROF_OK;
}

/* ---- the collector's sum ------------------------------------------------- */

static int64_t
bytes_on_lists(void *closure)
{
  int64_t bytes = monitor.ended_list_bytes;
  (void)closure;
  for (struct thread_state *t = monitor.threads; t != NULL; t = t->next) {
    int64_t more = t->env == NULL ? 0 : free_lists_bytes(t->thread);
    if (more < 0)
      return -1;
    bytes += more;
  }
  return bytes;
}

/* Hang the hooks, with a paused gate, into all threads that have none.  Gives
 * back how many, or -1 when memory ran out. */
static int
count_all_threads(bool new)
{
  struct safepoint_roster *roster = &monitor.roster;
  int added = 0;
  if (!safepoint_list(roster, monitor.threads))
    return -1;
  for (size_t i = 0; i < roster->count; i++) {
    struct safepoint_thread *thread = &roster->threads[i];
    const struct thread_state *t = state_of(thread->env);
    if (t != NULL &&
        (thread->env->allocation_hooks != NULL ||
         thread->env == ecl_process_env_unsafe()))
      continue;
    if (!count_thread(thread->env, thread->thread, GATE_PAUSED, new))
      return -1;
    added++;
  }
  return added;
}

enum { SUM_ATTEMPTS = 1000 };

/* What the collector has given out, as of a moment in which no thread is in
 * the middle of an allocation.  The gates are paused, and stay so.  `running':
 * threads that are not known yet began while counting. */
static struct collector_balance
balance_at_rest(bool running)
{
  struct collector_balance b = { 0 };
  cl_env_ptr self = ecl_process_env();
  for (int attempt = 0; attempt < SUM_ATTEMPTS; attempt++) {
    struct safepoint_held before, after;
    size_t to_come;
    if (count_all_threads(running) < 0)
      break;
    to_come = monitor.roster.to_come;
    set_gates(GATE_PAUSED);
    b.at_rest = safepoint_wait(monitor.threads, self);
    before = safepoint_held(monitor.threads);
    b = collector_balance(bytes_on_lists, NULL);
    barrier_on_all_processors();
    b.at_rest = safepoint_wait(monitor.threads, self);
    after = safepoint_held(monitor.threads);
    b.bytes -= after.rounded_bytes;
    if (!b.at_rest || (after.count == before.count &&
                       count_all_threads(running) == 0 &&
                       monitor.roster.to_come == to_come))
      return b;
  }
  b.at_rest = false;
  return b;
}

/* The first start after a reset says how big the trees may be and how they
 * are made. */
static bool
take_options(unsigned long budget, int options)
{
  monitor.budget = budget == 0 || budget > DEFAULT_BUDGET * 16ul
                       ? DEFAULT_BUDGET
                       : (uint32_t)budget;
  monitor.options = options;
  for (struct thread_state *t = monitor.threads; t != NULL; t = t->next) {
    context_tree_release(&t->tree);
    if (init_tree(&t->tree) != 0)
      return false;
    t->markers_allowed = markers_allowed();
    thread_state_forget_calls(t);
  }
  return true;
}

int
mprof_monitor_start(unsigned long budget, int options)
{
  int status;
  struct quiet quiet;
  pthread_mutex_lock(&monitor.lock);
  status = open_monitor();
  if (status != MPROF_OK || monitor.running)
    goto done;
  if (!monitor.has_figures && !take_options(budget, options)) {
    status = fail(MPROF_NO_MEMORY, "out of memory");
    goto done;
  }
  if (code_index_update() != 0) {
    status = fail(MPROF_NO_MEMORY, "out of memory");
    goto done;
  }
  quiet = begin_quiet();
  set_gates(GATE_PAUSED);
  monitor.at_start = balance_at_rest(false);
  monitor.running = monitor.has_figures = true;
  if (count_all_threads(false) < 0 ||
      !count_thread(quiet.env, pthread_self(), GATE_PAUSED, false))
    status = fail(MPROF_NO_MEMORY, "out of memory: a thread is not counted");
  set_gates(GATE_OPEN);
  quiet.hooks = &state_of(quiet.env)->hooks;
  end_quiet(quiet, true);
done:
  pthread_mutex_unlock(&monitor.lock);
  return status;
}

/* Hold up all threads and settle with the collector. */
static void
pause_counting(void)
{
  struct collector_balance now;
  set_gates(GATE_PAUSED);
  now = balance_at_rest(true);
  monitor.collector_bytes += now.bytes - monitor.at_start.bytes;
  monitor.lists_read &= now.lists_read && monitor.at_start.lists_read;
  monitor.page_settled &= now.page_settled && monitor.at_start.page_settled;
  monitor.at_rest &= now.at_rest && monitor.at_start.at_rest;
}

static void
resume_counting(void)
{
  monitor.at_start = balance_at_rest(true);
  set_gates(GATE_OPEN);
}

/* Pause with all names printed.  Printing waits for the runtime's lock on
 * packages, and a thread that holds it may wait at its gate: it is in the
 * middle of INTERN, say, which allocates. */
static void
pause_with_names(void)
{
  for (;;) {
    code_index_print_names(true);
    pause_counting();
    if (!code_index_names_wait())
      return;
    resume_counting();
  }
}

int
mprof_monitor_stop(void)
{
  pthread_mutex_lock(&monitor.lock);
  if (monitor.running) {
    struct quiet quiet = begin_quiet();
    cl_env_ptr here = quiet.env;
    pause_counting();
    set_gates(GATE_CLOSED);
    end_quiet(quiet, false);
    for (struct thread_state *t = monitor.threads; t != NULL; t = t->next) {
      if (t->env == NULL)
        continue;
      t->env->allocation_hooks = NULL;
      if (t->env == here)
        marker_stack_restore(&t->markers);
      t->last_slot = NULL;
    }
    monitor.running = false;
  }
  pthread_mutex_unlock(&monitor.lock);
  return MPROF_OK;
}

int
mprof_monitor_reset(void)
{
  struct quiet quiet;
  cl_env_ptr here;
  pthread_mutex_lock(&monitor.lock);
  quiet = begin_quiet();
  here = quiet.env;
  set_gates(monitor.running ? GATE_PAUSED : GATE_CLOSED);
  while (monitor.ended != NULL) {
    struct ended_threads *e = monitor.ended;
    monitor.ended = e->next;
    context_tree_release(&e->tree);
    free(e->label);
    free(e);
  }
  monitor.ended_count = 0;
  memset(&monitor.ended_figures, 0, sizeof monitor.ended_figures);
  for (struct thread_state **p = &monitor.threads; *p != NULL;) {
    struct thread_state *t = *p;
    if (t->env == NULL) {
      *p = t->next;
      free_thread(t);
      continue;
    }
    context_tree_clear(&t->tree);
    t->count = t->bytes = t->large_bytes = 0;
    t->truncated_walks = t->unmarked_walks = t->finalizer_walks = 0;
    memset(t->granules, 0, sizeof t->granules);
    memset(t->records, 0, sizeof t->records);
    thread_state_forget_calls(t);
    thread_state_forget_objects(t);
    if (t->env == here)
      marker_stack_restore(&t->markers);
    else
      t->stale = true; /* its marks refer to contexts that are gone */
    p = &t->next;
  }
  monitor.has_figures = monitor.running;
  monitor.collector_bytes = 0;
  monitor.lists_read = monitor.page_settled = monitor.at_rest = true;
  if (monitor.running)
    resume_counting();
  renew_labels(); /* with the gates open: see pause_with_names */
  end_quiet(quiet, monitor.running);
  pthread_mutex_unlock(&monitor.lock);
  return MPROF_OK;
}

static void
collect_figures(struct monitor_figures *f)
{
  *f = monitor.ended_figures;
  f->threads = NULL;
  f->runtime_version = monitor.runtime_version;
  for (struct thread_state *t = monitor.threads; t != NULL; t = t->next) {
    add_counters(f, t);
    f->overflows += t->tree.overflowed;
    f->contexts += t->tree.context_count - CONTEXT_FIRST;
  }
  for (struct ended_threads *e = monitor.ended; e != NULL; e = e->next) {
    f->overflows += e->tree.overflowed;
    f->contexts += e->tree.context_count - CONTEXT_FIRST;
  }
  f->collector_bytes = monitor.collector_bytes;
  f->lists_read = monitor.lists_read;
  f->page_settled = monitor.page_settled;
  f->at_rest = monitor.at_rest;
}

static bool
add_thread_figures(struct monitor_figures *f, char *name,
                   const struct context_tree *tree)
{
  struct thread_figures *t = calloc(1, sizeof *t);
  if (t == NULL || name == NULL) {
    free(t);
    free(name);
    return false;
  }
  t->name = name;
  t->tree = tree;
  t->next = f->threads;
  f->threads = t;
  return true;
}

int
mprof_monitor_write(const char *path)
{
  struct monitor_figures f;
  int status = MPROF_OK;
  bool running;
  struct quiet quiet;
  pthread_mutex_lock(&monitor.lock);
  if (!monitor.opened && (status = open_monitor()) != MPROF_OK) {
    pthread_mutex_unlock(&monitor.lock);
    return status;
  }
  running = monitor.running;
  quiet = begin_quiet();
  if (running)
    pause_with_names();
  else
    code_index_print_names(true);
  collect_figures(&f);
  for (struct ended_threads *e = monitor.ended; e != NULL; e = e->next)
    if (!add_thread_figures(&f, strdup(e->label), &e->tree))
      status = MPROF_NO_MEMORY;
  for (struct thread_state *t = monitor.threads; t != NULL; t = t->next)
    if (has_counted(t) &&
        !add_thread_figures(
            &f, t->label != NULL ? strdup(t->label) : NULL, &t->tree))
      status = MPROF_NO_MEMORY;
  if (status == MPROF_OK && code_index_update() != 0)
    status = MPROF_NO_MEMORY;
  if (status == MPROF_OK)
    status = profile_write(&f, path, message, sizeof message);
  else
    fail(status, "out of memory");
  while (f.threads != NULL) {
    struct thread_figures *t = f.threads;
    f.threads = t->next;
    free(t->name);
    free(t);
  }
  if (running)
    resume_counting();
  end_quiet(quiet, running);
  pthread_mutex_unlock(&monitor.lock);
  return status;
}

unsigned long long
mprof_monitor_counter(int which)
{
  struct monitor_figures f;
  unsigned long long value = 0;
  pthread_mutex_lock(&monitor.lock);
  collect_figures(&f);
  switch (which) {
  case MPROF_ALLOCATIONS: value = f.allocations; break;
  case MPROF_BYTES: value = f.bytes; break;
  case MPROF_CONTEXTS: value = f.contexts; break;
  case MPROF_THREADS: value = f.counted_threads; break;
  case MPROF_OVERFLOWS: value = f.overflows; break;
  case MPROF_RUNNING: value = monitor.running; break;
  default: break;
  }
  pthread_mutex_unlock(&monitor.lock);
  return value;
}
