/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Which value of a sample means what.
 *
 * Columns are found by the names of the sample types, in whatever order they
 * come, so that heap profiles of other programs can be read:
 *
 *   alloc_objects, alloc_space   what was allocated: mprof, Go
 *   inuse_objects, inuse_space   what of it was live: the same
 *   objects, space               what was live: tcmalloc, jemalloc, Node.js
 *
 * peak_objects, peak_space and temporary_objects are mprof's own.
 *
 * Where only what was live is there, it stands for what was allocated; also
 * where a file has columns for both, but counts no allocation: jemalloc's
 * does when it was not told to accumulate.  Without any of these it is the
 * sample type that the file says to show first, or the first one that is
 * measured in bytes, and the count that goes by the same name: "x_bytes" with
 * "x_objects".
 *
 * In a profile of the whole time of a program, what is live is a part of what
 * was allocated.  Other programs write differences, too.  With the
 * allocations of an interval and all that is live at its end (Pyroscope,
 * Datadog), more can be live than was allocated.  Go's `?seconds=N' subtracts
 * both, so live figures can be negative; they measure nothing, and are left
 * out.
 */

#include "profile/reading.h"

#include <stdio.h>
#include <strings.h>

/* Returns how many bytes one UNIT is; 0 if it is no unit of bytes.  As in
 * pprof, a kilobyte has 1024 of them. */
static uint64_t
bytes_in_unit(const char *unit)
{
  static const char *const units[][4] = {
      {"b", "", "byte", "bytes"},
      {"kb", "kib", "kilobyte", "kilobytes"},
      {"mb", "mib", "megabyte", "megabytes"},
      {"gb", "gib", "gigabyte", "gigabytes"},
      {"tb", "tib", "terabyte", "terabytes"},
  };
  for (size_t i = 0; i < sizeof units / sizeof units[0]; i++)
    for (size_t j = 0; j < sizeof units[i] / sizeof units[i][0]; j++)
      if (strcasecmp(unit, units[i][j]) == 0)
        return UINT64_C(1) << 10 * i;
  return 0;
}

/* Returns the offset of the file's sample type INDEX, from zero; the length
 * of the file if it has fewer. */
static size_t
column_at(const struct reading *reading, size_t index)
{
  for (size_t i = 0; i < reading->field_count; i++)
    if (reading->fields[i].number == PPROF_SAMPLE_TYPE && index-- == 0)
      return reading->fields[i].at;
  return reading->file.length;
}

/* Reads the sample types of READING's file. */
static void
read_types(struct reading *reading)
{
  struct profile *heading = &reading->heading;
  size_t capacity = 0;
  for (size_t i = 0; i < reading->field_count; i++) {
    const struct wire_field *field = &reading->fields[i];
    struct profile_value_type type;
    if (field->number != PPROF_SAMPLE_TYPE)
      continue;
    if (!reading_value_type(reading, field, &type))
      reading_fault_at(reading, field->at,
                       "sample type %zu refers to a missing string",
                       heading->column_count);
    ARRAY_PUSH(heading->columns, heading->column_count, capacity, type);
  }
}

/* Return the name and the unit of the sample type I. */
static const char *
type_of(const struct reading *reading, size_t i)
{
  return profile_text(reading->profile, reading->heading.columns[i].type);
}

static const char *
unit_of(const struct reading *reading, size_t i)
{
  return profile_text(reading->profile, reading->heading.columns[i].unit);
}

/* Returns the column whose sample type is called NAME. */
static struct profile_column
find_column(const struct reading *reading, const char *name)
{
  for (size_t i = 0; i < reading->heading.column_count; i++)
    if (strcmp(type_of(reading, i), name) == 0)
      return (struct profile_column){(int)i, 1};
  return (struct profile_column){NO_COLUMN, 1};
}

/* Gives the column of USE, unless it is absent, the scale of its unit. */
static void
set_scale(struct reading *reading, int use)
{
  struct profile_column *column = &reading->heading.column_of[use];
  if (column->index == NO_COLUMN)
    return;
  const size_t i = (size_t)column->index;
  column->scale = bytes_in_unit(unit_of(reading, i));
  if (column->scale == 0)
    reading_fault_at(reading, column_at(reading, i),
                     "%s is measured in '%s', which is not a unit of bytes",
                     type_of(reading, i), unit_of(reading, i));
}

/* ---- what was live ---- */

/* What the samples of another program's file have. */
struct live_found {
  bool allocations;
  bool apart;    /* more is live somewhere than was allocated */
  bool negative; /* something that was live */
};

