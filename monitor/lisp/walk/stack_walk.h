/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * stack_walk.h -- from an allocator's frame to a context.
 *
 * Model.  A function with a frame word sets it to zero when it is entered.
 * The walk that meets a frame first counts one call of its function, and
 * writes into the word
 *
 *     epoch of the thread << 32 | context of the call that made the frame
 *
 * So a word of the present epoch says that its frame was met, and in which
 * context; what lies further out is known with it, and the walk ends there.
 * Each frame is walked once in its life, and an allocation costs the same
 * however deep the stack is.  When a frame returns, is left by a jump or is
 * unwound, nothing has to be done: the next one at its place begins with
 * zero.
 *
 * When counting starts, stops or is reset a new epoch begins in each thread,
 * and in each that begins later: words of former ones are as good as zero.  A
 * word of another thread's present epoch says that the frame was counted
 * there, for coroutines go from thread to thread.  (Numbers come round after
 * 2^32 epochs.)
 *
 * Frames without a word (foreign code, helpers of the runtime) are in the
 * chain like any other.  They are walked each time, and their calls are not
 * counted. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <ecl/ecl.h>

#include "image/arena.h"
#include "lisp/walk/call_site.h"
#include "tree/context_tree.h"

/* A frame that a walk has met. */
struct walked_frame {
  uint64_t *word; /* its frame word; of one that has none, `no_word' */
  uintptr_t ip;   /* where its function made its call */
  uint32_t call;  /* the same, as in a step; NO_CALL: in none */
};

/* What the walks of one thread need. */
struct stack_walk {
  uint64_t epoch;       /* in the upper 32 bits; never 0 */
  uint64_t first_epoch; /* of all present ones, likewise */
  uint32_t known;       /* the upper half of words at which a walk ends */
  bool whole;           /* walk each stack to its end all the same */
  uint64_t no_word;     /* always that of a frame that was counted */
  struct walked_frame *frames; /* of the last walk, the innermost first */
  struct walked_frame *last;   /* of these */
  bool ended_at_known;         /* and that was met before */
  struct arena frame_arena;
  struct call_sites sites;
  struct step_table steps;
  uint64_t finalizers; /* walks that ended where the collector ran one */
  uint64_t differing;  /* whole walks that disagree with a recorded
                          frame */
};

/* The innermost frame of a walk, that of the allocating function. */
struct innermost_frame {
  uint32_t up;   /* the context of the call that made it */
  uint32_t call; /* where it calls the allocator, as in a step */
  bool fresh;    /* it was met by no walk of any thread, and has a word */
};

/* Makes room for walks, which are `whole' or end at known frames.  Returns 0,
 * or -1 with errno set. */
int stack_walk_init(struct stack_walk *walk, bool whole);
void stack_walk_release(struct stack_walk *walk);

/* Makes all epochs former ones.  With all gates shut, before a new one begins
 * in each thread. */
void stack_walk_end_epochs(void);

/* Begin a new epoch: no frame and no step is known.  Between two walks. */
void stack_walk_begin_epoch(struct stack_walk *walk);

/* Returns whether the word is of the present epoch: then its lower half is
 * the context of the call that made the frame. */
static inline bool
stack_walk_is_known(const struct stack_walk *walk, uint64_t word)
{
  return word >> 32 == walk->known;
}

/* Returns whether the frame with this word was met in any thread's present
 * epoch. */
static inline bool
stack_walk_is_counted(const struct stack_walk *walk, uint64_t word)
{
  return word >= walk->first_epoch;
}

/* Returns whether it is the call of a byte-compiled function. */
static inline bool
stack_walk_is_interpreted(uint32_t call)
{
  return (call & 2) != 0;
}

/* Walk outward from `frame', the allocator's own frame, to the first one that
 * is known.  Writes the words of the others and counts one call of each in
 * the tree, but for the innermost, which the caller counts (it makes the
 * leaf). Keeps errno.  Inside the hook. */
struct innermost_frame stack_walk(struct stack_walk *walk,
                                  struct context_tree *tree, uintptr_t frame);

/* Returns where that innermost frame calls the allocator with the frame
 * `frame': the site as context_tree.h has it.  Inside the hook. */
uint64_t stack_walk_place(struct stack_walk *walk,
                          const struct context_tree *tree, uintptr_t frame,
                          struct innermost_frame f);
