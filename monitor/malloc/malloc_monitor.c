/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * malloc_monitor.c -- the hook of C programs: see malloc_monitor.h.
 *
 * Recursion is folded (context_fold.h): a frame has the context of the folded
 * path.  Objects belong to that of the path whose last callers are as they
 * were, and folded is what is further out.  It has the same functions and the
 * same arcs, and the tables of leaks, which show five callers, are exact too.
 */
#include "malloc/malloc_monitor.h"

#include <errno.h>

#include "malloc/malloc_hook.h"
#include "malloc/malloc_session.h"
#include "malloc/thread_stack.h"

struct malloc_monitor malloc_monitor = {
    .functions = {.table = SHARED_TABLE_EMPTY, .most = FUNCTION_NUMBER}};
int malloc_monitor_counting = 1;
__thread int malloc_monitor_inside HIDDEN_THREAD;

struct malloc_total
malloc_monitor_settle(struct malloc_monitor *m)
{
  struct malloc_total total = {.peak_bytes = stripes_peak_bytes(&m->tree)};
  const uint32_t first = m->tree.overflowed != 0 ? 0 : 1; /* 0: over it */
  for (uint32_t i = first; i < m->tree.leaf_count; i++) {
    const uint32_t number = i != 0 ? i : m->tree.budget;
    const struct leaf_life life = stripes_life(number);
    m->tree.leaves[number].count = life.count;
    m->tree.leaves[number].bytes = life.bytes;
    total.count += life.count;
    total.bytes += life.bytes;
  }
  return total;
}

/* ---- contexts, under the lock ---- */

/* The context of a call to `site' below `parent'.  Each thread knows its last
 * ones (50 instructions for a look-up in the tree, 12 for one here). */
static inline uint32_t
find_context(struct malloc_monitor *m, struct thread_stack *thread,
             uint32_t parent, uintptr_t site)
{
  struct recent_context *recent =
      thread_stack_recent_context(thread, parent, site);
  if (recent->site != site || recent->parent != parent) {
    thread_stack_missed(thread);
    recent = thread_stack_recent_context(thread, parent, site);
    recent->context = context_tree_child(&m->tree, parent, site);
    recent->site = site;
    recent->parent = parent;
  }
  return recent->context;
}

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
find_kept_contexts(struct malloc_monitor *m, struct thread_stack *thread)
{
  struct call_frame *const frames = thread->chain.frames;
  const size_t end = thread->chain.depth - 1;
  size_t i = end > KEPT_CALLERS ? end - KEPT_CALLERS : 1;
  uint32_t context = frames[i - 1].context & CONTEXT_NUMBER;
  for (; i < end; i++)
    context = find_context(m, thread, context, frames[i].at.ip);
  return context;
}

/* The context of all frames of the chain but the innermost. */
static uint32_t
find_contexts(struct malloc_monitor *m, struct thread_stack *thread)
{
  struct call_frame *const frames = thread->chain.frames;
  const size_t end = thread->chain.depth - 1;
  size_t i = end - 1;
  uint32_t context;
  while (i > 0 && frames[i].context == 0)
    i--;
  context = frames[i].context;
  for (i++; i < end; i++) {
    const uint32_t age = context >> CONTEXT_BITS;
    const uint32_t found =
        find_context(m, thread, context & CONTEXT_NUMBER, frames[i].at.ip);
    const uint32_t target = m->tree.contexts[found].target;
    if (target != found)
      context = target | (uint32_t)KEPT_CALLERS << CONTEXT_BITS;
    else
      context = found | (age > 0 ? age - 1 : 0) << CONTEXT_BITS;
    frames[i].context = context;
  }
  return context <= CONTEXT_NUMBER ? context : find_kept_contexts(m, thread);
}

/* The leaf of an object of `size' that is allocated on that path, which the
 * thread does not know.  Under the lock. */
