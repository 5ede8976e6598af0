/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Whether growth is within limits: of the totals, of the function that grew
 * most, of what was never freed.
 */

#include "diff/diff.h"

/* A limit that may be given, and what it is about. */
struct limit {
  const struct growth_limits *limits;
  const char *option;
  enum measure bytes, objects;
  bool each; /* function by itself */
};

static int64_t
growth_of(const struct diff_entry *entry, enum measure measure)
{
  return (int64_t)(entry->sides[DIFF_NEW].counts[measure] -
                   entry->sides[DIFF_OLD].counts[measure]);
}

/* The function that grew most, the first by name of several; NULL: none. */
static const struct diff_entry *
most_grown(const struct diff *diff, enum measure measure)
{
  const struct diff_table *functions = &diff->tables[DIFF_FUNCTIONS];
  const struct diff_entry *most = NULL;
  for (size_t i = 0; i < functions->entry_count; i++)
    if (most == NULL || growth_of(&functions->entries[i], measure) >
                            growth_of(most, measure))
      most = &functions->entries[i];
  return most;
}

/* Whether growth of KIND is within LIMIT; else GROWN says what grew. */
static bool
is_within(const struct diff *diff, const struct limit *limit,
          enum growth_kind kind, char grown[MPROF_ERROR_LENGTH])
{
  const struct diff_entry all = {
      .sides = {diff->totals[DIFF_OLD], diff->totals[DIFF_NEW]}};
  enum measure counted = reduction_counted(&diff->sides[DIFF_NEW]);
  enum measure measure =
      growth_of_allocs(kind) ? limit->objects : limit->bytes;
  const struct diff_entry *entry =
      limit->each ? most_grown(diff, measure) : &all;
  if (entry == NULL)
    return true;
  uint64_t old = entry->sides[DIFF_OLD].counts[measure];
  uint64_t new = entry->sides[DIFF_NEW].counts[measure];
  if (!growth_exceeds(limit->limits, kind, old, new,
                      all.sides[DIFF_OLD].counts[measure]))
    return true;
  mprof_line(grown, "grew from %llu to %llu %s%s%s, beyond --%s=%s",
             (unsigned long long)old, (unsigned long long)new,
             measure > MEASURE_ALLOCS
                 ? measure_rows[measure].noun
                 : measure_noun(counted, measure_rows[measure].bytes),
             limit->each ? " in " : "",
             limit->each ? diff_name(entry, 0) : "", limit->option,
             limit->limits->text);
  return false;
}

bool
diff_check_growth(const struct diff *diff, char grown[MPROF_ERROR_LENGTH],
                  struct mprof_error *error)
{
  const struct diff_options *given = diff->limits;
  const struct limit limits[] = {
      {&given->growth, "fail-above", MEASURE_BYTES, MEASURE_ALLOCS, false},
      {&given->function_growth, "fail-above-function", MEASURE_BYTES,
       MEASURE_ALLOCS, true},
      {&given->kept_growth, "fail-above-kept", MEASURE_KEPT_BYTES,
       MEASURE_KEPT_ALLOCS, false},
  };
  const char *kept = given->kept_growth.text;
  grown[0] = '\0';
  if (kept != NULL && !diff_knows(diff, MEASURE_KEPT_BYTES))
    return mprof_error_set(error, MPROF_BAD_PROFILE, MPROF_NO_OFFSET,
                           "--fail-above-kept=%s: the profiles do not say "
                           "what was never freed",
                           kept);
  for (int kind = 0; kind < GROWTH_KINDS; kind++)
    for (size_t i = 0; i < sizeof limits / sizeof limits[0]; i++)
      if (!is_within(diff, &limits[i], (enum growth_kind)kind, grown))
        return true;
  return true;
}
