/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * last_objects.h -- the last object that was made at each place, and the way
 * up the stack from there.
 *
 * Model.  A program allocates again and again in the same places, most often
 * in a function that is active still, or that was called again from one that
 * is.  So for the return address of an allocator its last object is kept: of
 * what kind it was, what the word of its frame and that of the caller's frame
 * held, and its leaf.  While the words are the same, so is the leaf.
 *
 * A *way* is what a walk (stack_walk.h) met from an allocator's call up to
 * the first known frame:
 *
 *     allocator  <- frame[0] <- frame[1] <- ... <- frame[n - 1]
 *                   new         new                known: its word
 *
 * If the return addresses are the same, and the last word, then the contexts
 * of all frames are those that the walk found.  The new frames get their
 * words and their calls are counted; a frame on the way that has become known
 * ends it earlier.  That takes a third of the time of a walk, but a way that
 * does not match was compared for nothing.  A way is kept in the first empty
 * one of WAYS places, if there is one and two walks in turn came to the same
 * context.  Each walk that took none of these ways passes one of them in
 * turn, and drops it when it is passed WAY_PASSES times without being taken.
 * The ways up to the first empty place are compared, since a program whose
 * chains are ever new has none.  (With a single place the monitor executes
 * half as many instructions again in FRPOLY, and twice as many in BOYER.)
 * Every WAY_EXCHANGE-th way that is found behind the first place changes
 * places with the way there, so that the way that is taken most comes first.
 *
 * The tables begin small, so that a thread that allocates little touches few
 * pages.  After as many walks as they have places they are made anew, four
 * times as long.
 *
 * Not kept is what comes from a frame of the interpreter, for its return
 * address does not tell which function it runs.
 *
 * One owner; inside the hook. */
#pragma once

#include <pthread.h>
#include <stdbool.h>
#include <stdint.h>

#include <ecl/ecl.h>

#include "arch/arch.h"
#include "image/arena.h"
#include "lisp/walk/stack_walk.h"
#include "tree/context_tree.h"

enum { WAY_FRAMES = 15, WAYS = 4, WAY_PASSES = 3, WAY_EXCHANGE = 64 };

/* The last object made at a place. */
struct made {
  cl_index kind;   /* ECL_ALLOCATED_KIND; 0: nothing is remembered */
  cl_object class; /* class of an instance, or OBJNULL */
  struct leaf *leaf;
  uint32_t call; /* number of the innermost frame's call, as in a step */
  bool careful;  /* the object may be followed, have a body or be in pieces:
                    counting it takes more than adding to the leaf */
};

/* One cache line. */
struct last_object {
  _Alignas(64) uintptr_t ip; /* where the allocator returns to; 0: none */
  uint64_t word;             /* of the frame */
  cl_index kind;             /* these are as in struct made */
  cl_object class;
  struct leaf *leaf;
  uintptr_t returns_to; /* from the frame into its caller, if that has a frame
                           with a word; otherwise NO_RETURN */
  uint64_t caller_word; /* of that frame */
  uint32_t call : 31;   /* as in a step */
  uint32_t careful : 1;
  int16_t word_at, caller_word_at; /* as in struct call_site */
};
_Static_assert(sizeof(struct last_object) == 64, "one cache line");

/* Neither a frame word nor a return address. */
#define NO_WORD UINT64_C(1)
#define NO_RETURN UINT64_C(1)

struct way_frame {
  uint64_t word;         /* what its word holds when the frame is known;
                            NO_WORD where it has none, and then the word at
                            word_at is its return address */
  uint64_t *activations; /* where to count that it was called; not told of the
                            innermost, for which the leaf counts */
  uintptr_t returns_to;  /* NO_RETURN in the last frame */
  int16_t word_at;       /* these are as in struct call_site */
  uint8_t saved, kind;
};

struct way {
  uintptr_t ip; /* where the allocator returns to; 0: no way is kept */
  struct way_frame *frames; /* of last_objects; NULL: never kept */
  uint32_t up, call; /* context and call of the innermost frame */
  struct made last;  /* last object at this place, on whatever way */
  uintptr_t walk_ip; /* return address of the allocator at the last walk */
  uint32_t walk_context; /* context that this walk came to */
  bool plain;            /* frame pointers lead from frame to frame */
  uint8_t passes;        /* how often it was passed since it was taken */
};

struct last_objects {
  struct last_object *objects;
  struct way *ways;
  struct way_frame (*frames)[WAY_FRAMES]; /* the frames of each way */
  uint32_t mask;       /* places in each table less one */
  uint32_t walked;     /* walks since the tables were made */
  uint32_t behind;     /* ways found behind the first place */
  uintptr_t stack;     /* lowest address of the thread's stack */
  uintptr_t stack_end; /* highest address of a frame; 0: both are unknown */
  struct arena arena;
};

/* Makes empty tables for a thread that is alive; their arena is to be
 * released.  Returns 0, or -1 with errno set.  Calls malloc. */
int last_objects_init(struct last_objects *last, pthread_t thread);

/* Forgets all, as the words or the leaves are others now: a new epoch has
 * begun, the thread has entered a region, or code is another at the same
 * addresses. */
void last_objects_forget(struct last_objects *last);

/* Returns the place for the allocator's return address `ip'; the caller
 * compares it with the place's own. */
