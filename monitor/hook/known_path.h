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
 * same kind.  A walk takes twice as long.
 *
 * What was found at the end of a short path is remembered once more by the
 * return address of the allocator alone, in a table of *leaves*: a function
 * that is called, makes an object and returns costs a third less so.
 *
 * The place of a path in its table follows from the three innermost return
 * addresses.  It, or the one beside it, is where the path is.
 *
 * The tables begin small, so that a thread that allocates little touches few
 * pages, and are four times as long when they are a quarter full.
 *
 * Frames of the interpreter are on no path, for their return addresses do not
 * tell which function it runs; nor are objects in one that have to be looked
 * at one by one (requests.h).
 *
 * One owner; inside the hook.
 */
#ifndef MPROF_KNOWN_PATH_H
#define MPROF_KNOWN_PATH_H

#include <stdbool.h>
#include <stdint.h>

#include <ecl/ecl.h>

#include "arch/arch.h"
#include "tree/arena.h"
#include "tree/context_tree.h"
#include "tree/sizes.h"
#include "walk/stack_walk.h"

enum { PATH_FRAMES = 14 };

struct path_frame {
  uint64_t word;         /* what its word holds when the frame is known */
  uint64_t *activations; /* where to count that it was called; not told of the
                            innermost, for which the leaf counts */
  uintptr_t returns_to;  /* 0 in the last frame */
  uint16_t word_at;      /* these are as in struct call_site */
  uint8_t saved, kind;
};

struct known_path {
  struct innermost_frame innermost;
  cl_index kind;     /* of the last object: ECL_ALLOCATED_KIND, */
  cl_object clas;    /* class of an instance, or OBJNULL, */
  struct leaf *leaf; /* and leaf */
  bool whole;        /* no body can come: see object_body.h */
  bool plain;        /* frame pointers alone lead through the frames */
  _Alignas(64) struct path_frame frame[PATH_FRAMES];
};

/* The last object that was made at a place, if it was whole and the path was
 * short: either the frame was known, or only that of its caller.  Nothing
 * else is needed in the commonest cases.  One cache line. */
struct known_leaf {
  _Alignas(64) uintptr_t site; /* the return address; 0: none */
  uint64_t word;               /* of the frame */
  cl_index kind;
  cl_object clas;
  struct leaf *leaf;
  uintptr_t returns_to; /* to the caller; 0: see known_path for it */
  uint64_t caller_word;
  uint32_t word_at, caller_word_at;
};

struct known_paths {
  struct known_leaf *leaves;
  struct known_path *paths;
  uint32_t mask;   /* places in each table less one; their number is a power
                      of 4 */
  uint32_t kept;   /* paths, since the tables were made */
  uint32_t chance; /* a number by chance */
  struct arena arena;
};

/* Empty tables.  Gives back 0, or -1 with errno set. */
int known_paths_init(struct known_paths *paths);
void known_paths_release(struct known_paths *paths);

/* The words or the leaves are others now: a new epoch has begun, the thread
 * has entered a region, or code is another at the same addresses. */
void known_paths_forget(struct known_paths *paths);

static inline struct known_leaf *
known_leaf_place(struct known_paths *paths, uintptr_t site)
{
  return &paths->leaves[(site ^ site >> 10) & paths->mask];
}

/* The object came on a plain path, at whose second frame all is known. */
static inline void
known_leaf_remember(struct known_paths *paths, const struct known_path *path)
{
  const struct path_frame *const f = path->frame;
  *known_leaf_place(paths, path->innermost.ip) =
      (struct known_leaf){.site = path->innermost.ip,
                          .word = f[0].word,
                          .word_at = f[0].word_at,
                          .kind = path->kind,
                          .clas = path->clas,
                          .leaf = path->leaf,
                          .returns_to = f[0].returns_to,
                          .caller_word = f[1].word,
                          .caller_word_at = f[1].word_at};
}

/* The frame at `frame' has just been entered from one that is known, and is
 * in the context of the leaf; counts the call.  False when it is not so. */
static inline bool
known_leaf_meet(const struct known_leaf *l, uintptr_t frame,
                uint64_t first_epoch)
{
  uint64_t *const word = (uint64_t *)(frame - l->word_at);
  if (*frame_return_slot(frame) != l->returns_to ||
      *(uint64_t *)(frame_caller(frame) - l->caller_word_at) !=
          l->caller_word)
    return false;
  l->leaf->activations += !stack_walk_is_counted(first_epoch, *word);
  *word = l->word;
  return true;
}

