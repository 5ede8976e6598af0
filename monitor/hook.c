/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * hook.c -- count one allocation.
 *
 * The known case first: where the allocation comes from, what it is of, and
 * the frames up to the first mark are those of an earlier one (known_walk.h).
 * Then the leaf is known: a few compares and four additions.
 *
 * Some memory serves objects of a type but is the body of none that the
 * allocator could name (the stacks of a thread, the workspace of bignums).
 * It adds bytes to that type and counts no object.  Bodies of objects:
 * object_body.c.
 */
#include "hook.h"

#include <sched.h>

#include "classify.h"
#include "hook_internal.h"
#include "leaf_lookup.h"
#include "object_body.h"

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

/* The object of a known walk, which was made again.  The last thing to do. */
static inline void
count_repeated(struct thread_state *t, const struct known_walk *w,
               const void *object, cl_index bytes)
{
  count_object(t, w->leaf, bytes);
  if (!w->whole)
    object_body_header(t, object, w->leaf, bytes);
  hook_leave(t);
}

/* Bytes of a type, and no object. */
static void
count_memory(struct thread_state *t, struct allocation *a)
{
  struct known_walk walk;
  a->what &= ~(cl_index)ECL_ALLOCATED_RAW;
  leaf_lookup(t, a, 0, &walk)->bytes += a->bytes;
  t->bytes += a->bytes;
  hook_count_request(t, a->bytes);
}

/* What the I-th frame of a walk returns to. */
static uintptr_t
returns_to(const struct known_walk *walk, size_t i)
{
  return i < walk->frames ? walk->frame[i].return_address
                          : (uintptr_t)mprof_return_trampoline;
}

static bool
is_free_for(const struct known_walk *place, const struct known_walk *walk)
{
  return place->site == 0 ||
         (place->site == walk->site && place->outer_up == walk->outer_up);
}

/* Put a walk into the table.  When another from the same site is in its place,
 * that one stays, so that both are found.  (pi-digits, where functions share
 * the arithmetic on bignums: 2.44 times the instructions of the unpatched ECL
 * without the second place, 1.63 with it and with repeat_for_other_kind.) */
static void
remember_walk(struct thread_state *t, const struct allocation *a,
              struct known_walk *walk)
{
  struct known_walk *place = &t->known[known_walk_index(
      walk->site, returns_to(walk, 0), walk->outer_up)];
  size_t i = 0;
  walk->what = a->what;
  walk->bytes = a->bytes;
  walk->clas = a->clas;
  if (!is_free_for(place, walk) &&
      (is_free_for(known_walk_other_way(place), walk) || t->count % 2 == 0))
    place = known_walk_other_way(place);
  if (place->site == walk->site && place->outer_up == walk->outer_up) {
    while (i < walk->frames && i < place->frames &&
           returns_to(walk, i) == returns_to(place, i))
      i++;
    if (i < walk->frames || i < place->frames)
      place = known_walk_second(t->known, place, returns_to(walk, i));
  }
  *place = *walk;
}

static void allocated(struct ecl_allocation_hooks *self, void *frame,
                      cl_index what, cl_index bytes, void *object,
                      cl_object clas);

/* All but the cases that `allocated' knows.  On its own, so that those save no
 * registers.
 *
 * After a throw the top marks may be those of frames that were left; without
 * them the case may be a known one.  (Catch and throw with a cons on either
 * side: 1.81 times the instructions of the unpatched ECL without this, 1.20 with
 * it.) */
