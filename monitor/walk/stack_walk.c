/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * stack_walk.c -- three kinds of frames make one chain.
 *
 *  - Code of the patched runtime and what its compiler made keeps a frame
 *    pointer: one step is two loads.
 *  - A frame of the byte-code interpreter is a frame of the function that it
 *    runs, which stands beside the frame word.
 *  - All other code (libc's qsort, GMP, libffi) may use the frame pointer
 *    for anything.  It is stepped over by its call-frame information, most
 *    often to a fixed distance from the stack pointer.
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
#include "tree/sizes.h"
#include "unwind/frame_step.h"
#include "walk/call_site.h"

/* Two loads side by side are not worth a vector register. */
#pragma GCC optimize("no-tree-slp-vectorize")

enum { WALK_DEPTH = 4 << 20 }; /* frames, at most */

static uint32_t first_epoch = 1, last_epoch;

/* A table of so many sites, of which none is known. */
static int
make_sites(struct stack_walk *walk, uint32_t places)
{
  struct arena arena;
  if (arena_reserve(&arena, places * sizeof *walk->sites) != 0)
    return -1;
  arena_release(&walk->site_arena);
  walk->site_arena = arena;
  walk->sites = arena.base;
  walk->site_mask = places - 1;
  walk->learned = 0;
  return 0;
}

/* Room for one frame more.  False: there is none. */
static bool
make_room(struct stack_walk *walk, size_t count)
{
  if (count >= WALK_DEPTH ||
      arena_grow(&walk->frame_arena, (count + 1) * sizeof *walk->frames) != 0)
    return false;
  walk->frames = walk->frame_arena.base;
  return true;
}

int
stack_walk_init(struct stack_walk *walk)
{
  if (make_sites(walk, SIZE_FIRST_SITES) != 0 || !make_room(walk, 0))
    return -1;
  stack_walk_begin_epoch(walk);
  return 0;
}

void
stack_walk_release(struct stack_walk *walk)
{
  arena_release(&walk->frame_arena);
  arena_release(&walk->site_arena);
}

void
stack_walk_end_epochs(void)
{
  first_epoch = last_epoch + 1;
}

void
stack_walk_begin_epoch(struct stack_walk *walk)
{
  walk->epoch =
      (uint64_t)__atomic_add_fetch(&last_epoch, 1, __ATOMIC_RELAXED) << 32;
  walk->first_epoch = (uint64_t)first_epoch << 32;
}

/* Whether the word is of the present epoch; then it tells a context. */
static inline bool
is_known(const struct stack_walk *walk, uint64_t word)
{
  return (word ^ walk->epoch) >> 32 == 0;
}

/* Where a walk is. */
struct place {
  uintptr_t ip;    /* in the function whose frame comes next */
  uintptr_t frame; /* the frame pointer register in that function */
  uintptr_t slot;  /* where its callee keeps its return address */
};

enum outcome {
  WALK_GOES_ON,
  WALK_KNOWN,    /* the last frame was met before */
  WALK_COMPLETE, /* it was the outermost one */
  WALK_SIGNAL,
  WALK_FINALIZERS,
  WALK_LOST
};

/* The frame is one of the interpreter: which function does it run?  The
 * interpreter itself, when that has no number. */
static void
find_interpreted(struct walked_frame *f)
{
  const struct ecl_interpreter_words *const words = (const void *)f->word;
  const struct ecl_bytecodes *const b = &words->bytecodes->bytecodes;
  const cl_object name = b->frame_name != OBJNULL ? b->frame_name : b->name;
  if (kept_objects_function(name) != 0) {
    f->site.place = SITE_OBJECT | (uintptr_t)name;
    f->site.function = 0;
  }
}

/* Over a frame that is not as call_site.h can say it. */
static __attribute__((noinline)) enum outcome
step_elsewhere(struct place from, struct place *caller)
{
  const int saved_errno = errno;
  const struct stack_frame in = {.ip = from.ip,
                                 .sp = from.slot + sizeof(uintptr_t),
                                 .pointer = from.frame};
  struct stack_frame out;
  const enum frame_step step = in.ip - 1 < FRAME_CODE_END - 1
                                   ? frame_step(&in, &out)
                                   : frame_step_to(in.ip);
  errno = saved_errno;
  switch (step) {
  case FRAME_STEP_CALLER:
    *caller = (struct place){.ip = out.ip,
                             .frame = out.pointer,
                             .slot = out.sp - sizeof(uintptr_t)};
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

/* Forget what is known of return addresses, since code has come or gone. What
 * was never used is only read: it takes no memory so. */
static __attribute__((noinline)) void
forget_sites(struct stack_walk *walk, unsigned long generation)
{
  for (size_t i = 0; i <= walk->site_mask; i++)
    if (walk->sites[i].ip != 0)
      walk->sites[i] = (struct call_site){0};
  walk->generation = generation;
}

/* The place of a return address that is not known there. */
static __attribute__((noinline)) struct call_site *
learn_site(struct stack_walk *walk, uintptr_t ip)
{
  struct call_site *site;
  if (walk->site_mask < MOST_CALL_SITES - 1 &&
      ++walk->learned > walk->site_mask)
    make_sites(walk, (walk->site_mask + 1) * 2);
  site = call_site_place(walk->sites, walk->site_mask, ip);
  call_site_learn(site, ip);
  return site;
}

/* The walk has met as many frames as there is room for.  False when that is
 * the end of it. */
static __attribute__((noinline)) bool
go_deeper(struct stack_walk *walk, struct walked_frame **f,
          const struct walked_frame **end)
{
  const size_t count = (size_t)(*f - walk->frames);
  const bool more = make_room(walk, count);
  *f = walk->frames + count;
  *end = walk->frames +
         walk->frame_arena.reserved_bytes / sizeof *walk->frames;
  return more;
}

/* Walk to the first known frame, or as far as it goes. */
static inline enum outcome
go_outward(struct stack_walk *walk, struct place at)
{
  const struct walked_frame *end =
      walk->frames + walk->frame_arena.reserved_bytes / sizeof *walk->frames;
  struct walked_frame *f = walk->frames;
  enum outcome outcome = WALK_LOST;
  for (; f < end || go_deeper(walk, &f, &end); f++) {
    const struct call_site *site =
        call_site_place(walk->sites, walk->site_mask, at.ip);
    if (__builtin_expect(site->ip != at.ip, 0))
      site = learn_site(walk, at.ip);
    f->site = *site;
    f->word = NULL;
    if (__builtin_expect(
            site->kind == CALL_FRAME || site->kind == CALL_INTERPRETER, 1)) {
      if (site->word_at != 0) {
        f->word = (uint64_t *)(at.frame - site->word_at);
        if (__builtin_expect(site->kind == CALL_INTERPRETER, 0))
          find_interpreted(f);
        if (is_known(walk, *f->word) && !walk->whole) {
          outcome = WALK_KNOWN;
          break;
        }
      }
      at.slot = (uintptr_t)frame_return_slot(at.frame);
      at.frame = frame_caller(at.frame);
    } else if (site->kind == CALL_ELSEWHERE) {
      struct place caller;
      if ((outcome = step_elsewhere(at, &caller)) != WALK_GOES_ON)
        break;
      outcome = WALK_LOST;
      at = caller;
      continue;
    } else if (site->kind == CALL_FINALIZERS) {
      outcome = WALK_FINALIZERS;
      break;
    } else {
      at.slot =
          (site->kind == CALL_ON_STACK ? at.slot : at.frame) + site->word_at;
      if (site->saved != 0)
        at.frame = ((uintptr_t *)at.slot)[-(int)site->saved];
    }
    at.ip = *(uintptr_t *)at.slot;
  }
  /* of a function that nobody called the site is known all the same */
  walk->known = outcome == WALK_KNOWN;
  walk->count =
      (size_t)(f - walk->frames) + (walk->known || f == walk->frames);
  return outcome;
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
  } else if (outcome == WALK_COMPLETE) {
    return CONTEXT_ROOT;
  } else if (outcome == WALK_LOST) {
    special = SITE_SPECIAL | SITE_CUT_SHORT;
  }
  return context_tree_child(tree, CONTEXT_ROOT, special);
}

/* Write the word of a frame that was entered in the context `up'.  True when
 * it is met for the first time, by any thread. */
static inline bool
meet(struct stack_walk *walk, const struct walked_frame *f, uint32_t up)
{
  const uint64_t word = walk->epoch | up;
  bool fresh;
  if (f->word == NULL)
    return false;
  if (__builtin_expect(walk->whole, 0) && is_known(walk, *f->word)) {
    walk->differing += *f->word != word;
    return false;
  }
  fresh = !stack_walk_is_counted(walk->first_epoch, *f->word);
  *f->word = word;
  return fresh;
}

/* The function of a frame that was called in the context `up'. */
static inline uint32_t
function_of(const struct context_tree *tree, const struct walked_frame *f,
            uint32_t up)
{
  return __builtin_expect(f->site.function != 0, 1)
             ? f->site.function
             : context_tree_function(tree, up, f->site.place);
}

struct innermost_frame
stack_walk(struct stack_walk *walk, struct context_tree *tree,
           uintptr_t frame)
{
  const struct place at = {.ip = *frame_return_slot(frame),
                           .frame = frame_caller(frame),
                           .slot = (uintptr_t)frame_return_slot(frame)};
  const unsigned long generation =
      __atomic_load_n(&call_sites_generation, __ATOMIC_ACQUIRE);
  if (__builtin_expect(walk->generation != generation, 0))
    forget_sites(walk, generation);
  const enum outcome outcome = go_outward(walk, at);
  struct walked_frame *const innermost = walk->frames;
  struct walked_frame *f = innermost + walk->count - 1;
  uint32_t up =
      walk->known ? (uint32_t)*f->word : chain_root(walk, tree, outcome);
  bool fresh = !walk->known && meet(walk, f, up);
  for (; f > innermost; f--) {
    const uint32_t context = context_tree_child_in(tree, up, f->site.place,
                                                   function_of(tree, f, up));
    struct context *const c = &tree->contexts[context];
    c->activations += fresh;
    f->context = context;
    up = c->target;
    fresh = meet(walk, f - 1, up);
  }
  return (struct innermost_frame){.ip = f->site.ip,
                                  .site = f->site.place,
                                  .up = up,
                                  .function = function_of(tree, f, up),
                                  .fresh = fresh};
}
