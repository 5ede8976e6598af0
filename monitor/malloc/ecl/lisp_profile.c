/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * lisp_profile.c -- see lisp_profile.h.
 */
#include "malloc/ecl/lisp_profile.h"

#include <inttypes.h>
#include <stdio.h>

#include "common/pprof_format.h"
#include "malloc/count/malloc_monitor.h"
#include "malloc/ecl/lisp_balance.h"
#include "malloc/ecl/lisp_heap.h"
#include "malloc/ecl/lisp_names.h"
#include "names/classify.h"
#include "tree/image.h"

static const char coarse_note[] =
    "This ECL was not built by mprof: chains can lack functions that are "
    "inlined or end in a call";

/* ---- types ---- */

/* As the hooks of a patched ECL would call it. */
static uint32_t
hook_what(uint32_t what)
{
  const uint32_t type = LISP_TYPE(what);
  const uint32_t more = what >> LISP_MORE_SHIFT;
  return type |
         (type == t_instance ? 0 : more << 8) |
         ((what & LISP_NOT_SIMPLE) != 0 ? ECL_ALLOCATED_NOT_SIMPLE : 0);
}

_Static_assert((int)LISP_MORE_SHIFT == (int)NOTE_CLASS_SHIFT &&
                   (1 << LISP_TYPE_BITS) - 1 == (int)NOTE_TYPE_ALONE,
               "what a reader of images knows of types");

static void
note_type(uint32_t what, uint32_t flags)
{
  image_note(NOTE_TYPE, what, classify_category(hook_what(what)) | flags, 0,
             classify_type_name(hook_what(what)));
}

void
lisp_profile_note(void)
{
  enum { MOST = 64 }; /* element types, and modes of streams */
  image_note(NOTE_COARSE, 0, 0, 0, coarse_note);
  for (uint32_t type = 0; type < t_end && image_is_open(); type++) {
    note_type(LISP_WHAT(type, 0), type == t_instance ? NOTE_HAS_CLASS : 0);
    for (uint32_t more = 1; more < MOST && type != t_instance; more++) {
      note_type(LISP_WHAT(type, more), 0);
      note_type(LISP_WHAT(type, more) | LISP_NOT_SIMPLE, 0);
    }
  }
}

/* ---- the reconciliation ---- */

/* All requests, as the collector rounded them. */
static uint64_t
rounded_bytes(const struct context_tree *tree)
{
  uint64_t sum = 0;
  for (const struct lisp_thread *l = lisp_heap.threads; l != NULL;
       l = l->next) {
    sum += l->rounded_bytes;
    for (uint32_t i = LEAF_FIRST; i < l->room && i < tree->leaf_count; i++) {
      const struct kind *kind = context_tree_kind(tree, &tree->leaves[i]);
      if (kind->size <= REQUEST_FIXED_MOST &&
          (kind->what & LISP_PIECES) == 0)
        sum += l->tallies[i].count * request_rounded_bytes(kind->size);
    }
  }
  return sum;
}

/* What the collector made for itself. */
static uint64_t
record_bytes(void)
{
  const struct lisp_balance *const b = &lisp_balance;
  uint64_t threads = 0;
  for (const struct lisp_thread *l = lisp_heap.threads; l != NULL;
       l = l->next)
    threads += l->record_bytes;
  return lisp_heap.finalizers *
             request_rounded_bytes(ECL_FINALIZER_RECORD_BYTES) +
         lisp_heap.links * request_rounded_bytes(ECL_WEAK_LINK_RECORD_BYTES) +
         threads + b->after.table_bytes -
         b->before.table_bytes;
}

/* The comment KEY=TEXT. */
static void
note_comment(const char *key, const char *text)
{
  char comment[300];
  snprintf(comment, sizeof comment, "%s=%s", key, text);
  image_note(NOTE_COMMENT, 0, 0, 0, comment);
}

static void
note_count(const char *key, uint64_t n)
{
  char text[24];
  snprintf(text, sizeof text, "%" PRIu64, n);
  note_comment(key, text);
}

static void
note_residual(void)
{
  const struct lisp_balance *const b = &lisp_balance;
  const unsigned doubts = b->before.doubts | b->after.doubts;
  const struct {
    bool applies;
    const char *text;
  } notes[] = {
      {b->threads > 1, "threads that were still running when the process "
                       "ended"},
      {(doubts & BALANCE_PAGE) != 0,
       "up to 4096 bytes of a page that the collector has swept but not yet "
       "added"},
      {(doubts & BALANCE_LISTS) != 0,
       "the threads' free lists in the collector could not be read"},
      {(doubts & BALANCE_TABLES) != 0,
       "growth of the collector's tables of finalizers and weak links, which "
       "could not be read"},
      {lisp_heap.finalizers > 0,
       "free lists that the collector drops when a finalizer allocates "
       "during their construction"},
      {b->after.table_bytes > b->before.table_bytes,
       "the collector's tables of finalizers and weak links, if they were "
       "made with another size class"},
      {true, "memory that code other than ECL's allocators took from the "
             "collector"},
  };
  for (size_t i = 0; i < sizeof notes / sizeof *notes; i++)
    if (notes[i].applies)
      note_comment(PPROF_COMMENT_RESIDUAL_NOTE, notes[i].text);
}

void
lisp_profile_note_balance(void)
{
  const struct lisp_balance *const b = &lisp_balance;
  const uint64_t rounded = rounded_bytes(&malloc_monitor.tree);
  const uint64_t records = record_bytes();
  const uint64_t given = b->after.bytes - b->before.bytes;
  const int64_t residual = (int64_t)(given - rounded - records);
  char text[24];
  if (!b->ended || b->broken)
    return;
  note_count(PPROF_COMMENT_ROUNDED_BYTES, rounded);
  note_count(PPROF_COMMENT_COLLECTOR_BYTES, given);
  note_count(PPROF_COMMENT_COLLECTOR_RECORD_BYTES, records);
  snprintf(text, sizeof text, "%" PRId64, residual);
  note_comment(PPROF_COMMENT_RESIDUAL_BYTES, text);
  if (residual != 0)
    note_residual();
}
