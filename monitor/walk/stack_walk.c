/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * stack_walk.c -- three kinds of frames make one chain.
 *
 *  - Code of the patched runtime and what its compiler made keeps a frame
 *    pointer: one step is two loads.
 *  - A frame of the byte-code interpreter is a frame of the function that it
 *    runs.  The interpreter keeps a record of it (struct ecl_ihs_frame) in
 *    that very C frame, so the record belongs to the frame whose addresses
 *    enclose it.
 *  - All other code (libc's qsort, GMP, libffi) may use the frame pointer
 *    for anything.  It is stepped over by its call-frame information
 *    (frame_step.h).
 *
 * Code that nobody called.  A signal handler runs Lisp code on top of a frame
 * that was interrupted anywhere but in the hook (which runs with Lisp
 * interrupts disabled); the collector runs finalizers in the middle of an
 * allocation.  The walk ends there: such code has a context of its own below
 * the root, and what was interrupted does not answer for it.
 */
#include "walk/stack_walk.h"

#include <errno.h>

#include "arch/arch.h"
#include "names/kept_objects.h"
#include "walk/call_site.h"
#include "walk/frame_step.h"

enum { WALK_DEPTH = 4 << 20 }; /* frames; address space until touched */

int
stack_walk_init(struct stack_walk *walk)
{
  if (arena_reserve(&walk->arena, WALK_DEPTH * sizeof *walk->frames) != 0)
    return -1;
  walk->frames = walk->arena.base;
  stack_walk_begin_epoch(walk);
  return 0;
}

void
stack_walk_release(struct stack_walk *walk)
{
  arena_release(&walk->arena);
}

void
stack_walk_begin_epoch(struct stack_walk *walk)
{
  static uint32_t last_epoch;
  walk->epoch =
      (uint64_t)__atomic_add_fetch(&last_epoch, 1, __ATOMIC_RELAXED) << 32;
}

/* Where a walk is. */
struct place {
  uintptr_t ip;    /* in the function whose frame comes next */
  uintptr_t frame; /* the frame pointer register in that function */
  uintptr_t sp;    /* just above the return address of its callee */
  struct ecl_ihs_frame *ihs; /* first record not below sp */
};

enum outcome {
  WALK_GOES_ON,
  WALK_KNOWN,      /* the last frame was met before */
  WALK_COMPLETE,   /* it was the outermost one */
  WALK_SIGNAL,
  WALK_FINALIZERS,
  WALK_LOST
};

/* The function that an interpreter frame runs.  Records lie in stack order,
 * so the search goes on where it stopped for the frame before. */
static uint64_t
interpreter_site(struct place *at)
{
  cl_object name;
  while (at->ihs != NULL && (uintptr_t)at->ihs < at->sp)
    at->ihs = at->ihs->next;
  if (at->ihs == NULL || (uintptr_t)at->ihs >= at->frame)
    return at->ip; /* not entered yet */
  name = at->ihs->function;
  if (name != OBJNULL && ecl_t_of(name) == t_bclosure)
    name = name->bclosure.code;
  if (name == OBJNULL || ecl_t_of(name) != t_bytecodes)
    return at->ip;
  name = name->bytecodes.frame_name != OBJNULL ? name->bytecodes.frame_name
                                               : name->bytecodes.name;
  if (kept_objects_function(name) == 0)
    return at->ip;
  return SITE_OBJECT | (uint64_t)(uintptr_t)name;
}

/* Over a frame of foreign code. */
static enum outcome
step_foreign(struct place *at)
{
  const struct stack_frame from = { .ip = at->ip,
                                    .sp = at->sp,
                                    .pointer = at->frame };
  struct stack_frame to;
  switch (frame_step(&from, &to)) {
  case FRAME_STEP_CALLER:
    at->ip = to.ip;
    at->sp = to.sp;
    at->frame = to.pointer;
    return WALK_GOES_ON;
  case FRAME_STEP_SIGNAL:
    return WALK_SIGNAL;
  case FRAME_STEP_OUTERMOST:
    return WALK_COMPLETE;
  case FRAME_STEP_LOST:
  default:
    return WALK_LOST;
  }
}

/* One frame outward: *f is that of the function at *at, which then is at its
 * caller. */
static inline enum outcome
step(const struct stack_walk *walk, struct place *at, struct walked_frame *f)
{
  const call_site site = call_site_find(at->ip);
  const uint32_t word_at = call_site_word_at(site);
  f->site = at->ip;
  f->word = NULL;
  if (__builtin_expect(call_site_kind(site) != CALL_FRAME, 0)) {
    if (call_site_kind(site) == CALL_FINALIZERS)
      return WALK_FINALIZERS;
    if (call_site_kind(site) == CALL_FOREIGN)
      return step_foreign(at);
    f->site = interpreter_site(at);
  }
  if (at->frame < at->sp || at->frame >= walk->stack_base)
    return WALK_LOST;
  if (word_at != 0) {
    f->word = (uint64_t *)(at->frame - word_at);
    if (stack_walk_is_known(walk, *f->word) && !walk->whole)
      return WALK_KNOWN;
  }
  at->ip = *frame_return_slot(at->frame);
  at->sp = (uintptr_t)(frame_return_slot(at->frame) + 1);
  at->frame = frame_caller(at->frame);
  return WALK_GOES_ON;
}

/* The context below which the chain begins. */
static uint32_t
chain_root(struct stack_walk *walk, struct context_tree *tree,
           enum outcome outcome)
{
  uint64_t special = SITE_SPECIAL | SITE_SIGNAL_HANDLER;
  if (outcome == WALK_FINALIZERS) {
    walk->finalizers++;
    special = SITE_SPECIAL | SITE_FINALIZERS;
  } else if (outcome != WALK_SIGNAL) {
    walk->truncated += outcome != WALK_COMPLETE;
    return CONTEXT_ROOT;
  }
  return context_tree_child(tree, CONTEXT_ROOT, special);
}

/* Write the word of a frame whose call has the context `up'.  True when it is
 * met for the first time. */
static inline bool
meet(struct stack_walk *walk, const struct walked_frame *f, uint32_t up)
{
  const uint64_t word = walk->epoch | up;
  if (f->word == NULL)
    return false;
  if (walk->whole && stack_walk_is_known(walk, *f->word)) {
    walk->differing += *f->word != word;
    return false;
  }
  *f->word = word;
  return true;
}

struct walk_result
stack_walk(struct stack_walk *walk, struct context_tree *tree,
           struct ecl_ihs_frame *ihs, uintptr_t frame)
{
  const int saved_errno = errno;
  struct place at = { .ip = *frame_return_slot(frame),
                      .frame = frame_caller(frame),
                      .sp = (uintptr_t)(frame_return_slot(frame) + 1),
                      .ihs = ihs };
  const uintptr_t innermost = at.frame;
  struct walked_frame *const first = walk->frames, *f = first;
  struct walk_result result;
  enum outcome outcome;
  uint32_t up;

  while ((outcome = step(walk, &at, f)) == WALK_GOES_ON) {
    f++;
    if (at.sp >= walk->stack_base || f == first + WALK_DEPTH) {
      outcome = at.sp >= walk->stack_base ? WALK_COMPLETE : WALK_LOST;
      break;
    }
  }
  /* f is behind the last new frame */
  if (outcome == WALK_KNOWN) {
    up = walk_word_context(*f->word);
    if (f == first) {
      result.fresh = false;
      goto done;
    }
    up = context_tree_target(tree, context_tree_child(tree, up, f->site));
  } else {
    up = chain_root(walk, tree, outcome);
  }
  if (f == first)
    f++; /* of a function that nobody called the site is known all the same */
  while (--f > first) {
    const bool fresh = meet(walk, f, up);
    const uint32_t number = context_tree_child(tree, up, f->site);
    tree->contexts[number].activations += fresh;
    up = context_tree_target(tree, number);
  }
  result.fresh = meet(walk, f, up);
done:
  result.site = f->site;
  result.word = walk->epoch | up;
  result.word_at = f->word == NULL ? 0 : (uint32_t)(innermost - (uintptr_t)f->word);
  errno = saved_errno;
  return result;
}
