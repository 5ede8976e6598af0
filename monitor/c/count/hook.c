/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * hook.c -- the hook of C programs: see monitor.h.
 *
 * Recursion is folded (context_fold.h): a frame has the context of the folded
 * path.  Objects belong to that of the path whose last callers are as they
 * were, and folded is what is further out.  It has the same functions and the
 * same arcs, and the tables of leaks, which show five callers, are exact too.
 */
#include "c/count/hook.h"

#include <errno.h>

#include "arch/arch.h"

/* ---- contexts, under the lock ---- */

/* The upper bits of call_frame.context: KEPT_CALLERS less the number of
 * frames since the path was folded, but at least 0. */
enum {
  KEPT_CALLERS = 4,
  CONTEXT_BITS = 29,
  CONTEXT_NUMBER = (1 << CONTEXT_BITS) - 1
};

/* Returns the context of all frames of the chain but the innermost, with the
 * last callers as they are though the path is folded there. */
static uint32_t
find_kept_contexts(struct thread *thread)
{
  struct call_frame *const frames = thread->chain.frames;
  const size_t end = thread->chain.depth - 1;
  size_t i = end > KEPT_CALLERS ? end - KEPT_CALLERS : 1;
  uint32_t context = frames[i - 1].context & CONTEXT_NUMBER;
  for (; i < end; i++)
    context = context_tree_child(&monitor.tree, context, frames[i].at.ip);
  return context;
}

/* Returns the context of all frames of the chain but the innermost. */
static uint32_t
find_contexts(struct thread *thread)
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
            : context_tree_child(&monitor.tree, CONTEXT_ROOT,
                                 SITE_SPECIAL | SITE_CUT_SHORT);
  context = frames[i].context;
  for (i++; i < end; i++) {
    const uint32_t age = context >> CONTEXT_BITS;
    const uint32_t found = context_tree_child(
        &monitor.tree, context & CONTEXT_NUMBER, frames[i].at.ip);
    const uint32_t target = monitor.tree.contexts[found].target;
    if (target != found)
      context = target | (uint32_t)KEPT_CALLERS << CONTEXT_BITS;
    else
      context = found | (age > 0 ? age - 1 : 0) << CONTEXT_BITS;
    frames[i].context = context;
  }
  return context <= CONTEXT_NUMBER ? context : find_kept_contexts(thread);
}

/* ---- allocations ---- */

/* Finds the path of the chain of calls as it is now; walks if it is not
 * known. */
static struct known_path *
find_path(struct thread *thread, const uintptr_t *frame)
{
  const uint64_t generation =
      __atomic_load_n(&stripes.generation, __ATOMIC_ACQUIRE);
  if (thread->generation != generation)
    thread_forget(thread, generation);
  struct known_path *path = call_chain_find(
      &thread->chain, frame[1], arch_frame_stack(frame), frame[0]);
  return path != NULL ? path
                      : call_chain_walk(&thread->chain, frame[1],
                                        arch_frame_stack(frame), frame[0]);
}

/* Locks the monitor, and returns the path. */
static struct known_path *
lock_path(struct thread *thread, const uintptr_t *frame)
{
  struct known_path *path = find_path(thread, frame);
  spin_lock(&monitor.lock);
  if (thread->generation != stripes.generation) /* meanwhile */
    path = find_path(thread, frame);
  return path;
}

/* Returns the leaf of an object of `size' that is allocated on that path, and
 * keeps it where known_leaf finds it.  Under the lock. */
static uint32_t
find_leaf(struct thread *thread, struct known_path *path, uint32_t size)
{
  if (path->ip == 0) {
    path->context = find_contexts(thread);
    path->ip = thread->chain.frames[thread->chain.depth - 1].at.ip;
  }
  const uint32_t region =
      this_thread.pool != 0 ? this_thread.pool : thread->regions.region;
  const uint32_t known = known_leaf(thread, path, size, region);
  if (known != 0)
    return known;
  const struct kind kind = {
      .origin = thread->label |
                (unloaded_code_is_linker(path->ip) ? ORIGIN_LINKER : 0),
      .size = (uint16_t)size,
      .region = (uint16_t)region};
  const struct leaf *const leaf =
      context_tree_find_leaf(&monitor.tree, path->context, path->ip,
                             context_tree_kind_number(&monitor.tree, &kind));
  *thread_recent_leaf(thread, path->ip, path->context, size) =
      (struct recent_leaf){.site = path->ip,
                           .up = path->context,
                           .size = size,
                           .region = kind.region,
                           .leaf = (uint32_t)(leaf - monitor.tree.leaves),
                           .cache_generation = thread->cache_generation};
  return known_leaf(thread, path, size, region);
}

/* Counts an allocation, under the monitor's lock. */
static struct counted
count(struct stripe_user *user, uint32_t leaf, uintptr_t address,
      size_t bytes)
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
  stripes_pass_limit(s);
  stripes_unlock();
  return counted;
}

/* ---- the hook, where interpose.c has not done it ---- */

static struct counted
allocated(uintptr_t address, size_t bytes, const uintptr_t *frame)
{
  struct thread *const thread = thread_mine();
  struct counted counted = {0};
  if (thread == NULL) {
    monitor_miss();
    return counted;
  }
  struct known_path *path = lock_path(thread, frame);
  if (!monitor_is_counting()) {
    /* it was before the lock: the image may be finished, and no new one is to
       take its place */
  } else if (!monitor.ready && !monitor_open_locked()) {
    monitor_miss();
  } else {
    const uint32_t leaf = find_leaf(thread, path, leaf_size(bytes));
    counted = count(&thread->user, leaf, address, bytes);
    if (unloaded_code_is_linker(frame[1]))
      path->ip = 0; /* it is not to be known */
  }
  spin_unlock(&monitor.lock);
  return counted;
}

struct counted
monitor_allocated(uintptr_t address, size_t bytes, const uintptr_t *frame)
{
  const int saved = errno;
  struct counted counted = {0};
  if (!own_process_known())
    return counted;
  if (unloaded_code_is_linker(frame[1]))
    unloaded_code_check();
  if (monitor_is_counting())
    counted = allocated(address, bytes, frame);
  errno = saved;
  return counted;
}

/* Counts an end in the stripe S, in the midst of a count there that a signal
 * has interrupted. */
static void
count_interrupting(struct stripe_user *user, struct stripe *s,
                   uintptr_t address, owned_leaf leaf, size_t bytes)
{
  const uint32_t interrupted = s->current_leaf;
  stripes_settle(s);
  count_end(user, s, address, leaf, bytes);
  s->current_leaf = interrupted;
}

void
monitor_freed(uintptr_t address, struct counted counted, size_t bytes)
{
  if (!own_process_known())
    return;
  const int saved = errno;
  struct thread *thread = this_thread.record;
  struct stripe_user nobody; /* a thread that has not allocated */
  struct stripe_user *user = &nobody;
  if (thread != NULL) {
    user = &thread->user;
  } else {
    nobody.stripe = stripes.stripe;
    nobody.number = 0;
  }
  const bool interrupts = spin_holds(&user->stripe->lock);
  struct stripe *s = interrupts ? user->stripe : stripes_lock_mine(user);
  if (counted.epoch != stripes.epoch)
    ; /* it is in no figures of now */
  else if (interrupts)
    count_interrupting(user, s, address, counted.leaf, bytes);
  else
    count_end(user, s, address, counted.leaf, bytes);
  if (!interrupts)
    spin_unlock(&s->lock);
  errno = saved;
}
