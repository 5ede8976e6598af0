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

/* Chains begin below the first root. */
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
  return phase_next((enum phase_state)contexts[parent].state,
                    (enum phase_role)FUNCTION_ROLE(function));
}

/* The same without `new_arc', if that is NULL: then the search ends where
 * nothing can be folded any more. */
static inline uint32_t
fold(const struct context *contexts, uint32_t parent, uint32_t function,
     enum phase_state state, bool *new_arc)
{
  const uint32_t caller = contexts[parent].function;
  const uint32_t shown_caller = contexts[parent].shown;
  const bool hidden = (function & FUNCTION_HIDDEN) != 0;
  const uint32_t shown =
      hidden ? shown_caller : function & FUNCTION_NUMBER;
  uint32_t candidate = CONTEXT_OVERFLOW;
  bool novel = false; /* below: something that the path above has not */
  bool arc_known = false, shown_arc_known = hidden;

  if (new_arc != NULL)
    *new_arc = true;
  if (function == 0 || caller == 0)
    return CONTEXT_OVERFLOW;
  for (uint32_t i = parent; i != CONTEXT_ROOT; i = contexts[i].parent) {
    const struct context *c = &contexts[i];
    if (c->function == 0)
      return CONTEXT_OVERFLOW;
    if ((c->function & FUNCTION_ROOT) != 0)
      break;
    if (c->function == function) {
      if (candidate == CONTEXT_OVERFLOW && !novel && c->shown == shown &&
          c->state == (uint32_t)state)
        candidate = c->parent;
      arc_known |= contexts[c->parent].function == caller;
      shown_arc_known |= contexts[c->parent].shown == shown_caller;
    }
    novel |= c->new_arc;
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
context_fold_parent(const struct context *contexts, uint32_t parent,
                    uint32_t function, enum phase_state state, bool *new_arc)
{
  return fold(contexts, parent, function, state, new_arc);
}

uint32_t
context_fold_caller(const struct context *contexts, uint32_t up,
                    uint32_t function)
{
  const uint32_t target =
      fold(contexts, up, function, context_fold_state(contexts, up, function),
           NULL);
  return target == CONTEXT_OVERFLOW ? up : target;
}
