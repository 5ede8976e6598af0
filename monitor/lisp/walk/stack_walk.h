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
#include "lisp/walk/kept_walks.h"
#include "tree/context_tree.h"

/* A frame that a walk has met. */
struct walked_frame {
  uint64_t *word; /* its frame word, or `no_word' if it has none */
  uintptr_t ip;   /* return address of the call that its function made */
  uint32_t call;  /* number of that call, as in a step; NO_CALL: none */
};

/* What the walks of one thread need. */
struct stack_walk {
  uint64_t epoch;       /* the thread's epoch << 32; never 0 */
  uint64_t first_epoch; /* first present epoch of all threads << 32 */
  uint32_t known;       /* upper half of words at which a walk ends */
  bool whole;           /* each walk goes to the end of the stack */
  uint64_t no_word;     /* stands for the word of frames without one; always
                           reads as counted */
  struct walked_frame *frames; /* frames of the last walk, innermost first */
  struct walked_frame *last;   /* the outermost of these */
  struct arena frame_arena;
  struct call_sites sites;
  struct step_table steps;
  struct kept_walks kept;
  struct kept_walk *same; /* the same walk as the last one, kept; NULL: it is
                             not */
  uint64_t finalizers;    /* walks that ended where the collector ran one */
  uint64_t differing;  /* frames of whole walks whose word did not agree with
                          the walk */
  uint64_t lost_calls; /* calls that are missing from chains: there was no
                          room for the name of a byte-compiled function */
};

/* The innermost frame of a walk, that of the allocating function. */
struct innermost_frame {
  uint32_t up;   /* context of the call that made it */
  uint32_t call; /* number of its call of the allocator, as in a step */
  bool fresh;    /* it has a word, and no walk of any thread had met it */
};

/* Makes room for walks, which are `whole' or end at known frames, and begins
 * an epoch.  Returns 0, or -1 with errno set; stack_walk_release is to follow
 * either way. */
int stack_walk_init(struct stack_walk *walk, bool whole);
void stack_walk_release(struct stack_walk *walk);

/* Ends the present epochs of all threads.  The gates are shut, and
 * stack_walk_begin_epoch is to follow for each thread. */
void stack_walk_end_epochs(void);

/* Begins a new epoch in the thread: no frame and no step is known.  Not
 * during a walk. */
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

/* Returns whether the number of a call is that of a byte-compiled function,
 * not of a site. */
static inline bool
stack_walk_is_interpreted(uint32_t call)
{
  return (call & 2) != 0;
}

/* Walks outward from `frame', the allocator's own frame, to the first frame
 * that is known.  Writes the words of the others and counts in the tree one
 * call of each new one but the innermost, which the caller counts (it makes
 * the leaf).  A chain that cannot be followed to its end begins at
 * SITE_CUT_SHORT or another enum site_special.  Keeps errno.  Inside the
 * hook. */
struct innermost_frame stack_walk(struct stack_walk *walk,
                                  struct context_tree *tree, uintptr_t frame);

/* Finds the walk that has just ended at a known frame, and came to that
 * innermost one, among those that are kept, or keeps it when it comes for the
 * second time: walk->same.  `key' is its hash. */
void stack_walk_keep(struct stack_walk *walk, const struct context_tree *tree,
                     struct innermost_frame innermost, uint64_t key);

/* Returns the site, for the tree, at which the innermost frame `f' of a walk
 * from `frame' calls the allocator.  Inside the hook. */
uint64_t stack_walk_place(struct stack_walk *walk,
                          const struct context_tree *tree, uintptr_t frame,
                          struct innermost_frame f);
