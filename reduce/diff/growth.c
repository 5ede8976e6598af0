/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Limits as text, and whether growth is within them: of the totals, of the
 * function that grew most, of what was never freed.  Numbers are kept in
 * millionths, and products in 128 bits.
 */

#include "diff/diff.h"

#include <errno.h>
#include <stdlib.h>
#include <string.h>

__extension__ typedef unsigned __int128 uint128;

enum { MILLION = 1000000, WHOLE_PERCENTS = 100 };

static const struct {
  const char *name;
  enum growth_kind kind;
  uint64_t factor;
} units[] = {
    {"%", GROWTH_BYTE_SHARE, 1},
    {"%allocs", GROWTH_ALLOC_SHARE, 1},
    {"allocs", GROWTH_ALLOCS, 1},
    {"", GROWTH_BYTES, 1},
    {"B", GROWTH_BYTES, 1},
    {"kB", GROWTH_BYTES, 1000},
    {"MB", GROWTH_BYTES, 1000 * 1000},
    {"GB", GROWTH_BYTES, 1000 * 1000 * 1000},
    {"KiB", GROWTH_BYTES, 1 << 10},
    {"MiB", GROWTH_BYTES, 1 << 20},
    {"GiB", GROWTH_BYTES, 1 << 30},
};

/* Reads the number at *TEXT, which moves past it, in millionths: as an
 * integer of the digits before the point and six behind it. */
static bool
read_number(const char **text, uint64_t *millionths)
{
  static const char digits[] = "0123456789";
  const int whole = (int)strspn(*text, digits);
  const char *places = *text + whole + 1;
  const int count = (*text)[whole] == '.' ? (int)strspn(places, digits) : 0;
  if (whole == 0 || count > 6)
    return false;
  errno = 0;
  *millionths = strtoull(pool_format("%.*s%.*s%.*s", whole, *text, count,
                                     places, 6 - count, "000000"),
                         NULL, 10);
  *text += whole + (count == 0 ? 0 : 1 + count);
  return errno == 0;
}

/* What is in front of a limit. */
static const char *const subjects[GROWTH_SUBJECTS] = {
    [GROWTH_OF_TOTAL] = "",
    [GROWTH_OF_FUNCTION] = "function:",
    [GROWTH_OF_KEPT] = "kept:"};

/* Reads one limit of LENGTH bytes at TEXT. */
static bool
read_limit(struct growth_limits *limits, const char *text, size_t length)
{
  const char *const end = text + length;
  enum growth_of of = GROWTH_SUBJECTS - 1;
  uint64_t value;
  while (strncmp(text, subjects[of], strlen(subjects[of])) != 0)
    of--;
  text += strlen(subjects[of]);
  if (!read_number(&text, &value) || text > end)
    return false;
  for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
    if (strlen(units[i].name) == (size_t)(end - text) &&
        memcmp(units[i].name, text, (size_t)(end - text)) == 0) {
      struct growth_limit *limit = &limits->of[of][units[i].kind];
      limits->any[of] = limit->set = true;
      return !__builtin_mul_overflow(value, units[i].factor,
                                     &limit->millionths);
    }
  return false;
}

bool
growth_limits_parse(struct growth_limits *limits, const char *text)
{
  *limits = (struct growth_limits){.text = text};
  for (;;) {
    size_t length = strcspn(text, ",");
    if (!read_limit(limits, text, length))
      return false;
    if (text[length] == '\0')
      return true;
    text += length + 1;
  }
}

bool
growth_exceeds(const struct growth_limit *limit, enum growth_kind kind,
               uint64_t old, uint64_t new, uint64_t whole)
{
  if (!limit->set || new <= old)
    return false;
  uint128 growth = (uint128)(new - old) * MILLION;
  return kind == GROWTH_BYTE_SHARE || kind == GROWTH_ALLOC_SHARE
             ? growth * WHOLE_PERCENTS > (uint128)limit->millionths * whole
             : growth > limit->millionths;
}

static int64_t
growth_of(const struct diff_entry *entry, enum measure measure)
{
  return (int64_t)(entry->sides[DIFF_NEW].counts[measure] -
                   entry->sides[DIFF_OLD].counts[measure]);
}

/* Returns the function that grew most, the first by name of several; NULL:
 * none. */
static const struct diff_entry *
most_grown(const struct diff *diff, enum measure measure)
{
  const struct diff_table *functions = &diff->tables[DIFF_FUNCTIONS];
  const struct diff_entry *most = NULL;
  for (size_t i = 0; i < functions->entry_count; i++)
    if (most == NULL ||
        growth_of(&functions->entries[i], measure) > growth_of(most, measure))
      most = &functions->entries[i];
  return most;
}

/* Returns whether growth of KIND is beyond the limit OF something; if so,
 * GROWN describes the growth. */
static bool
is_beyond(const struct diff *diff, enum growth_of of, enum growth_kind kind,
          char grown[MPROF_ERROR_LENGTH])
{
  const struct growth_limits *limits = &diff->given->limits;
  const struct diff_entry all = {
      .sides = {diff->totals[DIFF_OLD], diff->totals[DIFF_NEW]}};
  const struct profile *profile = diff->sides[DIFF_NEW]->profile;
  enum measure counted = view_counted(diff->sides[DIFF_NEW]);
  bool objects = kind == GROWTH_ALLOCS || kind == GROWTH_ALLOC_SHARE;
  bool each = of == GROWTH_OF_FUNCTION;
  enum measure measure = objects ? MEASURE_ALLOCS : MEASURE_BYTES;
  if (of == GROWTH_OF_KEPT)
    measure = objects ? MEASURE_KEPT_ALLOCS : MEASURE_KEPT_BYTES;
  const struct diff_entry *entry = each ? most_grown(diff, measure) : &all;
  if (entry == NULL)
    return false;
  uint64_t old = entry->sides[DIFF_OLD].counts[measure];
  uint64_t new = entry->sides[DIFF_NEW].counts[measure];
  if (!growth_exceeds(&limits->of[of][kind], kind, old, new,
                      all.sides[DIFF_OLD].counts[measure]))
    return false;
  mprof_line(
      grown, "grew from %llu to %llu %s%s%s, beyond --limit-growth=%s",
      (unsigned long long)old, (unsigned long long)new,
      measure > MEASURE_ALLOCS
          ? measure_row(profile, measure)->noun
          : measure_noun(profile, counted, measure_rows[measure].bytes),
      each ? " in " : "", each ? entry->name : "", limits->text);
  return true;
}

void
diff_check_growth(const struct diff *diff, char grown[MPROF_ERROR_LENGTH])
{
  const struct growth_limits *limits = &diff->given->limits;
  const struct measure_row *row =
      measure_row(diff->sides[DIFF_NEW]->profile, MEASURE_KEPT_BYTES);
  grown[0] = '\0';
  if (limits->any[GROWTH_OF_KEPT] && !diff_knows(diff, MEASURE_KEPT_BYTES))
    fail_with(MPROF_BAD_PROFILE,
              "--limit-growth=%s: the profiles do not record what was %s%s",
              limits->text, row->what,
              row->hint[diff->sides[DIFF_NEW]->profile->language]);
  for (int kind = 0; kind < GROWTH_KINDS; kind++)
    for (int of = 0; of < GROWTH_SUBJECTS; of++)
      if (is_beyond(diff, (enum growth_of)of, (enum growth_kind)kind, grown))
        return;
}
