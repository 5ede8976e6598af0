/* SPDX-License-Identifier: LGPL-2.1-or-later */
#include "lisp/balance/reconciliation.h"

#include <inttypes.h>

#include "common/pprof_format.h"

void
reconciliation_note(struct note_list *notes, const struct reconciliation *r,
                    const struct residual_cause *causes, size_t count)
{
  const int64_t residual = (int64_t)(r->collector - r->rounded - r->records);
  bool known = false;
  note_comment(notes, PPROF_COMMENT_ROUNDED_BYTES, "%" PRIu64, r->rounded);
  note_comment(notes, PPROF_COMMENT_COLLECTOR_BYTES, "%" PRId64,
               (int64_t)r->collector);
  note_comment(notes, PPROF_COMMENT_COLLECTOR_RECORD_BYTES, "%" PRId64,
               (int64_t)r->records);
  note_comment(notes, PPROF_COMMENT_RESIDUAL_BYTES, "%" PRId64, residual);
  for (size_t i = 0; i < count && residual != 0; i++)
    if (causes[i].applies) {
      note_comment(notes, PPROF_COMMENT_RESIDUAL_NOTE, "%s", causes[i].text);
      known = true;
    }
  if (residual != 0 && !known)
    note_comment(notes, PPROF_COMMENT_RESIDUAL_NOTE,
                 "not known: please report this");
}
