/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lisp/balance/reconciliation.h"

#include <inttypes.h>

#include "common/pprof_format.h"

/* Of one bit of `causes', in the order in which they are noted. */
static const struct {
  enum balance_doubt cause;
  const char *text;
} texts[] = {
    {BALANCE_PAGE,
     "up to 4096 bytes of a page that the collector has swept but not yet "
     "added"},
    {BALANCE_FORK,
     "a fork: an object that another thread was taking, or its free list, "
     "and up to 4096 bytes of a page that the collector had swept and never "
     "adds"},
    {BALANCE_LISTS,
     "the threads' free lists in the collector could not be read"},
    {BALANCE_TABLES,
     "growth of the collector's tables of finalizers and weak links, which "
     "could not be read"},
    {BALANCE_FINALIZERS,
     "free lists that the collector drops when a finalizer allocates during "
     "their construction"},
    {BALANCE_TABLE_CLASS,
     "the collector's tables of finalizers and weak links, if they were made "
     "with another size class"},
    {BALANCE_OTHERS,
     "memory that code other than ECL's allocators took from the collector"},
};

/* What the residual can be made of. */
static void
note_causes(struct note_list *notes, const struct reconciliation *r)
{
  static const char key[] = PPROF_COMMENT_RESIDUAL_NOTE;
  if ((r->causes & BALANCE_REST) != 0)
    note_comment(
        notes, key,
        "a thread could not be paused when counting began or ended: "
        "an object that it was taking, or the free list that it took "
        "it from");
  if ((r->causes & BALANCE_RUNNING) != 0)
    note_comment(notes, key,
                 "threads that were still running when the process ended");
  if (r->imported_threads > 0)
    note_comment(notes, key,
                 "memory that the runtime allocated for %u threads, created "
                 "by C code, before they were imported",
                 r->imported_threads);
  if (r->uncounted_threads > 0)
    note_comment(notes, key,
                 "threads that are not counted, since memory ran out when "
                 "they started: %u",
                 r->uncounted_threads);
  for (size_t i = 0; i < sizeof texts / sizeof *texts; i++)
    if ((r->causes & texts[i].cause) != 0)
      note_comment(notes, key, "%s", texts[i].text);
  if (r->causes == 0 && r->imported_threads == 0 && r->uncounted_threads == 0)
    note_comment(notes, key, "not known: please report this");
}

void
reconciliation_note(struct note_list *notes, const struct reconciliation *r)
{
  const int64_t residual = (int64_t)(r->collector - r->rounded - r->records);
  note_comment(notes, PPROF_COMMENT_ROUNDED_BYTES, "%" PRIu64, r->rounded);
  note_comment(notes, PPROF_COMMENT_COLLECTOR_BYTES, "%" PRId64,
               (int64_t)r->collector);
  note_comment(notes, PPROF_COMMENT_COLLECTOR_RECORD_BYTES, "%" PRId64,
               (int64_t)r->records);
  note_comment(notes, PPROF_COMMENT_RESIDUAL_BYTES, "%" PRId64, residual);
  if (residual != 0)
    note_causes(notes, r);
}
