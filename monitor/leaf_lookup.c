/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * leaf_lookup.c -- an allocation that is not like one of the last ones.
 *
 * The commonest case is that all new frames, up to a marked one, have frame
 * pointers: the plain walk.  When they are few, it is remembered
 * (known_walk.h).  All else goes to stack_walk.
 */
#include "leaf_lookup.h"

#include <errno.h>

#include "classify.h"
#include "code_index.h"
#include "stack_walk.h"

/* A run has begun since this thread was last counted. */
static void
start_over(struct thread_state *t)
{
  marker_stack_restore(&t->markers);
  thread_state_forget_calls(t);
  thread_state_forget_objects(t);
  t->stale = false;
}

/* An allocator that ran out of memory calls Lisp handlers, which may allocate
 * and then let it go on: a walk has met and marked its frame, and those of the
 * allocators below it, like any other.  Now that frame is about to report its
 * own allocation: give them all back their return addresses.  True when there
 * was one: then that walk has counted the frames above. */
static bool
unmark_allocator(struct thread_state *t, uintptr_t frame)
{
  uintptr_t *slot = frame_return_slot(frame);
  if (!marker_stack_is_marked(slot))
    return false;
  marker_stack_restore_to(&t->markers, slot);
  return true;
}

/* The marked frame that a plain walk leads to. */
struct outer_frame {
  uintptr_t *slot;
  uintptr_t distance;  /* see struct known_walk */
  enum code_kind kind; /* as in struct walked_frame */
};

/* The marked frame outward of `last', if its code is foreign: C that calls
 * Lisp. */
static bool
foreign_outer(const struct thread_state *t, const struct walked_frame *last,
              struct outer_frame *outer)
{
  outer->distance = foreign_frame_distance(t->foreign_rules, last->site);
  outer->slot = last->slot + outer->distance / sizeof(uintptr_t);
  outer->kind = CODE_FOREIGN;
  return outer->distance != 0 && t->markers.top->slot == outer->slot &&
         marker_stack_is_marked(outer->slot);
}

/* The new frames, from the allocating function's outward, and the marked one in
 * *outer.  Gives back how many, or -1 when the stack walk must do it. */
static ptrdiff_t
plain_frames(struct thread_state *t, const struct allocation *a,
             struct outer_frame *outer)
{
  struct walked_frame *f = t->walk, *const end = t->walk + t->walk_limit;
  uintptr_t frame = frame_caller(a->frame), caller, site = 0;
  enum code_kind kind = code_index_kind(*frame_return_slot(a->frame));

  if (kind != CODE_FRAME_POINTER && kind != CODE_LAST_CALL)
    return -1;
  for (; !marker_stack_is_marked(frame_return_slot(frame)); f++) {
    if (f == end)
      return -1;
    f->slot = frame_return_slot(frame);
    f->site = *f->slot;
    f->kind = kind;
    caller = frame_caller(frame);
    if (f->site != site) { /* else recursion: the kind is the same */
      site = f->site;
      kind = code_index_kind(site);
      if (kind == CODE_FOREIGN)
        return foreign_outer(t, f, outer) ? f + 1 - t->walk : -1;
      if (kind != CODE_FRAME_POINTER && kind != CODE_LAST_CALL &&
          kind != CODE_DISPATCH)
        return -1;
    }
    if (caller <= frame || caller >= t->stack_base)
      return -1;
    frame = caller;
  }
  if (kind == CODE_DISPATCH) /* it has the mark of what jumped to it */
    return -1;
  outer->slot = frame_return_slot(frame);
  outer->distance = 0;
  outer->kind = kind;
  return f - t->walk;
}

/* The walk for the commonest case; false, with nothing changed, when it is
 * something else.  Recursion repeats contexts: the tree is asked once, and such
 * frames take a short way.  (A list of 100 built on the way back: 92
 * instructions a frame without that, 59 with it.) */
static bool
plain_walk(struct thread_state *t, const struct allocation *a,
           struct walk_result *r, struct known_walk *walk)
{
  struct outer_frame outer;
  const ptrdiff_t n = plain_frames(t, a, &outer);
  const bool remember = n <= KNOWN_FRAMES;
  ptrdiff_t callee = -1; /* the new frame outward of this one */
  uint64_t through = 0, last_site = 0;
  uint32_t up, last_up = 0;
  struct context *c = NULL;

