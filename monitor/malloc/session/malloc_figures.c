/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * malloc_figures.c -- the figures of this process, for its profile: `closure'
 * is the struct malloc_snapshot.
 */
#include "malloc/session/malloc_profile.h"

#include <inttypes.h>
#include <stdio.h>

#include "malloc/count/malloc_thread.h"
#include "malloc/count/other_heap.h"

static struct leaf_figures
leaf_of(void *closure, uint32_t leaf)
{
  return malloc_snapshot_leaf(closure, leaf);
}

static struct leaf_loss
loss(void *closure, uint32_t leaf)
{
  (void)closure;
  return reach_loss(leaf);
}

static const char *
thread(void *closure, uint32_t label)
{
  (void)closure;
  return malloc_thread_name(label);
}

static const char *
region(void *closure, uint32_t number)
{
  const struct malloc_snapshot *const s = closure;
  return s->regions.regions[number].path;
}

static void
put_heap_labels(void *closure, struct pprof_stream *p,
                const struct kind *kind)
{
  (void)closure;
  other_heap->put_labels(p, kind);
}

static const char *
name_of(void *closure, uint64_t site, uint32_t function)
{
  (void)closure;
  return other_heap->name_of(site, function);
}

/* A number, behind a text; nothing for 0. */
static void
put_note(struct pprof_stream *p, const char *key, const char *before,
         uint64_t number)
{
  char text[96];
  if (number == 0)
    return;
  snprintf(text, sizeof text, "%s%" PRIu64, before, number);
  pprof_put_comment(p, key, text);
}

static void
put_comments(void *closure, struct pprof_stream *p)
{
  const struct malloc_snapshot *const m = closure;
  if (other_heap != NULL)
    other_heap->put_comments(p, &m->tree);
  pprof_put_count(p, PPROF_COMMENT_CONTEXTS, context_tree_paths(&m->tree));
  pprof_put_count(p, PPROF_COMMENT_CONTEXT_BYTES,
                  context_tree_bytes(&m->tree));
  put_note(p, PPROF_COMMENT_LOST_NOTE,
           "allocations for which memory ran out: ", m->lost_objects);
  put_note(p, PPROF_COMMENT_UNFOUND_NOTE, "", reach_unfound());
  region_table_comments(&m->regions, true, pprof_put_region, p);
}

struct malloc_figures
malloc_figures(const struct code_objects *objects,
               struct malloc_snapshot *snapshot)
{
  struct malloc_figures f = {
      .tree = &snapshot->tree,
      .loaded = objects,
      .unloaded = &code_objects_unloaded,
      .total = snapshot->total,
      .reach = reach_is_known(),
      .lisp = other_heap != NULL,
      .closure = snapshot,
      .leaf = leaf_of,
      .loss = loss,
      .thread = thread,
      .region = region,
      .put_heap_labels = put_heap_labels,
      .put_comments = put_comments};
  if (other_heap != NULL) {
    f.name_of = name_of;
    f.between = other_heap->between;
  }
  return f;
}
