/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * kept_walks.h -- walks up the stack that are kept, and which of them comes
 * next.
 *
 * Model.  A walk (stack_walk.h) goes from an allocator's call outward to the
 * first known frame, and finds the contexts of all frames on the way:
 *
 *     allocator  <- frame 0 <- frame 1 <- ... <- frame n
 *                   new        new               known: its word
 *
 * If the return addresses are the same another time, and the last word, then
 * so are the contexts: the new frames get the same words, and the calls of
 * those are counted in the same places.  That takes a third of the time of a
 * walk.  So a walk that comes for the second time is kept.
 *
 * Programs repeat themselves: after a walk comes most often one that came
 * after it before.  Each walk has the NEXT_WALKS that did so last, which are
 * compared with the stack one after another.  One that is taken changes
 * places with the one before it.  (With one of them the monitor executes a
 * tenth more instructions in FRPOLY and BOYER than with four.)  If none is
 * right, the stack is walked.
 *
 * A walk has one place in the table, by a hash.  One that is not kept there
 * is noted, and is kept if it is the next one to be noted, too.  So chains
 * that are ever new leave what is kept alone.  After as many of them as the
 * table has places it is made anew, four times as long.  It begins small, so
 * that a thread that allocates little touches few pages.
 *
 * Not kept are walks over a frame of the interpreter, for its return address
 * does not tell which function it runs.
 *
 * One owner; inside the hook. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <ecl/ecl.h>

#include "image/arena.h"
#include "lisp/walk/call_site.h"

enum {
  KEPT_FRAMES = 15,   /* of a walk, at most */
  KEPT_KIND_BITS = 2, /* log2 of the objects remembered for it */
  NEXT_WALKS = 4
};

/* The last object of some kind that was made at a place. */
struct made {
  cl_index kind;     /* ECL_ALLOCATED_KIND; 0: nothing is remembered */
  cl_object class;   /* class of an instance, or OBJNULL */
  struct leaf *leaf; /* where it is counted */
  uint32_t call;     /* as in struct innermost_frame (stack_walk.h) */
  uint32_t era : 31; /* that of last_objects.h; in another one it is void */
  uint32_t careful : 1; /* it may be followed, have a body or be in pieces:
                           counting it takes more than adding to the leaf */
};

/* Not a frame word. */
#define NO_WORD UINT64_C(1)

struct kept_frame {
  uintptr_t ip;  /* return address of the call that its function made */
  uint64_t word; /* what its word gets, or holds in the known frame; NO_WORD
                    where it has none, and then the word at word_at is its own
                    return address */
  uint64_t *activations; /* where to count that it was called; not told of the
                            innermost, for which the leaf counts */
  int16_t word_at;       /* these are as in struct call_site */
  uint8_t saved, kind;
};

struct kept_walk {
  struct kept_walk *next[NEXT_WALKS]; /* NULL behind the last one */
  uint32_t up, call;                  /* as in struct innermost_frame */
  uint32_t last;                      /* number of the known frame */
  bool plain; /* frame pointers lead from frame to frame */
  struct made made[1 << KEPT_KIND_BITS]; /* by a hash of their kinds */
  struct kept_frame frames[KEPT_FRAMES];
};

/* What a place of the table is for. */
struct kept_keys {
  uint64_t kept;  /* hash of the walk there; 0: there is none */
  uint64_t noted; /* that of the walk that was noted last */
};

struct kept_walks {
  struct kept_keys *keys;
  struct kept_walk *walks;
  struct kept_walk *last; /* that was kept and came; never NULL */
  uint32_t mask;          /* places less one */
  uint32_t noted;         /* walks since the table was made */
  struct arena arena;
};

/* Makes an empty table, whose arena the caller releases.  Returns 0, or -1
 * with errno set. */
int kept_walks_init(struct kept_walks *table);

/* Empties the table: a new epoch has begun, or code is another at the same
 * addresses. */
void kept_walks_forget(struct kept_walks *table);

/* Returns the walk with that key; NULL if none is kept. */
static inline struct kept_walk *
kept_walks_find(const struct kept_walks *table, uint64_t key)
{
  const uint32_t place = (uint32_t)(key >> 40) & table->mask;
  return table->keys[place].kept == key ? &table->walks[place] : NULL;
}

/* Returns where to keep the walk with that key, which is not kept, if it was
 * noted last at its place; else notes it, and returns NULL.  The table may
 * become longer, and empty. */
struct kept_walk *kept_walks_note(struct kept_walks *table, uint64_t key);

