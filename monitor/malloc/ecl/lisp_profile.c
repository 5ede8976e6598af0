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
#include "names/classify.h"
#include "tree/image.h"

/* ---- types ---- */

_Static_assert((int)LISP_MORE_SHIFT == (int)NOTE_CLASS_SHIFT &&
                   (1 << LISP_TYPE_BITS) - 1 == (int)NOTE_TYPE_ALONE,
               "what a reader of images knows of types");

/* The hooks of a patched ECL call it otherwise: see classify.h. */
static void
note_type(uint32_t what, uint32_t flags)
{
  const uint32_t type = LISP_TYPE(what);
  const uint32_t as_hooked =
      type | (type == t_instance ? 0 : what >> LISP_MORE_SHIFT << 8) |
      ((what & LISP_NOT_SIMPLE) != 0 ? ECL_ALLOCATED_NOT_SIMPLE : 0);
  image_note(NOTE_TYPE, what, classify_category(as_hooked) | flags, 0,
             classify_type_name(as_hooked));
}

void
lisp_profile_note(void)
{
  enum { MOST = 64 }; /* element types, and modes of streams */
  image_note(NOTE_COARSE, 0, 0, 0,
             "This ECL was not built by mprof: chains can lack functions that "
             "are inlined or end in a call");
  for (uint32_t type = 0; type < t_end && image_is_open(); type++) {
    note_type(LISP_WHAT(type, 0), type == t_instance ? NOTE_HAS_CLASS : 0);
    for (uint32_t more = 1; more < MOST && type != t_instance; more++) {
      note_type(LISP_WHAT(type, more), 0);
      note_type(LISP_WHAT(type, more) | LISP_NOT_SIMPLE, 0);
    }
  }
}

/* ---- the reconciliation ---- */

/* The comment KEY=TEXT. */
static void
note_comment(const char *key, const char *text)
{
  char comment[300];
  snprintf(comment, sizeof comment, "%s=%s", key, text);
  image_note(NOTE_COMMENT, 0, 0, 0, comment);
}

static void
note_number(const char *key, int64_t n)
{
  char text[24];
  snprintf(text, sizeof text, "%" PRId64, n);
  note_comment(key, text);
}

void
lisp_profile_note_balance(void)
{
  struct lisp_residual r;
  const char *doubt;
  if (!lisp_balance_residual(&malloc_monitor.tree, &r))
    return;
  note_number(PPROF_COMMENT_ROUNDED_BYTES, (int64_t)r.rounded);
  note_number(PPROF_COMMENT_COLLECTOR_BYTES, (int64_t)r.given);
  note_number(PPROF_COMMENT_COLLECTOR_RECORD_BYTES, (int64_t)r.records);
  note_number(PPROF_COMMENT_RESIDUAL_BYTES, r.residual);
  for (unsigned i = 0;
       r.residual != 0 && (doubt = lisp_balance_doubt(i)) != NULL; i++)
    note_comment(PPROF_COMMENT_RESIDUAL_NOTE, doubt);
}
