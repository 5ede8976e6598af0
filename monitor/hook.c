/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * hook.c -- count one allocation.
 *
 * The unchanged case first.  If the return slot of the allocating function's
 * frame holds the mark, the frame is the one that was there at the last
 * allocation (a CALL would have overwritten the slot).  If in addition the
 * call site, type, size and class are those of the last time, the leaf is
 * known: a few compares and three additions.
 *
 * Bodies.  An array's data or a hash table's entries come as a second event,
 * right after the header.  Both are one object: the count moves from the leaf
 * of the bare header to the leaf of the whole size.  A body that comes later
 * (a table grew) adds bytes to the object's type and counts no object.  So
 * does memory that serves objects of a type but is the body of none that the
 * allocator could name (the stacks of a thread, the workspace of bignums).
 */
#include "hook.h"

#include <errno.h>
#include <sched.h>

#include "code_index.h"
#include "stack_walk.h"

/* Two counters side by side are not worth a vector register. */
#pragma GCC optimize("no-tree-slp-vectorize")

#define COMPILER_BARRIER() __atomic_signal_fence(__ATOMIC_SEQ_CST)

static uint32_t
leaf_size(uint64_t bytes)
{
  return bytes <= LEAF_MAX_SIZE ? (uint32_t)bytes : LEAF_LARGE;
}

/* One request to the collector that its leaf does not tell, for the
 * reconciliation. */
static void
count_request(struct thread_state *t, cl_index bytes)
{
  cl_index granules = classify_granules(bytes);
  if (granules < CLASSIFY_GRANULES)
    t->granules[granules]++;
  else
    t->large_bytes += granules * CLASSIFY_GRANULE_BYTES;
}

/* The requests for one object, as the hook was told of it. */
static void
count_requests(struct thread_state *t, cl_index what, cl_index bytes)
{
  if ((what & ECL_ALLOCATED_SPLIT) != 0) {
    count_request(t, sizeof(struct ecl_instance));
    bytes -= sizeof(struct ecl_instance);
  }
  count_request(t, bytes);
}

/* May this allocation be counted?  When the gate is shut for a moment (code
 * is being unloaded, or the collector asked for its sum), wait: nothing is
 * lost.  Whoever has shut it may want to know what was taken. */
static bool
gate_slow(struct thread_state *t, cl_index what, cl_index bytes)
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

static inline bool
enter(struct thread_state *t, cl_index what, cl_index bytes)
{
  __atomic_store_n(&t->inside, 1, __ATOMIC_RELAXED);
  COMPILER_BARRIER();
  if (__builtin_expect(__atomic_load_n(&t->gate, __ATOMIC_RELAXED) ==
                           GATE_OPEN, 1))
    return true;
  return gate_slow(t, what, bytes);
}

static inline void
leave(struct thread_state *t)
{
  __atomic_store_n(&t->inside, 0, __ATOMIC_RELEASE);
}

/* A run has begun since this thread was last counted. */
static void
start_over(struct thread_state *t)
{
  marker_stack_restore(&t->markers);
  thread_state_forget_calls(t);
  thread_state_forget_objects(t);
  t->stale = false;
}

/* The context of a call at `site' in a function called from `parent', which is
 * `distance' frames away from the allocation. */
static inline const struct known_call *
call_context(struct thread_state *t, size_t distance, uint32_t parent,
             uint64_t site)
{
  struct known_call *call = &t->calls[distance];
  if (call->site != site || call->parent != parent) {
    call->parent = parent;
    call->site = site;
    call->number = context_tree_child(&t->tree, parent, site);
    call->target = t->tree.contexts[call->number].target;
  }
  return call;
}

static void
remember_call(struct thread_state *t, uintptr_t frame, uintptr_t outer,
              uint32_t outer_up)
{
  struct repeated_call *r = &t->repeat;
  uintptr_t caller = frame_caller(frame);
  r->frame = frame;
  r->links[0] = caller;
  r->links[1] = *frame_return_slot(frame);
  r->dispatched = caller != outer;
  r->links[2] = frame_caller(caller);
  r->links[3] = *frame_return_slot(caller);
  r->outer = frame_return_slot(outer);
  r->outer_up = outer_up;
}

