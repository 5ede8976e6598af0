/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * known_path.h -- ways up the stack that were walked before.
 *
 * Model.  A program allocates again and again in the same places, most often
 * in a function that is active still, or that was called again from one that
 * is.  A *path* is what a walk (stack_walk.h) met from an allocator's call up
 * to the first known frame:
 *
 *     allocator  <- frame[0] <- frame[1] <- ... <- frame[n - 1]
 *                   new         new                known: its word
 *
 * If the return addresses are the same, and the last word, then the contexts
 * of all frames are those that the walk found.  The new frames get their
 * words and their calls are counted; a frame on the way that has become known
 * ends it earlier.  The leaf is that of last time, if the object is of the
 * same kind.
 *
 * Frames of foreign code are on paths too, if they lie at a fixed distance.
 * Frames of the interpreter are not, for their return addresses do not tell
 * which function it runs.
 *
 * The first place of a path in its table follows from the three innermost
 * return addresses.  Where the path that is there leads another way, the next
 * place follows from what is different: a return address or the last word.
 * Where the place belongs to another site, it is the next one.  After
 * PATH_PROBES places a path is in none; a new one takes one of these in turn,
 * so that paths of code that runs no more make room.
 *
 * One owner; inside the hook.
 */
#ifndef MPROF_KNOWN_PATH_H
#define MPROF_KNOWN_PATH_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

#include <ecl/ecl.h>

#include "arch/arch.h"
#include "tree/arena.h"
#include "tree/context_tree.h"
#include "tree/sizes.h"
#include "walk/stack_walk.h"

enum { PATHS = SIZE_KNOWN_PATHS, PATH_FRAMES = 24, PATH_PROBES = 4 };

/* No word holds it, nor does a frame pointer. */
#define PATH_NO_WORD UINT64_C(1)

struct path_frame {
  uint64_t word;          /* what its word holds when the frame is known */
  uintptr_t returns_to;   /* 0 in the last frame */
  uint64_t *activations;  /* where to count that it was called; not told of the
                             innermost, for which the leaf counts */
  uint16_t word_at;       /* so far below the frame pointer; 0: none */
  int16_t saved;          /* as in struct frame_layout */
  int32_t distance;       /* the same; odd, one more, if it is by_pointer */
};

_Static_assert(sizeof(struct path_frame) == 32, "half a cache line");

struct known_path {
  uintptr_t site;         /* return address of the allocator; 0: none */
  cl_index kind;          /* of the last object: ECL_ALLOCATED_KIND, */
  cl_object clas;         /* class of an instance, or OBJNULL, */
  struct leaf *leaf;      /* and leaf */
  bool whole;             /* no body can come: see object_body.h */
  bool plain;             /* frame pointers alone lead through the frames */
  uint32_t up;            /* context of the call that made frame[0] */
  struct path_frame frame[PATH_FRAMES];
};

/* The last object that was made at a place in a frame that was known, if it
 * was whole: all that the commonest case needs. */
struct known_leaf {
  uintptr_t site;
  cl_index kind;
  uint64_t word;
  struct leaf *leaf;
  cl_object clas;
  uint32_t word_at;
};

struct known_paths {
  struct known_leaf *leaves;
  struct known_path *paths;
  uint32_t missed[PATH_PROBES]; /* where the last one was looked for */
  unsigned misses;
  unsigned turn;          /* of the places to make room in */
  struct arena arena;
};

/* Gives back 0, or -1 with errno set. */
int known_paths_init(struct known_paths *paths);

/* The words or the leaves are others now: a new epoch has begun, the thread
 * has entered a region, or code is another at the same addresses. */
void known_paths_forget(struct known_paths *paths);

static inline struct known_leaf *
known_leaf_place(const struct known_paths *paths, uintptr_t site)
{
  return &paths->leaves[(site ^ site >> 10) % PATHS];
}

/* The known frame that the path begins with is that of last time. */
static inline void
known_leaf_remember(const struct known_paths *paths,
                    const struct known_path *path)
{
  *known_leaf_place(paths, path->site) =
      (struct known_leaf){ .site = path->site,
                           .kind = path->kind,
                           .word = path->frame[0].word,
                           .leaf = path->leaf,
                           .clas = path->clas,
                           .word_at = path->frame[0].word_at };
}

/* Code without frame pointers may have anything in that register: what it
 * points to is read only if it is near. */
static inline bool
known_path_is_near(uintptr_t frame, uintptr_t caller)
{
  return caller - frame < 4096;
}