static uint32_t
find_leaf(struct malloc_monitor *m, struct thread_stack *thread,
          struct known_path *path, uint32_t size)
{
  const uint32_t region = thread->regions.region;
  const struct leaf *leaf =
      context_tree_leaf(&m->tree, path->context, path->ip, 0, size,
                        thread->label | (uint64_t)region << 32);
  const uint32_t number = (uint32_t)(leaf - m->tree.leaves);
  thread_stack_missed(thread);
  path->size = size;
  path->region = region;
  path->leaf = path->complete ? number : 0;
  *recent_place(thread, path, size) =
      (struct recent_leaf){.site = path->ip,
                           .up = path->context,
                           .size = size,
                           .region = region,
                           .leaf = number};
  return number;
}

/* ---- allocations ---- */

static inline void
note_truncated(const struct known_path *path)
{
  if (!path->complete)
    __atomic_fetch_add(&malloc_monitor.truncated_walks, 1, __ATOMIC_RELAXED);
}

/* Count where there is no room, with that stripe locked; then none is.
 * *save: the profile is to be written.  False, with nothing done: what the
 * thread knows has become untrue, which cannot be under the monitor's lock.
 */
static bool __attribute__((noinline))
count_beyond_room(struct thread_stack *thread, const struct known_path *path,
                  uint32_t leaf, uintptr_t address, size_t bytes,
                  struct counted *counted, bool *save)
{
  struct stripe_user *const user = &thread->user;
  uint32_t kept;
  spin_unlock(&user->stripe->lock);
  kept = stripes_lock();
  if (thread->unloads != stripes.unloads) {
    stripes_unlock(kept);
    return false;
  }
  if (!user->stripe->open)
    user->stripe = stripes.stripe;
  note_truncated(path);
  *counted = count_allocation(user, user->stripe, leaf, address, bytes);
  stripes_settle();
  stripes_lack_room();
  *save = stripes_count() >= stripes.save_at;
  stripes_unlock(kept);
  return true;
}

static void __attribute__((noinline)) autosave(void)
{
  const int saved = errno;
  malloc_session_autosave();
  errno = saved;
}

/* The leaf, with all that it takes.  Under the lock. */
static uint32_t
find_path_and_leaf(struct malloc_monitor *m, struct thread_stack *thread,
                   struct known_path *path, uint32_t size)
{
  uint32_t leaf;
  if (path->ip == 0) {
    path->context = find_contexts(m, thread);
    call_chain_know(&thread->chain, path);
  }
  leaf = known_leaf(thread, path, size);
  return leaf != 0 ? leaf : find_leaf(m, thread, path, size);
}

/* An allocation that is not what the last one on its path was. */
static struct counted __attribute__((noinline))
count_other(struct malloc_monitor *m, struct thread_stack *thread,
            struct known_path *path, uintptr_t address, size_t bytes,
            const uintptr_t *frame)
{
  const int saved = errno;
  struct counted counted = {0};
  bool save = false;
  if (path == NULL)
    path = call_chain_walk(&thread->chain, frame[1], (uintptr_t)(frame + 2),
                           frame[0]);
  spin_lock(&m->lock);
  if (thread->unloads != stripes.unloads) { /* meanwhile */
    thread_stack_forget(thread, stripes.unloads);
    path = call_chain_walk(&thread->chain, frame[1], (uintptr_t)(frame + 2),
                           frame[0]);
  }
  if (malloc_monitor_counting) {
    const uint32_t leaf =
        find_path_and_leaf(m, thread, path, size_for_leaf(bytes));
    struct stripe *const s = stripes_lock_mine(&thread->user);
    if (stripe_has_room(s, bytes)) {
      note_truncated(path);
      counted = count_in_room(&thread->user, s, leaf, address, bytes);
      spin_unlock(&s->lock);
    } else {
      count_beyond_room(thread, path, leaf, address, bytes, &counted, &save);
    }
  }
  spin_unlock(&m->lock);
  if (__builtin_expect(save, 0))
    autosave();
  errno = saved;
  return counted;
}

/* This thread has not allocated yet, or what it knows is of other code or of
 * other figures. */