/* Is this again the call that the last short walk has met?  Then mark it. */
static inline bool
is_repeated_call(struct thread_state *t, uintptr_t frame)
{
  const struct repeated_call *r = &t->repeat;
  uintptr_t *slot = frame_return_slot(frame);
  if (frame != r->frame || frame_caller(frame) != r->links[0] ||
      *slot != r->links[1])
    return false;
  if (r->dispatched && (frame_caller(r->links[0]) != r->links[2] ||
                        *frame_return_slot(r->links[0]) != r->links[3]))
    return false;
  if (t->markers.top->slot != r->outer ||
      t->markers.top->up != r->outer_up || !marker_stack_is_marked(r->outer))
    return false;
  return marker_stack_push(&t->markers, slot, r->up);
}

/* The walk for the commonest case: a few new frames, all with frame pointers,
 * below a marked one.  Gives back false, with nothing changed, when it is
 * something else.  (Ten million calls through a symbol, one cons in each: 1.6 s
 * with stack_walk alone, 0.76 s with this and with CODE_DISPATCH.) */
static inline bool
short_walk(struct thread_state *t, uintptr_t frame, struct walk_result *r)
{
  uintptr_t *slots[SHORT_WALK], f = frame_caller(frame), caller;
  uint64_t sites[SHORT_WALK];
  size_t n = 0;
  uint32_t up;

  r->site = *frame_return_slot(frame);
  if (code_index_kind(r->site) != CODE_FRAME_POINTER)
    return false;
  while (!marker_stack_is_marked(frame_return_slot(f))) {
    enum code_kind kind;
    if (n == SHORT_WALK)
      return false;
    slots[n] = frame_return_slot(f);
    sites[n] = *slots[n];
    kind = code_index_kind(sites[n]);
    caller = frame_caller(f);
    if (caller <= f || caller >= t->stack_base)
      return false;
    if (kind == CODE_DISPATCH) {
      f = caller;
      sites[n] = *frame_return_slot(f);
      kind = code_index_kind(sites[n]);
      caller = frame_caller(f);
      if (caller <= f || caller >= t->stack_base)
        return false;
    }
    if (kind != CODE_FRAME_POINTER)
      return false;
    f = caller;
    n++;
  }
  if (t->markers.limit - t->markers.top <= SHORT_WALK)
    return false;
  up = marker_stack_find(&t->markers, frame_return_slot(f))->up;
  if (n == 1)
    remember_call(t, frame_caller(frame), f, up);
  r->activation = n > 0;
  r->slot = n > 0 ? slots[0] : frame_return_slot(f);
  for (size_t i = n; i-- > 0;) {
    const struct known_call *call = call_context(t, i, up, sites[i]);
    if (i + 1 < n) /* the frame that made this call is new */
      t->tree.contexts[call->number].activations++;
    up = call->target;
    marker_stack_push(&t->markers, slots[i], up);
  }
  if (n == 1)
    t->repeat.up = up;
  r->up = up;
  return true;
}

/* An allocator that ran out of memory calls Lisp handlers, which may allocate
 * and then let it go on: a walk has met and marked its frame, and those of the
 * allocators below it, like any other.  Now that frame is about to report its
 * own allocation: give them all back their return addresses. */
static void
unmark_allocator(struct thread_state *t, uintptr_t frame)
{
  uintptr_t *slot = frame_return_slot(frame);
  if (marker_stack_is_marked(slot))
    marker_stack_restore_to(&t->markers, slot);
}

/* The leaf of an allocation that is not like the last one. */
static __attribute__((noinline)) struct leaf *
find_leaf(struct thread_state *t, uintptr_t frame, cl_index what,
          uint32_t size, cl_object clas)
{
  int saved_errno = errno;
  struct walk_result r;
  struct leaf *leaf;
  if (t->stale)
    start_over(t);
  mprof_markers = &t->markers;
  unmark_allocator(t, frame);
  if (!t->markers_allowed || !short_walk(t, frame, &r))
    r = stack_walk(t, frame);
  leaf = context_tree_leaf(&t->tree, r.up, r.site, (uint32_t)what, size,
                           (uint64_t)(uintptr_t)clas);
  if (leaf->count == 0 && clas != OBJNULL)
    code_index_keep(clas);
  if (r.activation)
    leaf->activations++;
  t->last_slot = r.slot;
  errno = saved_errno;
  return leaf;
}

