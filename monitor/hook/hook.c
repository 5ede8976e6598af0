/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * hook.c -- count one allocation.
 *
 * The known cases first: the allocating function's frame is marked, or the
 * frames up to the first mark are those of an earlier walk (known_walk.h),
 * and where the allocation comes from and what it is of are known
 * (known_leaf.h).  Then it is a few compares and four additions.
 *
 * Some memory serves objects of a type but is the body of none that the
 * allocator could name (the stacks of a thread, the workspace of bignums).
 * It adds bytes to that type and counts no object.  Bodies of objects:
 * object_body.c.
 */
#include "hook/hook.h"

#include <sched.h>

#include "hook/classify.h"
#include "hook/hook_internal.h"
#include "leaf_lookup.h"
#include "hook/object_body.h"

/* Two counters side by side are not worth a vector register. */
#pragma GCC optimize("no-tree-slp-vectorize")
/* No function here is ever in a chain: it needs no frame of its own. */
#pragma GCC optimize("omit-frame-pointer", "optimize-sibling-calls")

/* May this allocation be counted?  When the gate is shut for a moment (code
 * is being unloaded, or the collector asked for its sum), wait: nothing is
 * lost.  Whoever has shut it may want to know what was taken. */
bool
hook_wait_at_gate(struct thread_state *t, cl_index what, cl_index bytes)
{
  int gate;
  while ((gate = __atomic_load_n(&t->gate, __ATOMIC_ACQUIRE)) ==
         GATE_PAUSED) {
    if (!t->held.present) {
      t->held.what = what;
      t->held.bytes = bytes;
      __atomic_store_n(&t->held.present, true, __ATOMIC_RELEASE);
    }
    __atomic_store_n(&t->inside, 0, __ATOMIC_SEQ_CST);
    sched_yield();
    __atomic_store_n(&t->inside, 1, __ATOMIC_SEQ_CST);
  }
  t->held.present = false;
  return gate == GATE_OPEN;
}

static inline void
count_object(struct thread_state *t, struct leaf *leaf, cl_index bytes)
{
  leaf->count++;
  leaf->bytes += bytes;
  t->count++;
  t->bytes += bytes;
}

/* Bytes of a type, and no object. */
static void
count_memory(struct thread_state *t, struct allocation *a)
{
  a->what &= ~(cl_index)ECL_ALLOCATED_RAW;
  leaf_lookup(t, a, 0)->bytes += a->bytes;
  t->bytes += a->bytes;
  hook_count_request(t, a->bytes);
}

static void
count_anew(struct thread_state *t, struct allocation *a, const void *object)
{
  struct leaf *leaf;
  if (classify_is_memory_of_type(a->what)) {
    count_memory(t, a);
    return;
  }
  leaf = leaf_lookup_to_keep(t, a);
  count_object(t, leaf, a->bytes);
  if (!hook_leaf_tells_requests(t, leaf))
    hook_count_requests(t, a->what, a->bytes);
  if (!a->whole)
    object_body_header(t, object, leaf, a->bytes);
}

static void *count(struct thread_state *t, uintptr_t frame, cl_index kind,
                   void *object, cl_object clas);

/* What is not known from before.
 *
 * After a throw the top marks may be those of frames that were left; without
 * them the case may be a known one.  (Catch and throw with a cons on either
 * side: 1.81 times the instructions of the unpatched ECL without this, 1.20
 * with it.) */
static __attribute__((noinline)) void *
allocated_anew(struct thread_state *t, uintptr_t frame, cl_index kind,
               void *object, cl_object clas)
{
  struct allocation a = leaf_lookup_allocation(frame, kind, clas);
  if (hook_gate_is_open(t) && !t->stale && t->markers_allowed &&
      leaf_lookup_drop_dead(t, frame))
    return count(t, frame, kind, object, clas);
  if (hook_enter(t, a.what, a.bytes))
    count_anew(t, &a, object);
  hook_leave(t);
  return object;
}

/* All known: the last thing to do. */
static inline void *
count_known(struct thread_state *t, struct leaf *leaf, bool body,
            cl_index kind, void *object)
{
  count_object(t, leaf, kind >> ECL_ALLOCATED_BYTES_SHIFT);
  if (body)
    object_body_header(t, object, leaf, kind >> ECL_ALLOCATED_BYTES_SHIFT);
  hook_leave(t);
  return object;
}

static inline bool
has_top_mark(const struct thread_state *t, uintptr_t frame)
{
  return marker_stack_top_is(&t->markers, frame_return_slot(frame));
}

/* The leaf, known or to be known; NULL when it cannot be. */
static inline const struct known_leaf *
find_leaf(struct thread_state *t, uintptr_t site, uint32_t up, cl_index kind,
          cl_object clas)
{
  const struct known_leaf *l =
      known_leaf_find(t->known_leaves, site, up, kind, clas);
  return __builtin_expect(l != NULL, 1)
             ? l
             : leaf_lookup_in_context(t, site, up, kind, clas);
}