static struct counted __attribute__((noinline))
count_first(struct malloc_monitor *m, uintptr_t address, size_t bytes,
            const uintptr_t *frame)
{
  const int saved = errno;
  struct counted counted = {0};
  struct thread_stack *thread;
  uint64_t unloads;
  if (!m->ready && !malloc_session_open())
    return counted;
  thread = thread_stack_mine();
  if (thread == NULL) {
    __atomic_fetch_add(&m->lost_objects, 1, __ATOMIC_RELAXED);
    errno = saved;
    return counted;
  }
  unloads = __atomic_load_n(&stripes.unloads, __ATOMIC_ACQUIRE);
  if (thread->unloads != unloads)
    thread_stack_forget(thread, unloads);
  errno = saved;
  return count_other(m, thread, NULL, address, bytes, frame);
}

/* ---- the hook, where malloc_hook.h has not done it ---- */

struct counted
malloc_monitor_allocated(uintptr_t address, size_t bytes,
                         const uintptr_t *frame)
{
  struct malloc_monitor *m = &malloc_monitor;
  struct thread_stack *thread = thread_stack_known;
  struct stripe *s;
  struct known_path *path;
  struct counted counted;
  uint32_t leaf;
  bool save;
  if (!malloc_monitor_counting)
    return (struct counted){0};
  if (thread == NULL ||
      thread->unloads != __atomic_load_n(&stripes.unloads, __ATOMIC_ACQUIRE))
    return count_first(m, address, bytes, frame);
  path = call_chain_find(&thread->chain, frame[1], (uintptr_t)(frame + 2),
                         frame[0]);
  leaf = path == NULL ? 0 : known_leaf(thread, path, size_for_leaf(bytes));
  if (leaf == 0)
    return count_other(m, thread, path, address, bytes, frame);
  s = stripes_lock_mine(&thread->user);
  if (thread->unloads != s->unloads) {
    spin_unlock(&s->lock);
    return count_other(m, thread, path, address, bytes, frame);
  }
  if (stripe_has_room(s, bytes)) {
    note_truncated(path);
    counted = count_in_room(&thread->user, s, leaf, address, bytes);
    spin_unlock(&s->lock);
    return counted;
  }
  if (!count_beyond_room(thread, path, leaf, address, bytes, &counted, &save))
    return count_other(m, thread, path, address, bytes, frame);
  if (__builtin_expect(save, 0))
    autosave();
  return counted;
}

/* A thread that has not allocated, and knows of nothing. */
static struct stripe_user nobody = {.stripe = stripes.stripe};

static inline struct stripe_user *
user_mine(void)
{
  struct thread_stack *thread = thread_stack_known;
  return thread != NULL ? &thread->user : &nobody;
}

unsigned
malloc_monitor_freed(uintptr_t address, owned_leaf leaf, uint16_t epoch,
                     size_t bytes)
{
  struct stripe_user *user = user_mine();
  struct stripe *s = stripes_lock_mine(user);
  unsigned recent = 0;
  if (epoch == s->epoch)
    recent = count_end(user, s, address, leaf, bytes);
  spin_unlock(&s->lock);
  return recent;
}

/* What it gave to the room may have been taken meanwhile. */
void
malloc_monitor_not_freed(uintptr_t address, owned_leaf leaf, uint16_t epoch,
                         size_t bytes, unsigned recent)
{
  const uint32_t kept = stripes_lock();
  if (epoch == stripes.epoch) {
    struct stripe_user *user = user_mine();
    struct stripe *s = user->stripe->open ? user->stripe : stripes.stripe;
    const uint32_t number = owned_leaf_number(leaf);
    stripe_not_freed(s, number, bytes);
    add_to_region(number, (int64_t)bytes);
    if (recent != 0) {
      s->lives[number].temporary_count--;
      if (user->recent[recent - 1] == 0)
        user->recent[recent - 1] = address;
    }
    stripes_settle();
  }
  stripes_unlock(kept);
}
