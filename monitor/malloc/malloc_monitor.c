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

#include "malloc/malloc_regions.h"
#include "malloc/malloc_session.h"
#include "malloc/thread_stack.h"

struct malloc_monitor malloc_monitor = {.recent_count = 1,
                                        .save_at = UINT64_MAX};
int malloc_monitor_counting = 1;
__thread int malloc_monitor_inside __attribute__((tls_model("initial-exec")));

/* ---- figures, under the lock ---- */

static uint64_t
live_bytes(const struct malloc_monitor *m)
{
  return m->bytes - m->freed_bytes;
}

/* The figures of the leaf are about to change: keep those of the peak. */
static inline void
keep_peak(const struct malloc_monitor *m, struct leaf_life *life)
{
  if (life->peak != m->peak) {
    life->peak_count = life->count - life->freed_count;
    life->peak_bytes = life->bytes - life->freed_bytes;
    life->peak = m->peak;
  }
}

/* Objects of a leaf were allocated, or freed (negative). */
static inline void
add_to_region(const struct malloc_monitor *m, uint32_t number, int64_t bytes)
{
  if (__builtin_expect(malloc_regions.count > 1, 0))
    malloc_regions_add(
        (uint32_t)(m->tree.kinds[m->tree.leaves[number].kind].clas >> 32),
        bytes);
}

static inline void
add_allocation(struct malloc_monitor *m, uint32_t number, uint64_t bytes)
{
  struct leaf_life *life = &m->lives[number];
  if (live_bytes(m) + bytes > m->peak_bytes) {
    m->peak_bytes = live_bytes(m) + bytes;
    m->peak++; /* nobody has kept anything of this one */
  } else {
    keep_peak(m, life);
  }
  life->count++;
  life->bytes += bytes;
  m->count++;
  m->bytes += bytes;
  add_to_region(m, number, (int64_t)bytes);
}

static inline void
add_end(struct malloc_monitor *m, uint32_t number, uint64_t bytes)
{
  struct leaf_life *life = &m->lives[number];
  keep_peak(m, life);
  life->freed_count++;
  life->freed_bytes += bytes;
  m->freed_count++;
  m->freed_bytes += bytes;
  add_to_region(m, number, -(int64_t)bytes);
}

void
malloc_monitor_settle(struct malloc_monitor *m)
{
  const uint32_t first = m->tree.overflowed != 0 ? 0 : 1; /* 0: over it */
  for (uint32_t i = first; i < m->tree.leaf_count; i++) {
    const uint32_t number = i != 0 ? i : m->tree.budget;
    m->tree.leaves[number].count = m->lives[number].count;
    m->tree.leaves[number].bytes = m->lives[number].bytes;
  }
}

static inline void
note_recent(struct malloc_monitor *m, uintptr_t address)
{
  m->recent[m->recent_at] = address;
  if (++m->recent_at >= m->recent_count)
    m->recent_at = 0;
}

/* Where `address' is among the recent allocations, counted from 1, if it is;
 * it then is none of them. */
static inline unsigned
take_recent(struct malloc_monitor *m, uintptr_t address)
{
  for (unsigned i = 0; i < m->recent_count; i++)
    if (m->recent[i] == address) {
      m->recent[i] = 0;
      return i + 1;
    }
  return 0;
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
    context = find_context(m, thread, context, frames[i].ip);
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
        find_context(m, thread, context & CONTEXT_NUMBER, frames[i].ip);
    const uint32_t target = m->tree.contexts[found].target;
    if (target != found)
      context = target | (uint32_t)KEPT_CALLERS << CONTEXT_BITS;
    else
      context = found | (age > 0 ? age - 1 : 0) << CONTEXT_BITS;
    frames[i].context = context;
  }
  return context <= CONTEXT_NUMBER ? context : find_kept_contexts(m, thread);
}

/* The place of that leaf among the last ones of the thread, which most often
 * are asked for again (76 instructions for a look-up in the tree, 20 for one
 * here). */
static inline struct recent_leaf *
recent_place(struct thread_stack *thread, const struct known_path *path,
             uint32_t size)
{
  return thread_stack_recent_leaf(thread, path->ip, path->context, size);
}

static inline bool
is_recent(const struct recent_leaf *recent, const struct thread_stack *thread,
          const struct known_path *path, uint32_t size)
{
  return recent->site == path->ip && recent->up == path->context &&
         recent->size == size && recent->region == thread->regions.region;
}

/* The leaf of an object of `size' that is allocated on that path, if the
 * thread knows it; else 0. */
static inline uint32_t
known_leaf(struct thread_stack *thread, struct known_path *path,
           uint32_t size)
{
  const struct recent_leaf *recent;
  if (path->leaf != 0 && path->size == size &&
      path->region == thread->regions.region)
    return path->leaf;
  recent = recent_place(thread, path, size);
  if (!is_recent(recent, thread, path, size))
    return 0;
  path->size = size;
  path->region = recent->region;
  path->leaf = recent->leaf;
  return path->leaf;
}

/* The same when it is not known.  Under the lock. */
static uint32_t
find_leaf(struct malloc_monitor *m, struct thread_stack *thread,
          struct known_path *path, uint32_t size)
{
  const uint32_t region = thread->regions.region;
  const struct leaf *leaf =
      context_tree_leaf(&m->tree, path->context, path->ip, 0, size,
                        thread->label | (uint64_t)region << 32);
  thread_stack_missed(thread);
  path->size = size;
  path->region = region;
  path->leaf = (uint32_t)(leaf - m->tree.leaves);
  *recent_place(thread, path, size) =
      (struct recent_leaf){.site = path->ip,
                           .up = path->context,
                           .size = size,
                           .region = region,
                           .leaf = path->leaf};
  return path->leaf;
}