/* Code without frame pointers may have anything in that register: what it
 * points to is read only if it is near. */
static inline bool
known_path_is_near(uintptr_t frame, uintptr_t caller)
{
  return caller - frame < 4096;
}

/* Where the path from the frame `allocator' is first looked for.  It may also
 * be at the place beside. */
static inline struct known_path *
known_path_place(struct known_paths *paths, uintptr_t allocator)
{
  const uintptr_t first = frame_caller(allocator);
  uintptr_t hash = *frame_return_slot(allocator), second;
  if (known_path_is_near(allocator, first)) {
    hash += *frame_return_slot(first) * 5;
    second = frame_caller(first);
    if (known_path_is_near(first, second))
      hash += *frame_return_slot(second) * 3;
  }
  return &paths->paths[(hash * UINT64_C(0x9E3779B97F4A7C15)) >> 32 &
                       paths->mask];
}

/* A place on the way outward. */
struct path_point {
  uintptr_t pointer; /* frame pointer of the next frame */
  uintptr_t slot;    /* where the frame inward keeps its return address */
};

static inline struct path_point
path_begin(uintptr_t allocator)
{
  return (struct path_point){frame_caller(allocator),
                             (uintptr_t)frame_return_slot(allocator)};
}

/* Behind the frame.  Here and below `plain' is that of the path, and known to
 * the compiler. */
static inline struct path_point
path_step(const struct path_frame *f, struct path_point at, bool plain)
{
  if (plain || f->kind == CALL_FRAME) {
    at.slot = (uintptr_t)frame_return_slot(at.pointer);
    at.pointer = frame_caller(at.pointer);
  } else {
    at.slot = (f->kind == CALL_ON_STACK ? at.slot : at.pointer) + f->word_at;
    if (f->saved != 0)
      at.pointer = ((uintptr_t *)at.slot)[-(int)f->saved];
  }
  return at;
}

/* The known frame to which the path leads from `allocator'; NULL when the way
 * is another. */
static inline __attribute__((always_inline)) const struct path_frame *
known_path_end(const struct known_path *path, uintptr_t allocator, bool plain)
{
  const struct path_frame *f = path->frame;
  struct path_point at = path_begin(allocator);
  if (path->innermost.ip != *(uintptr_t *)at.slot)
    return NULL;
  for (;; f++) {
    if ((plain || f->kind == CALL_FRAME) &&
        *(uint64_t *)(at.pointer - f->word_at) == f->word)
      return f;
    at = path_step(f, at, plain);
    if (*(uintptr_t *)at.slot != f->returns_to)
      return NULL;
  }
}

/* Write the word of the frame, if it has one.  Whether the frame is to be
 * counted: no thread has met it. */
static inline bool
path_meet_frame(const struct path_frame *f, struct path_point at,
                uint64_t first_epoch, bool plain)
{
  uint64_t *const word = (uint64_t *)(at.pointer - f->word_at);
  bool fresh;
  if (f->word_at == 0 || (!plain && f->kind != CALL_FRAME))
    return false;
  fresh = !stack_walk_is_counted(first_epoch, *word);
  *word = f->word;
  return fresh;
}

/* Write the words of the frames before `end', the first of which is not
 * known, and count their calls but for that of the innermost.  Whether that
 * is to be counted, too. */
static inline __attribute__((always_inline)) bool
known_path_meet(const struct known_path *path, const struct path_frame *end,
                uintptr_t allocator, uint64_t first_epoch, bool plain)
{
  const struct path_frame *f = path->frame;
  struct path_point at = path_begin(allocator);
  const bool fresh = path_meet_frame(f, at, first_epoch, plain);
  for (;;) {
    at = path_step(f, at, plain);
    if (++f == end)
      return fresh;
    *f->activations += path_meet_frame(f, at, first_epoch, plain);
  }
}

/* The path from `allocator', which is not at its first place; NULL when it is
 * not known.  *end is the known frame that it leads to. */
struct known_path *known_path_find(struct known_paths *paths,
                                   uintptr_t allocator,
                                   const struct path_frame **end);

/* Keep the path of `walk', which was made from `allocator' because it was not
 * known, and the innermost frame of which was `innermost'.  The object is the
 * caller's to set.  NULL when it is not kept. */
struct known_path *known_path_keep(struct known_paths *paths,
                                   const struct stack_walk *walk,
                                   const struct context_tree *tree,
                                   const struct innermost_frame *innermost,
                                   uintptr_t allocator);

#endif
