/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * last_objects.h -- the last object that was made at each place.
 *
 * Model.  A program allocates again and again in the same places, most often
 * in a function that is active still, or that was called again from one that
 * is.  So for the return address of an allocator its last object is kept: of
 * what kind it was, what the word of its frame and that of the caller's frame
 * held, and its leaf.  While the words are the same, so is the leaf.  All
 * others come on a walk, which may be kept (kept_walks.h).
 *
 * The table begins small, so that a thread that allocates little touches few
 * pages.  After as many objects as it has places it is made anew, four times
 * as long.
 *
 * Not kept is what comes from a frame of the interpreter, for its return
 * address does not tell which function it runs.
 *
 * One owner; inside the hook. */
#pragma once

#include <stdbool.h>
#include <stdint.h>

#include <ecl/ecl.h>

#include "arch/arch.h"
#include "image/arena.h"
#include "lisp/walk/stack_walk.h"

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

/* Not a return address. */
#define NO_RETURN UINT64_C(1)

struct last_objects {
  struct last_object *objects;
  uint32_t mask;    /* places less one */
  uint32_t kept;    /* objects since the table was made */
  uint32_t era;     /* how often all was forgotten, modulo 2^31 */
  struct made made; /* last object that came on a walk that is not kept */
  struct arena arena;
};

/* Makes an empty table; its arena is to be released.  Returns 0, or -1 with
 * errno set. */
int last_objects_init(struct last_objects *last);

/* Forgets all, as the words or the leaves are others now: a new epoch has
 * begun, the thread has entered a region, or code is another at the same
 * addresses.  A struct made is void then. */
void last_objects_forget(struct last_objects *last);

/* Returns the place for the allocator's return address `ip'; the caller
 * compares it with the place's own. */
static inline struct last_object *
last_object_place(const struct last_objects *last, uintptr_t ip)
{
  return &last->objects[(ip ^ ip >> 10) & last->mask];
}

/* Keeps the object, which was made in the allocator's frame and whose leaf
 * `walk' has just found, if that frame has a word. */
void last_objects_keep(struct last_objects *last,
                       const struct stack_walk *walk, uintptr_t allocator,
                       const struct made *made);
