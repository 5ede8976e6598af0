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
 */

#include "pprof/reading.h"

#include <stdio.h>
#include <string.h>
#include <strings.h>

/* Bytes in one UNIT; 0 when it is no unit of bytes.  As in pprof, a kilobyte
 * has 1024 of them. */
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

static const char *
type_of(const struct reading *reading, size_t i)
{
  return names_text(&reading->profile->names,
                    reading->heading.columns[i].type);
}

static const char *
unit_of(const struct reading *reading, size_t i)
{
  return names_text(&reading->profile->names,
                    reading->heading.columns[i].unit);
}

size_t
reading_column_at(const struct reading *reading, size_t index)
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
    uint64_t f[PPROF_VALUE_TYPE_UNIT + 1];
    if (field->number != PPROF_SAMPLE_TYPE)
      continue;
    if (!wire_read_message(reading, &value_type_schema, field, f))
      reading_fault_at(reading, field->at,
                       "sample type %zu refers to a missing string",
                       heading->column_count);
    ARRAY_PUSH(
        heading->columns, heading->column_count, capacity,
        (struct profile_value_type){(uint32_t)f[PPROF_VALUE_TYPE_NAME],
                                    (uint32_t)f[PPROF_VALUE_TYPE_UNIT]});
  }
}

/* How mprof calls the column of USE. */
static const struct pprof_value_type *
name_of_use(int use)
{
  return &pprof_columns[profile_file_column(use)];
}

/* Whether it is one of bytes. */
static bool
is_use_of_bytes(int use)
{
  return strcmp(name_of_use(use)->unit, "bytes") == 0;
}

/* The column whose sample type is called NAME. */
static struct profile_column
find_column(const struct reading *reading, const char *name)
{
  for (size_t i = 0; i < reading->heading.column_count; i++)
    if (strcmp(type_of(reading, i), name) == 0)
      return (struct profile_column){(int)i, 1};
  return (struct profile_column){NO_COLUMN, 1};
}

/* Gives COLUMN, unless it is absent, the scale of its unit. */
static void
set_scale(const struct reading *reading, struct profile_column *column)
{
  if (column->index == NO_COLUMN)
    return;
  size_t i = (size_t)column->index;
  column->scale = bytes_in_unit(unit_of(reading, i));
  if (column->scale == 0)
    reading_fault_at(reading, reading_column_at(reading, i),
                     "%s is measured in '%s', which is not a unit of bytes",
                     type_of(reading, i), unit_of(reading, i));
}

/* Whether the column I says by its unit that it is bytes. */
static bool
is_bytes(const struct reading *reading, size_t i)
{
  const char *unit = unit_of(reading, i);
  return *unit != '\0' && bytes_in_unit(unit) != 0;
}

/* Takes columns by their units, since no name is known: see above. */
static void
guess_columns(struct reading *reading)
{
  const struct profile *heading = &reading->heading;
  struct profile_column *bytes = &reading->heading.column_of[MEASURE_BYTES];
  struct profile_column *allocs = &reading->heading.column_of[MEASURE_ALLOCS];
  for (size_t i = 0; i < reading->heading.column_count; i++)
    if (is_bytes(reading, i) &&
        (bytes->index == NO_COLUMN ||
         heading->columns[i].type == heading->default_type))
      bytes->index = (int)i;
  if (bytes->index == NO_COLUMN)
    return;
  const char *name = type_of(reading, (size_t)bytes->index);
  const char *end = strrchr(name, '_');
  size_t stem = end == NULL ? 0 : (size_t)(end - name) + 1;
  for (size_t i = 0; i < reading->heading.column_count; i++)
    if (strcmp(unit_of(reading, i), "count") == 0 &&
        strncmp(type_of(reading, i), name, stem) == 0 &&
        strchr(type_of(reading, i) + stem, '_') == NULL &&
        allocs->index == NO_COLUMN)
      allocs->index = (int)i;
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
      reading, reading_column_at(reading, 0),
      "is %s profile: none of its sample types counts bytes (%s)",
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
    columns[i] = find_column(reading, name_of_use(i)->type);
  if (!profile_has(heading, MEASURE_KEPT_BYTES)) {
    columns[MEASURE_KEPT_ALLOCS] = find_column(reading, "objects");
    columns[MEASURE_KEPT_BYTES] = find_column(reading, "space");
  }
  for (int i = 0; i < COLUMN_USES; i++)
    if (is_use_of_bytes(i))
      set_scale(reading, &columns[i]);
  reading_live(reading);
  if (!profile_has(heading, MEASURE_BYTES))
    guess_columns(reading);
  if (!profile_has(heading, MEASURE_BYTES))
    no_heap_profile(reading);
  set_scale(reading, &columns[MEASURE_BYTES]); /* which may be a guess */
}