/* Returns what the samples of the file have. */
static struct live_found
look_at_samples(const struct reading *reading)
{
  const struct profile_column *columns = reading->heading.column_of;
  const bool counts = profile_has(&reading->heading, MEASURE_ALLOCS);
  struct live_found found = {false, false, false};
  struct numbers values = {0};
  struct wire_walk walk = wire_walk(reading, NULL);
  struct wire_field sample, field;
  while (wire_next(&walk, &sample)) {
    if (sample.number != PPROF_SAMPLE)
      continue;
    struct wire_walk parts = wire_walk(reading, &sample);
    uint64_t v[MEASURE_KEPT_ALLOCS + 1] = {0}; /* by measure */
    values.count = 0;
    while (wire_next(&parts, &field))
      if (field.number == PPROF_SAMPLE_VALUES)
        wire_read_numbers(reading, &field, &values);
    for (int i = 0; i <= MEASURE_KEPT_ALLOCS; i++)
      if (columns[i].index != NO_COLUMN &&
          (size_t)columns[i].index < values.count)
        v[i] = values.items[columns[i].index];
    found.allocations |= v[MEASURE_BYTES] != 0;
    found.apart |= v[MEASURE_KEPT_BYTES] * columns[MEASURE_KEPT_BYTES].scale >
                       v[MEASURE_BYTES] * columns[MEASURE_BYTES].scale ||
                   (counts && v[MEASURE_KEPT_ALLOCS] > v[MEASURE_ALLOCS]);
    found.negative |=
        (int64_t)(v[MEASURE_KEPT_BYTES] | v[MEASURE_KEPT_ALLOCS]) < 0;
  }
  return found;
}

/* Decides what the live figures of the file mean: they stand for what was
 * allocated where nothing else says that, and negative ones count nowhere. */
static void
find_live(struct reading *reading)
{
  struct profile *heading = &reading->heading;
  struct profile_column *columns = heading->column_of;
  struct live_found found = {.allocations =
                                 profile_has(heading, MEASURE_BYTES)};
  if (!profile_has(heading, MEASURE_KEPT_BYTES))
    return;
  if (found.allocations && !heading->by_mprof && !reading->is_text)
    found = look_at_samples(reading);
  if (!found.allocations) {
    columns[MEASURE_ALLOCS] = columns[MEASURE_KEPT_ALLOCS];
    columns[MEASURE_BYTES] = columns[MEASURE_KEPT_BYTES];
    heading->gaps.live = heading->file_count;
  } else if (found.negative) {
    columns[MEASURE_KEPT_ALLOCS].index = NO_COLUMN;
    columns[MEASURE_KEPT_BYTES].index = NO_COLUMN;
    heading->gaps.changes = heading->file_count;
  } else if (found.apart) {
    heading->gaps.apart = heading->file_count;
  }
}

/* ---- uses ---- */

/* Finds a column by its unit, since no name is known: see above. */
static void
guess_columns(struct reading *reading)
{
  struct profile *heading = &reading->heading;
  int *bytes = &heading->column_of[MEASURE_BYTES].index;
  int *allocs = &heading->column_of[MEASURE_ALLOCS].index;
  for (size_t i = 0; i < heading->column_count; i++)
    if (*unit_of(reading, i) != '\0' &&
        bytes_in_unit(unit_of(reading, i)) != 0 &&
        (*bytes == NO_COLUMN ||
         heading->columns[i].type == heading->default_type))
      *bytes = (int)i;
  if (*bytes == NO_COLUMN)
    return;
  const char *name = type_of(reading, (size_t)*bytes);
  const char *end = strrchr(name, '_');
  const size_t stem = end == NULL ? 0 : (size_t)(end - name) + 1;
  for (size_t i = 0; i < heading->column_count && *allocs == NO_COLUMN; i++)
    if (strcmp(unit_of(reading, i), "count") == 0 &&
        strncmp(type_of(reading, i), name, stem) == 0 &&
        strchr(type_of(reading, i) + stem, '_') == NULL)
      *allocs = (int)i;
}

/* Fails since the file says nothing of bytes. */
static _Noreturn void
no_heap_profile(const struct reading *reading)
{
  char list[200] = "";
  size_t used = 0;
  for (size_t i = 0; i < reading->heading.column_count && used < sizeof list;
       i++)
    used += (size_t)snprintf(list + used, sizeof list - used, "%s%s/%s",
                             i == 0 ? "" : ", ", type_of(reading, i),
                             unit_of(reading, i));
  reading_fault_at(
      reading, column_at(reading, 0),
      "is %s profile: none of its sample types counts bytes "
      "(%s)",
      find_column(reading, "cpu").index != NO_COLUMN ? "a CPU" : "not a heap",
      *list == '\0' ? "there are none" : list);
}

/* Finds what the file's columns count. */
static void
find_uses(struct reading *reading)
{
  const struct profile *heading = &reading->heading;
  struct profile_column *columns = reading->heading.column_of;
  for (int i = 0; i < COLUMN_USES; i++)
    columns[i] =
        find_column(reading, pprof_columns[profile_file_column(i)].type);
  if (!profile_has(heading, MEASURE_KEPT_BYTES)) {
    columns[MEASURE_KEPT_ALLOCS] = find_column(reading, "objects");
    columns[MEASURE_KEPT_BYTES] = find_column(reading, "space");
  }
  for (int i = 0; i < COLUMN_USES; i++)
    if (strcmp(pprof_columns[profile_file_column(i)].unit, "bytes") == 0)
      set_scale(reading, i);
  find_live(reading);
  if (!profile_has(heading, MEASURE_BYTES))
    guess_columns(reading);
  if (!profile_has(heading, MEASURE_BYTES))
    no_heap_profile(reading);
  set_scale(reading, MEASURE_BYTES); /* which may be a guess */
}

