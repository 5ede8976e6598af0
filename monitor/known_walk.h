/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * known_walk.h -- walks that need not be made again.
 *
 * Model.  A walk goes from the allocating function outward to the first
 * marked frame.  Where it leads depends on nothing but what it meets: the
 * call site of the allocation, the return addresses of the frames that are
 * not marked, and the context of the mark.  When all these are what an
 * earlier walk has met, the contexts of all frames are those that it found;
 * what the object is makes no difference (known_leaf.h).  Most often there
 * are one or two such frames: the allocating function was called again,
 * perhaps by one that was called again too.  When there is none, nothing need
 * be known.
 *
 * If the call that the walk found in the marked frame is the last one of its
 * function (last_call.h), the mark has done its work and is taken off: the
 * frame will return as the processor predicts.
 *
 * Frames that were counted before, though they are not marked, are told by
 * where they are in their function (first_object.h), so by the same; or by the
 * path from the mark (call_path.h), which is compared each time.
 *
 * A thread keeps the last walks in a table, by a hash of what they met first.
 */
#ifndef MPROF_KNOWN_WALK_H
#define MPROF_KNOWN_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ecl/ecl.h>

#include "arch/arch.h"
#include "call_path.h"
#include "tree/context_tree.h"
#include "marker_stack.h"
#include "tree/sizes.h"

/* Entries of a thread's table, and unmarked frames at most in a known walk:
 * so an entry is four cache lines, of which the commonest case reads the
 * first. */
enum { KNOWN_WALKS = SIZE_KNOWN_WALKS, KNOWN_FRAMES = MARKER_SLACK };

/* An unmarked frame of a known walk, the innermost first. */
struct known_frame {
  uintptr_t return_address;
  uint64_t *activations; /* where to count that its function was called; a
                            frame that only passes a call on, or was counted
                            before, has a counter that nobody reads; of the
                            innermost frame it is the leaf's, which is not
                            told here */
  uint32_t up;           /* context of the call that made the frame */
  uint32_t mark;         /* mark it: its function may allocate again; the
                            path from the mark << 1 | 1 */
};

struct known_walk {
  uintptr_t site;           /* return address of the allocator; 0: none */
  uint32_t outer_up;        /* of the mark */
  uint8_t frames;           /* unmarked ones, not 0 */
  bool unmark;              /* the marked frame made its last call */
  uint8_t plain_frames;     /* the same, if the marked one's code is not
                               foreign, none was counted before, and paths do
                               not matter; else 0 */
  bool tells;               /* the allocating function's frame is a
                               told_frame */
  uintptr_t outer_distance; /* of the marked frame's slot from that of the
                               last unmarked one, if its code is foreign; else
                               0 */
  cl_index kind;            /* what the last object was (ECL_ALLOCATED_KIND),
                               and its leaf, if it was whole and no instance:
                               most walks lead to nothing else; else 0 */
  struct leaf *leaf;
  struct known_frame frame[KNOWN_FRAMES];
  uint64_t fresh;           /* calls of the allocating function: 0 when its
                               frame was counted before, else 1 */
  uint32_t path;            /* from the mark (call_path.h); 0: none */
  uint32_t keep_path;       /* frames on it are not marked for its sake */
  uint64_t unused;
};

_Static_assert(sizeof(struct known_walk) == 256, "four cache lines");

/* Code without frame pointers may have anything in that register: what it
 * points to is read only if it is near.  Functions with larger frames are
 * walked each time. */
static inline bool
known_walk_is_near(uintptr_t frame, uintptr_t caller)
{
  return caller - frame < 4096;
}

/* Where in the table the walk from `frame' (the allocating function's) to the
 * top mark is kept: by the return addresses of the allocator and of the two
 * innermost frames, and the context of the mark.  (All products of floats
 * come from one site of the runtime; what tells them apart is the caller, or
 * the caller's caller.  mandelbrot-floats: 3.00 times the instructions of the
 * unpatched ECL without the former, 1.57 with it.) */
