/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * hook.c -- count one allocation.
 *
 * The unchanged case first: the frame word of the allocating function holds
 * what it held when an object of this kind was last made at this place
 * (known_leaf.h).  Then it is a few compares and four additions.  Else the
 * stack is walked to the first frame that is known (stack_walk.h), and what is
 * not known then either is looked up in the tree.
 *
 * Some memory serves objects of a type but is the body of none that the
 * allocator could name (the stacks of a thread, the workspace of bignums).
 * It adds bytes to that type and counts no object.  Bodies of objects:
 * object_body.c.
 */
#include "hook/hook.h"

#include <errno.h>
#include <sched.h>

#include "arch/arch.h"
#include "hook/allocation.h"
#include "hook/object_body.h"
#include "names/kept_objects.h"

/* Two counters side by side are not worth a vector register. */
#pragma GCC optimize("no-tree-slp-vectorize")
/* No function here is ever in a chain: it needs no frame of its own. */
#pragma GCC optimize("omit-frame-pointer", "optimize-sibling-calls")

/* May this allocation be counted?  When the gate is shut for a moment (code
 * is being unloaded, or the collector asked for its sum), wait: nothing is
 * lost.  Whoever has shut it may want to know what was taken. */
bool
hook_wait_at_gate(struct thread_state *t, cl_index what, cl_index bytes)
{
  int gate;
  while ((gate = __atomic_load_n(&t->gate, __ATOMIC_ACQUIRE)) ==
         GATE_PAUSED) {
    if (!t->held.present) {
      t->held.what = what;
      t->held.bytes = bytes;
      __atomic_store_n(&t->held.present, true, __ATOMIC_RELEASE);
    }
    __atomic_store_n(&t->inside, 0, __ATOMIC_SEQ_CST);
    sched_yield();
    __atomic_store_n(&t->inside, 1, __ATOMIC_SEQ_CST);
  }
  t->held.present = false;
  return gate == GATE_OPEN;
}

static struct leaf *
leaf_of(struct thread_state *t, const struct walk_result *walk, cl_index what,
        uint32_t size, cl_object clas)
{
  const int saved_errno = errno;
  struct leaf *leaf = context_tree_leaf(
      &t->tree, walk_word_context(walk->word), walk->site,
      (uint32_t)what | t->regions.region << KIND_REGION_SHIFT, size,
      (uint64_t)(uintptr_t)clas);
  if (leaf->count == 0 && clas != OBJNULL)
    kept_objects_add(clas);
  errno = saved_errno;
  return leaf;
}

struct leaf *
hook_leaf_here(struct thread_state *t, uintptr_t frame, cl_index what,
               uint32_t size, cl_object clas)
{
  const struct walk_result walk =
      stack_walk(&t->walk, &t->tree, t->env->ihs_top, frame);
  struct leaf *leaf = leaf_of(t, &walk, what, size, clas);
  leaf->activations += walk.fresh;
  return leaf;
}

static inline void
count_object(struct thread_state *t, struct leaf *leaf, cl_index bytes)
{
  leaf->count++;
  leaf->bytes += bytes;
  t->count++;
  t->bytes += bytes;
}

/* Bytes of a type, and no object. */
static void
count_memory(struct thread_state *t, uintptr_t frame, cl_index what,
             cl_index bytes)
{
  what &= ~(cl_index)ECL_ALLOCATED_RAW;
  hook_leaf_here(t, frame, what, 0, OBJNULL)->bytes += bytes;
  t->bytes += bytes;
  hook_count_request(t, bytes);
}

/* An object that was made at the end of that walk, of a kind that is not known
 * there.  Keeps its leaf, if it can be. */
static __attribute__((noinline)) void
count_unknown(struct thread_state *t, const struct walk_result *walk,
              cl_index kind, const void *object, cl_object clas)
{
  const cl_index what = allocation_what(kind), bytes = allocation_bytes(kind);
  struct leaf *leaf = leaf_of(t, walk, what, allocation_leaf_size(bytes), clas);
  const struct known_leaf known = { .site = walk->site,
                                    .word = walk->word,
                                    .kind = kind,
                                    .leaf = leaf,
                                    .clas = clas,
                                    .word_at = walk->word_at,
                                    .whole = classify_is_whole(what, bytes) };
  leaf->activations += walk->fresh;
  count_object(t, leaf, bytes);
  if (!hook_leaf_tells_requests(t, leaf))
    hook_count_requests(t, what, bytes);
  else if (!t->walk.whole)
    known_leaf_keep(&t->known_leaves, &known);
  if (!known.whole)
    object_body_header(t, object, leaf, bytes);
}

/* What is not as it was last time. */
static __attribute__((noinline)) void *
allocated_elsewhere(struct thread_state *t, uintptr_t frame, cl_index kind,
                    void *object, cl_object clas)
{
  const cl_index what = allocation_what(kind), bytes = allocation_bytes(kind);
  const struct known_leaf *known;
  struct walk_result walk;
  if (!hook_enter(t, what, bytes))
    goto done;
  if (classify_is_memory_of_type(what)) {
    count_memory(t, frame, what, bytes);
    goto done;
  }
  walk = stack_walk(&t->walk, &t->tree, t->env->ihs_top, frame);
  known =
      known_leaf_find(&t->known_leaves, walk.site, walk.word, kind, clas);
  if (__builtin_expect(known == NULL, 0)) {
    count_unknown(t, &walk, kind, object, clas);
    goto done;
  }
  known->leaf->activations += walk.fresh;
  count_object(t, known->leaf, bytes);
  if (!known->whole)
    object_body_header(t, object, known->leaf, bytes);
  else if (!walk.fresh && walk.word_at != 0)
    *known_leaf_here(&t->known_leaves, walk.site) = *known;
done:
  hook_leave(t);
  return object;
}

/* The hook.  All but the commonest case is in a function of its own, to which
 * this jumps, so that it saves no registers. */
static inline void *
count(struct ecl_allocation_hooks *self, void *allocator_frame, cl_index kind,
      void *object, cl_object clas)
{
  struct thread_state *t = (struct thread_state *)self;
  const uintptr_t frame = (uintptr_t)allocator_frame;
  const struct known_leaf *l =
      known_leaf_here(&t->known_leaves, *frame_return_slot(frame));

  if (!hook_gate_is_open(t) || l->site != *frame_return_slot(frame) ||
      l->word != *(uint64_t *)(frame_caller(frame) - l->word_at) ||
      l->kind != kind || l->clas != clas)
    return allocated_elsewhere(t, frame, kind, object, clas);
  count_object(t, l->leaf, allocation_bytes(kind));
  hook_leave(t);
  return object;
}

static void *
allocated(struct ecl_allocation_hooks *self, void *frame, cl_index kind,
          void *object)
{
  return count(self, frame, kind, object, OBJNULL);
}

static void *
instance_allocated(struct ecl_allocation_hooks *self, void *frame,
                   cl_index kind, void *object, cl_object clas)
{
  return count(self, frame, kind, object, clas);
}

/* The collector counts its own records like what it gives out. */
static void
collector_record(struct ecl_allocation_hooks *self, cl_index bytes)
{
  struct thread_state *t = (struct thread_state *)self;
  if (hook_enter(t, 0, bytes))
    t->records[bytes == ECL_WEAK_LINK_RECORD_BYTES]++;
  hook_leave(t);
}

void
hook_init(struct ecl_allocation_hooks *hooks)
{
  hooks->allocated = allocated;
  hooks->instance_allocated = instance_allocated;
  hooks->body = object_body;
  hooks->collector_record = collector_record;
}
