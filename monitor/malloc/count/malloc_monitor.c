/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * malloc_monitor.c -- the hook of C programs: see malloc_monitor.h.
 *
 * Recursion is folded (context_fold.h): a frame has the context of the folded
 * path.  Objects belong to that of the path whose last callers are as they
 * were, and folded is what is further out.  It has the same functions and the
 * same arcs, and the tables of leaks, which show five callers, are exact too.
 */
#include "malloc/count/malloc_monitor.h"

#include <errno.h>

#include "malloc/count/counting.h"
#include "malloc/count/malloc_code.h"
#include "malloc/count/other_heap.h"
#include "malloc/environment.h"

/* Of contexts, and of leaves: context_tree_most of these have LEAF_BITS. */
enum {
  USUAL_BUDGET = 8u << 20,
  MOST_BUDGET = (1 << (LEAF_BITS - 1)) - CONTEXT_SPARE - 1
};

/* What writing the profile takes: the tables of the writer (write/), each of
 * which is at most twice as long as it has to be, and was half as long, and
 * so on, before; for a context and a leaf 72 bytes by their numbers, 40 of
 * the longest chain, and two locations with 24 each. */
enum { SPARE_BYTES = 3 << 20, SPARE_FOR_EACH = 72 + 4 * (40 + 2 * 24) };

const struct other_heap *other_heap;
struct malloc_monitor malloc_monitor = {
    .counting = true,
    .functions = {.table = SHARED_TABLE_EMPTY, .most = FUNCTION_NUMBER}};
__thread int malloc_monitor_inside HIDDEN_THREAD;
__thread bool malloc_monitor_forks HIDDEN_THREAD;

/* ---- contexts, under the lock ---- */

/* What a frame knows beside the number of its context: KEPT_CALLERS less how
 * many frames ago the path was folded, as far as that is more than nothing.
 */
enum {
  KEPT_CALLERS = 4,
  CONTEXT_BITS = 29,
  CONTEXT_NUMBER = (1 << CONTEXT_BITS) - 1
};

/* The context of all frames of the chain but the innermost, the last callers
 * of which are as they are though the path is folded there. */
static uint32_t
find_kept_contexts(struct malloc_monitor *m, struct malloc_thread *thread)
{
  struct call_frame *const frames = thread->chain.frames;
  const size_t end = thread->chain.depth - 1;
  size_t i = end > KEPT_CALLERS ? end - KEPT_CALLERS : 1;
  uint32_t context = frames[i - 1].context & CONTEXT_NUMBER;
  for (; i < end; i++)
    context = context_tree_child(&m->tree, context, frames[i].site);
  return context;
}

/* The context of all frames of the chain but the innermost. */
static uint32_t
find_contexts(struct malloc_monitor *m, struct malloc_thread *thread)
{
  struct call_frame *const frames = thread->chain.frames;
  const size_t end = thread->chain.depth - 1;
  size_t i = end - 1;
  uint32_t context;
  while (i > 0 && frames[i].context == 0)
    i--;
  if (i == 0)
    frames[0].context =
        thread->chain.complete
            ? CONTEXT_ROOT
            : context_tree_child(&m->tree, CONTEXT_ROOT,
                                 SITE_SPECIAL | SITE_CUT_SHORT);
  context = frames[i].context;
  for (i++; i < end; i++) {
    const uint32_t age = context >> CONTEXT_BITS;
    const uint32_t found = context_tree_child(
        &m->tree, context & CONTEXT_NUMBER, frames[i].site);
    const uint32_t target = m->tree.contexts[found].target;
    if (target != found)
      context = target | (uint32_t)KEPT_CALLERS << CONTEXT_BITS;
    else
      context = found | (age > 0 ? age - 1 : 0) << CONTEXT_BITS;
    frames[i].context = context;
  }
  return context <= CONTEXT_NUMBER ? context : find_kept_contexts(m, thread);
}

/* ---- allocations ---- */

/* The path of the chain of calls as it is now. */
static struct known_path *
find_path(struct malloc_thread *thread, const uintptr_t *frame)
{
  const uint64_t unloads =
      __atomic_load_n(&stripes.unloads, __ATOMIC_ACQUIRE);
  struct known_path *path;
  if (thread->unloads != unloads)
    malloc_thread_forget(thread, unloads);
  path = call_chain_find(&thread->chain, frame[1], (uintptr_t)(frame + 2),
                         frame[0]);
  return path != NULL ? path
                      : call_chain_walk(&thread->chain, frame[1],
                                        (uintptr_t)(frame + 2), frame[0]);
}

