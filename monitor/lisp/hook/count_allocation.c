/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * count_allocation.c -- counts one allocation.
 *
 * The unchanged case first: the frame word of the allocating function holds
 * what it held when an object of this kind was last made at this place.  Then
 * it is a few compares and four additions.  Nearly as short is the case of a
 * function that was called again, from a frame that is known, or in a frame
 * that is known in another context (last_objects.h).  Else the stack is
 * compared with walks that are kept (kept_walks.h).  If it is like none of
 * them, it is walked (stack_walk.h).
 *
 * Some memory serves objects of a type but is the body of none that the
 * allocator could name (the stacks of a thread, the workspace of bignums).
 * It adds bytes to that type and counts no object.  Bodies of objects:
 * object_body.c. */
#include <errno.h>
#include <fcntl.h>
#include <unistd.h>

#include "arch/arch.h"
#include "image/spin_lock.h"
#include "lisp/hook/hook.h"
#include "lisp/names/kept_objects.h"

#ifndef __clang__
/* Two counters side by side are not worth a vector register. */
#pragma GCC optimize("no-tree-slp-vectorize")
/* No function here is ever in a chain: it needs no frame of its own. */
#pragma GCC optimize("omit-frame-pointer", "optimize-sibling-calls")
#endif

/* ---- the gate ---- */

/* Waits while the gate is shut for a moment (code is being unloaded, or the
 * collector asked for its sum), so that nothing is lost.  Leaves word of what
 * was taken, for whoever has shut it. */
bool
hook_wait_at_gate(struct thread_state *t, cl_index what, cl_index bytes)
{
  unsigned looks = 0;
  int gate;
  while ((gate = __atomic_load_n(&t->gate, __ATOMIC_ACQUIRE)) ==
         GATE_PAUSED) {
    if (!t->held.present) {
      t->held.what = what;
      t->held.bytes = bytes;
      __atomic_store_n(&t->held.present, true, __ATOMIC_RELEASE);
    }
    __atomic_store_n(&t->inside, 0, __ATOMIC_SEQ_CST);
    wait_a_little(looks++);
    __atomic_store_n(&t->inside, 1, __ATOMIC_SEQ_CST);
  }
  t->held.present = false;
  return gate == GATE_OPEN;
}

/* ---- leaves ---- */

/* Finds the leaf when the step to it is not known. */
static __attribute__((noinline)) struct leaf *
find_leaf(struct thread_state *t, uintptr_t frame, struct innermost_frame f,
          uint32_t kind_number)
{
  const int saved_errno = errno;
  const uint64_t place = stack_walk_place(&t->walk, &t->tree, frame, f);
  struct leaf *const leaf =
      context_tree_find_leaf(&t->tree, f.up, place, kind_number);
  const uint64_t class = t->tree.kinds[leaf->kind].clas;
  if (f.call != NO_CALL && leaf != &t->tree.leaves[LEAF_OVERFLOW])
    step_table_add(&t->walk.steps,
                   (struct step){.key = (uint64_t)f.up << 32 | f.call | 1,
                                 .number = (uint32_t)(leaf - t->tree.leaves),
                                 .more = leaf->kind});
  if (leaf->count == 0 && class != 0)
    kept_objects_add((cl_object)(uintptr_t)class);
  errno = saved_errno;
  return leaf;
}

/* Returns the leaf of objects of that kind which are made in that frame. */
static inline struct leaf *
leaf_in(struct thread_state *t, uintptr_t frame, struct innermost_frame f,
        uint32_t kind_number)
{
  const uint64_t key = (uint64_t)f.up << 32 | f.call | 1;
  const struct step *const step =
      step_table_place(&t->walk.steps, key, kind_number);
  struct leaf *const leaf = step->key == key && step->more == kind_number
                                ? &t->tree.leaves[step->number]
                                : find_leaf(t, frame, f, kind_number);
  leaf->activations += f.fresh;
  return leaf;
}

/* Returns the number of the kind, in the region where the thread is. */
static uint32_t
kind_number_of(struct thread_state *t, cl_index what, uint32_t size,
               cl_object class)
{
  return context_tree_kind_number(
      &t->tree, &(struct kind){.clas = (uint64_t)(uintptr_t)class,
                               .what = (uint32_t)what,
                               .size = (uint16_t)size,
                               .region = (uint16_t)t->regions.region});
}

struct leaf *
hook_leaf_here(struct thread_state *t, uintptr_t frame, cl_index what,
               uint32_t size, cl_object class)
{
  const struct innermost_frame f = stack_walk(&t->walk, &t->tree, frame);
  return leaf_in(t, frame, f, kind_number_of(t, what, size, class));
}

/* ---- counting ---- */

static inline void
add(struct thread_state *t, struct leaf *leaf, cl_index bytes)
{
  leaf->count++;
  leaf->bytes += bytes;
  t->count++;
  t->bytes += bytes;
}