static __attribute__((noinline)) void
allocated_anew(struct thread_state *t, void *frame, cl_index what,
               cl_index bytes, void *object, cl_object clas)
{
  if (hook_gate_is_open(t) && !t->stale && t->markers_allowed &&
      leaf_lookup_drop_dead(t, (uintptr_t)frame)) {
    allocated(&t->hooks, frame, what, bytes, object, clas);
    return;
  }
  if (hook_enter(t, what, bytes)) {
    struct allocation a = { .frame = (uintptr_t)frame,
                            .what = what,
                            .bytes = bytes,
                            .clas = clas,
                            .whole = classify_is_whole(what, bytes) };
    struct known_walk walk;
    struct leaf *leaf;
    if (classify_is_memory_of_type(what)) {
      count_memory(t, &a);
    } else {
      leaf = leaf_lookup(t, &a, hook_leaf_size(bytes), &walk);
      count_object(t, leaf, bytes);
      if (bytes > LEAF_MAX_SIZE || hook_leaf_in_pieces(t, leaf))
        hook_count_requests(t, what, bytes);
      else if (walk.site != 0)
        remember_walk(t, &a, &walk);
      if (!a.whole)
        object_body_header(t, object, leaf, bytes);
    }
  }
  hook_leave(t);
}

/* Make the walk again, for an object of another type, size or class than the
 * last time (bignums, strings, instances): its leaf is another one, and so is
 * what counts the allocating function's activation.  False, with nothing
 * changed, when it is another walk. */
static bool
repeat_for_other_kind(struct thread_state *t, struct known_walk *w,
                      const void *frame, cl_index what, cl_index bytes,
                      const void *object, cl_object clas)
{
  struct leaf *before = w->leaf, *leaf;
  if (bytes > LEAF_MAX_SIZE || classify_is_memory_of_type(what) ||
      classify_is_whole(what, bytes) != w->whole ||
      !known_walk_repeat_any(w, &t->markers,
                             frame_caller((uintptr_t)frame)))
    return false;
  leaf = leaf_lookup_again(t, before, what, bytes, clas);
  if (w->frames > 0) {
    before->activations--;
    leaf->activations++;
  }
  count_object(t, leaf, bytes);
  if (hook_leaf_in_pieces(t, leaf)) {
    hook_count_requests(t, what, bytes);
  } else {
    w->what = what;
    w->bytes = bytes;
    w->clas = clas;
    w->leaf = leaf;
    w->frame[0].activations = &leaf->activations;
  }
  if (!w->whole)
    object_body_header(t, object, leaf, bytes);
  return true;
}

/* The walk is not the one in its place, though from the same site: look in the
 * other place.  All frames that this one has as well are plain ones, so that
 * the next can be read. */
static struct known_walk *
find_second(struct thread_state *t, uintptr_t frame)
{
  struct known_walk *w = t->found;
  for (size_t i = 0; i < w->frames; i++) {
    const uintptr_t *slot = frame_return_slot(frame);
    if (*slot != w->frame[i].return_address)
      return known_walk_second(t->known, w, *slot);
    frame = frame_caller(frame);
  }
  return w->outer_distance != 0
             ? w
             : known_walk_second(t->known, w, *frame_return_slot(frame));
}

static __attribute__((noinline)) void
allocated_elsewhere(struct thread_state *t, void *frame, cl_index what,
                    cl_index bytes, void *object, cl_object clas)
{
  struct known_walk *w = find_second(t, frame_caller((uintptr_t)frame));
  if (w == t->found || w->site != *frame_return_slot((uintptr_t)frame) ||
      w->outer_up != t->markers.top->up) {
    allocated_anew(t, frame, what, bytes, object, clas);
  } else if (w->bytes != bytes || w->what != what || w->clas != clas) {
    if (repeat_for_other_kind(t, w, frame, what, bytes, object, clas))
      hook_leave(t);
    else
      allocated_anew(t, frame, what, bytes, object, clas);
  } else if (known_walk_repeat_any(w, &t->markers,
                                   frame_caller((uintptr_t)frame))) {
    count_repeated(t, w, object, bytes);
  } else {
    allocated_anew(t, frame, what, bytes, object, clas);
  }
}

/* A function that allocates no more was called again. */
static __attribute__((noinline)) void
allocated_not_marking(struct thread_state *t, void *frame, cl_index what,
                      cl_index bytes, void *object, cl_object clas)
{
  const struct known_walk *w = t->found;
  if (known_walk_repeat(w, &t->markers, frame_caller((uintptr_t)frame))) {
    count_object(t, w->leaf, bytes);
    hook_leave(t);
  } else {
    allocated_elsewhere(t, frame, what, bytes, object, clas);
  }
}

