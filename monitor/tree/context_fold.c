/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * context_fold.c -- one walk up the path for each question.
 *
 * A walk ends at the root, or at the function below which reports begin their
 * chains: what is above it counts for nothing.  It ends early when nothing
 * further up can change the answer.
 */
#include "tree/context_fold.h"

#include "tree/context_tree.h"

/* Returns STATE_RUN for a FUNCTION_ROOT with none above: chains begin
 * there. */
enum phase_state
context_fold_state(const struct context *contexts, uint32_t parent,
                   uint32_t function)
{
  if ((function & FUNCTION_ROOT) != 0) {
    uint32_t i = parent;
    while (i != CONTEXT_ROOT && (contexts[i].function & FUNCTION_ROOT) == 0)
      i = contexts[i].parent;
    if (i == CONTEXT_ROOT)
      return STATE_RUN;
  }
  return phase_next((enum phase_state)CONTEXT_STATE(contexts[parent].marks),
                    (enum phase_role)FUNCTION_ROLE(function));
}

/* Returns true if C is a call in `function'; with `places' also at the line
 * of `site', if that has one. */
static inline bool
is_call(const struct context *c, uint64_t site, uint32_t function,
        bool places)
{
  return c->function == function &&
         (!places || c->site == site || (site & SITE_PLACE) == 0);
}

uint32_t
context_fold_parent(const struct context *contexts, uint32_t parent,
                    uint64_t site, uint32_t function, enum phase_state state,
                    bool places, bool *new_arc)
{
  const struct context *const caller = &contexts[parent];
  const uint32_t shown_caller = caller->marks & CONTEXT_SHOWN;
  const bool hidden = (function & FUNCTION_HIDDEN) != 0;
  const uint32_t shown = hidden ? shown_caller : function & FUNCTION_NUMBER;
  uint32_t candidate = CONTEXT_OVERFLOW;
  bool novel = false; /* below: something that the path above has not */
  bool arc_known = false, shown_arc_known = hidden;

  if (new_arc != NULL)
    *new_arc = true;
  if (function == 0 || caller->function == 0)
    return CONTEXT_OVERFLOW;
  for (uint32_t i = parent; i != CONTEXT_ROOT; i = contexts[i].parent) {
    const struct context *c = &contexts[i];
    if (c->function == 0)
      return CONTEXT_OVERFLOW;
    if ((c->function & FUNCTION_ROOT) != 0)
      break;
    if (is_call(c, site, function, places)) {
      if (candidate == CONTEXT_OVERFLOW && !novel &&
          (c->marks & CONTEXT_SHOWN) == shown &&
          CONTEXT_STATE(c->marks) == (uint32_t)state)
        candidate = c->parent;
      arc_known |= is_call(&contexts[c->parent], caller->site,
                           caller->function, places);
      shown_arc_known |=
          (contexts[c->parent].marks & CONTEXT_SHOWN) == shown_caller;
    }
    novel |= (c->marks & CONTEXT_NEW_ARC) != 0;
    if (new_arc == NULL && novel && candidate == CONTEXT_OVERFLOW)
      return CONTEXT_OVERFLOW;
    if (arc_known && shown_arc_known &&
        (novel || candidate != CONTEXT_OVERFLOW))
      break;
  }
  if (new_arc != NULL)
    *new_arc = !arc_known || !shown_arc_known;
  return arc_known && shown_arc_known ? candidate : CONTEXT_OVERFLOW;
}

uint32_t
context_fold_caller(const struct context *contexts, uint32_t up,
                    uint64_t site, uint32_t function, bool places)
{
  const uint32_t target = context_fold_parent(
      contexts, up, site, function,
      context_fold_state(contexts, up, function), places, NULL);
  return target == CONTEXT_OVERFLOW ? up : target;
}
