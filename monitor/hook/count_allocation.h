/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * count_allocation.h -- count one allocation.
 *
 * The unchanged case first: the frame word of the allocating function holds
 * what it held when an object of this kind was last made at this place.  Then
 * it is a few compares and four additions.  Nearly as short is that of a
 * function that was called again, from a frame that is known (known_leaf).
 * Then the path that was walked before from there (known_path).  Only what
 * came on another walks the stack (stack_walk.h), and looks its leaf up in the
 * tree.
 *
 * Some memory serves objects of a type but is the body of none that the
 * allocator could name (the stacks of a thread, the workspace of bignums).
 * It adds bytes to that type and counts no object.  Bodies of objects:
 * object_body.c.
 *
 * This is compiled twice, so that following objects (live/) costs nothing
 * where it is not wanted.
 */
#ifndef FOLLOW
#define FOLLOW false
#endif

#include <errno.h>

#include "arch/arch.h"
#include "hook/allocation.h"
#include "hook/hook.h"
#include "hook/object_body.h"
#include "names/kept_objects.h"

/* Two counters side by side are not worth a vector register. */
#pragma GCC optimize("no-tree-slp-vectorize")
/* No function here is ever in a chain: it needs no frame of its own. */
#pragma GCC optimize("omit-frame-pointer", "optimize-sibling-calls")

/* The leaf of objects that are made in that frame. */
static inline struct leaf *
leaf_in(struct thread_state *t, const struct innermost_frame *f,
        cl_index what, uint32_t size, cl_object clas)
{
  struct leaf *leaf = context_tree_leaf_in(
      &t->tree, f->up, f->site, f->function,
      (uint32_t)what | t->regions.region << KIND_REGION_SHIFT, size,
      (uint64_t)(uintptr_t)clas);
  if (__builtin_expect(leaf->count == 0, 0) && clas != OBJNULL) {
    const int saved_errno = errno;
    kept_objects_add(clas);
    errno = saved_errno;
  }
  leaf->activations += f->fresh;
  return leaf;
}

/* What was counted at that leaf. */
static inline void
follow(struct thread_state *t, const struct leaf *leaf, const void *memory,
       uint64_t bytes, enum live_kind kind)
{
  if (FOLLOW)
    live_table_add(&t->live, memory, bytes, allocation_leaf_offset(t, leaf),
                   kind);
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
             cl_index bytes, const void *memory)
{
  struct leaf *const leaf = hook_leaf_here(t, frame, what & 0xFF, 0, OBJNULL);
  leaf->bytes += bytes;
  follow(t, leaf, memory, bytes,
         (what & ECL_ALLOCATED_MALLOC) != 0 ? LIVE_MALLOC : LIVE_BODY);
  t->bytes += bytes;
  requests_add_objects(&t->requests, what, bytes, 1);
}

/* An object came from there.  Keeps it as the path's, if that is not NULL. */
static inline void
count_in(struct thread_state *t, const struct innermost_frame *f,
         struct known_path *path, cl_index kind, void *object, cl_object clas)
{
  const cl_index what = allocation_what(kind), bytes = allocation_bytes(kind);
  const bool whole = classify_is_whole(what, bytes);
  struct leaf *const leaf =
      leaf_in(t, f, what, allocation_leaf_size(bytes), clas);
  count_object(t, leaf, bytes);
  follow(t, leaf, object, bytes, LIVE_OBJECT);
  if (!requests_told_by(context_tree_kind(&t->tree, leaf))) {
    requests_add_objects(&t->requests, what, bytes, 1);
  } else if (path != NULL) {
    path->kind = kind;
    path->clas = clas;
    path->leaf = leaf;
    path->whole = whole;
  }
  if (!whole)
    object_body_header(t, object, leaf, bytes);
}

