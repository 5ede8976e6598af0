/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * malloc_monitor.c -- the hook of C programs: see malloc_monitor.h.
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

static inline struct leaf *
leaf_at(struct malloc_monitor *m, uint32_t number)
{
  return &m->tree.leaves[number];
}

/* The figures of the leaf are about to change: keep those of the peak. */
static inline void
keep_peak(struct malloc_monitor *m, uint32_t number)
{
  struct leaf_life *life = &m->lives[number];
  if (life->peak != m->peak) {
    const struct leaf *leaf = leaf_at(m, number);
    life->peak_count = leaf->count - life->freed_count;
    life->peak_bytes = leaf->bytes - life->freed_bytes;
    life->peak = m->peak;
  }
}

/* Objects of a leaf were allocated, or freed (negative). */
static inline void
add_to_region(const struct malloc_monitor *m, uint32_t number, int64_t bytes)
{
  const struct leaf *leaf = &m->tree.leaves[number];
  if (malloc_regions.count > 1)
    malloc_regions_add((uint32_t)(m->tree.kinds[leaf->kind].clas >> 32),
                       bytes);
}

static inline void
add_allocation(struct malloc_monitor *m, uint32_t number, uint64_t bytes)
{
  struct leaf *leaf = leaf_at(m, number);
  if (live_bytes(m) + bytes > m->peak_bytes) {
    m->peak_bytes = live_bytes(m) + bytes;
    m->peak++; /* nobody has kept anything of this one */
  } else {
    keep_peak(m, number);
  }
  leaf->count++;
  leaf->bytes += bytes;
  m->count++;
  m->bytes += bytes;
  add_to_region(m, number, (int64_t)bytes);
}

static inline void
add_end(struct malloc_monitor *m, uint32_t number, uint64_t bytes)
{
  struct leaf_life *life = &m->lives[number];
  keep_peak(m, number);
  life->freed_count++;
  life->freed_bytes += bytes;
  m->freed_count++;
  m->freed_bytes += bytes;
  add_to_region(m, number, -(int64_t)bytes);
}

static inline void
note_recent(struct malloc_monitor *m, uintptr_t address)
{
  m->recent[m->recent_at] = address;
  m->recent_at = m->recent_at + 1 < m->recent_count ? m->recent_at + 1 : 0;
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
    recent->context = context_tree_child(&m->tree, parent, site);
    recent->site = site;
    recent->parent = parent;
  }
  return recent->context;
}

/* Give the first `end' frames their contexts. */
static void
add_contexts(struct malloc_monitor *m, struct thread_stack *thread,
             size_t end)
{
  struct call_chain *chain = &thread->chain;
  size_t i = chain->known < end ? chain->known : end;
  uint32_t context;
  while (i > 0 && chain->frames[i - 1].context == 0)
    i--;
  context = i == 0 ? CONTEXT_ROOT : chain->frames[i - 1].context;
  for (; i < end; i++) {
    context = find_context(m, thread, context, chain->frames[i].ip);
    chain->frames[i].context = context;
  }
}

/* The number of the leaf of an allocation of `bytes' at the end of the chain.
 * Each thread knows its last ones (76 instructions for a look-up in the tree,
 * 20 for one here). */
static uint32_t
find_leaf(struct malloc_monitor *m, struct thread_stack *thread,
          uint64_t bytes)
{
  struct call_chain *chain = &thread->chain;
  const uint32_t size =
      bytes <= LEAF_MAX_SIZE ? (uint32_t)bytes : (uint32_t)LEAF_LARGE;
  const size_t callers = chain->depth - 1;
  const uintptr_t site = chain->frames[callers].ip;
  const struct leaf *leaf;
  struct recent_leaf *recent;
  uint32_t up = CONTEXT_ROOT;
  if (callers > 0) {
    if (chain->known < callers || chain->frames[callers - 1].context == 0)
      add_contexts(m, thread, callers);
    up = chain->frames[callers - 1].context;
  }
  recent = thread_stack_recent_leaf(thread, site, up, size);
  if (recent->site == site && recent->up == up && recent->size == size &&
      recent->region == thread->regions.region)
    return recent->leaf;
  leaf = context_tree_leaf(&m->tree, up, site, 0, size,
                           thread->label | (uint64_t)thread->regions.region
                                               << 32);
  *recent = (struct recent_leaf){.site = site,
                                 .up = up,
                                 .size = size,
                                 .region = thread->regions.region,

                                 .leaf = (uint32_t)(leaf - m->tree.leaves)};
  return recent->leaf;
}

/* ---- the hook ---- */

static uint32_t
count(struct malloc_monitor *m, struct thread_stack *thread,
      uintptr_t address, size_t bytes)
{
  const uint32_t leaf = find_leaf(m, thread, bytes);
  m->truncated_walks += !thread->chain.complete;
  add_allocation(m, leaf, bytes);
  note_recent(m, address);
  return leaf;
}

struct counted
malloc_monitor_allocated(uintptr_t address, size_t bytes,
                         const uintptr_t *frame)
{
  const int saved = errno;
  struct malloc_monitor *m = &malloc_monitor;
  struct counted counted = {0};
  struct thread_stack *thread;
  uint64_t unloads;
  bool save;
  if (!malloc_monitor_counting || (!m->ready && !malloc_session_open()))
    return counted;
  thread = thread_stack_mine();
  if (thread == NULL) {
    __atomic_fetch_add(&m->lost_objects, 1, __ATOMIC_RELAXED);
    errno = saved;
    return counted;
  }
  unloads = __atomic_load_n(&m->unloads, __ATOMIC_ACQUIRE);
  if (thread->unloads != unloads)
    thread_stack_forget(thread, unloads); /* contexts of other code */
  call_chain_walk(&thread->chain, frame[1], (uintptr_t)(frame + 2), frame[0]);
  spin_lock(&m->lock);
  if (thread->unloads != m->unloads) { /* meanwhile */
    thread_stack_forget_contexts(thread, m->unloads);
    thread->chain.known = 0;
  }
  if (malloc_monitor_counting) {
    counted.leaf = count(m, thread, address, bytes);
    counted.epoch = m->epoch;
  }
  save = m->count >= m->save_at;
  spin_unlock(&m->lock);
  if (__builtin_expect(save, 0))
    malloc_session_autosave();
  errno = saved;
  return counted;
}

unsigned
malloc_monitor_freed(uintptr_t address, uint32_t leaf, uint16_t epoch,
                     size_t bytes)
{
  struct malloc_monitor *m = &malloc_monitor;
  unsigned recent = 0;
  spin_lock(&m->lock);
  if (epoch == m->epoch) {
    add_end(m, leaf, bytes);
    recent = take_recent(m, address);
    m->lives[leaf].temporary_count += recent != 0;
  }
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