/* The allocating function's frame has the top mark. */
static inline __attribute__((always_inline)) void *
count_in_marked_frame(struct thread_state *t, uintptr_t frame, cl_index kind,
                      void *object, cl_object clas)
{
  const struct known_leaf *l;
  if (!hook_gate_is_open(t) ||
      (l = find_leaf(t, *frame_return_slot(frame), t->markers.top->up, kind,
                     clas)) == NULL)
    return allocated_anew(t, frame, kind, object, clas);
  if (l->then == LEAF_UNMARK)
    marker_stack_pop(&t->markers);
  return count_known(t, l->leaf, l->then == LEAF_BODY, kind, object);
}

/* Have what was read from memory read again: the compiler would keep it in
 * registers, which would have to be saved.  (allocated_in_new_frame: five of
 * them without this, one with it.) */
static inline void
read_again(void)
{
  __atomic_signal_fence(__ATOMIC_SEQ_CST);
}

/* Where the walk from `caller', whose frame is near, may be. */
static inline struct known_walk *
place_of_walk(struct thread_state *t, uintptr_t frame, uintptr_t caller)
{
  struct known_walk *w = known_walk_place(
      t->known_walks, &t->markers, *frame_return_slot(frame), caller);
  read_again();
  return w;
}

/* The allocating function was called again, and perhaps its callers.  `w':
 * place_of_walk. */
static inline __attribute__((always_inline)) void *
count_in_new_frames(struct thread_state *t, uintptr_t frame, cl_index kind,
                    void *object, cl_object clas, struct known_walk *w)
{
  const uintptr_t caller = frame_caller(frame);
  uintptr_t *slots[KNOWN_FRAMES], differs;
  struct leaf *leaf;
  bool body = false;

  if (!known_walk_begins(w, &t->markers, frame)) {
    w = known_walk_other_way(w);
    if (!known_walk_begins(w, &t->markers, frame))
      return allocated_anew(t, frame, kind, object, clas);
  }
  if (!known_walk_leads(w, &t->markers, caller, slots, &differs)) {
    w = known_walk_second_place(t->known_walks, w, differs);
    if (!known_walk_begins(w, &t->markers, frame) ||
        !known_walk_leads(w, &t->markers, caller, slots, &differs))
      return allocated_anew(t, frame, kind, object, clas);
  }
  leaf = w->leaf;
  if (w->kind != kind) {
    const struct known_leaf *l =
        find_leaf(t, w->site, w->frame[0].up, kind, clas);
    if (l == NULL)
      return allocated_anew(t, frame, kind, object, clas);
    leaf = l->leaf;
    body = l->then == LEAF_BODY;
    if (!body && (kind & 0xFF) != t_instance) {
      w->kind = kind;
      w->leaf = leaf;
    }
  }
  if (!marker_stack_has_room(&t->markers))
    return allocated_anew(t, frame, kind, object, clas);
  if (known_walk_repeat(w, &t->markers, &t->paths, slots))
    leaf->activations += w->fresh;
  if (w->frame[0].mark)
    marker_stack_put(&t->markers, slots[0], w->frame[0].up);
  if (w->tells)
    thread_state_tell(t, slots[0], w->frame[0].up);
  return count_known(t, leaf, body, kind, object);
}

/* Any case. */
static void *
count(struct thread_state *t, uintptr_t frame, cl_index kind, void *object,
      cl_object clas)
{
  if (has_top_mark(t, frame_caller(frame)))
    return count_in_marked_frame(t, frame, kind, object, clas);
  if (!known_walk_is_near(frame, frame_caller(frame)) ||
      !hook_gate_is_open(t))
    return allocated_anew(t, frame, kind, object, clas);
  return count_in_new_frames(t, frame, kind, object, clas,
                             place_of_walk(t, frame, frame_caller(frame)));
}

static void *
instance_allocated(struct ecl_allocation_hooks *self, void *frame,
                   cl_index kind, void *object, cl_object clas)
{
  return count((struct thread_state *)self, (uintptr_t)frame, kind, object,
               clas);
}

static __attribute__((noinline)) void *
allocated_in_marked_frame(struct thread_state *t, uintptr_t frame,
                          cl_index kind, void *object)
{
  return count_in_marked_frame(t, frame, kind, object, OBJNULL);
}

static __attribute__((noinline)) void *
allocated_in_new_frames(struct thread_state *t, uintptr_t frame,
                        cl_index kind, void *object, struct known_walk *w)
{
  return count_in_new_frames(t, frame, kind, object, OBJNULL, w);
}

/* The walk `w' has led here, and the object is of the same kind: the last
 * thing to do. */
static inline void *
count_repeated(struct thread_state *t, struct known_walk *w, uintptr_t caller,
               cl_index kind, void *object)
{
  if (w->frame[0].mark)
    marker_stack_put(&t->markers, frame_return_slot(caller),
                     w->frame[0].up);
  if (w->tells)
    thread_state_tell(t, frame_return_slot(caller), w->frame[0].up);
  w->leaf->activations++;
  return count_known(t, w->leaf, false, kind, object);
}

/* Two frames: functions of the runtime that compute with numbers were called
 * again, and ask for the result in one that they call.  (boxed-floats: 361
 * instructions for an allocation without this way, 338 with it.) */
