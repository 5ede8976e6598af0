/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * hook.h -- what the runtime calls for each allocation, and what the parts of
 * the hook share.
 *
 * The hook never calls malloc, never allocates from the collector, never
 * prints and keeps errno.  It runs with Lisp interrupts disabled.
 *
 * It takes no lock once it knows the frames, functions and classes that it
 * meets.  A new one enters a shared table under a spin lock (frame_rule.c,
 * function_numbers.c, code_notes.c, kept_objects.c) and is noted under
 * another (image_notes.c).  While objects are followed, the collector's lock
 * is taken for an explicit free, and when a body comes to its header
 * (live_table.c).
 *
 * A *kind* is the word that the runtime tells the hooks (ECL_ALLOCATED_KIND):
 * `what' the object is (classify.h), and its bytes. */
#pragma once

#include "lisp/hook/thread_state.h"
#include "lisp/names/classify.h"

/* Return both parts of a kind; the second is in bytes. */
static inline cl_index
allocation_what(cl_index kind)
{
  return kind & (((cl_index)1 << ECL_ALLOCATED_BYTES_SHIFT) - 1);
}

static inline cl_index
allocation_bytes(cl_index kind)
{
  return kind >> ECL_ALLOCATED_BYTES_SHIFT;
}

_Static_assert(sizeof(struct leaf) == LIVE_LEAF_UNITS * 16,
               "live_entry.leaf");

/* Returns how far the leaf is from the thread's first one, in bytes. */
static inline ptrdiff_t
allocation_leaf_offset(const struct thread_state *t, const struct leaf *leaf)
{
  return (const char *)leaf - (const char *)t->tree.leaves;
}

/* Appends `memory', counted at that leaf, to the thread's live table; does
 * nothing if objects are not followed. */
static inline void
allocation_follow(struct thread_state *t, const struct leaf *leaf,
                  const void *memory, uint64_t bytes, enum live_kind kind)
{
  if (__builtin_expect(live_table_is_open(&t->live), 0))
    live_table_add(&t->live, memory, bytes, allocation_leaf_offset(t, leaf),
                   kind);
}

/* The hooks that each thread's state begins with. */
extern const struct ecl_allocation_hooks hook_table;

/* Stores the hooks, or NULL for none, in the environment of a thread, where
 * allocators find them; even if ECL has made its page read-only.  Not inside
 * the hook. */
void hook_hang(cl_env_ptr env, struct ecl_allocation_hooks *hooks);

/* Remembers an object of `bytes' that was counted at `leaf' and may have a
 * body. */
void object_body_header(struct thread_state *t, const void *object,
                        struct leaf *leaf, cl_index bytes);

/* Counts a body, `memory' of `bytes' allocated for `owner'.  If that waits
 * for one, moves it to the leaf of the whole; else adds bytes and no object.
 * Enters and leaves the hook itself. */
void object_body(struct ecl_allocation_hooks *self, void *frame,
                 cl_object owner, cl_index bytes, void *memory);

/* Walks the stack from the allocator's `frame', counts the new calls, and
 * returns the leaf for such objects there; `size' as in struct kind.  Never
 * NULL: LEAF_OVERFLOW without memory. */
struct leaf *hook_leaf_here(struct thread_state *t, uintptr_t frame,
                            cl_index what, uint32_t size, cl_object class);

/* Waits while the gate is paused, with the object noted in `held'.  Returns
 * true if the gate is open then, so that the object is to be counted; false
 * if it is closed.  hook_leave is to follow in either case. */
bool hook_wait_at_gate(struct thread_state *t, cl_index what, cl_index bytes);

/* Enters the hook (protocol: thread_state.h).  Returns false if the gate is
 * not open; hook_wait_at_gate is to follow.  hook_enter does both, and tells
 * whether to count; hook_leave is to follow in either case. */
static inline bool
hook_try_enter(struct thread_state *t)
{
  __atomic_store_n(&t->inside, 1, __ATOMIC_RELAXED);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  return __atomic_load_n(&t->gate, __ATOMIC_RELAXED) == GATE_OPEN;
}

static inline bool
hook_enter(struct thread_state *t, cl_index what, cl_index bytes)
{
  return hook_try_enter(t) || hook_wait_at_gate(t, what, bytes);
}

static inline void
hook_leave(struct thread_state *t)
{
  __atomic_store_n(&t->inside, 0, __ATOMIC_RELEASE);
}
