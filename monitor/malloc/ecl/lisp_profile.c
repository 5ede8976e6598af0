/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * lisp_profile.c -- see lisp_profile.h.
 */
#include "malloc/ecl/lisp_profile.h"

#include <inttypes.h>
#include <stdio.h>

#include "malloc/ecl/lisp_balance.h"
#include "malloc/ecl/lisp_heap.h"
#include "malloc/ecl/lisp_names.h"
#include "names/classify.h"

void
lisp_profile_labels(struct pprof_stream *p, const struct kind *kind)
{
  const uint32_t class = LISP_TYPE(kind->what) == t_instance
                             ? kind->what >> LISP_MORE_SHIFT
                             : 0;
  const uint32_t what = lisp_hook_what(kind->what);
  pprof_add_label(p, PPROF_LABEL_TYPE,
                  class != 0 && lisp_names_is_structure(class)
                      ? "STRUCTURE"
                      : classify_type_name(what));
  if (class != 0)
    pprof_add_label(p, PPROF_LABEL_CLASS, lisp_names_class_name(class));
  pprof_add_label(p, PPROF_LABEL_CATEGORY,
                  classify_category_name(classify_category(what)));
}

void
lisp_profile_comments(struct pprof_stream *p,
                      const struct context_tree *tree)
{
  struct lisp_residual r;
  const char *doubt;
  char text[24];
  pprof_put_comment(p, PPROF_COMMENT_COARSE_NOTE, lisp_coarse_note);
  if (!lisp_balance_residual(tree, &r))
    return;
  pprof_put_count(p, PPROF_COMMENT_ROUNDED_BYTES, r.rounded);
  pprof_put_count(p, PPROF_COMMENT_COLLECTOR_BYTES, r.given);
  pprof_put_count(p, PPROF_COMMENT_COLLECTOR_RECORD_BYTES, r.records);
  snprintf(text, sizeof text, "%" PRId64, r.residual);
  pprof_put_comment(p, PPROF_COMMENT_RESIDUAL_BYTES, text);
  for (unsigned i = 0;
       r.residual != 0 && (doubt = lisp_balance_doubt(i)) != NULL; i++)
    pprof_put_comment(p, PPROF_COMMENT_RESIDUAL_NOTE, doubt);
}