/* ---- the hook ---- */

/* Under the lock. */
static inline struct counted
count(struct malloc_monitor *m, const struct known_path *path, uint32_t leaf,
      uintptr_t address, size_t bytes)
{
  if (__builtin_expect(!path->complete, 0))
    m->truncated_walks++;
  add_allocation(m, leaf, bytes);
  note_recent(m, address);
  return (struct counted){.leaf = leaf, .epoch = m->epoch};
}

static inline uint32_t
size_for_leaf(size_t bytes)
{
  return bytes <= LEAF_MAX_SIZE ? (uint32_t)bytes : (uint32_t)LEAF_LARGE;
}

/* An allocation that is not what the last one on its path was. */
static struct counted __attribute__((noinline))
count_other(struct malloc_monitor *m, struct thread_stack *thread,
            struct known_path *path, uintptr_t address, size_t bytes,
            const uintptr_t *frame)
{
  const int saved = errno;
  const uint32_t size = size_for_leaf(bytes);
  struct counted counted = {0};
  uint32_t leaf;
  bool save;
  if (path == NULL)
    path = call_chain_walk(&thread->chain, frame[1], (uintptr_t)(frame + 2),
                           frame[0]);
  spin_lock(&m->lock);
  if (thread->unloads != m->unloads) { /* meanwhile */
    thread_stack_forget(thread, m->unloads);
    path = call_chain_walk(&thread->chain, frame[1], (uintptr_t)(frame + 2),
                           frame[0]);
  }
  if (malloc_monitor_counting) {
    if (path->ip == 0) {
      path->context = find_contexts(m, thread);
      call_chain_know(&thread->chain, path);
    }
    leaf = known_leaf(thread, path, size);
    if (leaf == 0)
      leaf = find_leaf(m, thread, path, size);
    counted = count(m, path, leaf, address, bytes);
  }
  save = m->count >= m->save_at;
  spin_unlock(&m->lock);
  if (__builtin_expect(save, 0))
    malloc_session_autosave();
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
  unloads = __atomic_load_n(&m->unloads, __ATOMIC_ACQUIRE);
  if (thread->unloads != unloads)
    thread_stack_forget(thread, unloads);
  errno = saved;
  return count_other(m, thread, NULL, address, bytes, frame);
}

/* What is not as before is left to the two above; then errno is not touched.
 */
struct counted
malloc_monitor_allocated(uintptr_t address, size_t bytes,
                         const uintptr_t *frame)
{
  struct malloc_monitor *m = &malloc_monitor;
  struct thread_stack *thread = thread_stack_known;
  struct known_path *path;
  struct counted counted;
  uint32_t leaf;
  if (!malloc_monitor_counting)
    return (struct counted){0};
  if (thread == NULL ||
      thread->unloads != __atomic_load_n(&m->unloads, __ATOMIC_ACQUIRE))
    return count_first(m, address, bytes, frame);
  path = call_chain_find(&thread->chain, frame[1], (uintptr_t)(frame + 2),
                         frame[0]);
  leaf = path == NULL ? 0 : known_leaf(thread, path, size_for_leaf(bytes));
  if (leaf == 0)
    return count_other(m, thread, path, address, bytes, frame);
  if (!spin_try_lock(&m->lock))
    return count_other(m, thread, path, address, bytes, frame);
  if (thread->unloads != m->unloads || !malloc_monitor_counting ||
      m->count + 1 >= m->save_at) {
    spin_unlock(&m->lock);
    return count_other(m, thread, path, address, bytes, frame);
  }
  counted = count(m, path, leaf, address, bytes);
  spin_unlock(&m->lock);
  return counted;
}

/* Under the lock. */
static inline unsigned
count_end(struct malloc_monitor *m, uintptr_t address, uint32_t leaf,
          uint16_t epoch, size_t bytes)
{
  unsigned recent = 0;
  if (epoch == m->epoch) {
    add_end(m, leaf, bytes);
    recent = take_recent(m, address);
    m->lives[leaf].temporary_count += recent != 0;
  }
  return recent;
}

static unsigned __attribute__((noinline))
wait_and_count_end(struct malloc_monitor *m, uintptr_t address, uint32_t leaf,
                   uint16_t epoch, size_t bytes)
{
  unsigned recent;
  spin_lock(&m->lock);
  recent = count_end(m, address, leaf, epoch, bytes);
  spin_unlock(&m->lock);
  return recent;
}

/* It calls nothing unless it has to wait: 45 instructions, and not 64. */
unsigned
malloc_monitor_freed(uintptr_t address, uint32_t leaf, uint16_t epoch,
                     size_t bytes)
{
  struct malloc_monitor *m = &malloc_monitor;
  unsigned recent;
  if (!spin_try_lock(&m->lock))
    return wait_and_count_end(m, address, leaf, epoch, bytes);
  recent = count_end(m, address, leaf, epoch, bytes);
  spin_unlock(&m->lock);
  return recent;
}

void
malloc_monitor_not_freed(uintptr_t address, uint32_t leaf, uint16_t epoch,
                         size_t bytes, unsigned recent)
{
  struct malloc_monitor *m = &malloc_monitor;
  spin_lock(&m->lock);
  if (epoch == m->epoch) {
    struct leaf_life *life = &m->lives[leaf];
    life->freed_count--;
    life->freed_bytes -= bytes;
    m->freed_count--;
    m->freed_bytes -= bytes;
    add_to_region(m, leaf, (int64_t)bytes);
    if (recent != 0) {
      life->temporary_count--;
      if (m->recent[recent - 1] == 0)
        m->recent[recent - 1] = address;
    }
  }
  spin_unlock(&m->lock);
}
