/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * stack_walk.c -- three kinds of frames make one chain.
 *
 *  - Code of the patched runtime and of its compiler keeps a frame pointer: a
 *    step is two loads.
 *  - A frame of the byte-code interpreter is a frame of the function that it
 *    runs, which is noted beside the frame word.
 *  - All other code (qsort, GMP, libffi) may use the frame pointer otherwise.
 *    Its call-frame information says where the caller's frame is.
 *
 * A signal handler runs Lisp code on top of a frame that was interrupted
 * anywhere but in the hook, which runs with Lisp interrupts disabled; the
 * collector runs finalizers in the middle of an allocation.  The walk ends
 * there: such code has a context of its own below the root. */
#include "lisp/walk/stack_walk.h"

#include <errno.h>

#include "arch/arch.h"
#include "base/sizes.h"
#include "code/frame_step.h"
#include "lisp/names/kept_objects.h"

#ifndef __clang__
/* Two loads side by side are not worth a vector register. */
#pragma GCC optimize("no-tree-slp-vectorize")
#endif

enum { WALK_DEPTH = 4 << 20 }; /* frames, at most */
#define NO_EPOCH UINT32_MAX
#define NO_SITE UINTPTR_MAX

/* The call of a byte-compiled function; those of sites are multiples of 4. */
#define CALL_OF_FUNCTION(number) ((number) << 2 | 2)

/* Makes room for one frame more.  Returns false beyond WALK_DEPTH, or without
 * memory. */
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
stack_walk_init(struct stack_walk *walk, bool whole)
{
  walk->whole = whole;
  if (call_sites_init(&walk->sites, SIZE_FIRST_SITES) != 0 ||
      step_table_init(&walk->steps, SIZE_FIRST_STEPS) != 0 ||
      kept_walks_init(&walk->kept) != 0 || !make_room(walk, 0))
    return -1;
  stack_walk_begin_epoch(walk);
  return 0;
}

void
stack_walk_release(struct stack_walk *walk)
{
  arena_release(&walk->frame_arena);
  arena_release(&walk->sites.arena);
  arena_release(&walk->steps.arena);
  arena_release(&walk->kept.arena);
}

void
stack_walk_end_epochs(void)
{
  call_sites_shared.first_epoch = call_sites_shared.last_epoch + 1;
}

