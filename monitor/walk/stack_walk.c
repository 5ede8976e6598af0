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
 *    (foreign_frame.h), and marked like any other.
 *
 * Frames that only pass a call on (CODE_DISPATCH) are stepped over and leave
 * no trace.
 *
 * Marking.  All new frames are marked, but for those whose function will
 * allocate nothing after what it calls now (CODE_LAST_CALL): as long as that
 * call lasts, walks end at a frame below or come for the only time, and then
 * there are none.
 *
 * A function that makes an object before all else (CODE_FIRST_OBJECT) has told
 * of its frame by that: who meets the frame at a later call (CODE_AFTER_FIRST,
 * CODE_LAST_AFTER) knows that it was counted, and all frames outward of it
 * too.  That holds of frames that were made since counting began, so of those
 * inward of a marked one.  Plain walks (leaf_lookup.c) leave the frame
 * unmarked then; here it is marked.
 *
 * Frames that can be told by a marked one near (call_path.h) are not marked by
 * plain walks either, where what they call tells of itself by an object: there
 * later walks stay short (leaf_lookup.c).
 *
 * A frame is identified by where it keeps its return address (its slot), in
 * all three kinds.
 *
 * Code that nobody called.  A signal handler runs Lisp code on top of a frame
 * that was interrupted anywhere but in the hook (which runs with Lisp
 * interrupts disabled); the collector runs finalizers in the middle of an
 * allocation.  The walk ends there: such code has a context of its own below
 * the root, and what was interrupted does not answer for it.  Its frames are
 * marked like any other: their marks come and go above those of the frames
 * that were interrupted, and the trampoline, should it be what was
 * interrupted, has all it needs in registers.
 */
#include "walk/stack_walk.h"

#include <signal.h>

#include "arch/arch.h"
#include "code/code_index.h"
#include "foreign_frame.h"

struct walker {
  uintptr_t ip;    /* in the function whose frame comes next */
  uintptr_t frame; /* the frame pointer register in that function */
  uintptr_t sp;    /* just above the return slot of its callee */
  struct ecl_ihs_frame *ihs; /* first record not below sp */
  struct foreign_rule *rules;
};

enum step {
  STEP_FRAME,
  STEP_SIGNAL,
  STEP_FINALIZERS,
  STEP_END,
  STEP_LOST
};

/* The function that an interpreter frame runs.  Records lie in stack order,
 * so the search goes on where it stopped for the frame before. */
static uint64_t
interpreter_site(struct walker *w)
{
  cl_object name;
  while (w->ihs != NULL && (uintptr_t)w->ihs < w->sp)
    w->ihs = w->ihs->next;
  if (w->ihs == NULL || (uintptr_t)w->ihs >= w->frame)
    return w->ip; /* not entered yet */
  name = w->ihs->function;
  if (name != OBJNULL && ecl_t_of(name) == t_bclosure)
    name = name->bclosure.code;
  if (name == OBJNULL || ecl_t_of(name) != t_bytecodes)
    return w->ip;
  name = name->bytecodes.frame_name != OBJNULL ? name->bytecodes.frame_name
                                               : name->bytecodes.name;
  if (code_index_object(name) == 0)
    return w->ip;
  return SITE_OBJECT | (uint64_t)(uintptr_t)name;
}

/* The return slot of a frame in foreign code, and the caller's frame pointer
 * in *caller. */
static enum step
step_foreign(const struct walker *w, uintptr_t **slot, uintptr_t *caller)
{
  struct foreign_registers r = { .ip = w->ip, .sp = w->sp,
                                 .frame = w->frame };
  switch (foreign_frame_step(w->rules, &r)) {
  case FOREIGN_FRAME:
    *slot = (uintptr_t *)r.sp - 1;
    *caller = r.frame;
    return STEP_FRAME;
  case FOREIGN_SIGNAL:
    return STEP_SIGNAL;
  case FOREIGN_END:
    return STEP_END;
  case FOREIGN_LOST:
  default:
    return STEP_LOST;
  }
}