/* Returns where the last object of such a kind is. */
static inline struct made *
kept_walk_made(struct kept_walk *kept, cl_index kind, cl_object class)
{
  const uint64_t hash =
      (kind ^ (uintptr_t) class) * UINT64_C(0x9E3779B97F4A7C15);
  return &kept->made[hash >> (64 - KEPT_KIND_BITS)];
}

/* Notes that the walk, which is kept, came after the last one. */
static inline void
kept_walk_came(struct kept_walks *table, struct kept_walk *kept)
{
  struct kept_walk **const next = table->last->next;
  for (int i = NEXT_WALKS; --i > 0;)
    next[i] = next[i - 1];
  next[0] = kept;
  table->last = kept;
}

/* These are compiled twice, for 5 % less in programs that only box floats: in
 * nearly all walks `plain' frame pointers lead from frame to frame. */
#define KEPT_INLINE static inline __attribute__((always_inline))

/* Steps from the frame `k' to its caller's.  *slot is the address of the
 * callee's return address, and becomes that of the frame's own. */
KEPT_INLINE void
kept_frame_step(const struct kept_frame *k, uintptr_t *frame, uintptr_t *slot,
                bool plain)
{
  if (plain || k->kind <= CALL_WORDLESS) {
    *slot = (uintptr_t)frame_return_slot(*frame);
    *frame = frame_caller(*frame);
    return;
  }
  *slot = (k->kind == CALL_ON_STACK ? *slot : *frame) +
          (uintptr_t)(intptr_t)k->word_at;
  if (k->saved != 0)
    *frame = ((uintptr_t *)*slot)[-(int)k->saved];
}

/* Returns the known frame to which the walk leads from `allocator'; NULL when
 * the stack is another. */
KEPT_INLINE const struct kept_frame *
kept_walk_end(const struct kept_walk *kept, uintptr_t allocator, bool plain)
{
  const struct kept_frame *const last = &kept->frames[kept->last];
  uintptr_t frame = frame_caller(allocator);
  uintptr_t slot = (uintptr_t)frame_return_slot(allocator);
  for (const struct kept_frame *k = kept->frames;; k++) {
    if (arch_return_address(*(uintptr_t *)slot) != k->ip)
      return NULL;
    if ((plain || k->kind == CALL_FRAME) &&
        *frame_word(frame, k->word_at) == k->word)
      return k;
    if (k == last)
      return NULL;
    kept_frame_step(k, &frame, &slot, plain);
  }
}

/* Writes the words of the frames before `end', and counts the calls of those
 * that are new, except for the innermost.  Words below `first_epoch' are of
 * new ones.  Returns true if the innermost is new: the caller counts its call
 * at the leaf. */
KEPT_INLINE bool
kept_walk_write_words(const struct kept_walk *kept,
                      const struct kept_frame *end, uintptr_t allocator,
                      uint64_t first_epoch, bool plain)
{
  uintptr_t frame = frame_caller(allocator);
  uintptr_t slot = (uintptr_t)frame_return_slot(allocator);
  uint64_t fresh = 0, *counter = &fresh;
  for (const struct kept_frame *k = kept->frames; k != end;
       counter = (++k)->activations) {
    if (k->kind == CALL_FRAME) {
      uint64_t *const word = frame_word(frame, k->word_at);
      *counter += *word < first_epoch;
      *word = k->word;
    }
    kept_frame_step(k, &frame, &slot, plain);
  }
  return fresh != 0;
}

/* Returns the known frame to which `kept', of either kind, leads. */
static inline const struct kept_frame *
kept_walk_find_end(const struct kept_walk *kept, uintptr_t allocator)
{
  return kept->plain ? kept_walk_end(kept, allocator, true)
                     : kept_walk_end(kept, allocator, false);
}

/* Returns the kept walk that came again from `allocator', after the last one;
 * NULL if there is none.  *end is the known frame. */
static inline struct kept_walk *
kept_walks_next(struct kept_walks *table, uintptr_t allocator,
                const struct kept_frame **end)
{
  struct kept_walk **const next = table->last->next, *kept;
  for (uint32_t i = 0; i < NEXT_WALKS && (kept = next[i]) != NULL; i++) {
    *end = kept_walk_find_end(kept, allocator);
    if (*end == NULL)
      continue;
    if (i > 0) {
      next[i] = next[i - 1];
      next[i - 1] = kept;
    }
    return table->last = kept;
  }
  return NULL;
}