/* The leaf of an object of `size' that is allocated on that path.  Under the
 * lock. */
static uint32_t
find_leaf(struct malloc_monitor *m, struct malloc_thread *thread,
          struct known_path *path, uint32_t size)
{
  const uint32_t region = thread->regions.region;
  const uint64_t linker =
      malloc_code_is_linker(path->site) ? CLAS_OF_LINKER : 0;
  if (path->ip == 0) {
    path->context = find_contexts(m, thread);
    call_chain_know(&thread->chain, path);
  }
  if (known_leaf(thread, path, size) == 0) {
    const struct leaf *leaf =
        context_tree_leaf(&m->tree, path->context, path->site,
                          size >> LEAF_SIZE_BITS,
                          size & ((1 << LEAF_SIZE_BITS) - 1),
                          thread->label | (uint64_t)region << 32 | linker);
    *malloc_thread_recent_leaf(thread, path->site, path->context, size) =
        (struct recent_leaf){.site = path->site,
                             .up = path->context,
                             .size = size,
                             .region = region,
                             .leaf = (uint32_t)(leaf - m->tree.leaves),
                             .forgotten = thread->forgotten};
  }
  return known_leaf(thread, path, size);
}

/* Count an allocation.  Under the lock.  *save: the profile is to be written.
 */
static struct counted
count(struct stripe_user *user, uint32_t leaf, uintptr_t address,
      size_t bytes, bool *save)
{
  struct stripe *s = stripes_lock_mine(user);
  struct counted counted;
  if (stripe_has_room(s, bytes)) {
    counted = count_allocation(user, s, leaf, address, bytes);
    stripe_grow(s);
    spin_unlock(&s->lock);
    return counted;
  }
  spin_unlock(&s->lock);
  stripes_lock();
  s = s->open ? s : stripes.stripe;
  counted = count_allocation(user, s, leaf, address, bytes);
  stripes_settle();
  stripes_lack_room();
  *save = stripes_count() >= stripes.save_at;
  stripes_unlock();
  return counted;
}

/* ---- the hook, where malloc_hook.h has not done it ---- */

/* Which function a context is of: see context_tree.h. */
static uint32_t
function_of(void *functions, uint64_t site, uint32_t caller)
{
  (void)caller;
  return function_number_of_site(functions, site);
}

static size_t
spare_bytes(uint32_t room)
{
  return SPARE_BYTES + (size_t)room * SPARE_FOR_EACH;
}

/* What is counted can be written as well. */
static bool
make_room(uint32_t room)
{
  return stripes_reach(room + 1) &&
         arena_spare_reach(spare_bytes(room), spare_bytes(MOST_BUDGET));
}

/* Under the lock. */
static bool
open_tree(struct malloc_monitor *m)
{
  const bool fold = environment_value("MPROF_UNFOLDED") == NULL;
  const unsigned long asked = environment_number("MPROF_BUDGET", 0);
  const uint32_t budget = asked == 0            ? USUAL_BUDGET
                          : asked < MOST_BUDGET ? (uint32_t)asked
                                                : MOST_BUDGET;
  if (context_tree_init(&m->tree, budget, fold, function_of, &m->functions,
                        make_room) != 0)
    return false;
  arena_wipe_on_fork(&m->tree.context_arena); /* a child begins anew */
  arena_wipe_on_fork(&m->tree.leaf_arena);
  arena_wipe_on_fork(&m->tree.kind_arena);
  return true;
}

/* The first allocation may come before any constructor. */
bool
malloc_monitor_open(struct malloc_monitor *m)
{
  bool ready;
  spin_lock(&m->lock);
  ready = m->ready || open_tree(m);
  __atomic_store_n(&m->ready, ready, __ATOMIC_RELEASE);
  spin_unlock(&m->lock);
  return ready;
}

static struct counted
allocated(struct malloc_monitor *m, uintptr_t address, size_t bytes,
          const uintptr_t *frame)
{
  struct malloc_thread *const thread = malloc_thread_mine();
  struct counted counted = {0};
  struct known_path *path;
  bool save = false;
  if (thread == NULL) {
    malloc_monitor_lost();
    return counted;
  }
  path = find_path(thread, frame);
  spin_lock(&m->lock);
  if (thread->unloads != stripes.unloads) /* meanwhile */
    path = find_path(thread, frame);
  if (malloc_monitor_is_counting()) {
    const uint32_t leaf = find_leaf(m, thread, path, size_for_leaf(bytes));
    counted = count(&thread->user, leaf, address, bytes, &save);
    if (malloc_code_is_linker(frame[1]))
      path->ip = 0; /* it is not to be known */
  }
  spin_unlock(&m->lock);
  if (save)
    m->autosave();
  return counted;
}

