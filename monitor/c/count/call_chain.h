/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * call_chain.h -- the calls that are active in a thread of a C program, at
 * each allocation, without walking the stack anew where nothing has changed.
 *
 * Model.  A *frame* is a call that has not returned.  The next frame outward
 * follows from the return address, the stack pointer and the frame pointer of
 * this one, and from at most two words of the stack (frame_step.h).  So a
 * chain is what it was if it begins with the same three registers and if the
 * words that were read still hold what they held.  Most code uses the frame
 * pointer for anything: it is compared only where a frame further out is
 * found by it.  What is left to compare is one word a frame: four
 * instructions.
 *
 *     frames  (outermost) [0] [1] [2] ... [joint] ... [depth - 1] (innermost)
 *     words               [0] [1] [2] ... [outer_words] ... of all frames
 *                         `-- outer words -'  `-- inner words, copied --'
 *
 * `frames' and `words' are those of the last real walk.  A program allocates
 * in the same places again and again, but in turns, so there is a table of
 * *paths* as well.  A path has a copy of the words of its innermost frames,
 * and shares those further out with `frames'.  If all hold, the chain is the
 * one that the path was made for, and what the owner wrote into the path is
 * true.
 *
 * The place of a path follows from the innermost return address and stack
 * pointer.  If these are another path's, too, it follows from the first word
 * that differs; if the place is taken otherwise, it is the next one.  After
 * PROBES places a new path replaces one of these in turn, so that paths of
 * code that runs no more make room.  In most programs one allocation in a
 * thousand has a path that is not known, in a compiler one in four.
 *
 * One owner, a thread.  Runs inside the hook. */
#pragma once

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include "base/attributes.h"
#include "code/frame_step.h"
#include "image/arena.h"

/* A word that was read on the way outward. */
struct chain_word {
  const uintptr_t *at;
  uintptr_t value;
};

struct call_frame {
  struct stack_frame at;
  uint64_t serial;     /* number of this call; kept while walks find it */
  uint32_t first_word; /* index in `words' of its first */
  uint32_t context;    /* the owner's: of the path that ends here; 0: none */
  bool needs_pointer;  /* frames further out were found by at.pointer */
};

enum {
  PATH_WORDS = 16,
  PATHS_BITS = 10,
  PATHS = 1 << PATHS_BITS,
  PROBES = 4
};

struct known_path {
  _Alignas(64) uintptr_t ip; /* of the innermost frame; 0 until the owner
                                sets it, which makes the path known */
  uintptr_t sp;              /* of the innermost frame */
  uint64_t serial;           /* of frames[joint] */
  uint32_t joint; /* index of the outermost frame with words copied here */
  uint32_t inner_words, outer_words; /* numbers of words: copied here; in
                                        chain->words, further out */
  /* the owner's: */
  uint32_t context;                    /* of all frames but the innermost */
  uint32_t size, region, leaf;         /* of the last object; leaf 0: none */
  struct chain_word words[PATH_WORDS]; /* of frames[joint] and further in */
};

struct call_chain {
  struct arena frame_arena, word_arena, fresh_arena;
  struct call_frame *frames; /* the outermost first; [0] is no call, but the
                                root or what stands for a cut stack */
  struct chain_word *words;
  size_t depth; /* number of frames, with [0] */
  size_t room;  /* frames that there is memory for, with three words each */
  size_t word_count;
  bool complete;   /* the walk has reached the beginning of the stack */
  uintptr_t frame; /* frame pointer of this look-up; a word's `at' may point
                      here */
  uint64_t serial; /* last number given to a frame */
  struct call_frame *fresh; /* scratch: the innermost first */
  struct known_path paths[PATHS];
};

/* Makes an empty chain in memory that is zero; it grows with the stack, and
 * is never released.  Returns 0, or -1 with errno set and nothing kept. */
int call_chain_init(struct call_chain *chain);

/* Walks from the call that returns to `ip', and leaves the frames in
 * chain->frames; `sp' and `frame', the frame pointer, are as in struct
 * stack_frame.  Returns a path, never NULL, for the owner to fill: it is
 * known once its `ip' is set.  Without memory the chain is not `complete'. */
struct known_path *call_chain_walk(struct call_chain *chain, uintptr_t ip,
                                   uintptr_t sp, uintptr_t frame);

/* Empties the chain; no path from before matches any more. */
void call_chain_forget(struct call_chain *chain);

/* Compares the words before `end' with what they held, from the innermost
 * outward: a word can be read if none further in has changed.  Returns where
 * the unchanged words begin; `words' if none has changed. */
HOOK_INLINE const struct chain_word *
chain_words_changed(const struct chain_word *words,
                    const struct chain_word *end)
{
  const struct chain_word *w = end;
  while (w - words >= 4) {
    if (*w[-1].at != w[-1].value)
      return w;
    if (*w[-2].at != w[-2].value)
      return w - 1;
    if (*w[-3].at != w[-3].value)
      return w - 2;
    if (*w[-4].at != w[-4].value)
      return w - 3;
    w -= 4;
  }
  while (w > words && *w[-1].at == w[-1].value)
    w--;
  return w;
}

/* Returns the index in `paths' where a search for such a path begins. */
static inline size_t
call_chain_place(uintptr_t ip, uintptr_t sp)
{
  return ((ip ^ sp << 24) * UINT64_C(0x9E3779B97F4A7C15)) >>
         (64 - PATHS_BITS);
}

/* Returns whether the chain is that of a path whose own words hold; compares
 * the words further out. */
HOOK_INLINE bool
call_chain_joins(const struct call_chain *chain,
                 const struct known_path *path)
{
  const struct chain_word *const outer = chain->words;
  return path->joint < chain->depth &&
         chain->frames[path->joint].serial == path->serial &&
         chain_words_changed(outer, outer + path->outer_words) == outer;
}

/* Returns what call_chain_find does, but looks at all places of the path. */
struct known_path *call_chain_find_next(struct call_chain *chain,
                                        uintptr_t ip, uintptr_t sp);

/* Returns the known path of the calls that are active; NULL: there is none,
 * and call_chain_walk must make one. */
HOOK_INLINE struct known_path *
call_chain_find(struct call_chain *chain, uintptr_t ip, uintptr_t sp,
                uintptr_t frame)
{
  struct known_path *path = &chain->paths[call_chain_place(ip, sp)];
  chain->frame = frame;
  __asm__("" : "+r"(path)); /* is not computed again for each use */
  const struct chain_word *inner = path->words;
  if (__builtin_expect(path->ip == ip && path->sp == sp, 1) &&
      chain_words_changed(inner, inner + path->inner_words) == inner &&
      call_chain_joins(chain, path))
    return path;
  return call_chain_find_next(chain, ip, sp);
}