/* ---- the profile's columns ---- */

/* Finds each column of the profile among the file's; false when these are
 * others. */
static bool
match_columns(struct reading *reading)
{
  enum { MOST_COLUMNS = 64 }; /* the search is quadratic */
  const struct profile *profile = reading->profile;
  const struct profile *heading = &reading->heading;
  struct profile_column *sources = reading->sources;
  size_t count = profile->column_count;
  for (size_t j = 0; j < count; j++)
    sources[j].index = NO_COLUMN;
  if (heading->column_count != count || count > MOST_COLUMNS)
    return false;
  for (size_t i = 0; i < count; i++) {
    size_t j = 0;
    while (j < count &&
           (sources[j].index != NO_COLUMN ||
            profile->columns[j].type != heading->columns[i].type ||
            profile->columns[j].unit != heading->columns[i].unit))
      j++;
    if (j == count)
      return false;
    sources[j] = (struct profile_column){(int)i, 1};
  }
  return true;
}

/* Whether columns of the file and the profile stand for the same, too. */
static bool
same_uses(const struct reading *reading)
{
  for (int i = 0; i < COLUMN_USES; i++) {
    struct profile_column a = reading->heading.column_of[i];
    struct profile_column b = reading->profile->column_of[i];
    int index =
        b.index == NO_COLUMN ? NO_COLUMN : reading->sources[b.index].index;
    if (a.index != index || a.scale != b.scale)
      return false;
  }
  return true;
}

void
reading_convert(const struct profile_column *sources, size_t count,
                const uint64_t *values, uint64_t *row)
{
  for (size_t i = 0; i < count; i++)
    row[i] = sources[i].index == NO_COLUMN
                 ? 0
                 : values[sources[i].index] * sources[i].scale;
}

/* Whether the profile gets a column for USE: where it or the file has one,
 * but of what was lost both, as the other's would seem to be reachable. */
static bool
takes_use(const struct reading *reading, int use)
{
  bool before = profile_has(reading->profile, use);
  bool here = profile_has(&reading->heading, use);
  int column = profile_file_column(use);
  return column >= PPROF_LOST_COUNT && column <= PPROF_INDIRECT_BYTES
             ? before && here
             : before || here;
}

/* Lets the profile, of which the samples stay, have one column of mprof's for
 * each use that it or the file knows. */
static void
use_own_columns(struct reading *reading)
{
  struct profile *profile = reading->profile;
  struct profile_column old[COLUMN_USES]; /* as the sources */
  struct profile_value_type *columns =
      pool_zeroed(COLUMN_USES, sizeof *columns);
  size_t count = 0;
  for (int i = 0; i < COLUMN_USES; i++) {
    const struct pprof_value_type *name = name_of_use(i);
    if (!takes_use(reading, i)) {
      profile->column_of[i].index = NO_COLUMN;
      reading->heading.column_of[i].index = NO_COLUMN;
      profile->total[i] = 0;
      continue;
    }
    columns[count].type = names_intern(&profile->names, name->type);
    columns[count].unit = names_intern(&profile->names, name->unit);
    old[count] = profile->column_of[i];
    reading->sources[count] = reading->heading.column_of[i];
    profile->column_of[i] = (struct profile_column){(int)count++, 1};
  }
  uint64_t *values =
      pool_zeroed(profile->sample_count * count, sizeof *values);
  for (size_t s = 0; s < profile->sample_count; s++)
    reading_convert(old, count, profile->values + s * profile->column_count,
                    values + s * count);
  pool_free(profile->values);
  profile->values = values;
  profile->value_capacity = profile->sample_count * count;
  profile->columns = columns;
  profile->column_count = count;
}

/* Takes the columns of the first file. */
static void
take_columns(struct reading *reading)
{
  struct profile *profile = reading->profile;
  const struct profile *heading = &reading->heading;
  profile->columns = heading->columns;
  profile->column_count = heading->column_count;
  memcpy(profile->column_of, heading->column_of, sizeof profile->column_of);
  for (size_t i = 0; i < profile->column_count; i++)
    reading->sources[i] = (struct profile_column){(int)i, 1};
}

void
reading_columns(struct reading *reading)
{
  bool lossless = reading->options->lossless;
  read_types(reading);
  find_uses(reading);
  reading->sources =
      pool_zeroed(reading->heading.column_count +
                      reading->profile->column_count + COLUMN_USES,
                  sizeof *reading->sources);
  reading->same_columns = true;
  if (reading_is_first(reading)) {
    take_columns(reading);
    return;
  }
  reading->same_columns =
      match_columns(reading) && (lossless || same_uses(reading));
  if (!reading->same_columns && !lossless)
    use_own_columns(reading);
}
