/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Whether growth is within limits: of the totals, of the function that grew
 * most, of what was never freed.
 */

#include "diff/diff.h"

#include "diff/diff_cells.h"

#include <string.h>

/* A limit that may be given, and what it is about. */
struct limit {
  const struct growth_limits *limits;
  const char *option;
  enum measure bytes, objects;
};

static enum measure
measure_of(const struct limit *limit, enum growth_kind kind)
{
  return growth_of_allocs(kind) ? limit->objects : limit->bytes;
}

/* Whether ENTRY, the function NAME or (NULL) all of it, is within LIMIT; else
 * GROWN says what grew. */
static bool
is_within(const struct diff *diff, const struct limit *limit,
          enum growth_kind kind, const struct diff_entry *entry,
          const char *name, char grown[MPROF_ERROR_LENGTH])
{
  enum measure measure = measure_of(limit, kind);
  enum measure counted = reduction_counted(&diff->sides[DIFF_NEW]);
  uint64_t old = entry->sides[DIFF_OLD].counts[measure];
  uint64_t new = entry->sides[DIFF_NEW].counts[measure];
  if (!growth_exceeds(limit->limits, kind, old, new,
                      diff->totals[DIFF_OLD].counts[measure]))
    return true;
  mprof_line(grown, "grew from %llu to %llu %s%s%s, beyond --%s=%s",
             (unsigned long long)old, (unsigned long long)new,
             measure > MEASURE_ALLOCS
                 ? measure_rows[measure].noun
                 : measure_noun(counted, measure_rows[measure].bytes),
             name == NULL ? "" : " in ", name == NULL ? "" : name,
             limit->option, limit->limits->text);
  return false;
}

static int64_t
growth_of(const struct diff_entry *entry, enum measure measure)
{
  return (int64_t)(entry->sides[DIFF_NEW].counts[measure] -
                   entry->sides[DIFF_OLD].counts[measure]);
}

/* The function that grew most, the first by name of several; NULL: none. */
static const struct diff_entry *
most_grown(const struct diff *diff, enum measure measure, const char **name)
{
  const struct diff_table *functions = &diff->tables[DIFF_FUNCTIONS];
  const struct diff_entry *most = NULL;
  for (size_t i = 0; i < functions->entry_count; i++) {
    const struct diff_entry *entry = &functions->entries[i];
    size_t count;
    const uint64_t *key = row_table_words(&functions->keys, i, &count);
    const char *text = names_text(&diff->names, (uint32_t)key[0]);
    if (most == NULL ||
        growth_of(entry, measure) > growth_of(most, measure) ||
        (growth_of(entry, measure) == growth_of(most, measure) &&
         strcmp(text, *name) < 0)) {
      most = entry;
      *name = text;
    }
  }
  return most;
}

bool
diff_check_growth(const struct diff *diff, char grown[MPROF_ERROR_LENGTH],
                  struct mprof_error *error)
{
  const struct diff_options *limits = diff->limits;
  const struct diff_entry all = {
      .sides = {diff->totals[DIFF_OLD], diff->totals[DIFF_NEW]}};
  const struct limit whole = {&limits->growth, "fail-above", MEASURE_BYTES,
                              MEASURE_ALLOCS};
  const struct limit each = {&limits->function_growth, "fail-above-function",
                             MEASURE_BYTES, MEASURE_ALLOCS};
  const struct limit kept = {&limits->kept_growth, "fail-above-kept",
                             MEASURE_KEPT_BYTES, MEASURE_KEPT_ALLOCS};
  grown[0] = '\0';
  if (kept.limits->text != NULL && !diff_knows(diff, MEASURE_KEPT_BYTES))
    return mprof_error_set(error, MPROF_BAD_PROFILE, MPROF_NO_OFFSET,
                           "--%s=%s: the profiles do not say what was never "
                           "freed",
                           kept.option, kept.limits->text);
  bool within = true;
  for (int i = 0; within && i < GROWTH_KINDS; i++) {
    enum growth_kind kind = (enum growth_kind)i;
    const char *name = NULL;
    const struct diff_entry *most =
        most_grown(diff, measure_of(&each, kind), &name);
    within = is_within(diff, &whole, kind, &all, NULL, grown) &&
             (most == NULL ||
              is_within(diff, &each, kind, most, name, grown)) &&
             is_within(diff, &kept, kind, &all, NULL, grown);
  }
  return true;
}