static __attribute__((noinline)) void *
allocated_in_two_frames(struct thread_state *t, uintptr_t frame,
                        cl_index kind, void *object)
{
  const uintptr_t caller = frame_caller(frame), outer = frame_caller(caller);
  struct known_walk *w = place_of_walk(t, frame, caller);
  if (!known_walk_begins(w, &t->markers, frame) ||
      w->plain_frames != 2 || w->kind != kind ||
      t->markers.top->path != 0 ||
      *frame_return_slot(outer) != w->frame[1].return_address ||
      !has_top_mark(t, frame_caller(outer)) ||
      !marker_stack_has_room(&t->markers))
    return allocated_in_new_frames(t, frame, kind, object, w);
  read_again();
  if (w->unmark)
    marker_stack_pop(&t->markers);
  ++*w->frame[1].activations;
  if (w->frame[1].mark)
    marker_stack_put(&t->markers, frame_return_slot(outer), w->frame[1].up);
  return count_repeated(t, w, caller, kind, object);
}

/* The function has just made an object, and goes on.  (Lists of several conses
 * are made like this.) */
static inline bool
is_told(const struct thread_state *t, uintptr_t frame)
{
  return t->told.slot == frame_return_slot(frame) &&
         t->told.count == t->count;
}

static __attribute__((noinline)) void *
allocated_in_told_frame(struct thread_state *t, uintptr_t frame,
                        cl_index kind, void *object)
{
  const struct known_leaf *l = known_leaf_find(
      t->known_leaves, *frame_return_slot(frame), t->told.up, kind, OBJNULL);
  if (l == NULL || !l->after || l->then == LEAF_BODY)
    return allocated_in_new_frames(
        t, frame, kind, object,
        place_of_walk(t, frame, frame_caller(frame)));
  t->told.count++;
  return count_known(t, l->leaf, false, kind, object);
}

/* One frame: a function was called again. */
static __attribute__((noinline)) void *
allocated_in_new_frame(struct thread_state *t, uintptr_t frame, cl_index kind,
                       void *object)
{
  const uintptr_t caller = frame_caller(frame);
  struct known_walk *w;
  if (!known_walk_is_near(frame, caller) || !hook_gate_is_open(t))
    return allocated_anew(t, frame, kind, object, OBJNULL);
  if (is_told(t, caller))
    return allocated_in_told_frame(t, frame, kind, object);
  if (!has_top_mark(t, frame_caller(caller)))
    return allocated_in_two_frames(t, frame, kind, object);
  w = place_of_walk(t, frame, caller);
  if (!known_walk_begins(w, &t->markers, frame) ||
      w->plain_frames != 1 || w->kind != kind ||
      t->markers.top->path != 0 ||
      !marker_stack_has_room(&t->markers))
    return allocated_in_new_frames(t, frame, kind, object, w);
  read_again();
  if (w->unmark)
    marker_stack_pop(&t->markers);
  return count_repeated(t, w, caller, kind, object);
}

/* The hook.  All but the commonest case is in functions of its own, to which
 * this jumps, so that it saves no registers. */
static void *
allocated(struct ecl_allocation_hooks *self, void *allocator_frame,
          cl_index kind, void *object)
{
  struct thread_state *t = (struct thread_state *)self;
  const uintptr_t frame = (uintptr_t)allocator_frame;
  const struct known_leaf *l;

  if (!has_top_mark(t, frame_caller(frame)))
    return allocated_in_new_frame(t, frame, kind, object);
  l = known_leaf_place(t->known_leaves, *frame_return_slot(frame),
                       t->markers.top->up);
  if (!hook_gate_is_open(t) ||
      !known_leaf_is(l, *frame_return_slot(frame), t->markers.top->up, kind))
    return allocated_in_marked_frame(t, frame, kind, object);
  if (l->then != LEAF_NOTHING) {
    if (l->then != LEAF_UNMARK)
      return allocated_in_marked_frame(t, frame, kind, object);
    marker_stack_pop(&t->markers);
  }
  return count_known(t, l->leaf, false, kind, object);
}

/* The collector counts its own records like what it gives out. */
static void
collector_record(struct ecl_allocation_hooks *self, cl_index bytes)
{
  struct thread_state *t = (struct thread_state *)self;
  if (hook_enter(t, 0, bytes))
    t->records[bytes == ECL_WEAK_LINK_RECORD_BYTES]++;
  hook_leave(t);
}

/* Dead marks are found by the next walk or by the trampoline, so a jump costs
 * nothing.  Only when the whole stack is about to be unwound by its return
 * addresses must these be the real ones. */
static void
non_local_exit(struct ecl_allocation_hooks *self,
               struct ecl_frame *destination)
{
  struct thread_state *t = (struct thread_state *)self;
  if (destination == NULL)
    marker_stack_restore(&t->markers);
}

void
hook_init(struct ecl_allocation_hooks *hooks)
{
  hooks->allocated = allocated;
  hooks->instance_allocated = instance_allocated;
  hooks->body = object_body;
  hooks->collector_record = collector_record;
  hooks->non_local_exit = non_local_exit;
}
