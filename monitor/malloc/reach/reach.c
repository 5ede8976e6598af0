/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * reach.c -- see reach.h.  Objects to be looked into are a list through them,
 * so that a list of the program of any length takes no stack.
 */
#include "malloc/reach/reach.h"

#include "malloc/count/malloc_monitor.h"
#include "malloc/interpose/objects.h"
#include "malloc/reach/roots.h"

/* An object that is larger may have pages that were never touched. */
enum { SMALL_OBJECT = 1 << 16 };

struct search {
  struct memory_map map;
  struct heap_objects heap;
  uintptr_t low, high; /* of all objects */
  uint32_t pending;    /* the first to be looked into; its number and 1 */
  uint32_t leader;     /* the lost object that led to them */
  bool roots;          /* these do */
};

static struct {
  struct arena arena;
  struct leaf_loss *losses; /* by leaf; NULL: they are not known */
  uint32_t leaves;
  uint64_t unfound;
} found;

static uint32_t
number_of(const struct search *s, const struct heap_object *o)
{
  return (uint32_t)(o - s->heap.objects);
}

static void
look_into(struct search *s, struct heap_object *o,
          enum heap_object_state state)
{
  o->state = state;
  o->next = s->pending;
  s->pending = number_of(s, o) + 1;
}

/* What is lost directly until now, and has no way back to the one that leads
 * to it, is lost indirectly after all. */
static void
visit_word(void *closure, uintptr_t word)
{
  struct search *const s = closure;
  struct heap_object *o;
  if (word - s->low >= s->high - s->low)
    return;
  o = heap_objects_find(&s->heap, &s->map, word);
  if (o == NULL)
    return;
  if (o->state == OBJECT_UNSEEN)
    look_into(s, o, s->roots ? OBJECT_REACHED : OBJECT_LOST_INDIRECTLY);
  else if (!s->roots && o->state == OBJECT_LOST &&
           number_of(s, o) != s->leader)
    o->state = OBJECT_LOST_INDIRECTLY;
}

static UNSANITIZED void
visit_words(void *closure, uintptr_t start, uintptr_t end)
{
  const uintptr_t mask = sizeof(uintptr_t) - 1;
  for (uintptr_t p = (start + mask) & ~mask; p + mask < end; p += mask + 1)
    visit_word(closure, *(const uintptr_t *)p);
}

static void
look_into_pending(struct search *s)
{
  while (s->pending != 0) {
    const struct heap_object *const o = &s->heap.objects[s->pending - 1];
    const struct mapping *const m = memory_map_find(&s->map, o->address);
    s->pending = o->next;
    if (o->bytes <= SMALL_OBJECT && m->end - o->address >= o->bytes)
      visit_words(s, o->address, o->address + o->bytes);
    else
      memory_map_visit(&s->map, o->address, o->address + o->bytes,
                       visit_words, s);
  }
}

static void
find_reachable(struct search *s, const struct code_objects *code,
               const struct stopped_thread *here,
               const struct stopped_threads *others)
{
  const struct roots roots = {.code = code,
                              .map = &s->map,
                              .heap = &s->heap,
                              .here = here,
                              .others = others};
  const struct root_visitor visitor = {visit_words, visit_word, s};
  s->roots = true;
  roots_visit(&roots, &visitor);
  look_into_pending(s);
  s->roots = false;
}

static void
find_lost(struct search *s)
{
  for (uint32_t i = 0; i < s->heap.count; i++)
    if (s->heap.objects[i].state == OBJECT_UNSEEN) {
      s->leader = i;
      look_into(s, &s->heap.objects[i], OBJECT_LOST);
      look_into_pending(s);
    }
}

/* False: there is no memory. */
static bool
sum_up(const struct search *s)
{
  const uint32_t leaves = malloc_monitor.tree.leaf_count;
  uint64_t kept = 0, listed = 0;
  if (arena_reserve(&found.arena, leaves * sizeof *found.losses) != 0)
    return false;
  found.losses = found.arena.base;
  found.leaves = leaves;
  for (uint32_t i = LEAF_OVERFLOW; i < leaves; i++) {
    const struct leaf_life life = stripes_life(i);
    kept += life.allocated.count - life.freed.count;
  }
  for (uint32_t i = 0; i < s->heap.count; i++) {
    const struct heap_object *const o = &s->heap.objects[i];
    struct leaf_loss *const loss = &found.losses[o->leaf];
    struct tally *const tally =
        o->state == OBJECT_LOST ? &loss->direct : &loss->indirect;
    if (o->leaf == 0 || o->leaf >= leaves)
      continue;
    listed++;
    if (o->state != OBJECT_REACHED) {
      tally->count++;
      tally->bytes += o->bytes;
    }
  }
  found.unfound = kept > listed ? kept - listed : 0;
  return true;
}

static const char *
seek(struct search *s, const struct code_objects *code,
     const struct stopped_thread *here, const struct stopped_threads *others)
{
  static const char no_memory[] = "out of memory";
  if (!memory_map_read(&s->map))
    return "/proc cannot be read";
  if (!heap_objects_list(&s->heap, &s->map))
    return no_memory;
  if (s->heap.count > 0) {
    const struct heap_object *last = &s->heap.objects[s->heap.count - 1];
    s->low = s->heap.objects->address;
    s->high = last->address + last->bytes + 1;
  }
  find_reachable(s, code, here, others);
  find_lost(s);
  return sum_up(s) ? NULL : no_memory;
}

const char *
reach_seek(const struct code_objects *code, const struct stopped_thread *here)
{
  struct search s = {.map.pages = -1};
  struct stopped_threads others;
  const char *why = "a thread cannot be stopped";
  arena_spare_pause(true);
  objects_lock();
  if (stopped_threads_stop(&others))
    why = seek(&s, code, here, &others);
  stopped_threads_resume(&others);
  objects_unlock();
  heap_objects_release(&s.heap);
  memory_map_release(&s.map);
  arena_spare_pause(false);
  return why;
}

bool
reach_is_known(void)
{
  return found.losses != NULL;
}

struct leaf_loss
reach_loss(uint32_t leaf)
{
  return leaf < found.leaves ? found.losses[leaf] : (struct leaf_loss){0};
}

uint64_t
reach_unfound(void)
{
  return found.unfound;
}

void
reach_forget(void)
{
  arena_release(&found.arena);
  found.losses = NULL;
  found.leaves = 0;
}
