/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Matches the options with functions, threads, regions and types by their
 * names, and with samples by their numbers. */

#pragma once

#include "analysis/selection.h"

/* Returns whether EXPRESSION is given and matches FUNCTION. */
static inline bool
is_matched(const struct selection *selection, enum expression expression,
           size_t function)
{
  const bool *matches = selection->matches[expression];
  return matches != NULL && matches[function];
}

/* Returns whether EXPRESSION is not given, or matches ITEM. */
static inline bool
is_chosen(const struct selection *selection, enum expression expression,
          size_t item)
{
  const bool *matches = selection->matches[expression];
  return matches == NULL || matches[item];
}

/* Returns how many items EXPRESSION is matched with; and the names of one of
 * them, the second being "" where it has but one. */
size_t selection_item_count(const struct selection *selection,
                            enum expression expression);
struct item_names {
  const char *texts[2];
};
struct item_names selection_item_names(const struct selection *selection,
                                       enum expression expression,
                                       size_t item);
