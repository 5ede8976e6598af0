/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * reach.c -- see reach.h.  Objects to be looked into are a list through them,
 * so that a list of the program of any length takes no stack.
 */
#include "malloc/reach/reach.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

#include "common/pprof_format.h"
#include "malloc/count/malloc_monitor.h"
#include "malloc/interpose/objects.h"
#include "malloc/reach/roots.h"
#include "tree/image.h"

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

static struct arena losses; /* struct leaf_loss by leaf, in the image */

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

/* Memory for all leaves, which is zero. */
static struct leaf_loss *
losses_for(uint32_t leaves)
{
  const size_t bytes = leaves * sizeof(struct leaf_loss);
  if (arena_stay(&losses, bytes, sizeof(struct leaf_loss) << LEAF_BITS) != 0)
    return NULL;
  if (!image_has(losses.base) &&
      !image_map(&losses, 0, IMAGE_LOSSES, image_owner()))
    return NULL;
  memset(losses.base, 0, bytes);
  return losses.base;
}

/* Objects that were never freed and were not found count as reachable. */
static void
note_unfound(uint64_t unfound)
{
  static bool noted;
  char text[96];
  snprintf(text, sizeof text, PPROF_COMMENT_UNFOUND_NOTE "=%" PRIu64, unfound);
  if (unfound != 0 && !noted)
    image_note(NOTE_COMMENT, 0, 0, 0, text);
  noted = noted || unfound != 0;
}

/* False: there is no memory. */
static bool
sum_up(const struct search *s)
{
  const uint32_t leaves = malloc_monitor.tree.leaf_count;
  struct leaf_loss *const found = losses_for(leaves);
  uint64_t kept = 0, listed = 0;
  if (found == NULL)
    return false;
  for (uint32_t i = LEAF_OVERFLOW; i < leaves; i++) {
    const struct leaf_life life = stripes_life(i);
    kept += life.allocated.count - life.freed.count;
  }
  for (uint32_t i = 0; i < s->heap.count; i++) {
    const struct heap_object *const o = &s->heap.objects[i];
    struct leaf_loss *const loss = &found[o->leaf];
    struct object_count *const tally =
        o->state == OBJECT_LOST ? &loss->direct : &loss->indirect;
    if (o->leaf == 0 || o->leaf >= leaves)
      continue;
    listed++;
    if (o->state != OBJECT_REACHED) {
      tally->count++;
      tally->bytes += o->bytes;
    }
  }
  note_unfound(kept > listed ? kept - listed : 0);
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
  objects_lock();
  if (stopped_threads_stop(&others))
    why = seek(&s, code, here, &others);
  stopped_threads_resume(&others);
  objects_unlock();
  heap_objects_release(&s.heap);
  memory_map_release(&s.map);
  return why;
}