/* Counts an object that may be followed, have a body or be in pieces. */
static __attribute__((noinline)) void *
count_carefully(struct thread_state *t, struct leaf *leaf, cl_index kind,
                void *object)
{
  const cl_index what = allocation_what(kind), bytes = allocation_bytes(kind);
  add(t, leaf, bytes);
  allocation_follow(t, leaf, object, bytes, LIVE_OBJECT);
  if (!requests_told_by(context_tree_kind(&t->tree, leaf)))
    requests_add_objects(&t->requests, what, bytes, 1);
  if (!classify_is_whole(what, bytes))
    object_body_header(t, object, leaf, bytes);
  hook_leave(t);
  return object;
}

/* Counts the object at the leaf; `careful' unless it is known to be none of
 * the exceptions. */
static inline void *
count(struct thread_state *t, struct leaf *leaf, cl_index kind, void *object,
      bool careful)
{
  if (__builtin_expect(careful, 0))
    return count_carefully(t, leaf, kind, object);
  add(t, leaf, allocation_bytes(kind));
  hook_leave(t);
  return object;
}

/* Counts bytes of a type, and no object. */
static __attribute__((noinline)) void *
count_memory(struct thread_state *t, uintptr_t frame, cl_index kind,
             void *memory)
{
  const cl_index what = allocation_what(kind), bytes = allocation_bytes(kind);
  struct leaf *const leaf = hook_leaf_here(t, frame, what & 0xFF, 0, OBJNULL);
  leaf->bytes += bytes;
  t->bytes += bytes;
  requests_add_objects(&t->requests, what, bytes, 1);
  allocation_follow(t, leaf, memory, bytes,
                    (what & ECL_ALLOCATED_MALLOC) != 0 ? LIVE_MALLOC
                                                       : LIVE_BODY);
  hook_leave(t);
  return memory;
}

/* Returns whether MADE is of such an object. */
static inline bool
is_made_again(const struct thread_state *t, const struct made *made,
              cl_index kind, cl_object class)
{
  return made->kind == kind && made->class == class &&
         made->era == t->last_objects.era;
}

/* Remembers in MADE the object made in that frame, and finds its leaf. */
static inline void
remember(struct thread_state *t, uintptr_t frame, struct innermost_frame f,
         cl_index kind, cl_object class, struct made *made)
{
  uint32_t number;
  if (is_made_again(t, made, kind, class)) {
    number = made->leaf->kind;
  } else {
    const cl_index what = allocation_what(kind),
                   bytes = allocation_bytes(kind);
    number = kind_number_of(t, what, leaf_size(bytes), class);
    made->kind = kind;
    made->class = class;
    made->era = t->last_objects.era & INT32_MAX;
    made->careful = live_table_is_open(&t->live) ||
                    !requests_told_by(&t->tree.kinds[number]) ||
                    !classify_is_whole(what, bytes);
  }
  made->call = f.call;
  made->leaf = leaf_in(t, frame, f, number);
  /* of no object: there may be memory for the next, the leaf is below another
     context when that is over the budget, and a call without a number is the
     same as no other */
  if (made->leaf == &t->tree.leaves[LEAF_OVERFLOW] ||
      made->leaf->up != f.up || f.call == NO_CALL) {
    made->careful = true;
    made->kind = 0;
  }
}

/* Counts an object that came on that walk, and is like none that it
 * remembers. */
static __attribute__((noinline)) void *
count_other_kind(struct thread_state *t, uintptr_t frame, cl_index kind,
                 void *object, cl_object class, struct kept_walk *kept,
                 bool fresh)
{
  const struct innermost_frame f = {
      .up = kept->up, .call = kept->call, .fresh = fresh};
  struct made *const made = kept_walk_made(kept, kind, class);
  remember(t, frame, f, kind, class, made);
  return count(t, made->leaf, kind, object, made->careful);
}

/* Counts an object that came on none of the walks that were expected. */
static __attribute__((noinline)) void *
walk_and_count(struct thread_state *t, uintptr_t frame, cl_index kind,
               void *object, cl_object class)
{
  const struct innermost_frame f = stack_walk(&t->walk, &t->tree, frame);
  struct made *const made = t->walk.same != NULL
                                ? kept_walk_made(t->walk.same, kind, class)
                                : &t->last_objects.made;
  remember(t, frame, f, kind, class, made);
  if (made->kind != 0 && !t->walk.whole)
    last_objects_keep(&t->last_objects, &t->walk, frame, made);
  return count(t, made->leaf, kind, object, made->careful);
}

/* Counts an object, or memory of a type, where the gate was not open. */
static __attribute__((noinline)) void *
wait_and_count(struct thread_state *t, uintptr_t frame, cl_index kind,
               void *object, cl_object class)
{
  if (!hook_enter(t, allocation_what(kind), allocation_bytes(kind))) {
    hook_leave(t);
    return object;
  }
  if (classify_is_memory_of_type(allocation_what(kind)))
    return count_memory(t, frame, kind, object);
  return walk_and_count(t, frame, kind, object, class);
}

/* Counts an object that is not like the last one at its place: on a walk that
 * is kept, or after a walk. */
