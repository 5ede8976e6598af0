/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * leaf_lookup.c -- an allocation that is not like one of the last ones.
 *
 * The commonest case is a few new frames, all with frame pointers, below a
 * marked one: the short walk takes it in one pass and remembers it
 * (known_walk.h).  All else goes to stack_walk.
 */
#include "leaf_lookup.h"

#include <errno.h>

#include "classify.h"
#include "code_index.h"
#include "stack_walk.h"

/* Frames at most that the short walk takes. */
enum { SHORT_WALK = 8 };

/* A frame of the short walk. */
struct short_frame {
  uintptr_t *slot;
  uintptr_t return_address;
  enum code_kind kind; /* of the place where its function calls the next */
};

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

/* The new frames, from the allocating function's outward, and the slot of the
 * marked one in *outer.  Gives back how many, or -1 when the stack walk must
 * do it. */
static int
short_frames(const struct thread_state *t, const struct allocation *a,
             struct short_frame frames[SHORT_WALK], uintptr_t **outer)
{
  uintptr_t frame = frame_caller(a->frame), caller;
  enum code_kind kind = code_index_kind(*frame_return_slot(a->frame));
  int n = 0;

  if (kind != CODE_FRAME_POINTER && kind != CODE_LAST_CALL)
    return -1;
  for (; !marker_stack_is_marked(frame_return_slot(frame)); n++) {
    if (n == SHORT_WALK)
      return -1;
    frames[n].slot = frame_return_slot(frame);
    frames[n].return_address = *frames[n].slot;
    frames[n].kind = kind;
    kind = code_index_kind(*frames[n].slot);
    caller = frame_caller(frame);
    if (caller <= frame || caller >= t->stack_base ||
        (kind != CODE_FRAME_POINTER && kind != CODE_LAST_CALL &&
         kind != CODE_DISPATCH))
      return -1;
    frame = caller;
  }
  if (kind == CODE_DISPATCH) /* it has the mark of what jumped to it */
    return -1;
  *outer = frame_return_slot(frame);
  return n;
}

/* The walk for the commonest case; false, with nothing changed, when it is
 * something else.  (Ten million calls through a symbol, one cons in each: 1.6 s
 * with stack_walk alone, 0.76 s with this and with CODE_DISPATCH.) */
static bool
short_walk(struct thread_state *t, const struct allocation *a,
           struct walk_result *r, struct known_walk *walk)
{
  struct short_frame frames[SHORT_WALK];
  uintptr_t *outer, through = 0;
  int n = short_frames(t, a, frames, &outer), callee_of = -1;
  uint32_t up;

  if (n < 0 || t->markers.limit - t->markers.top <= SHORT_WALK)
    return false;
  up = marker_stack_find(&t->markers, outer)->up;
  walk->outer_up = up;
  walk->frames = (uint32_t)n;
  walk->marks = 0;
  walk->site = n <= KNOWN_FRAMES ? *frame_return_slot(a->frame) : 0;
  for (int i = n; i-- > 0;) {
    const struct short_frame *f = &frames[i];
    struct known_frame known = { f->return_address, &t->dispatches, 0, 0 };
    if (f->kind == CODE_DISPATCH) {
      if (through == 0)
        through = f->return_address;
    } else {
      uint64_t site = through != 0 ? through : f->return_address;
      uint32_t number = context_tree_child(&t->tree, up, site);
      struct context *c = &t->tree.contexts[number];
      if (callee_of >= 0) { /* the frame that made this call is new */
        c->activations++;
        if (callee_of < KNOWN_FRAMES)
          walk->frame[callee_of].activations = &c->activations;
      }
      up = known.up = c->target;
      known.mark = f->kind != CODE_LAST_CALL || (i == 0 && !a->whole);
      walk->marks += known.mark;
      if (known.mark)
        marker_stack_push(&t->markers, f->slot, up);
      callee_of = i;
      through = 0;
    }
    if (i < KNOWN_FRAMES)
      walk->frame[i] = known;
  }
  r->site = *frame_return_slot(a->frame);
  r->up = up;
  r->activation = n > 0;
  return true;
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
  if (counted || !t->markers_allowed || !short_walk(t, a, &r, walk))
    r = stack_walk(t, a->frame, a->whole, counted);
  leaf = context_tree_leaf(&t->tree, r.up, r.site, (uint32_t)a->what, size,
                           (uint64_t)(uintptr_t)a->clas);
  if (leaf->count == 0 && a->clas != OBJNULL)
    code_index_keep(a->clas);
  walk->frame[0].activations = &leaf->activations;
  if (r.activation)
    leaf->activations++;
  walk->leaf = leaf;
  errno = saved_errno;
  return leaf;
}
