/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * holders.c -- see holders.h.
 */
#include "holders/holders.h"

/* Our own threads are none of the collector's business. */
#define GC_THREADS
#define GC_NO_THREAD_REDIRECTS
#include <gc/gc.h>

#include "holders/dominators.h"
#include "holders/holder_names.h"
#include "holders/search.h"
#include "threads/threads.h"

struct finding {
  struct holders *holders;
  struct holder_names names;
  struct search search;
  struct arena dominators; /* uint32_t by node */
  struct arena tops;       /* the same: which node just below the roots'
                              dominates it */
  struct arena origins;    /* the same: from which root it was reached */
  struct arena paths;      /* the same: its path; 0 where nothing counted is
                              held */
  uint32_t first_leaf;     /* of the thread in hand */
  uint32_t other;          /* the path of what no root reaches */
  bool failed;
};

static uint32_t *
by_node(const struct arena *arena)
{
  return arena->base;
}

static struct heap_object *
object_at(const struct finding *f, uint32_t node)
{
  return heap_object(&f->holders->heap, by_node(&f->search.objects)[node]);
}

/* ---- the heap ---- */

static void
read_heap(struct holders *h)
{
  roots_prepare(&h->roots);
  GC_stop_world_external();
  heap_take_objects(&h->heap);
  if (!h->heap.failed)
    roots_take(&h->roots, &h->heap);
  if (!h->heap.failed) {
    heap_read_objects(&h->heap);
    roots_read(&h->roots, &h->heap);
  }
  GC_start_world_external();
}

/* ---- paths ---- */

/* The path to the holder below `above', or where the holder is on it. */
static uint32_t
path_below(struct finding *f, uint32_t above, uint32_t holder)
{
  struct holders *const h = f->holders;
  uint32_t path;
  for (uint32_t p = above; p != 0; p = holders_path_above(h, p))
    if (holders_path_last(h, p) == holder)
      return p;
  path = holder == 0 ? 0
                     : intern_key(&h->paths, (uint64_t)above << 32 | holder);
  f->failed |= path == 0;
  return path;
}

static void
count_at(struct finding *f, uint32_t path, bool is_object, uint64_t bytes)
{
  struct arena *const counts = &f->holders->counts;
  const size_t room = (path + (size_t)1) * sizeof(struct live_count);
  struct live_count *c;
  if (counts->reserved_bytes < room && arena_grow(counts, 2 * room) != 0) {
    f->failed = true;
    return;
  }
  c = (struct live_count *)counts->base + path;
  c->objects += is_object;
  c->bytes += bytes;
}

/* Of one thread, if it is alive as of the last collection.  What is not the
 * collector's has no place in the heap. */
static void
note_entry(void *finding, const struct live_entry *e, bool freed)
{
  struct finding *const f = finding;
  struct heap *const heap = &f->holders->heap;
  const bool is_object = LIVE_KIND(e->memory) == LIVE_OBJECT;
  const uint32_t leaf = f->first_leaf + e->leaf / LIVE_LEAF_UNITS;
  const uint32_t number = heap_find(heap, LIVE_ADDRESS(e->memory) << 4);
  struct heap_object *const object = heap_object(heap, number);
  if (freed || LIVE_AGE(e->memory) == 0)
    return;
  if (number == 0) {
    count_at(f, path_below(f, f->other, holder_of_leaf(&f->names, leaf)),
             is_object, live_entry_bytes(e));
    return;
  }
  object->flags |= HEAP_COUNTED | (is_object ? HEAP_OBJECT : 0);
  object->bytes = (uint32_t)live_entry_bytes(e);
  object->more_bytes = live_entry_bytes(e) >> 32 & 0x3FF;
  if ((object->flags & HEAP_ROOT) == 0)
    object->leaf = leaf;
}

static void
note_entries(struct finding *f)
{
  const struct roots *const roots = &f->holders->roots;
  for (uint32_t i = 0; i < roots->count; i++)
    heap_object(&f->holders->heap, roots_get(roots, i)->object)->leaf = i;
  f->other = path_below(
      f, 0, holder_of_root(&f->names, roots_get(roots, roots->count - 1)));
  for (struct thread_state *t = monitor.threads; t != NULL; t = t->next)
    if (live_table_is_open(&t->live)) {
      f->first_leaf = holder_first_leaf(t);
      live_entries_each(&t->live, note_entry, f);
    }
}

/* ---- what several roots hold ---- */

static void
find_tops(struct finding *f)
{
  const uint32_t *const dominators = by_node(&f->dominators);
  const uint32_t *const parents = by_node(&f->search.parents);
  uint32_t *const tops = by_node(&f->tops);
  uint32_t *const origins = by_node(&f->origins);
  for (uint32_t node = 1; node < f->search.count; node++) {
    origins[node] = parents[node] == 0 ? node : origins[parents[node]];
    tops[node] = dominators[node] == 0 ? node : tops[dominators[node]];
  }
}