struct counted
malloc_monitor_allocated(uintptr_t address, size_t bytes,
                         const uintptr_t *frame)
{
  struct malloc_monitor *const m = &malloc_monitor;
  const int saved = errno;
  struct counted counted = {0};
  if (malloc_code_is_linker(frame[1]))
    malloc_code_look();
  if (!malloc_monitor_is_counting())
    return counted;
  if (__atomic_load_n(&m->ready, __ATOMIC_ACQUIRE) || malloc_monitor_open(m))
    counted = allocated(m, address, bytes, frame);
  else
    malloc_monitor_lost();
  errno = saved;
  return counted;
}

uint32_t
malloc_monitor_leaf(struct malloc_thread *thread, uint32_t size,
                    const uintptr_t *frame, void (*use)(void *, uint32_t),
                    void *closure)
{
  struct malloc_monitor *const m = &malloc_monitor;
  struct known_path *path;
  uint32_t leaf = 0;
  if (!__atomic_load_n(&m->ready, __ATOMIC_ACQUIRE) &&
      !malloc_monitor_open(m))
    return 0;
  path = find_path(thread, frame);
  spin_lock(&m->lock);
  if (thread->unloads != stripes.unloads) /* meanwhile */
    path = find_path(thread, frame);
  if (malloc_monitor_is_counting()) {
    leaf = find_leaf(m, thread, path, size);
    use(closure, leaf);
  }
  spin_unlock(&m->lock);
  return leaf;
}

uint32_t
malloc_monitor_leaf_like(struct malloc_monitor *m, uint32_t number,
                         uint32_t size)
{
  const struct leaf *const leaf = &m->tree.leaves[number];
  return (uint32_t)(context_tree_leaf(
                        &m->tree, leaf->up, leaf->site,
                        size >> LEAF_SIZE_BITS,
                        size & ((1 << LEAF_SIZE_BITS) - 1),
                        context_tree_kind(&m->tree, leaf)->clas) -
                    m->tree.leaves);
}

/* A thread that has not allocated, and knows of nothing. */
static struct stripe_user nobody = {.stripe = stripes.stripe};

void
malloc_monitor_freed(uintptr_t address, struct counted counted, size_t bytes)
{
  struct malloc_thread *thread = malloc_thread_known;
  struct stripe_user *user = thread != NULL ? &thread->user : &nobody;
  struct stripe *s = stripes_lock_mine(user);
  if (counted.epoch == stripes.epoch)
    count_end(user, s, address, counted.leaf, bytes);
  spin_unlock(&s->lock);
}

/* ---- all of it ---- */

void
malloc_monitor_lock(struct malloc_monitor *m)
{
  spin_lock(&m->steady);
  spin_lock(&m->lock);
  stripes_lock();
}

void
malloc_monitor_unlock(struct malloc_monitor *m)
{
  stripes_unlock();
  spin_unlock(&m->lock);
  spin_unlock(&m->steady);
}

void
malloc_monitor_forget(struct malloc_monitor *m)
{
  m->lost_objects = 0;
  if (!m->ready)
    return;
  context_tree_clear(&m->tree);
  stripes_forget();
  if (other_heap != NULL)
    other_heap->forget();
  region_table_clear(&m->regions);
}

struct malloc_total
malloc_monitor_settle(struct malloc_monitor *m,
                      struct leaf_figures *copies)
{
  struct malloc_total total = {0};
  for (uint32_t i = LEAF_OVERFLOW; i < m->tree.leaf_count; i++) {
    const struct leaf_life life = stripes_life(i);
    if (copies != NULL)
      copies[i].life = life;
    m->tree.leaves[i].count = life.allocated.count;
    m->tree.leaves[i].bytes = life.allocated.bytes;
    total.peak_bytes += life.at_peak.bytes;
  }
  if (other_heap != NULL)
    other_heap->settle(&m->tree);
  for (uint32_t i = LEAF_OVERFLOW; i < m->tree.leaf_count; i++) {
    total.count += m->tree.leaves[i].count;
    total.bytes += m->tree.leaves[i].bytes;
    if (copies != NULL)
      copies[i].allocated = (struct tally){m->tree.leaves[i].count,
                                           m->tree.leaves[i].bytes};
  }
  return total;
}