/* The object came on the known path to its frame `end'. */
static inline __attribute__((always_inline)) void *
count_on_path(struct thread_state *t, struct known_path *path,
              const struct path_frame *end, uintptr_t frame, cl_index kind,
              void *object, cl_object clas, bool plain)
{
  const bool known = end == path->frame;
  const bool fresh =
      !known && known_path_meet(path, end, frame, t->walk.first_epoch, plain);
  if (__builtin_expect(path->kind != kind || path->clas != clas, 0)) {
    path->innermost.fresh = fresh;
    count_in(t, &path->innermost, path, kind, object, clas);
  } else {
    path->leaf->activations += fresh;
    count_object(t, path->leaf, allocation_bytes(kind));
    follow(t, path->leaf, object, allocation_bytes(kind), LIVE_OBJECT);
    if (__builtin_expect(!path->whole, 0))
      object_body_header(t, object, path->leaf, allocation_bytes(kind));
    else if (plain && end - path->frame <= 1 && path->frame[0].word_at != 0)
      known_leaf_remember(&t->paths, path);
  }
  hook_leave(t);
  return object;
}

/* The object came on no path that is at its first place. */
static __attribute__((noinline)) void *
allocated_anew(struct thread_state *t, uintptr_t frame, cl_index kind,
               void *object, cl_object clas)
{
  const cl_index what = allocation_what(kind), bytes = allocation_bytes(kind);
  struct known_path *path;
  const struct path_frame *end;
  struct innermost_frame f;
  if (!hook_enter(t, what, bytes))
    goto done;
  if (classify_is_memory_of_type(what)) {
    count_memory(t, frame, what, bytes, object);
    goto done;
  }
  path = known_path_find(&t->paths, frame, &end);
  if (path != NULL)
    return count_on_path(t, path, end, frame, kind, object, clas, false);
  f = stack_walk(&t->walk, &t->tree, frame);
  path = known_path_keep(&t->paths, &t->walk, &t->tree, &f, frame);
  count_in(t, &f, path, kind, object, clas);
done:
  hook_leave(t);
  return object;
}

/* The allocating function was called again in another way, or the object is
 * another than last time. */
static __attribute__((noinline)) void *
allocated_in_new_frames(struct thread_state *t, uintptr_t frame,
                        cl_index kind, void *object, cl_object clas)
{
  struct known_path *const path = known_path_place(&t->paths, frame);
  const struct path_frame *end;
  if (!hook_gate_is_open(t) || classify_is_memory_of_type(kind))
    return allocated_anew(t, frame, kind, object, clas);
  if (path->plain) {
    if ((end = known_path_end(path, frame, true)) != NULL)
      return count_on_path(t, path, end, frame, kind, object, clas, true);
  } else {
    if ((end = known_path_end(path, frame, false)) != NULL)
      return count_on_path(t, path, end, frame, kind, object, clas, false);
  }
  return allocated_anew(t, frame, kind, object, clas);
}

/* An object like the last one at this place was made in another frame. */
static __attribute__((noinline)) void *
allocated_in_new_frame(struct thread_state *t, uintptr_t frame, cl_index kind,
                       void *object, const struct known_leaf *l)
{
  if (!known_leaf_meet(l, frame_caller(frame), t->walk.first_epoch))
    return allocated_in_new_frames(t, frame, kind, object, l->clas);
  count_object(t, l->leaf, allocation_bytes(kind));
  follow(t, l->leaf, object, allocation_bytes(kind), LIVE_OBJECT);
  hook_leave(t);
  return object;
}

/* The hook.  All but the commonest case is in functions of their own, to
 * which this jumps, so that it saves no registers. */
static inline __attribute__((always_inline)) void *
count(struct ecl_allocation_hooks *self, void *allocator_frame, cl_index kind,
      void *object, cl_object clas)
{
  struct thread_state *t = (struct thread_state *)self;
  const uintptr_t frame = (uintptr_t)allocator_frame;
  const struct known_leaf *l =
      known_leaf_place(&t->paths, *frame_return_slot(frame));

  if (!hook_gate_is_open(t) || l->site != *frame_return_slot(frame) ||
      l->kind != kind || l->clas != clas)
    return allocated_in_new_frames(t, frame, kind, object, clas);
  if (*(uint64_t *)(frame_caller(frame) - l->word_at) != l->word)
    return allocated_in_new_frame(t, frame, kind, object, l);
  count_object(t, l->leaf, allocation_bytes(kind));
  follow(t, l->leaf, object, allocation_bytes(kind), LIVE_OBJECT);
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
