/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The words of other programs for what they count, and their units. */

#include "profile/profile_columns.h"

#include "profile/profile_reading.h"

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
  const Mprof__Pprof__Profile *message = reading->message;
  return message->string_table[message->sample_type[i]->type];
}

static const char *
unit_of(const struct reading *reading, size_t i)
{
  const Mprof__Pprof__Profile *message = reading->message;
  return message->string_table[message->sample_type[i]->unit];
}

static bool
check_types(struct reading *reading)
{
  const Mprof__Pprof__Profile *message = reading->message;
  for (size_t i = 0; i < message->n_sample_type; i++) {
    uint32_t ignored;
    if (i >= INT32_MAX ||
        !reading_string(reading, message->sample_type[i]->type, &ignored) ||
        !reading_string(reading, message->sample_type[i]->unit, &ignored))
      return reading_fault(reading, FIELD_SAMPLE_TYPE, i,
                           "sample type %zu refers to a missing string", i);
  }
  return true;
}

/* The column whose sample type is called NAME. */
static struct profile_column
find_column(const struct reading *reading, const char *name)
{
  for (size_t i = 0; i < reading->message->n_sample_type; i++)
    if (strcmp(type_of(reading, i), name) == 0)
      return (struct profile_column){(int)i, 1};
  return (struct profile_column){NO_COLUMN, 1};
}

/* Gives COLUMN, unless it is absent, the scale of its unit. */
static bool
set_scale(struct reading *reading, struct profile_column *column)
{
  if (column->index == NO_COLUMN)
    return true;
  size_t i = (size_t)column->index;
  column->scale = bytes_in_unit(unit_of(reading, i));
  return column->scale != 0 ||
         reading_fault(reading, FIELD_SAMPLE_TYPE, i,
                       "%s is measured in '%s', which is no unit of bytes",
                       type_of(reading, i), unit_of(reading, i));
}

/* Whether the column I says by its unit that it is bytes. */
static bool
is_bytes(const struct reading *reading, size_t i)
{
  const char *unit = unit_of(reading, i);
  return *unit != '\0' && bytes_in_unit(unit) != 0;
}

/* Takes columns by their units, since no name is known: see the header. */
static void
guess_columns(const struct reading *reading, struct profile_columns *columns)
{
  const Mprof__Pprof__Profile *message = reading->message;
  for (size_t i = 0; i < message->n_sample_type; i++)
    if (is_bytes(reading, i) &&
        (columns->bytes.index == NO_COLUMN ||
         message->sample_type[i]->type == message->default_sample_type))
      columns->bytes.index = (int)i;
  if (columns->bytes.index == NO_COLUMN)
    return;
  const char *name = type_of(reading, (size_t)columns->bytes.index);
  const char *end = strrchr(name, '_');
  size_t stem = end == NULL ? 0 : (size_t)(end - name) + 1;
  for (size_t i = 0; i < message->n_sample_type; i++)
    if (strcmp(unit_of(reading, i), "count") == 0 &&
        strncmp(type_of(reading, i), name, stem) == 0 &&
        strchr(type_of(reading, i) + stem, '_') == NULL &&
        columns->allocs.index == NO_COLUMN)
      columns->allocs.index = (int)i;
}

/* Reports that the file says nothing of bytes. */
static bool
no_heap_profile(struct reading *reading)
{
  const Mprof__Pprof__Profile *message = reading->message;
  char list[200] = "";
  size_t used = 0;
  for (size_t i = 0; i < message->n_sample_type && used < sizeof list; i++)
    used += (size_t)snprintf(list + used, sizeof list - used, "%s%s/%s",
                             i == 0 ? "" : ", ", type_of(reading, i),
                             unit_of(reading, i));
  return reading_fault(
      reading, FIELD_SAMPLE_TYPE, 0,
      "is %s profile: none of its sample types counts bytes (%s)",
      find_column(reading, "cpu").index != NO_COLUMN ? "a CPU" : "no heap",
      *list == '\0' ? "there are none" : list);
}

void
profile_columns_take_live(struct profile_columns *columns)
{
  columns->allocs = columns->kept_allocs;
  columns->bytes = columns->kept_bytes;
  columns->only_live = true;
}

bool
profile_columns_find(struct reading *reading)
{
  struct profile_columns *columns = &reading->columns;
  if (!check_types(reading))
    return false;
  columns->only_live = false;
  columns->kept_allocs = find_column(reading, "inuse_objects");
  columns->kept_bytes = find_column(reading, "inuse_space");
  columns->activations = find_column(reading, "activations");
  columns->peak_allocs = find_column(reading, "peak_objects");
  columns->peak_bytes = find_column(reading, "peak_space");
  columns->temporary_allocs = find_column(reading, "temporary_objects");
  columns->allocs = find_column(reading, "alloc_objects");
  columns->bytes = find_column(reading, "alloc_space");
  if (columns->kept_bytes.index == NO_COLUMN) {
    columns->kept_allocs = find_column(reading, "objects");
    columns->kept_bytes = find_column(reading, "space");
  }
  if (columns->bytes.index == NO_COLUMN &&
      columns->kept_bytes.index != NO_COLUMN)
    profile_columns_take_live(columns);
  if (columns->bytes.index == NO_COLUMN)
    guess_columns(reading, columns);
  if (columns->bytes.index == NO_COLUMN)
    return no_heap_profile(reading);
  return set_scale(reading, &columns->bytes) &&
         set_scale(reading, &columns->kept_bytes) &&
         set_scale(reading, &columns->peak_bytes);
}