static inline void
count_object(struct thread_state *t, struct leaf *leaf, cl_index bytes,
             void *object)
{
  leaf->count++;
  leaf->bytes += bytes;
  t->count++;
  t->bytes += bytes;
  t->last = (struct counted_object){ object, leaf, bytes };
}

/* The last header waits for its body, if it is of a type whose body is a second
 * event and that event has not come. */
static void
let_header_wait(struct thread_state *t)
{
  uint32_t what;
  if (t->last.object == NULL)
    return;
  what = context_tree_kind(&t->tree, t->last.leaf)->what;
  if ((what & LEAF_PIECES) != 0)
    return;
  switch (what & 0xFFFF) { /* type, and no element type */
  case t_array:
  case t_vector:
  case t_bitvector:
  case t_base_string:
#ifdef ECL_UNICODE
  case t_string:
#endif
  case t_hashtable:
    t->waiting[t->waiting_next++ % WAITING_HEADERS] = t->last;
    break;
  default:
    break;
  }
}

/* The counted header of `owner', when the function that made it, or one that
 * this called (two at most stand between), now makes a body in context `up'.
 * NULL: the body is not the first. */
static struct counted_object *
waiting_header(struct thread_state *t, const void *owner, uint32_t up)
{
  for (unsigned i = 1; i <= WAITING_HEADERS; i++) {
    struct counted_object *c =
        &t->waiting[(t->waiting_next - i) % WAITING_HEADERS];
    uint32_t outer = up;
    if (c->object != owner)
      continue;
    for (int calls = 0; calls < 4; calls++) {
      if (outer == c->leaf->up)
        return c;
      outer = t->tree.contexts[outer].parent;
    }
  }
  return NULL;
}

/* Bytes of a type, and no object. */
static void
count_memory(struct thread_state *t, void *frame, cl_index what,
             cl_index bytes, cl_object clas)
{
  find_leaf(t, (uintptr_t)frame, what, 0, clas)->bytes += bytes;
  t->bytes += bytes;
  count_request(t, bytes);
  t->last_slot = NULL; /* last_leaf is not of this call */
}

static bool
leaf_in_pieces(const struct thread_state *t, const struct leaf *leaf)
{
  return (context_tree_kind(&t->tree, leaf)->what & LEAF_PIECES) != 0;
}

/* All but the two cases that `allocated' knows.  On its own, so that those
 * save no registers: 43 instructions for a cons in a loop, 57 before. */
static __attribute__((noinline)) void
allocated_anew(struct thread_state *t, void *frame, cl_index what,
               cl_index bytes, void *object, cl_object clas)
{
  if (enter(t, what, bytes)) {
    struct leaf *leaf;
    if (classify_is_memory_of_type(what)) {
      count_memory(t, frame, what & ~(cl_index)ECL_ALLOCATED_RAW, bytes,
                   clas);
      leave(t);
      return;
    }
    leaf = find_leaf(t, (uintptr_t)frame, what, leaf_size(bytes), clas);
    let_header_wait(t);
    t->last_site = *frame_return_slot((uintptr_t)frame);
    t->last_what = what;
    t->last_bytes = bytes;
    t->last_class = clas;
    t->last_leaf = leaf;
    if (bytes > LEAF_MAX_SIZE || leaf_in_pieces(t, leaf)) {
      count_requests(t, what, bytes);
      t->last_slot = NULL; /* the fast path does not count requests */
    }
    count_object(t, leaf, bytes, object);
  }
  leave(t);
}

static void
allocated(struct ecl_allocation_hooks *self, void *frame, cl_index what,
          cl_index bytes, void *object, cl_object clas)
{
  struct thread_state *t = (struct thread_state *)self;
  uintptr_t caller = frame_caller((uintptr_t)frame);
  uintptr_t *slot = frame_return_slot(caller);
  struct leaf *leaf = t->last_leaf;

  __atomic_store_n(&t->inside, 1, __ATOMIC_RELAXED);
  COMPILER_BARRIER();
  if (__atomic_load_n(&t->gate, __ATOMIC_RELAXED) == GATE_OPEN &&
      slot == t->last_slot &&
      *frame_return_slot((uintptr_t)frame) == t->last_site &&
      bytes == t->last_bytes && what == t->last_what &&
      clas == t->last_class) {
    if (marker_stack_is_marked(slot)) {
      count_object(t, leaf, bytes, object);
      leave(t);
      return;
    }
    if (leaf->up == t->repeat.up && is_repeated_call(t, caller)) {
      leaf->activations++;
      count_object(t, leaf, bytes, object);
      leave(t);
      return;
    }
  }
  allocated_anew(t, frame, what, bytes, object, clas);
}

