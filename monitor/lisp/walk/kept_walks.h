/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * kept_walks.h -- keeps walks up the stack, and predicts the next one.
 *
 * Model.  A walk (stack_walk.h) goes from an allocator's call outward to the
 * first known frame, and finds the contexts of all frames on the way:
 *
 *     allocator  <- frame 0 <- frame 1 <- ... <- frame n
 *                   new        new               known: its word
 *
 * If another walk meets the same return addresses and ends at the same word,
 * it finds the same contexts: it writes the same words into the new frames,
 * and counts their calls in the same places.  Comparing the stack with a walk
 * that is kept takes a third of the time of a walk.
 *
 * Programs repeat themselves, so a walk is followed most often by one that
 * followed it before.  Each kept walk refers to the NEXT_WALKS that followed
 * it last.  The stack is compared with these in turn; one that is right
 * changes places with the one before it in the list.  If none is right, the
 * stack is walked.  (With one of them the monitor executes half as many
 * instructions again in FRPOLY and BOYER as with four.)
 *
 * The table has one place for a walk, by a hash of its return addresses and
 * of its last word.  A walk is noted at its place first, and kept there when
 * it comes again before another one is noted.  So chains that never repeat
 * do not displace what is kept.  When as many walks were noted as there are
 * places, the table is made anew, four times as long.  It begins small, so
 * that a thread that allocates little touches few pages.
 *
 * A walk over a frame of the interpreter is not kept, since the return
 * address does not tell which function the interpreter runs.
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
      (kind ^ (uintptr_t)class) * UINT64_C(0x9E3779B97F4A7C15);
  return &kept->made[hash >> (64 - KEPT_KIND_BITS)];
}

/* Puts the walk first among those that followed the last one. */
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

/* Returns the same for any walk. */
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