/* Where the path from the frame `allocator' is looked for first. */
static inline uint32_t
known_path_place(uintptr_t allocator)
{
  const uintptr_t first = frame_caller(allocator);
  uintptr_t hash = *frame_return_slot(allocator), second;
  if (known_path_is_near(allocator, first)) {
    hash += *frame_return_slot(first) * 5;
    second = frame_caller(first);
    if (known_path_is_near(first, second))
      hash += *frame_return_slot(second) * 3;
  }
  return (uint32_t)(hash ^ hash >> 10) % PATHS;
}

/* A place on the way outward. */
struct path_point {
  uintptr_t pointer; /* frame pointer of the next frame */
  uintptr_t slot;    /* where the frame inward keeps its return address */
};

static inline struct path_point
path_begin(uintptr_t allocator)
{
  return (struct path_point){ frame_caller(allocator),
                              (uintptr_t)frame_return_slot(allocator) };
}

/* Where the return address of the frame is.  Here and below `plain' is that of
 * the path, and known to the compiler. */
static inline uintptr_t
path_return_slot(const struct path_frame *f, struct path_point at, bool plain)
{
  if (plain || f->distance == 0)
    return (uintptr_t)frame_return_slot(at.pointer);
  return (f->distance & 1) == 0
             ? at.slot + (uintptr_t)(intptr_t)f->distance
             : at.pointer + (uintptr_t)(intptr_t)(f->distance - 1);
}

/* Behind the frame, the return address of which is there. */
static inline struct path_point
path_step(const struct path_frame *f, struct path_point at, uintptr_t slot,
          bool plain)
{
  if (plain || f->distance == 0)
    at.pointer = frame_caller(at.pointer);
  else if (f->saved != 0)
    at.pointer = *(uintptr_t *)(slot + (uintptr_t)(intptr_t)f->saved);
  at.slot = slot;
  return at;
}

/* The known frame to which the path leads from `allocator'; NULL when the way
 * is another, and *differs is what is different. */
static inline __attribute__((always_inline)) const struct path_frame *
known_path_end(const struct known_path *path, const struct stack_walk *walk,
               uintptr_t allocator, uint64_t *differs, bool plain)
{
  const struct path_frame *f = path->frame;
  struct path_point at = path_begin(allocator);
  uintptr_t slot;
  for (;; f++) {
    if ((plain || f->distance == 0) &&
        *(uint64_t *)(at.pointer - f->word_at) == f->word)
      return f;
    slot = path_return_slot(f, at, plain);
    if (*(uintptr_t *)slot != f->returns_to)
      break;
    at = path_step(f, at, slot, plain);
  }
  *differs = *(uintptr_t *)slot;
  if (f->returns_to == 0 &&
      stack_walk_is_known(walk, *(uint64_t *)(at.pointer - f->word_at)))
    *differs = *(uint64_t *)(at.pointer - f->word_at);
  return NULL;
}

/* Write the word of the frame, if it has one.  Whether the frame is to be
 * counted: no thread has met it. */
static inline bool
path_meet_frame(const struct path_frame *f, struct path_point at,
                uint64_t first_epoch)
{
  uint64_t *const word = (uint64_t *)(at.pointer - f->word_at);
  bool fresh;
  if (f->word_at == 0)
    return false;
  fresh = !stack_walk_is_counted(first_epoch, *word);
  *word = f->word;
  return fresh;
}

/* Write the words of the frames before `end', the first of which is not known,
 * and count their calls but for that of the innermost.  Whether that is to be
 * counted, too. */
static inline __attribute__((always_inline)) bool
known_path_meet(const struct known_path *path, const struct path_frame *end,
                uintptr_t allocator, uint64_t first_epoch, bool plain)
{
  const struct path_frame *f = path->frame;
  struct path_point at = path_begin(allocator);
  const bool fresh = path_meet_frame(f, at, first_epoch);
  for (;;) {
    at = path_step(f, at, path_return_slot(f, at, plain), plain);
    if (++f == end)
      break;
    if (f->word_at != 0)
      *f->activations += path_meet_frame(f, at, first_epoch);
  }
  return fresh;
}

/* The path from `allocator', wherever it is; NULL when it is not known.  *end
 * is the known frame that it leads to. */
struct known_path *known_path_find(struct known_paths *paths,
                                   const struct stack_walk *walk,
                                   uintptr_t allocator,
                                   const struct path_frame **end);

/* Keep the path of `walk', which was made from `allocator' because it was not
 * known; NULL when it is not such a path.  The object is the caller's to
 * set. */
struct known_path *known_path_keep(struct known_paths *paths,
                                   const struct stack_walk *walk,
                                   const struct context_tree *tree,
                                   uintptr_t allocator);

#endif