/* One frame outward: its site and slot; then `w' is at its caller. */
static enum step
step(struct walker *w, struct walked_frame *found, uintptr_t base)
{
  uintptr_t caller;
  enum code_kind kind;
  while ((kind = code_index_kind(w->ip)) == CODE_DISPATCH) {
    if (w->frame < w->sp || w->frame >= base)
      return STEP_LOST;
    /* code that calls by a jump leaves the mark of its frame to this one */
    if (marker_stack_is_marked(frame_return_slot(w->frame)))
      break;
    w->ip = *frame_return_slot(w->frame);
    w->sp = (uintptr_t)(frame_return_slot(w->frame) + 1);
    w->frame = frame_caller(w->frame);
  }
  found->site = w->ip;
  found->kind = kind;
  switch (kind) {
  case CODE_FINALIZERS:
    return STEP_FINALIZERS;
  case CODE_INTERPRETER:
    found->site = interpreter_site(w);
    /* fall through */
  case CODE_DISPATCH:
  case CODE_FRAME_POINTER:
  case CODE_SINGLE_CALL:
  case CODE_SINGLE_AFTER:
  case CODE_LAST_CALL:
  case CODE_FIRST_OBJECT:
  case CODE_AFTER_FIRST:
  case CODE_LAST_AFTER:
    if (w->frame < w->sp || w->frame >= base)
      return STEP_LOST;
    found->slot = frame_return_slot(w->frame);
    caller = frame_caller(w->frame);
    break;
  case CODE_FOREIGN:
  default: {
    enum step s = step_foreign(w, &found->slot, &caller);
    if (s != STEP_FRAME)
      return s;
    break;
  }
  }
  w->ip = *found->slot;
  w->sp = (uintptr_t)(found->slot + 1);
  w->frame = caller;
  return STEP_FRAME;
}

static bool
on_signal_stack(void)
{
  stack_t current;
  return sigaltstack(NULL, &current) == 0 &&
         (current.ss_flags & SS_ONSTACK) != 0;
}

/* The innermost of the `n' frames, the last of which has the top mark, that an
 * earlier walk has met and left unmarked; `n' for none. */
static size_t
first_met(struct thread_state *thread, size_t n)
{
  struct call_paths *paths = &thread->paths;
  const uint32_t before = thread->markers.top->path;
  uint32_t path = 0;
  size_t met = n;
  for (size_t i = n; i-- > 1;) {
    const struct walked_frame *caller = &thread->walk[i];
    if (!code_kind_is_single(caller->kind))
      break;
    path = call_path_child(paths, path, caller->site, false);
    if (path == 0 || call_path_common(paths, path, before) !=
                         paths->paths[path].depth)
      break;
    met = i - 1;
  }
  for (size_t i = 0; i < met && i + 1 < n; i++)
    if (code_kind_was_met(thread->walk[i].kind))
      met = i;
  return met;
}

struct walk_result
stack_walk(struct thread_state *thread, uintptr_t frame, bool counted)
{
  struct walker w = { .ip = *frame_return_slot(frame),
                      .frame = frame_caller(frame),
                      .sp = (uintptr_t)(frame_return_slot(frame) + 1),
                      .ihs = thread->env->ihs_top,
                      .rules = thread->foreign_rules };
  struct context_tree *tree = &thread->tree;
  struct walk_result result = { .site = w.ip };
  bool marking = thread->markers_allowed, known = false;
  bool interrupting = false, lost = false;
  uint32_t up = CONTEXT_ROOT;
  size_t n = 0, met;

  while (n < thread->walk_limit) {
    enum step s = step(&w, &thread->walk[n], thread->stack_base);
    if (s == STEP_SIGNAL || s == STEP_FINALIZERS) {
      interrupting = true;
      thread->finalizer_walks += s == STEP_FINALIZERS;
      up = context_tree_child(tree, CONTEXT_ROOT,
                              SITE_SPECIAL | (s == STEP_SIGNAL
                                                  ? SITE_SIGNAL_HANDLER
                                                  : SITE_FINALIZERS));
      break;
    }
    lost = s == STEP_LOST;
    if (s != STEP_FRAME)
      break;
    known = marker_stack_is_marked(thread->walk[n++].slot);
    if (known || (uintptr_t)(thread->walk[n - 1].slot + 1) >=
                     thread->stack_base)
      break;
  }
  if (known)
    up = marker_stack_find(&thread->markers, thread->walk[n - 1].slot)->up;
  else if (n == thread->walk_limit)
    marking = false; /* counted below */
  else if (!interrupting && on_signal_stack())
    marking = false; /* its frames may lie beyond the base of ours */
  else if (!interrupting && !lost)
    marker_stack_drop_all(&thread->markers);

  thread->truncated_walks += lost || (!known && n == thread->walk_limit);
  result.up = up;
  met = known ? first_met(thread, n) : n;
  while (n-- > 0) {
    const struct walked_frame *f = &thread->walk[n];
    const bool last_call = code_kind_is_last(f->kind);
    const bool fresh = !known && n < met && !(last_call && counted);
    if (!known && marking && !last_call &&
        !(marking = marker_stack_push(&thread->markers, f->slot, up)))
      thread->unmarked_walks++;
    known = false;
    if (n == 0) {
      result.site = f->site;
      result.up = up;
      result.activation = fresh;
    } else {
      uint32_t number = context_tree_child(tree, up, f->site);
      if (fresh)
        tree->contexts[number].activations++;
      up = tree->contexts[number].target;
    }
  }
  return result;
}