/* What the owner of a body is: its type, and the kind of an array or a stream,
 * which its header now has. */
static cl_index
owner_what(cl_object owner)
{
  cl_index what = (cl_index)owner->d.t;
  if (what == t_array || what == t_vector) {
    what |= ECL_ALLOCATED_ELTTYPE(owner->vector.elttype);
    if ((owner->vector.flags &
         (ECL_FLAG_ADJUSTABLE | ECL_FLAG_HAS_FILL_POINTER)) != 0)
      what |= ECL_ALLOCATED_NOT_SIMPLE;
  } else if (what == t_stream) {
    what |= ECL_ALLOCATED_SMMODE(owner->stream.mode);
  }
  return what;
}

/* Header and body are one object: move it from the leaf of the bare header to
 * the leaf of the whole. */
static void
join_body(struct thread_state *t, struct counted_object *header, cl_index what,
          cl_index bytes)
{
  struct leaf *head = header->leaf, *whole;
  const struct kind *kind = context_tree_kind(&t->tree, head);
  uint64_t total = header->bytes + bytes;
  what |= kind->what & ECL_ALLOCATED_NOT_SIMPLE; /* will be displaced */
  if ((kind->what & LEAF_PIECES) == 0 && kind->size != LEAF_LARGE)
    count_requests(t, kind->what, header->bytes);
  whole = context_tree_leaf(&t->tree, head->up, head->site,
                            (uint32_t)what | LEAF_PIECES, leaf_size(total),
                            kind->clas);
  head->count--;
  head->bytes -= header->bytes;
  whole->count++;
  whole->bytes += total;
  header->leaf = whole;
  header->bytes = total;
}

static void
body(struct ecl_allocation_hooks *self, void *frame, cl_object owner,
     cl_index bytes)
{
  struct thread_state *t = (struct thread_state *)self;
  cl_index what = owner_what(owner);

  if (enter(t, 0, bytes)) {
    t->bytes += bytes;
    count_request(t, bytes);
    if (owner == t->last.object && !t->stale) {
      join_body(t, &t->last, what, bytes);
    } else {
      cl_object clas =
          owner->d.t == t_instance ? ECL_CLASS_OF(owner) : OBJNULL;
      struct leaf *grown = find_leaf(t, (uintptr_t)frame, what, 0, clas);
      struct counted_object *header = waiting_header(t, owner, grown->up);
      if (header != NULL) {
        join_body(t, header, what, bytes);
        header->object = NULL;
      } else {
        grown->bytes += bytes;
      }
      t->last_slot = NULL; /* last_leaf is not of this call */
    }
  }
  leave(t);
}

/* The collector counts its own records like what it gives out. */
static void
collector_record(struct ecl_allocation_hooks *self, cl_index bytes)
{
  struct thread_state *t = (struct thread_state *)self;
  if (enter(t, 0, bytes))
    t->records[bytes == ECL_WEAK_LINK_RECORD_BYTES]++;
  leave(t);
}

/* Dead marks are found by the next walk or by the trampoline, so a jump costs
 * nothing.  Only when the whole stack is about to be unwound by its return
 * addresses must these be the real ones. */
static void
non_local_exit(struct ecl_allocation_hooks *self,
               struct ecl_frame *destination)
{
  struct thread_state *t = (struct thread_state *)self;
  if (destination == NULL) {
    marker_stack_restore(&t->markers);
    t->last_slot = NULL;
  }
}

void
hook_init(struct ecl_allocation_hooks *hooks)
{
  hooks->allocated = allocated;
  hooks->body = body;
  hooks->collector_record = collector_record;
  hooks->non_local_exit = non_local_exit;
}