static inline struct last_object *
last_object_place(const struct last_objects *last, uintptr_t ip)
{
  return &last->objects[(ip ^ ip >> 10) & last->mask];
}

/* Returns where the first way from `allocator' is kept, by up to three return
 * addresses.  Code without frame pointers may have anything in that register:
 * what it points to is read only further out on the stack of the thread. */
static inline struct way *
way_place(const struct last_objects *last, uintptr_t allocator)
{
  const uintptr_t end = last->stack_end, frame = frame_caller(allocator);
  uintptr_t hash = frame_return(allocator);
  if (frame >= allocator && frame <= end && allocator >= last->stack) {
    const uintptr_t caller = frame_caller(frame);
    hash += frame_return(frame) * 5;
    if (caller >= frame && caller <= end)
      hash += frame_return(caller) * 3;
  }
  return &last->ways[(hash * UINT64_C(0x9E3779B97F4A7C15)) >> 32 &
                     last->mask];
}

/* Returns the place of another way, for `i' below WAYS: the same places for
 * each of them. */
static inline struct way *
way_beside(const struct last_objects *last, const struct way *way, uint32_t i)
{
  return &last->ways[(uint32_t)(way - last->ways) ^ i];
}

/* Returns where the way is kept that was found at `way', behind `first': there,
 * or at `first'. */
static inline struct way *
way_exchange(struct last_objects *last, struct way *first, struct way *way)
{
  if (++last->behind % WAY_EXCHANGE != 0)
    return way;
  const struct way other = *first;
  *first = *way;
  *way = other;
  return first;
}

/* These are compiled twice, for 5 % less in programs that only box floats: in
 * nearly all ways `plain' frame pointers lead from frame to frame. */
#define WAY_INLINE static inline __attribute__((always_inline))

/* Steps from the frame `f' to its caller's.  *slot is the address of the
 * callee's return address, and becomes that of the frame's own. */
WAY_INLINE void
way_step(const struct way_frame *f, uintptr_t *frame, uintptr_t *slot,
         bool plain)
{
  if (plain || f->kind <= CALL_WORDLESS) {
    *slot = (uintptr_t)frame_return_slot(*frame);
    *frame = frame_caller(*frame);
    return;
  }
  *slot = (f->kind == CALL_ON_STACK ? *slot : *frame) +
          (uintptr_t)(intptr_t)f->word_at;
  if (f->saved != 0)
    *frame = ((uintptr_t *)*slot)[-(int)f->saved];
}

/* Returns the known frame to which the way leads from `allocator', which
 * returns to way->ip; NULL when the stack is another. */
WAY_INLINE const struct way_frame *
way_end(const struct way *way, uintptr_t allocator, bool plain)
{
  uintptr_t frame = frame_caller(allocator);
  uintptr_t slot = (uintptr_t)frame_return_slot(allocator);
  for (const struct way_frame *f = way->frames;; f++) {
    if ((plain || f->kind == CALL_FRAME) &&
        *frame_word(frame, f->word_at) == f->word)
      return f;
    way_step(f, &frame, &slot, plain);
    if (arch_return_address(*(uintptr_t *)slot) != f->returns_to)
      return NULL;
  }
}

/* Writes the words of the frames before `end', and counts the calls of those
 * that are new, except for the innermost.  Returns true if the innermost is
 * new: the caller counts its call at the leaf. */
WAY_INLINE bool
way_write_words(const struct way *way, const struct way_frame *end,
                uintptr_t allocator, const struct stack_walk *walk,
                bool plain)
{
  uintptr_t frame = frame_caller(allocator);
  uintptr_t slot = (uintptr_t)frame_return_slot(allocator);
  uint64_t fresh = 0, *counter = &fresh;
  for (const struct way_frame *f = way->frames; f != end;
       counter = (++f)->activations) {
    if (f->kind == CALL_FRAME) {
      uint64_t *const word = frame_word(frame, f->word_at);
      *counter += !stack_walk_is_counted(walk, *word);
      *word = f->word;
    }
    way_step(f, &frame, &slot, plain);
  }
  return fresh != 0;
}

/* Keeps the last object of the way as that of its place, so that the next one
 * is found without the way.  The way's second frame is known. */
static inline void
last_object_remember(const struct last_objects *last, const struct way *way)
{
  const struct way_frame *const f = way->frames;
  if (f->kind == CALL_FRAME)
    *last_object_place(last, way->ip) =
        (struct last_object){.ip = way->ip,
                             .word = f->word,
                             .kind = way->last.kind,
                             .class = way->last.class,
                             .leaf = way->last.leaf,
                             .returns_to = f->returns_to,
                             .caller_word = f[1].word,
                             .call = way->call & INT32_MAX,
                             .careful = way->last.careful,
                             .word_at = f->word_at,
                             .caller_word_at = f[1].word_at};
}

/* Keeps the object way->last, which was made in the allocator's frame and
 * whose leaf `walk' has just found.  Keeps the way of that walk at the place
 * `way' or beside it, too, if one is empty and the walk before came to the
 * same context.  May move the tables: `way' is void then. */
void last_objects_keep(struct last_objects *last, struct stack_walk *walk,
                       const struct context_tree *tree, uintptr_t allocator,
                       struct way *way);
