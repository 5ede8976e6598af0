/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * last_objects.c -- see last_objects.h. */
#include "lisp/hook/last_objects.h"

#include "base/sizes.h"

static int
reserve(struct last_objects *last, uint32_t places)
{
  struct arena arena;
  if (arena_reserve(&arena, places * sizeof *last->objects) != 0)
    return -1;
  arena_release(&last->arena);
  last->arena = arena;
  last->objects = arena.base;
  last->mask = places - 1;
  last->kept = 0;
  return 0;
}

int
last_objects_init(struct last_objects *last)
{
  last->made.kind = 0;
  return reserve(last, SIZE_FIRST_OBJECTS);
}

/* Reads what was never used, and does not write it: it takes no memory so. */
void
last_objects_forget(struct last_objects *last)
{
  last->era = (last->era + 1) & INT32_MAX;
  for (size_t i = 0; i <= last->mask; i++)
    if (last->objects[i].ip != 0)
      last->objects[i].ip = 0;
}

/* Returns whether its return address tells function and place of the word. */
static bool
is_fixed(const struct stack_walk *walk, const struct walked_frame *f)
{
  return f->word != &walk->no_word && f->call != NO_CALL &&
         !stack_walk_is_interpreted(f->call);
}

/* Keeps the return address of the frame only if the caller's frame has a word:
 * no other caller's frame pointer may be followed. */
void
last_objects_keep(struct last_objects *last, const struct stack_walk *walk,
                  uintptr_t allocator, const struct made *made)
{
  const struct walked_frame *const innermost = walk->frames;
  const uintptr_t ip = frame_return(allocator),
                  frame = frame_caller(allocator);
  struct last_object *l;
  if (!is_fixed(walk, innermost))
    return;
  if (++last->kept > last->mask && last->mask < SIZE_MOST_OBJECTS - 1)
    reserve(last, (last->mask + 1) * 4);
  l = last_object_place(last, ip);
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