  if (n < 0 || t->markers.limit - t->markers.top <= n)
    return false;
  up = marker_stack_find(&t->markers, outer.slot)->up;
  walk->outer_up = up;
  walk->outer_distance = outer.distance;
  walk->frames = (uint8_t)n;
  walk->whole = a->whole;
  walk->unmark = outer.kind == CODE_LAST_CALL && (n > 0 || a->whole);
  walk->how = !a->whole ? WALK_MARKING
              : n > 0   ? WALK_NOT_MARKING
                        : WALK_MARKED_FRAME;
  walk->site = remember ? *frame_return_slot(a->frame) : 0;
  if (walk->unmark)
    marker_stack_pop(&t->markers);
  for (ptrdiff_t i = n; i-- > 0;) {
    const struct walked_frame *f = &t->walk[i];
    uint64_t site = f->site;
    bool mark;
    if (site == last_site && up == last_up && !remember &&
        f->kind == CODE_FRAME_POINTER && through == 0) {
      /* Recursion, as the frame before. */
      c->activations++;
      up = c->target;
      marker_stack_push(&t->markers, f->slot, up);
      callee = i;
      continue;
    }
    if (f->kind == CODE_DISPATCH) {
      if (through == 0)
        through = site;
      if (remember)
        walk->frame[i] = (struct known_frame){ site, &t->dispatches, 0, 0 };
      continue;
    }
    if (through != 0) {
      site = through;
      through = 0;
    }
    if (c == NULL || site != last_site || up != last_up) {
      last_site = site;
      last_up = up;
      c = &t->tree.contexts[context_tree_child(&t->tree, up, site)];
    }
    if (callee >= 0) { /* the frame that made this call is new */
      c->activations++;
      if (remember)
        walk->frame[callee].activations = &c->activations;
    }
    callee = i;
    up = c->target;
    mark = f->kind != CODE_LAST_CALL || (i == 0 && !a->whole);
    if (mark) {
      walk->how = WALK_MARKING;
      marker_stack_push(&t->markers, f->slot, up);
    }
    if (remember)
      walk->frame[i] = (struct known_frame){ f->site, NULL, up, mark };
  }
  r->site = *frame_return_slot(a->frame);
  r->up = up;
  r->activation = n > 0;
  return true;
}

static struct leaf *
leaf_of(struct thread_state *t, uint32_t up, uint64_t site, cl_index what,
        uint32_t size, cl_object clas)
{
  struct leaf *leaf = context_tree_leaf(&t->tree, up, site, (uint32_t)what,
                                        size, (uint64_t)(uintptr_t)clas);
  if (leaf->count == 0 && clas != OBJNULL)
    code_index_keep(clas);
  return leaf;
}

struct leaf *
leaf_lookup_again(struct thread_state *t, const struct leaf *leaf,
                  cl_index what, cl_index bytes, cl_object clas)
{
  const int saved_errno = errno;
  struct leaf *again =
      leaf_of(t, leaf->up, leaf->site, what, (uint32_t)bytes, clas);
  errno = saved_errno;
  return again;
}

struct leaf *
leaf_lookup(struct thread_state *t, const struct allocation *a, uint32_t size,
            struct known_walk *walk)
{
  const int saved_errno = errno;
  struct walk_result r;
  struct leaf *leaf;
  bool counted;

  if (t->stale)
    start_over(t);
  mprof_markers = &t->markers;
  counted = unmark_allocator(t, a->frame);
  walk->site = 0;
  if (counted || !t->markers_allowed || !plain_walk(t, a, &r, walk))
    r = stack_walk(t, a->frame, a->whole, counted);
  leaf = leaf_of(t, r.up, r.site, a->what, size, a->clas);
  walk->frame[0].activations = &leaf->activations;
  if (r.activation)
    leaf->activations++;
  walk->leaf = leaf;
  errno = saved_errno;
  return leaf;
}

bool
leaf_lookup_drop_dead(struct thread_state *t, uintptr_t frame)
{
  const struct marker *top = t->markers.top;
  uintptr_t site = *frame_return_slot(frame);
  while (t->markers.top > t->markers.bottom &&
         !marker_stack_is_marked(t->markers.top->slot))
    t->markers.top--;
  /* Marks inward of this frame are dead as well, unless they are on another
   * stack: let the frames say. */
  if (t->markers.top == t->markers.bottom ||
      t->markers.top->slot >= (uintptr_t *)frame)
    return t->markers.top != top;
  for (int i = 0; i <= KNOWN_FRAMES; i++) {
    enum code_kind kind = code_index_kind(site);
    if (kind != CODE_FRAME_POINTER && kind != CODE_LAST_CALL)
      break;
    frame = frame_caller(frame);
    if (marker_stack_is_marked(frame_return_slot(frame))) {
      marker_stack_find(&t->markers, frame_return_slot(frame));
      break;
    }
    site = *frame_return_slot(frame);
  }
  return t->markers.top != top;
}