static uint32_t
holder_at_root(struct finding *f, uint32_t node)
{
  return holder_of_root(
      &f->names, roots_get(&f->holders->roots, object_at(f, node)->leaf));
}

/* Of `node', which no other dominates: two roots from which it is reached in
 * different ways. */
static uint32_t
holder_of_shared(struct finding *f, uint32_t node)
{
  const uint32_t *const first = by_node(&f->search.first);
  const uint32_t *const predecessors = by_node(&f->search.predecessors);
  const uint32_t a = by_node(&f->origins)[node];
  uint32_t b = a;
  bool others = false;
  for (uint32_t i = first[node]; i < first[node + 1]; i++) {
    const uint32_t top = by_node(&f->tops)[predecessors[i]];
    const uint32_t root = by_node(&f->origins)[top];
    if (root != a && b == a)
      b = root;
    else if ((root != a && root != b) || top != root)
      others = true;
  }
  return holder_of_both(&f->names, holder_at_root(f, a),
                        holder_at_root(f, b), others || a == b);
}

/* ---- the tree ---- */

static uint32_t
path_of_node(struct finding *f, uint32_t node)
{
  const uint32_t dominator = by_node(&f->dominators)[node];
  const struct heap_object *const object = object_at(f, node);
  uint32_t above = by_node(&f->paths)[dominator];
  if ((object->flags & HEAP_ROOT) != 0)
    return path_below(f, 0, holder_at_root(f, node));
  if (dominator == 0)
    above = path_below(f, 0, holder_of_shared(f, node));
  if ((object->flags & HEAP_BODY) != 0)
    return above;
  return path_below(f, above,
                    (object->flags & HEAP_COUNTED) != 0
                        ? holder_of_leaf(&f->names, object->leaf)
                        : holder_of_object(&f->names, object));
}

/* Let the path be 1, for the time being, of what was counted and of all that
 * holds it: dominators have smaller numbers. */
static void
find_needed(struct finding *f)
{
  const uint32_t *const dominators = by_node(&f->dominators);
  uint32_t *const paths = by_node(&f->paths);
  for (uint32_t node = f->search.count - 1; node > 0; node--) {
    if ((object_at(f, node)->flags & HEAP_COUNTED) != 0)
      paths[node] = 1;
    if (paths[node] != 0 && dominators[node] != 0)
      paths[dominators[node]] = 1;
  }
}

static void
make_tree(struct finding *f)
{
  uint32_t *const paths = by_node(&f->paths);
  find_needed(f);
  for (uint32_t node = 1; node < f->search.count && !f->failed; node++) {
    const struct heap_object *const object = object_at(f, node);
    if (paths[node] == 0)
      continue;
    paths[node] = path_of_node(f, node);
    if ((object->flags & HEAP_COUNTED) != 0)
      count_at(f, paths[node], (object->flags & HEAP_OBJECT) != 0,
               heap_object_bytes(object));
  }
}

static bool
find_tree(struct finding *f)
{
  struct search *const s = &f->search;
  size_t bytes;
  if (!search_run(s, &f->holders->heap, &f->holders->roots) ||
      !dominators_find(s->count, s->parents.base, s->first.base,
                       s->predecessors.base, &f->dominators))
    return false;
  bytes = s->count * sizeof(uint32_t);
  if (!heap_restore_index(&f->holders->heap) ||
      arena_reserve(&f->tops, bytes) != 0 ||
      arena_reserve(&f->origins, bytes) != 0 ||
      arena_reserve(&f->paths, bytes) != 0)
    return false;
  find_tops(f);
  make_tree(f);
  /* that of the last path may not have been counted at */
  count_at(f, f->holders->paths.count, false, 0);
  return !f->failed;
}

bool
holders_find(struct holders *holders)
{
  struct finding f = {.holders = holders, .names.holders = holders};
  bool good;
  read_heap(holders);
  good = !holders->heap.failed;
  if (good)
    note_entries(&f);
  good = good && find_tree(&f);
  search_release(&f.search);
  holder_names_release(&f.names);
  arena_release(&f.dominators);
  arena_release(&f.tops);
  arena_release(&f.origins);
  arena_release(&f.paths);
  return good;
}

void
holders_release(struct holders *holders)
{
  heap_release(&holders->heap);
  roots_release(&holders->roots);
  intern_table_release(&holders->names);
  intern_table_release(&holders->paths);
  arena_release(&holders->holders);
  arena_release(&holders->counts);
}
