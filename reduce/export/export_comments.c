/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Writes the comments of an exported profile: those of its files, once each,
 * and the facts that hold for what is exported. */

#include "export/export.h"

#include "common/pprof_format.h"

#include <inttypes.h>
#include <string.h>

void
export_comment(struct profile *made, const char *key, const char *value)
{
  profile_add_comment(
      made, names_intern(&made->names, pool_format("%s=%s", key, value)));
}

/* Returns whether the export states FACT: one that all files have and that
 * holds for what is exported; and always its calls, where they are counted.
 */
static bool
is_stated(const struct view *view, enum profile_fact fact)
{
  const struct selection *selection = &view->selection;
  const struct profile *profile = view->profile;
  if (fact == FACT_CALLS)
    return selection->counts_calls && profile->language != LANGUAGE_C &&
           view->options->by == BY_FUNCTION;
  return profile_knows(profile, fact) &&
         !(selection->narrowed && fact >= FACT_ROUNDED_BYTES &&
           fact <= FACT_RESIDUAL_BYTES);
}

/* Returns whether the comment N is a fact, or speaks of what is not exported.
 */
static bool
is_left_out(const struct view *view, size_t n)
{
  const struct profile *profile = view->profile;
  const struct selection *selection = &view->selection;
  for (int fact = 0; fact < FACT_COUNT; fact++)
    if (profile_comment_value(profile, n, profile_fact_keys[fact]))
      return true;
  if (profile_comment_value(profile, n, PPROF_COMMENT_CALLS_UNKNOWN))
    return true; /* written with the functions */
  if (profile_comment_value(profile, n, PPROF_COMMENT_ROOT))
    return selection->cuts;
  return profile_comment_value(profile, n, PPROF_COMMENT_RESIDUAL_NOTE) &&
         selection->narrowed;
}

void
export_comments(const struct view *view, struct profile *made)
{
  const struct profile *profile = view->profile;
  for (size_t i = 0; i < profile->comment_count; i++)
    if (!is_left_out(view, i))
      profile_add_comment_once(
          made, names_intern(&made->names, names_text(&profile->names,
                                                      profile->comments[i])));
  int64_t facts[FACT_COUNT];
  memcpy(facts, profile->facts, sizeof facts);
  facts[FACT_ALLOCATIONS] = (int64_t)view->selection.total.allocs;
  facts[FACT_BYTES] = (int64_t)view->selection.total.bytes;
  facts[FACT_CALLS] = (int64_t)view->selection.calls;
  for (int fact = 0; fact < FACT_COUNT; fact++)
    if (is_stated(view, (enum profile_fact)fact))
      export_comment(made, profile_fact_keys[fact],
                     pool_format("%" PRId64, facts[fact]));
}
