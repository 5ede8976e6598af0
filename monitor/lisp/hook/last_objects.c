/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * last_objects.c -- see last_objects.h. */
#include "lisp/hook/last_objects.h"

#include "base/sizes.h"

static int
reserve(struct last_objects *last, uint32_t places)
{
  struct arena arena;
  if (arena_reserve(&arena,
                    places * (sizeof *last->objects + sizeof *last->ways +
                              sizeof *last->frames)) != 0)
    return -1;
  arena_release(&last->arena);
  last->arena = arena;
  last->objects = arena.base;
  last->ways = (void *)(last->objects + places);
  last->frames = (void *)(last->ways + places);
  last->mask = places - 1;
  last->walked = 0;
  return 0;
}

/* Finds the stack of the thread.  Without memory it stays unknown, and ways
 * are kept by one return address. */
static void
find_stack(struct last_objects *last, pthread_t thread)
{
  pthread_attr_t attributes;
  void *start;
  size_t bytes;
  last->stack = last->stack_end = 0;
  if (pthread_getattr_np(thread, &attributes) != 0)
    return;
  if (pthread_attr_getstack(&attributes, &start, &bytes) == 0) {
    last->stack = (uintptr_t)start;
    last->stack_end = (uintptr_t)start + bytes - 2 * sizeof(uintptr_t);
  }
  pthread_attr_destroy(&attributes);
}

int
last_objects_init(struct last_objects *last, pthread_t thread)
{
  find_stack(last, thread);
  return reserve(last, SIZE_FIRST_OBJECTS);
}

/* Reads what was never used, and does not write it: it takes no memory so. */
void
last_objects_forget(struct last_objects *last)
{
  for (size_t i = 0; i <= last->mask; i++) {
    if (last->objects[i].ip != 0)
      last->objects[i].ip = 0;
    if (last->ways[i].ip != 0 || last->ways[i].walk_ip != 0 ||
        last->ways[i].last.kind != 0)
      last->ways[i].ip = last->ways[i].walk_ip = last->ways[i].last.kind = 0;
  }
}

/* Returns whether its return address tells function and place of the word. */
static bool
is_fixed(const struct stack_walk *walk, const struct walked_frame *f)
{
  return f->word != &walk->no_word && f->call != NO_CALL &&
         !stack_walk_is_interpreted(f->call);
}

/* Keeps the object as the last one of its place.  The return address of
 * its frame is kept only if the caller's frame has a word: no other caller's
 * frame pointer may be followed. */
static void
keep_object(struct last_objects *last, const struct stack_walk *walk,
            uintptr_t allocator, const struct made *made)
{
  const struct walked_frame *const innermost = walk->frames;
  const uintptr_t ip = frame_return(allocator),
                  frame = frame_caller(allocator);
  struct last_object *const l = last_object_place(last, ip);
  *l = (struct last_object){
      .ip = ip,
      .word = *innermost->word,
      .kind = made->kind,
      .class = made->class,
      .leaf = made->leaf,
      .returns_to = NO_RETURN,
      .call = made->call & INT32_MAX,
      .careful = made->careful,
      .word_at = (int16_t)((uintptr_t)innermost->word - frame)};
  if (walk->last > innermost && is_fixed(walk, innermost + 1)) {
    l->returns_to = frame_return(frame);
    l->caller_word = *innermost[1].word;
    l->caller_word_at =
        (int16_t)((uintptr_t)innermost[1].word - frame_caller(frame));
  }
}

/* Notes the way that was just walked.  Returns false when it cannot be kept.
 */
static bool
note_way(struct way *way, struct stack_walk *walk,
         const struct context_tree *tree)
{
  const size_t last = (size_t)(walk->last - walk->frames);
  const struct walked_frame *const frames = walk->frames;
  uint32_t up;
  if (!walk->ended_at_known || last >= WAY_FRAMES ||
      !is_fixed(walk, &frames[last]))
    return false;
  way->plain = true;
  for (size_t i = 0; i <= last; i++) {
    const struct call_site *const site =
        call_site_at(&walk->sites, frames[i].ip);
    if (frames[i].call == NO_CALL || site->kind == CALL_ELSEWHERE ||
        site->kind == CALL_INTERPRETER || site->kind == CALL_FINALIZERS)
      return false;
    way->plain &= call_site_is_framed(site);
    way->frames[i] = (struct way_frame){
        .word = site->kind == CALL_FRAME ? *frames[i].word : NO_WORD,
        .returns_to = i == last ? NO_RETURN : frames[i + 1].ip,
        .word_at = site->kind == CALL_WORDLESS ? (int16_t)sizeof(uintptr_t)
                                               : site->word_at,
        .saved = site->saved,
        .kind = site->kind};
  }
  up = (uint32_t)*frames[last].word;
  for (size_t i = last; i > 0; i--) {
    const uint64_t key = (uint64_t)up << 32 | frames[i].call;
    const struct step *const step = step_table_place(&walk->steps, key, 0);
    if (step->key != key)
      return false;
    way->frames[i].activations = &tree->contexts[step->number].activations;
    up = step->more;
  }
  return true;
}

/* Notes a walk from the place `way' that took none of the ways there.  Returns
 * where to keep its way; NULL if it is not to be kept. */
static inline struct way *
place_for_way(const struct last_objects *last, struct way *way, uintptr_t ip)
{
  struct way *const passed = way_beside(last, way, last->walked % WAYS);
  const uint32_t up = way->last.leaf->up;
  const bool again = way->walk_ip == ip && way->walk_context == up;
  way->walk_ip = ip;
  way->walk_context = up;
  if (++passed->passes == WAY_PASSES)
    passed->ip = 0;
  for (uint32_t i = 0; again && i < WAYS; i++)
    if (way_beside(last, way, i)->ip == 0)
      return way_beside(last, way, i);
  return NULL;
}

/* Makes the tables longer and empty, if there is memory.  Returns the place
 * of WAY, whose last object is kept. */
static __attribute__((noinline)) struct way *
grow(struct last_objects *last, uintptr_t allocator, struct way *way)
{
  const struct made made = way->last;
  if (last->mask == SIZE_MOST_OBJECTS - 1 ||
      reserve(last, (last->mask + 1) * 4) != 0) {
    last->walked = 0;
    return way;
  }
  way = way_place(last, allocator);
  way->last = made;
  return way;
}

void
last_objects_keep(struct last_objects *last, struct stack_walk *walk,
                  const struct context_tree *tree, uintptr_t allocator,
                  struct way *way)
{
  const uintptr_t ip = frame_return(allocator);
  struct way *kept;
  if (stack_walk_is_interpreted(walk->frames->call))
    return;
  if (++last->walked > last->mask)
    way = grow(last, allocator, way);
  if (walk->frames->word != &walk->no_word)
    keep_object(last, walk, allocator, &way->last);
  kept = place_for_way(last, way, ip);
  if (kept == NULL)
    return;
  if (kept->frames == NULL)
    kept->frames = last->frames[kept - last->ways];
  kept->last = way->last;
  kept->up = way->last.leaf->up;
  kept->call = way->last.call;
  kept->passes = 0;
  kept->ip = note_way(kept, walk, tree) ? ip : 0;
}
