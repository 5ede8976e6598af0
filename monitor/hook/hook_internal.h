/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * hook_internal.h -- what the parts of the hook share: the way in and out,
 * and the requests that leaves do not tell.
 */
#ifndef MPROF_HOOK_INTERNAL_H
#define MPROF_HOOK_INTERNAL_H

#include "hook/classify.h"
#include "hook/thread_state.h"

/* May this allocation be counted?  Called with the gate not open: waits while
 * it is shut for a moment. */
bool hook_wait_at_gate(struct thread_state *t, cl_index what, cl_index bytes);

/* See thread_state.h for the protocol. */
static inline bool
hook_gate_is_open(struct thread_state *t)
{
  __atomic_store_n(&t->inside, 1, __ATOMIC_RELAXED);
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
  return __atomic_load_n(&t->gate, __ATOMIC_RELAXED) == GATE_OPEN;
}

static inline bool
hook_enter(struct thread_state *t, cl_index what, cl_index bytes)
{
  return hook_gate_is_open(t) || hook_wait_at_gate(t, what, bytes);
}

static inline void
hook_leave(struct thread_state *t)
{
  __atomic_store_n(&t->inside, 0, __ATOMIC_RELEASE);
}

static inline uint32_t
hook_leaf_size(uint64_t bytes)
{
  return bytes <= LEAF_MAX_SIZE ? (uint32_t)bytes : LEAF_LARGE;
}

/* Whether the requests to the collector for the objects of a leaf are told by
 * their count; else they are counted one by one, as below. */
static inline bool
hook_leaf_tells_requests(const struct thread_state *t,
                         const struct leaf *leaf)
{
  const struct kind *kind = context_tree_kind(&t->tree, leaf);
  return (kind->what & LEAF_PIECES) == 0 && kind->size <= LEAF_MAX_SIZE;
}

/* One request to the collector that its leaf does not tell, for the
 * reconciliation. */
static inline void
hook_count_request(struct thread_state *t, cl_index bytes)
{
  cl_index granules = classify_granules(bytes);
  if (granules < CLASSIFY_GRANULES)
    t->granules[granules]++;
  else
    t->large_bytes += granules * CLASSIFY_GRANULE_BYTES;
}

/* The requests for one object, as the hook was told of it. */
static inline void
hook_count_requests(struct thread_state *t, cl_index what, cl_index bytes)
{
  if ((what & ECL_ALLOCATED_SPLIT) != 0) {
    hook_count_request(t, sizeof(struct ecl_instance));
    bytes -= sizeof(struct ecl_instance);
  }
  hook_count_request(t, bytes);
}

#endif
