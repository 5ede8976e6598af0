/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Comments of a Lisp profile.  A program that is asked states its figures; of
 * one that was killed they are the sums of what is in its image.
 */

#include "recover/lisp_recovery.h"

#include "pprof/profile.h"
#include "recover/recover.h"

#include <inttypes.h>
#include <stdio.h>

/* Adds all comments KEY of the program.  Gives back whether there are any. */
static bool
add_stated(struct lisp_recovery *r, const char *key)
{
  bool any = false;
  for (size_t i = 0; i < r->notes->comment_count; i++) {
    const char *value = comment_value(r->notes->comments[i], key);
    if (value != NULL)
      building_comment(&r->building, key, value);
    any |= value != NULL;
  }
  return any;
}

static void
add_count(struct lisp_recovery *r, const char *key, uint64_t counted)
{
  if (!add_stated(r, key))
    building_count(&r->building, key, counted);
}

static void
add_reconciliation(struct lisp_recovery *r)
{
  add_stated(r, PPROF_COMMENT_MALLOC_BYTES);
  add_stated(r, PPROF_COMMENT_ROUNDED_BYTES);
  add_stated(r, PPROF_COMMENT_COLLECTOR_BYTES);
  add_stated(r, PPROF_COMMENT_COLLECTOR_RECORD_BYTES);
  add_stated(r, PPROF_COMMENT_RESIDUAL_BYTES);
  add_stated(r, PPROF_COMMENT_RESIDUAL_NOTE);
}

/* What can be missing from chains, and names that are. */
static void
add_gaps(struct lisp_recovery *r)
{
  struct building *b = &r->building;
  char text[100];
  add_count(r, PPROF_COMMENT_UNATTRIBUTED_ALLOCATIONS,
            r->building.unattributed_count);
  add_count(r, PPROF_COMMENT_UNATTRIBUTED_BYTES,
            r->building.unattributed_bytes);
  add_stated(r, PPROF_COMMENT_UNATTRIBUTED_NOTE);
  building_count(b, PPROF_COMMENT_CUT_ALLOCATIONS, r->building.cut_count);
  add_stated(r, PPROF_COMMENT_DIFFERING_WALKS);
  add_stated(r, PPROF_COMMENT_CHAIN_NOTE);
  if (r->classless > 0) {
    snprintf(text, sizeof text,
             "objects whose class name did not fit: %" PRIu64, r->classless);
    building_comment(b, PPROF_COMMENT_CLASS_NOTE, text);
  }
}

void
lisp_add_comments(struct lisp_recovery *r)
{
  struct building *b = &r->building;
  building_comment(b, PPROF_COMMENT_VERSION, MPROF_VERSION);
  building_comment(b, PPROF_COMMENT_LANGUAGE, "lisp");
  building_comment(b, PPROF_COMMENT_PROGRAM,
                    image_note_text(r->notes, NOTE_PROGRAM, 0, "ECL"));
  building_comment(b, PPROF_COMMENT_ROOT,
                    image_note_text(r->notes, NOTE_ROOT, 0, ""));
  add_count(r, PPROF_COMMENT_ALLOCATIONS, r->allocations);
  add_count(r, PPROF_COMMENT_BYTES, r->bytes);
  add_reconciliation(r);
  add_gaps(r);
  add_stated(r, PPROF_COMMENT_LIVE_COLLECTION);
  add_stated(r, PPROF_COMMENT_LOST_NOTE);
  if (recover_note(r->image) != NULL)
    building_comment(b, PPROF_COMMENT_LOST_NOTE, recover_note(r->image));
  building_regions(b, &r->regions, false);
  add_count(r, PPROF_COMMENT_CONTEXTS, r->contexts);
  add_stated(r, PPROF_COMMENT_CONTEXT_BYTES);
  add_count(r, PPROF_COMMENT_THREADS, r->threads);
}
