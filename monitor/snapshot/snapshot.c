/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * snapshot.c -- notes are made first, for nobody knows before how long they
 * are; then the image is as long as it has to be, and is filled.
 */
#include "snapshot/snapshot.h"

#include <stdio.h>
#include <string.h>
#include <unistd.h>

#include "names/classify.h"
#include "snapshot/notes.h"

#ifndef MPROF_VERSION
#error "MPROF_VERSION is not defined"
#endif

_Static_assert(sizeof(struct image_survival) == sizeof(struct live_survival),
               "the same figures in the same order");

static size_t
whole_pages(size_t bytes)
{
  return (bytes + IMAGE_PAGE - 1) & ~(size_t)(IMAGE_PAGE - 1);
}

/* ---- pieces ---- */

/* Where the next piece goes; `at' is NULL while they are measured. */
struct filling {
  char *at;
  size_t length;
};

/* Room for the bytes of a piece; NULL: it is only measured. */
static void *
add_piece(struct filling *f, enum image_kind kind, uint32_t owner,
          size_t bytes)
{
  void *place = NULL;
  bytes = whole_pages(bytes);
  if (f->at != NULL) {
    *(struct image_piece *)(f->at + f->length) =
        (struct image_piece){.magic = IMAGE_PIECE_MAGIC,
                             .kind = kind,
                             .owner = owner,
                             .bytes = bytes};
    place = f->at + f->length + IMAGE_PAGE;
  }
  f->length += IMAGE_PAGE + bytes;
  return place;
}

/* The same for an array that is there. */
static void
put_array(struct filling *f, enum image_kind kind, uint32_t owner,
          const void *array, size_t bytes)
{
  void *const place = add_piece(f, kind, owner, bytes);
  if (place != NULL)
    memcpy(place, array, bytes);
}

static void
put_contexts(struct filling *f, uint32_t owner,
             const struct thread_figures *t)
{
  const size_t bytes = t->context_count * sizeof(struct context);
  struct context *const to = add_piece(f, IMAGE_CONTEXTS, owner, bytes);
  if (to == NULL)
    return;
  memcpy(to, t->tree.contexts, bytes);
  for (uint32_t i = 0; i < t->context_count; i++)
    to[i].activations = t->activations[i];
}

static void
put_leaves(struct filling *f, uint32_t owner, const struct thread_figures *t)
{
  struct leaf *const to = add_piece(f, IMAGE_LEAVES, owner,
                                    t->leaf_count * sizeof(struct leaf));
  for (uint32_t i = 0; to != NULL && i < t->leaf_count; i++)
    to[i] = lisp_figures_leaf(t, i);
}

static void
put_thread(struct filling *f, uint32_t owner, const struct thread_figures *t)
{
  put_contexts(f, owner, t);
  put_leaves(f, owner, t);
  put_array(f, IMAGE_KINDS, owner, t->tree.kinds,
            t->tree.kind_count * sizeof(struct kind));
  if (t->live != NULL)
    put_array(f, IMAGE_SURVIVAL, owner, t->live,
              t->leaf_count * sizeof(struct live_survival));
}

/* ---- holders ---- */

static void
put_holdings(struct filling *f, const struct holders *h)
{
  const struct live_count *const counts = h->counts.base;
  const uint32_t count = h->paths.count + 1;
  struct image_holding *const to =
      add_piece(f, IMAGE_HOLDINGS, 1, count * sizeof *to);
  for (uint32_t i = 1; to != NULL && i < count; i++)
    to[i] = (struct image_holding){holders_path_above(h, i),
                                   holders_path_last(h, i),
                                   counts[i].objects, counts[i].bytes};
}

/* ---- the whole ---- */

static void
put_all(struct filling *f, const struct lisp_figures *figures,
        const struct holders *holders, const struct note_list *notes)
{
  const struct region_table *const regions = &monitor.regions;
  f->length = IMAGE_PAGE;
  for (uint32_t i = 0; i < figures->thread_count; i++)
    if (figures->threads[i].leaf_count > LEAF_FIRST)
      put_thread(f, i + 1, &figures->threads[i]);
  if (regions->count > 0)
    put_array(f, IMAGE_REGIONS, 1, regions->regions,
              regions->count * sizeof *regions->regions);
  if (holders != NULL)
    put_holdings(f, holders);
  put_array(f, IMAGE_NOTES, 1, notes->arena.base, notes->used);
}

static void
put_head(char *at, const struct lisp_figures *figures)
{
  struct image_head *const head = (struct image_head *)at;
  *head = (struct image_head){.version = IMAGE_VERSION,
                              .language = IMAGE_LISP,
                              .flags = (monitor.follow ? IMAGE_LIVE : 0) |
                                       (figures->heap ? IMAGE_HEAP : 0),
                              .process = (uint32_t)getpid()};
  memcpy(head->magic, IMAGE_MAGIC, sizeof head->magic);
  snprintf(head->mprof, sizeof head->mprof, "%s", MPROF_VERSION);
}

bool
snapshot_make(struct snapshot *snapshot, const struct lisp_figures *figures,
              const struct holders *holders)
{
  struct note_list notes = {0};
  struct filling filling = {0};
  *snapshot = (struct snapshot){0};
  snapshot_notes(&notes, figures);
  snapshot_comments(&notes, figures);
  if (holders != NULL)
    snapshot_holders(&notes, holders);
  put_all(&filling, figures, holders, &notes);
  if (!notes.failed &&
      arena_reserve_pages(&snapshot->contents, filling.length) == 0) {
    filling.at = snapshot->contents.base;
    put_head(filling.at, figures);
    put_all(&filling, figures, holders, &notes);
    snapshot->length = filling.length;
  }
  arena_release(&notes.arena);
  return snapshot->length != 0;
}
