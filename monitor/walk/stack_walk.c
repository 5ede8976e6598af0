/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * stack_walk.c -- three kinds of frames make one chain.
 *
 *  - Code of the patched runtime and what its compiler made keeps a frame
 *    pointer: one step is two loads.
 *  - A frame of the byte-code interpreter is a frame of the function that it
 *    runs, which stands beside the frame word.
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

static uint32_t first_epoch = 1, last_epoch;

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
stack_walk_end_epochs(void)
{
  first_epoch = last_epoch + 1;
}

void
stack_walk_begin_epoch(struct stack_walk *walk)
{
  walk->epoch = (uint64_t)++last_epoch << 32;
  walk->first_epoch = (uint64_t)first_epoch << 32;
}

/* Where a walk is. */
struct place {
  uintptr_t ip;    /* in the function whose frame comes next */
  uintptr_t frame; /* the frame pointer register in that function */
  uintptr_t sp;    /* just above the return address of its callee */
  uintptr_t end;   /* of the stack */
};

enum outcome {
  WALK_GOES_ON,
  WALK_KNOWN,      /* the last frame was met before */
  WALK_COMPLETE,   /* it was the outermost one */
  WALK_SIGNAL,
  WALK_FINALIZERS,
  WALK_LOST
};

/* The function that an interpreter frame runs; `ip' when that has no number. */
static uint64_t
interpreter_site(uintptr_t ip, const uint64_t *word)
{
  const struct ecl_interpreter_words *const words = (const void *)word;
  const struct ecl_bytecodes *const f = &words->bytecodes->bytecodes;
  const cl_object name = f->frame_name != OBJNULL ? f->frame_name : f->name;
  return kept_objects_function(name) == 0
             ? ip
             : SITE_OBJECT | (uint64_t)(uintptr_t)name;
}

/* From one frame of foreign code to the next. */
static struct frame_layout
foreign_layout(const struct stack_frame *from, const struct stack_frame *to)
{
  const uintptr_t slot = to->sp - sizeof(uintptr_t);
  const intptr_t distance =
      (intptr_t)(to->by_pointer ? slot - from->pointer
                                : slot - (from->sp - sizeof(uintptr_t)));
  const intptr_t saved =
      to->saved == NULL ? 0 : (intptr_t)((uintptr_t)to->saved - slot);
  return (struct frame_layout){
    .saved = (int16_t)saved,
    .by_pointer = to->by_pointer,
    .fixed = to->certain && distance == (int32_t)distance &&
             distance != 0 && saved == (int16_t)saved,
    .distance = (int32_t)distance
  };
}

/* Over a frame of foreign code. */
static enum outcome
step_foreign(struct place *at, struct walked_frame *f)
{
  const struct stack_frame from = { .ip = at->ip,
                                    .sp = at->sp,
                                    .pointer = at->frame };
  struct stack_frame to;
  switch (frame_step(&from, &to)) {
  case FRAME_STEP_CALLER:
    f->returns_to = to.ip;
    f->layout = foreign_layout(&from, &to);
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
  f->pointer = at->frame;
  if (call_site_kind(site) == CALL_FINALIZERS)
    return WALK_FINALIZERS;
  if (call_site_kind(site) == CALL_FOREIGN)
    return step_foreign(at, f);
  if (at->frame < at->sp || at->frame >= at->end)
    return WALK_LOST;
  f->returns_to = *frame_return_slot(at->frame);
  f->layout =
      (struct frame_layout){ .fixed = call_site_kind(site) == CALL_FRAME };
  if (word_at != 0) {
    f->word = (uint64_t *)(at->frame - word_at);
    if (call_site_kind(site) == CALL_INTERPRETER)
      f->site = interpreter_site(at->ip, f->word);
    if (stack_walk_is_known(walk, *f->word) && !walk->whole)
      return WALK_KNOWN;
  }
  at->ip = f->returns_to;
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

/* Walk to the first known frame, or as far as it goes. */
static enum outcome
go_outward(struct stack_walk *walk, struct place *at)
{
  struct walked_frame *f = walk->frames;
  enum outcome outcome;
  while ((outcome = step(walk, at, f)) == WALK_GOES_ON) {
    f++;
    if (at->sp >= at->end) {
      outcome = WALK_COMPLETE;
      break;
    }
    if (f == walk->frames + WALK_DEPTH) {
      outcome = WALK_LOST;
      break;
    }
  }
  /* of a function that nobody called the site is known all the same */
  walk->count = (size_t)(f - walk->frames) +
                (outcome == WALK_KNOWN || f == walk->frames);
  walk->known = outcome == WALK_KNOWN;
  return outcome;
}

/* Write the word of a frame.  True when it is met for the first time, by any
 * thread. */
static inline bool
meet(struct stack_walk *walk, const struct walked_frame *f)
{
  const uint64_t word = walk->epoch | f->up;
  bool fresh;
  if (f->word == NULL)
    return false;
  if (walk->whole && stack_walk_is_known(walk, *f->word)) {
    walk->differing += *f->word != word;
    return false;
  }
  fresh = !stack_walk_is_counted(walk->first_epoch, *f->word);
  *f->word = word;
  return fresh;
}

/* Where the stack ends that the frame is on.  One that the program has made,
 * for a coroutine or for signal handlers, ends where its call-frame information
 * says. */
static uintptr_t
end_of_stack(const struct stack_walk *walk, uintptr_t frame)
{
  return frame < walk->stack_base ? walk->stack_base : UINTPTR_MAX;
}

void
stack_walk(struct stack_walk *walk, struct context_tree *tree,
           uintptr_t frame)
{
  const int saved_errno = errno;
  struct place at = { .ip = *frame_return_slot(frame),
                      .frame = frame_caller(frame),
                      .sp = (uintptr_t)(frame_return_slot(frame) + 1),
                      .end = end_of_stack(walk, frame) };
  const enum outcome outcome = go_outward(walk, &at);
  struct walked_frame *f = walk->frames + walk->count - 1;
  uint32_t up = 0, context = 0;
  uint64_t site = 0;
  bool fresh = false;
  if (walk->known) {
    f->up = walk_word_context(*f->word);
  } else {
    f->up = chain_root(walk, tree, outcome);
    fresh = meet(walk, f);
  }
  while (f > walk->frames) {
    if (f->up != up || f->site != site) { /* else it is recursion */
      up = f->up;
      site = f->site;
      context = context_tree_child_in(
          tree, up, site,
          call_site_function(site,
                             tree->contexts[up].function & FUNCTION_NUMBER));
    }
    tree->contexts[context].activations += fresh;
    f->context = context;
    f--;
    f->up = context_tree_target(tree, context);
    fresh = meet(walk, f);
  }
  walk->fresh = fresh;
  errno = saved_errno;
}