static inline struct known_walk *
known_walk_place(struct known_walk *table, const struct marker_stack *markers,
                 uintptr_t site, uintptr_t frame)
{
  const uintptr_t caller = frame_caller(frame);
  uintptr_t hash = site + *frame_return_slot(frame) * 5 +
                   (uintptr_t)markers->top->up * 9;
  if (markers->top->slot != frame_return_slot(caller) &&
      known_walk_is_near(frame, caller))
    hash += *frame_return_slot(caller) * 3;
  return &table[hash % KNOWN_WALKS];
}

/* The other entry of a pair: a walk may be in either.  (With one place each,
 * two sites that met in one took turns, at 300 instructions a time.)  Tables
 * are aligned. */
static inline struct known_walk *
known_walk_other_way(struct known_walk *walk)
{
  return (struct known_walk *)((uintptr_t)walk ^ sizeof *walk);
}

/* Where else it is kept when the walk `other', which is in that place, leads
 * from the same site another way: by the first return address that differs.
 */
static inline struct known_walk *
known_walk_second_place(struct known_walk *table, struct known_walk *other,
                        uintptr_t return_address)
{
  return &table[((size_t)(other - table) + return_address * 5 + 1) %
                KNOWN_WALKS];
}

/* Whether a walk to the top mark begins like this; `frame' is the
 * allocator's. */
static inline bool
known_walk_begins(const struct known_walk *walk,
                  const struct marker_stack *markers, uintptr_t frame)
{
  return walk->site == *frame_return_slot(frame) &&
         walk->outer_up == markers->top->up &&
         walk->frame[0].return_address ==
             *frame_return_slot(frame_caller(frame));
}

/* The slot of the frame that a walk leads to: by the frame pointer, or at a
 * fixed distance from the last unmarked frame's. */
static inline uintptr_t *
known_walk_outer(const struct known_walk *walk, uintptr_t *last,
                 uintptr_t frame)
{
  return __builtin_expect(walk->outer_distance == 0, 1)
             ? frame_return_slot(frame)
             : last + walk->outer_distance / sizeof(uintptr_t);
}

/* Whether the unmarked frames from `frame' (the allocating function's)
 * outward are those of the walk, which begins as this one does, and the top
 * mark is the one that they lead to.  `slots' then has where they keep their
 * return addresses; else *differs is the first that differs. */
static inline bool
known_walk_leads(const struct known_walk *walk,
                 const struct marker_stack *markers, uintptr_t frame,
                 uintptr_t *slots[KNOWN_FRAMES], uintptr_t *differs)
{
  const struct known_frame *f = walk->frame, *const end = f + walk->frames;
  uintptr_t *slot;
  do {
    *slots++ = slot = frame_return_slot(frame);
    if (*slot != f->return_address) {
      *differs = *slot;
      return false;
    }
    frame = frame_caller(frame);
  } while (++f < end);
  slot = known_walk_outer(walk, slot, frame);
  *differs = 0;
  return marker_stack_top_is(markers, slot);
}

/* It leads there, and is made again: count the activations of all frames but
 * the innermost, and mark those that are to be marked.  There is room.  Gives
 * back whether the innermost frame may be counted too. */
static inline bool
known_walk_repeat(const struct known_walk *walk, struct marker_stack *markers,
                  const struct call_paths *paths,
                  uintptr_t *slots[KNOWN_FRAMES])
{
  const struct known_frame *f = &walk->frame[walk->frames], *counted = f;
  slots += walk->frames;
  if (walk->path != 0) {
    counted -= call_path_common(paths, markers->top->path, walk->path);
    if (walk->keep_path)
      markers->top->path = walk->path;
  }
  if (walk->unmark)
    marker_stack_pop(markers);
  while (--slots, --f > walk->frame) {
    if (f < counted)
      ++*f->activations;
    if (f->mark) {
      marker_stack_put(markers, *slots, f->up);
      markers->top->path = f->mark >> 1;
    }
  }
  return f < counted;
}

#endif