void
stack_walk_begin_epoch(struct stack_walk *walk)
{
  const uint32_t epoch = __atomic_add_fetch(&call_sites_shared.last_epoch, 1,
                                            __ATOMIC_RELAXED);
  walk->epoch = (uint64_t)epoch << 32;
  walk->first_epoch = (uint64_t)call_sites_shared.first_epoch << 32;
  walk->known = walk->whole ? NO_EPOCH : epoch;
  walk->no_word = UINT64_MAX;
  step_table_forget(&walk->steps);
  kept_walks_forget(&walk->kept);
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

/* Returns the name of the function that a frame of the interpreter runs. */
static cl_object
interpreted_name(const uint64_t *word)
{
  const struct ecl_interpreter_words *const words = (const void *)word;
  const struct ecl_bytecodes *const b = &words->bytecodes->bytecodes;
  return b->frame_name != OBJNULL ? b->frame_name : b->name;
}

/* Returns what stands for the call in a step. */
static __attribute__((noinline)) uint32_t
interpreted_call(struct stack_walk *walk, const uint64_t *word)
{
  const uint32_t number = kept_objects_function(interpreted_name(word));
  walk->lost_calls += number == 0;
  return number == 0 ? NO_CALL : CALL_OF_FUNCTION(number);
}

/* Returns the stack pointer where it is not just above the slot: the end of
 * the inner frame, whose frame pointer is below the slot and whose own call
 * returns to `callee'; 0: unknown. */
static uintptr_t
stack_above(uintptr_t slot, uintptr_t callee)
{
  const struct frame_rule rule = callee - 1 < FRAME_CODE_END - 1
                                     ? frame_rule_find(callee, false)
                                     : (struct frame_rule){0};
  return rule.framed ? (uintptr_t)((uintptr_t *)slot - 1 - rule.saved) : 0;
}

/* Steps over a frame that call_site.h cannot describe.  `callee' is the
 * address to which the call in the inner frame returns; 0: the stack pointer
 * is just above the slot. */
static __attribute__((noinline)) enum outcome
step_elsewhere(struct place from, uintptr_t callee, struct place *caller)
{
  static const enum outcome outcomes[] = {
      [FRAME_STEP_CALLER] = WALK_GOES_ON,
      [FRAME_STEP_SIGNAL] = WALK_SIGNAL,
      [FRAME_STEP_OUTERMOST] = WALK_COMPLETE,
      [FRAME_STEP_LOST] = WALK_LOST};
  const int saved_errno = errno;
  const uintptr_t stack = callee == 0 ? 0 : stack_above(from.slot, callee);
  const bool is_known = callee == 0 || stack != 0;
  const struct stack_frame in = {
      .ip = from.ip,
      .sp = stack != 0 ? stack : from.slot + sizeof(uintptr_t),
      .pointer = from.frame};
  struct stack_frame out;
  const enum frame_step step = in.ip - 1 >= FRAME_CODE_END - 1
                                   ? frame_step_to(in.ip)
                               : is_known ? frame_step(&in, &out)
                                          : frame_step_by_pointer(&in, &out);
  errno = saved_errno;
  if (step == FRAME_STEP_CALLER)
    *caller = (struct place){.ip = out.ip,
                             .frame = out.pointer,
                             .slot = out.sp - sizeof(uintptr_t)};
  return outcomes[step];
}

/* Steps over a frame that is not framed. */
static __attribute__((noinline)) enum outcome
step_over(const struct call_site *site, uintptr_t callee, struct place *at)
{
  const struct place from = *at;
  switch (site->kind) {
  case CALL_ON_STACK:
  case CALL_ON_POINTER:
    at->slot = (site->kind == CALL_ON_STACK ? from.slot : from.frame) +
               (uintptr_t)(intptr_t)site->word_at;
    if (site->saved != 0)
      at->frame = ((uintptr_t *)at->slot)[-(int)site->saved];
    break;
  case CALL_FINALIZERS:
    return WALK_FINALIZERS;
  default:
    return step_elsewhere(from, callee, at);
  }
  at->ip = arch_return_address(*(uintptr_t *)at->slot);
  return WALK_GOES_ON;
}

/* Returns the last frame that there is room for. */
static inline const struct walked_frame *
end_of_room(const struct stack_walk *walk)
{
  return (const void *)((const char *)walk->frames +
                        walk->frame_arena.reserved_bytes -
                        sizeof *walk->frames);
}

/* Walks to the first known frame, or as far as it goes.  walk->last is the
 * outermost frame of the chain.  If it is known, *key is a hash of the return
 * addresses and of its word. */
static inline enum outcome
go_outward(struct stack_walk *walk, uintptr_t allocator, uint64_t *key)
{
  const struct walked_frame *end = end_of_room(walk);
  struct call_sites sites = walk->sites; /* in registers */
  struct walked_frame *f = walk->frames;
  uintptr_t frame = frame_caller(allocator);
  uintptr_t slot = (uintptr_t)frame_return_slot(allocator);
  uintptr_t ip = frame_return(allocator);
  uintptr_t stepped = 0; /* the slot after a frame that is not framed */
  uint64_t hash = 0;
  enum outcome outcome;
  for (;; f++) {
    const struct call_site *site = &sites.sites[(uint32_t)ip & sites.mask];
    if (__builtin_expect(site->ip != ip, 0)) {
      site = call_site_at(&walk->sites, ip);
      sites = walk->sites;
    }
    if (__builtin_expect(f > end, 0)) {
      const size_t count = (size_t)(f - walk->frames);
      outcome = WALK_LOST;
      if (!make_room(walk, count))
        break;
      f = walk->frames + count;
      end = end_of_room(walk);
    }
    f->word = &walk->no_word;
    f->ip = ip;
    f->call = site->call;
    hash = hash * 9 + ip;
    if (__builtin_expect(call_site_is_framed(site), 1)) {
      if (site->kind != CALL_WORDLESS) {
        uint64_t *const word = frame_word(frame, site->word_at);
        f->word = word;
        if (__builtin_expect(site->kind == CALL_INTERPRETER, 0))
          f->call = interpreted_call(walk, word);
        if (stack_walk_is_known(walk, *word)) {
          walk->last = f;
          *key = (hash * 9 + *word) * UINT64_C(0x9E3779B97F4A7C15);
          return WALK_KNOWN;
        }
      }
      slot = (uintptr_t)frame_return_slot(frame);
      ip = frame_return(frame);
      frame = frame_caller(frame);
    } else {
      struct place at = {.ip = ip, .frame = frame, .slot = slot};
      /* after such a step the stack pointer is just above the slot; the
         inner frame of the first one is the allocator's, which has no site */
      const uintptr_t callee = ARCH_FRAME_IS_AT_TOP || slot == stepped ? 0
                               : f > walk->frames ? f[-1].ip
                                                  : NO_SITE;
      outcome = step_over(site, callee, &at);
      if (outcome != WALK_GOES_ON)
        break;
      ip = at.ip;
      frame = at.frame;
      slot = stepped = at.slot;
    }
  }
  /* of a function that nobody called the site is known all the same */
  walk->last = f == walk->frames ? f : f - 1;
  return outcome;
}

/* Returns the context below which the chain begins. */
static uint32_t
chain_root(struct stack_walk *walk, struct context_tree *tree,
           enum outcome outcome)
{
  static const enum site_special specials[] = {
      [WALK_SIGNAL] = SITE_SIGNAL_HANDLER,
      [WALK_FINALIZERS] = SITE_FINALIZERS,
      [WALK_LOST] = SITE_CUT_SHORT};
  walk->finalizers += outcome == WALK_FINALIZERS;
  return outcome == WALK_COMPLETE
             ? (uint32_t)CONTEXT_ROOT
             : context_tree_child(tree, CONTEXT_ROOT,
                                  SITE_SPECIAL | specials[outcome]);
}

/* Writes the word of a frame that was entered in the context `up'.  Returns
 * true if no thread has met the frame before. */
static inline bool
write_word(struct stack_walk *walk, const struct walked_frame *f, uint32_t up)
{
  const uint64_t before = *f->word, word = walk->epoch | up;
  if (__builtin_expect(walk->whole, 0) && f->word != &walk->no_word &&
      (before ^ walk->epoch) >> 32 == 0) {
    walk->differing += before != word;
    return false;
  }
  *f->word = word;
  return !stack_walk_is_counted(walk, before);
}

/* Returns the place of a call in a function called from the context `up':
 * line or function, but no address, which unloading gives to others. */
static uint64_t
place_of(struct stack_walk *walk, const struct context_tree *tree,
         uintptr_t ip, const uint64_t *word, uint32_t call, uint32_t up)
{
  const struct call_site *const site = call_site_at(&walk->sites, ip);
  uint64_t place = site->place;
  uint32_t function = site->function;
  if (stack_walk_is_interpreted(call)) {
    place = SITE_OBJECT | (uintptr_t)interpreted_name(word);
    function = 0;
  }
  if ((place & SITE_PLACE) != 0)
    return place;
  if (function == 0)
    function = context_tree_function(tree, up, place);
  return site_place(function, 0, 0);
}

/* Returns the child of `up', its target in .more, where no step is known. */
static __attribute__((noinline)) struct step
new_step(struct stack_walk *walk, struct context_tree *tree,
         const struct walked_frame *f, uint32_t up)
{
  const uint64_t place = place_of(walk, tree, f->ip, f->word, f->call, up);
  struct step step = {.key = (uint64_t)up << 32 | f->call};
  step.number = context_tree_child(tree, up, place);
  step.more = tree->contexts[step.number].target;
  if (f->call != NO_CALL && step.number != CONTEXT_OVERFLOW)
    step_table_add(&walk->steps, step);
  return step;
}

uint64_t
stack_walk_place(struct stack_walk *walk, const struct context_tree *tree,
                 uintptr_t frame, struct innermost_frame f)
{
  const uintptr_t ip = frame_return(frame);
  const uint64_t *const word = frame_word(
      frame_caller(frame), call_site_at(&walk->sites, ip)->word_at);
  return place_of(walk, tree, ip, word, f.call, f.up);
}

struct innermost_frame
stack_walk(struct stack_walk *walk, struct context_tree *tree,
           uintptr_t frame)
{
  const unsigned long generation =
      __atomic_load_n(&call_sites_shared.generation, __ATOMIC_ACQUIRE);
  struct innermost_frame innermost;
  struct walked_frame *f;
  enum outcome outcome;
  uint64_t hash = 0;
  uint32_t up;
  bool fresh = false;
  if (__builtin_expect(walk->sites.generation != generation, 0)) {
    call_sites_forget(&walk->sites);
    walk->sites.generation = generation;
  }
  outcome = go_outward(walk, frame, &hash);
  f = walk->last;
  if (__builtin_expect(outcome == WALK_KNOWN, 1)) {
    up = (uint32_t)*f->word;
  } else {
    up = chain_root(walk, tree, outcome);
    fresh = write_word(walk, f, up);
  }
  for (; f > walk->frames; f--) {
    const uint64_t key = (uint64_t)up << 32 | f->call;
    struct step step = *step_table_place(&walk->steps, key, 0);
    if (__builtin_expect(step.key != key, 0))
      step = new_step(walk, tree, f, up);
    tree->contexts[step.number].activations += fresh;
    up = step.more;
    fresh = write_word(walk, f - 1, up);
  }
  innermost =
      (struct innermost_frame){.up = up, .call = f->call, .fresh = fresh};
  walk->same = NULL;
  if (outcome == WALK_KNOWN)
    stack_walk_keep(walk, tree, innermost, hash);
  return innermost;
}