/* ---- the profile's columns ---- */

/* Finds each column of the profile, which is to be written anew, among the
 * file's; leaves `sources' NULL if these are others. */
static void
match_columns(struct reading *reading)
{
  enum { MOST_COLUMNS = 64 }; /* the search is quadratic */
  const struct profile *profile = reading->profile;
  const struct profile *heading = &reading->heading;
  const size_t count = profile->column_count;
  int *sources = pool_zeroed(count, sizeof *sources);
  bool taken[MOST_COLUMNS] = {false};
  if (heading->column_count != count || count > MOST_COLUMNS)
    return;
  for (size_t i = 0; i < count; i++) {
    size_t j = 0;
    while (j < count &&
           (taken[j] ||
            profile->columns[i].type != heading->columns[j].type ||
            profile->columns[i].unit != heading->columns[j].unit))
      j++;
    if (j == count)
      return;
    taken[j] = true;
    sources[i] = (int)j;
  }
  reading->sources = sources;
}

/* Lets the profile have one column of mprof's for each use that it or the
 * file knows; of what was lost, or freed in a slice of time, only if both do,
 * as the other's would seem to be reachable, or never freed.  The values of
 * its samples move there. */
static void
use_own_columns(struct reading *reading)
{
  struct profile *profile = reading->profile;
  struct profile_column columns[COLUMN_USES];
  struct profile_value_type *types = pool_zeroed(COLUMN_USES, sizeof *types);
  size_t count = 0;
  bool same = true;
  for (int i = 0; i < COLUMN_USES; i++) {
    const struct profile_column before = profile->column_of[i];
    const int file_column = profile_file_column(i);
    const bool here = profile_has(&reading->heading, i);
    const bool of_both = file_column >= PPROF_LOST_COUNT &&
                         file_column != PPROF_HELD_COUNT &&
                         file_column != PPROF_HELD_BYTES;
    const bool wanted = of_both ? here && before.index != NO_COLUMN
                                : here || before.index != NO_COLUMN;
    columns[i] = (struct profile_column){wanted ? (int)count : NO_COLUMN, 1};
    same = same && before.index == columns[i].index && before.scale == 1;
    if (!wanted) {
      reading->heading.column_of[i].index = NO_COLUMN;
      continue;
    }
    types[count].type =
        names_intern(&profile->names, pprof_columns[file_column].type);
    types[count++].unit =
        names_intern(&profile->names, pprof_columns[file_column].unit);
  }
  if (same)
    return;
  profile->value_capacity = profile->sample_count * count;
  uint64_t *values = pool_zeroed(profile->value_capacity, sizeof *values);
  for (size_t s = 0; s < profile->sample_count; s++)
    for (int i = 0; i < COLUMN_USES; i++)
      if (columns[i].index != NO_COLUMN)
        values[s * count + (size_t)columns[i].index] =
            profile_value(profile, s, i);
  pool_free(profile->values);
  profile->values = values;
  profile->columns = types;
  profile->column_count = count;
  memcpy(profile->column_of, columns, sizeof columns);
}

/* Fails for what is at OFFSET, since it cannot be merged with the first. */
static _Noreturn void
refuse(const struct reading *reading, size_t offset, const char *what)
{
  reading_fault_at(reading, offset, "differs from '%s' in its %s",
                   reading->options->first_path, what);
}

/* Checks that what the file says of the whole goes together with the files
 * before. */
static void
check_heading(const struct reading *reading)
{
  const struct profile *profile = reading->profile;
  const struct profile *heading = &reading->heading;
  if (reading_is_first(reading))
    return;
  if (profile->language != heading->language)
    comment_fault(reading, reading->language_comment,
                  "profiles of a Lisp program and a C program cannot be "
                  "combined");
  if (!reading->options->lossless)
    return;
  if (profile->by_mprof != heading->by_mprof)
    refuse(reading, reading_comment_at(reading, reading->language_comment),
           "producer: only one is mprof");
  if (profile->period_type.type != heading->period_type.type ||
      profile->period_type.unit != heading->period_type.unit)
    refuse(reading, column_at(reading, 0), "units of sampling");
  if (reading->sources == NULL && !heading->by_mprof)
    refuse(reading, column_at(reading, 0), "sample types");
}

void
reading_columns(struct reading *reading)
{
  struct profile *profile = reading->profile;
  const struct profile *heading = &reading->heading;
  read_types(reading);
  find_uses(reading);
  if (reading_is_first(reading)) { /* the profile has its columns */
    profile->columns = heading->columns;
    profile->column_count = heading->column_count;
    memcpy(profile->column_of, heading->column_of, sizeof profile->column_of);
    reading->sources =
        pool_zeroed(heading->column_count + 1, sizeof *reading->sources);
    for (size_t i = 0; i < heading->column_count; i++)
      reading->sources[i] = (int)i;
  } else {
    if (reading->options->lossless)
      match_columns(reading);
    if (reading->sources == NULL &&
        (!reading->options->lossless || heading->by_mprof))
      use_own_columns(reading);
  }
  check_heading(reading);
}
