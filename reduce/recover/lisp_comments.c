/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Comments of a Lisp profile.  A program that is asked states its figures; of
 * one that was killed they are the sums of what is in its image.
 */

#include "recover/lisp_recovery.h"

#include "pprof/profile.h"
#include "recover/recover.h"

#include <inttypes.h>
#include <stdio.h>

/* Puts all comments KEY of the program.  Gives back whether there are any. */
static bool
put_stated(struct lisp_recovery *r, const char *key)
{
  bool any = false;
  for (size_t i = 0; i < r->notes->comment_count; i++) {
    const char *value = comment_value(r->notes->comments[i], key);
    if (value != NULL)
      pprof_put_comment(&r->stream, key, value);
    any |= value != NULL;
  }
  return any;
}

static void
put_count(struct lisp_recovery *r, const char *key, uint64_t counted)
{
  if (!put_stated(r, key))
    pprof_put_count(&r->stream, key, counted);
}

static void
put_reconciliation(struct lisp_recovery *r)
{
  put_stated(r, PPROF_COMMENT_MALLOC_BYTES);
  put_stated(r, PPROF_COMMENT_ROUNDED_BYTES);
  put_stated(r, PPROF_COMMENT_COLLECTOR_BYTES);
  put_stated(r, PPROF_COMMENT_COLLECTOR_RECORD_BYTES);
  put_stated(r, PPROF_COMMENT_RESIDUAL_BYTES);
  put_stated(r, PPROF_COMMENT_RESIDUAL_NOTE);
}

/* What can be missing from chains, and names that are. */
static void
put_gaps(struct lisp_recovery *r)
{
  struct pprof_stream *p = &r->stream;
  char text[100];
  put_count(r, PPROF_COMMENT_UNATTRIBUTED_ALLOCATIONS,
            r->samples.unattributed_count);
  put_count(r, PPROF_COMMENT_UNATTRIBUTED_BYTES,
            r->samples.unattributed_bytes);
  put_stated(r, PPROF_COMMENT_UNATTRIBUTED_NOTE);
  pprof_put_count(p, PPROF_COMMENT_CUT_ALLOCATIONS, r->samples.cut_count);
  put_stated(r, PPROF_COMMENT_DIFFERING_WALKS);
  put_stated(r, PPROF_COMMENT_CHAIN_NOTE);
  if (r->classless > 0) {
    snprintf(text, sizeof text,
             "objects whose class name did not fit: %" PRIu64, r->classless);
    pprof_put_comment(p, PPROF_COMMENT_CLASS_NOTE, text);
  }
}

void
lisp_put_comments(struct lisp_recovery *r)
{
  struct pprof_stream *p = &r->stream;
  pprof_put_comment(p, PPROF_COMMENT_VERSION, MPROF_VERSION);
  pprof_put_comment(p, PPROF_COMMENT_LANGUAGE, "lisp");
  pprof_put_comment(p, PPROF_COMMENT_PROGRAM,
                    image_note_text(r->notes, NOTE_PROGRAM, 0, "ECL"));
  pprof_put_comment(p, PPROF_COMMENT_ROOT,
                    image_note_text(r->notes, NOTE_ROOT, 0, ""));
  put_count(r, PPROF_COMMENT_ALLOCATIONS, r->allocations);
  put_count(r, PPROF_COMMENT_BYTES, r->bytes);
  put_reconciliation(r);
  put_gaps(r);
  put_stated(r, PPROF_COMMENT_LIVE_COLLECTION);
  put_stated(r, PPROF_COMMENT_LOST_NOTE);
  if (recover_note(r->image) != NULL)
    pprof_put_comment(p, PPROF_COMMENT_LOST_NOTE, recover_note(r->image));
  image_region_comments(&r->regions, false, pprof_put_region, p);
  put_count(r, PPROF_COMMENT_CONTEXTS, r->contexts);
  put_stated(r, PPROF_COMMENT_CONTEXT_BYTES);
  put_count(r, PPROF_COMMENT_THREADS, r->threads);
}
