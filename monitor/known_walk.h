/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * known_walk.h -- walks that need not be made again.
 *
 * Model.  A walk goes from the allocating function outward to the first
 * marked frame.  Where it leads depends on nothing but what it meets: the
 * call site of the allocation, the return addresses of the frames that are
 * not marked, and the context of the mark.  When all these are what an
 * earlier walk has met, the leaf and the contexts of all frames are those
 * that it found:
 *
 *     the allocating function's frame is marked   0 frames: it goes on
 *     it is not, but its caller's is              1 frame: it was called again
 *     ...
 *
 * If the call that the walk found in the marked frame is the last one of its
 * function (last_call.h), the mark has done its work and is taken off: the
 * frame will return as the processor predicts.
 *
 * Instructions that profiling adds to an allocation, of make
 * bench-instructions: 47 in a loop of conses, 96 when a function is called for
 * each, about 280 when it is walked and looked up in the tree.
 *
 * A thread keeps the last walks of this kind in a table, by a hash of what
 * they met, and with each the last leaf that it led to.  Only allocations of
 * sizes that the leaf tells are in it.
 */
#ifndef MPROF_KNOWN_WALK_H
#define MPROF_KNOWN_WALK_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ecl/ecl.h>

#include "arch/arch.h"
#include "context_tree.h"
#include "marker_stack.h"
#include "sizes.h"

/* Entries of a thread's table, and unmarked frames at most in a known walk: so
 * an entry is four cache lines, of which the commonest case reads the first. */
enum { KNOWN_WALKS = SIZE_KNOWN_WALKS, KNOWN_FRAMES = 8 };

/* An unmarked frame of a known walk, the innermost first. */
struct known_frame {
  uintptr_t return_address;
  uint64_t *activations; /* where to count that its function was called; a
                            frame that only passes a call on has a counter
                            that nobody reads */
  uint32_t up;           /* context of the call that made the frame */
  uint32_t mark;         /* mark it: its function may allocate again */
};

enum known_walk_how {
  WALK_MARKED_FRAME, /* there is no unmarked frame */
  WALK_NOT_MARKING,  /* no frame is to be marked */
  WALK_MARKING       /* any other; the object may not be whole */
};

struct known_walk {
  uintptr_t site;        /* return address of the allocator; 0: none */
  cl_index what, bytes;  /* of the last leaf */
  cl_object clas;
  struct leaf *leaf;
  uint32_t outer_up;     /* of the mark */
  uint8_t how;           /* enum known_walk_how */
  bool unmark;           /* the marked frame made its last call */
  bool whole;            /* no body can follow: see classify_is_whole */
  uint8_t frames;        /* unmarked ones */
  uintptr_t outer_distance; /* of the marked frame's slot from that of the
                               last unmarked one, if its code is foreign and
                               there is one; else 0 */
  struct known_frame frame[KNOWN_FRAMES];
  uint64_t unused;
};

_Static_assert(sizeof(struct known_walk) == 256, "four cache lines");

/* Where in the table a walk is kept: by the allocator's return address, that of
 * the allocating function (or its mark), and the context of the mark.  (All
 * products of floats come from one site of the runtime; what tells them apart
 * is the caller.  mandelbrot-floats: 3.00 times the instructions of the
 * unpatched ECL without that, 1.57 with it.) */
static inline size_t
known_walk_index(uintptr_t site, uintptr_t caller_site, uint32_t outer_up)
{
  return (site + caller_site * 5 + (uintptr_t)outer_up * 9) % KNOWN_WALKS;
}

/* The other entry of a pair: a walk may be in either.  (With one place each, two
 * sites that met in one took turns, at 300 instructions a time.)  Tables are
 * aligned. */
static inline struct known_walk *
known_walk_other_way(struct known_walk *walk)
{
  return (struct known_walk *)((uintptr_t)walk ^ sizeof *walk);
}

/* Where else it is kept when the walk `other', which is in that place, leads
 * from the same site another way: by the first return address that differs. */
static inline struct known_walk *
known_walk_second(struct known_walk *table, struct known_walk *other,
                  uintptr_t return_address)
{
  return &table[((size_t)(other - table) + return_address * 5 + 1) %
                KNOWN_WALKS];
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

/* If the unmarked frames from `frame' (the allocating function's) outward are
 * those of the walk, and the mark that they lead to is the top one: count their
 * activations, and give back true.  The caller has compared the walk's other
 * fields, and none of the frames is to be marked.  Inside the hook. */
static inline bool
known_walk_repeat(const struct known_walk *walk, struct marker_stack *markers,
                  uintptr_t frame)
{
  const struct known_frame *f = walk->frame, *end = f + walk->frames;
  uintptr_t *slot = NULL;

  for (; f < end; f++) {
    slot = frame_return_slot(frame);
    if (*slot != f->return_address)
      return false;
    frame = frame_caller(frame);
  }
  if (!marker_stack_top_is(markers, known_walk_outer(walk, slot, frame)))
    return false;
  while (f-- > walk->frame)
    ++*f->activations;
  if (walk->unmark)
    marker_stack_pop(markers);
  return true;
}

/* The same for any walk: marks the frames that are to be marked. */
static inline bool
known_walk_repeat_any(const struct known_walk *walk,
                      struct marker_stack *markers, uintptr_t frame)
{
  uintptr_t *slots[KNOWN_FRAMES], *slot = NULL;
  unsigned n = 0;

  if (markers->limit - markers->top < KNOWN_FRAMES)
    return false;
  for (; n < walk->frames; n++) {
    slots[n] = slot = frame_return_slot(frame);
    if (*slot != walk->frame[n].return_address)
      return false;
    frame = frame_caller(frame);
  }
  if (!marker_stack_top_is(markers, known_walk_outer(walk, slot, frame)))
    return false;
  if (walk->unmark)
    marker_stack_pop(markers);
  while (n-- > 0) {
    const struct known_frame *f = &walk->frame[n];
    ++*f->activations;
    if (f->mark)
      marker_stack_push(markers, slots[n], f->up);
  }
  return true;
}

#endif