static __attribute__((noinline)) void *
try_kept_walks(struct thread_state *t, uintptr_t frame, cl_index kind,
               void *object, cl_object class)
{
  const uint64_t first_epoch = t->walk.first_epoch;
  const struct kept_frame *end;
  struct kept_walk *kept;
  struct made *made;
  bool fresh;
  if (classify_is_memory_of_type(allocation_what(kind)))
    return count_memory(t, frame, kind, object);
  kept = kept_walks_next(&t->walk.kept, frame, &end);
  if (kept == NULL)
    return walk_and_count(t, frame, kind, object, class);
  fresh = kept->plain
              ? kept_walk_write_words(kept, end, frame, first_epoch, true)
              : kept_walk_write_words(kept, end, frame, first_epoch, false);
  made = kept_walk_made(kept, kind, class);
  if (!is_made_again(t, made, kind, class))
    return count_other_kind(t, frame, kind, object, class, kept, fresh);
  made->leaf->activations += fresh;
  return count(t, made->leaf, kind, object, made->careful);
}

/* Counts an object like the last one here, made in another known frame. */
static __attribute__((noinline)) void *
count_in_known_frame(struct thread_state *t, uintptr_t frame, uint32_t up,
                     void *object, struct last_object *l)
{
  const struct innermost_frame f = {.up = up, .call = l->call};
  l->leaf = leaf_in(t, frame, f, l->leaf->kind);
  l->word = t->walk.epoch | up;
  l->returns_to = NO_RETURN;
  return count(t, l->leaf, l->kind, object, l->careful);
}

/* Counts an object in a frame that is another, or is known in another
 * context. */
static __attribute__((noinline)) void *
count_in_other_frame(struct thread_state *t, uintptr_t frame, cl_index kind,
                     void *object, struct last_object *l)
{
  const uintptr_t caller = frame_caller(frame);
  uint64_t *const word = frame_word(caller, l->word_at);
  if (stack_walk_is_known(&t->walk, *word))
    return count_in_known_frame(t, frame, (uint32_t)*word, object, l);
  if (frame_return(caller) != l->returns_to ||
      *frame_word(frame_caller(caller), l->caller_word_at) != l->caller_word)
    return try_kept_walks(t, frame, kind, object, l->class);
  l->leaf->activations += !stack_walk_is_counted(&t->walk, *word);
  *word = l->word;
  return count(t, l->leaf, kind, object, l->careful);
}

/* Runs for each allocation.  All but the commonest case is in functions of
 * their own, to which this jumps, so that it saves no registers. */
static inline __attribute__((always_inline)) void *
hook(struct ecl_allocation_hooks *self, void *allocator_frame, cl_index kind,
     void *object, cl_object class)
{
  struct thread_state *t = (struct thread_state *)self;
  const uintptr_t frame = (uintptr_t)allocator_frame;
  struct last_object *const l =
      last_object_place(&t->last_objects, frame_return(frame));

  if (!hook_try_enter(t))
    return wait_and_count(t, frame, kind, object, class);
  if (l->ip != frame_return(frame) || l->kind != kind || l->class != class)
    return try_kept_walks(t, frame, kind, object, class);
  if (*frame_word(frame_caller(frame), l->word_at) != l->word)
    return count_in_other_frame(t, frame, kind, object, l);
  return count(t, l->leaf, kind, object, l->careful);
}

static void *
allocated(struct ecl_allocation_hooks *self, void *frame, cl_index kind,
          void *object)
{
  return hook(self, frame, kind, object, OBJNULL);
}

static void *
instance_allocated(struct ecl_allocation_hooks *self, void *frame,
                   cl_index kind, void *object, cl_object class)
{
  return hook(self, frame, kind, object, class);
}

/* ---- the table of a thread ---- */

/* Counts a record of the collector's own, which it counts like what it gives
 * out. */
static void
collector_record(struct ecl_allocation_hooks *self, cl_index bytes)
{
  struct thread_state *t = (struct thread_state *)self;
  if (hook_enter(t, 0, bytes))
    t->records[bytes == ECL_WEAK_LINK_RECORD_BYTES]++;
  hook_leave(t);
}

const struct ecl_allocation_hooks hook_table = {
    .allocated = allocated,
    .instance_allocated = instance_allocated,
    .body = object_body,
    .collector_record = collector_record};

/* Writes in a way that needs no leave: when an interrupt waits for the thread
 * to enable interrupts, its environment is read-only until then
 * (set_guard_page in ECL's unixint.d), and that may begin at any time. */
void
hook_hang(cl_env_ptr env, struct ecl_allocation_hooks *hooks)
{
  const off_t place = (off_t)(uintptr_t)&env->allocation_hooks;
  const int memory = open("/proc/self/mem", O_WRONLY | O_CLOEXEC);
  if (pwrite(memory, &hooks, sizeof hooks, place) != sizeof hooks)
    __atomic_store_n(&env->allocation_hooks, hooks, __ATOMIC_RELEASE);
  if (memory >= 0)
    close(memory);
}