/* A function that may allocate more was called again. */
static __attribute__((noinline)) void
allocated_marking(struct thread_state *t, void *frame, cl_index what,
                  cl_index bytes, void *object, cl_object clas)
{
  const struct known_walk *w = t->found;
  if (known_walk_repeat_any(w, &t->markers,
                            frame_caller((uintptr_t)frame))) {
    count_repeated(t, w, object, bytes);
  } else {
    allocated_elsewhere(t, frame, what, bytes, object, clas);
  }
}

static __attribute__((noinline)) void
allocated_other_kind(struct thread_state *t, void *frame, cl_index what,
                     cl_index bytes, void *object, cl_object clas)
{
  if (repeat_for_other_kind(t, t->found, frame, what, bytes, object, clas))
    hook_leave(t);
  else
    allocated_elsewhere(t, frame, what, bytes, object, clas);
}

/* The walk may be the other one of its pair. */
static __attribute__((noinline)) void
allocated_other_way(struct thread_state *t, void *frame, cl_index what,
                    cl_index bytes, void *object, cl_object clas)
{
  const struct known_walk *w = t->found;
  if (w->site != *frame_return_slot((uintptr_t)frame) ||
      w->outer_up != t->markers.top->up)
    allocated_anew(t, frame, what, bytes, object, clas);
  else if (w->bytes != bytes || w->what != what || w->clas != clas)
    allocated_other_kind(t, frame, what, bytes, object, clas);
  else
    allocated_marking(t, frame, what, bytes, object, clas);
}

/* Functions with larger frames are walked each time. */
enum { NEAR_BYTES = 4096 };

/* The hook.  All that is not the known case is in functions of its own, to
 * which this jumps, so that it saves no registers. */
static void
allocated(struct ecl_allocation_hooks *self, void *frame, cl_index what,
          cl_index bytes, void *object, cl_object clas)
{
  struct thread_state *t = (struct thread_state *)self;
  const uintptr_t caller = frame_caller((uintptr_t)frame);
  struct known_walk *w;
  const struct marker *mark;
  const uintptr_t *slot;

  /* Code without frame pointers may have anything in that register, so what it
   * points to is read only if it is near. */
  if (caller - (uintptr_t)frame >= NEAR_BYTES) {
    allocated_anew(t, frame, what, bytes, object, clas);
    return;
  }
  w = &t->known[known_walk_index(*frame_return_slot((uintptr_t)frame),
                                 *frame_return_slot(caller),
                                 t->markers.top->up)];
  if (!hook_gate_is_open(t)) {
    allocated_anew(t, frame, what, bytes, object, clas);
    return;
  }
  /* Read again: across the gate's fence the compiler would keep them in
   * registers, which would have to be saved. */
  mark = t->markers.top;
  slot = frame_return_slot(frame_caller((uintptr_t)frame));
  if (w->site != *frame_return_slot((uintptr_t)frame) ||
      w->outer_up != mark->up) {
    t->found = known_walk_other_way(w);
    allocated_other_way(t, frame, what, bytes, object, clas);
  } else if (w->bytes != bytes || w->what != what || w->clas != clas) {
    t->found = w;
    allocated_other_kind(t, frame, what, bytes, object, clas);
  } else if (w->how == WALK_MARKED_FRAME && slot == mark->slot &&
             marker_stack_is_marked(slot)) {
    if (w->unmark)
      marker_stack_pop(&t->markers);
    count_object(t, w->leaf, bytes);
    hook_leave(t);
  } else {
    t->found = w;
    if (w->how != WALK_MARKING)
      allocated_not_marking(t, frame, what, bytes, object, clas);
    else
      allocated_marking(t, frame, what, bytes, object, clas);
  }
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
  hooks->body = object_body;
  hooks->collector_record = collector_record;
  hooks->non_local_exit = non_local_exit;
}
