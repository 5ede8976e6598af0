/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What chains are made of: functions, mappings and locations.  In the file
 * they refer to each other by ids and may come in any order.  Here each kind
 * comes after those that it refers to, which are then numbers of the profile;
 * ids of locations are kept for the samples. */

#include "profile/reading.h"

#include <inttypes.h>

/* A mapping, function or location: the INDEX-th of its kind in the file. */
struct row {
  const struct wire_field *field;
  const char *what; /* "location", ... */
  size_t index;
  uint64_t f[MESSAGE_FIELDS]; /* numbers, by field */
};

#define row_fault(reading, row, ...)                                         \
  reading_fault_at(reading, (row)->field->at, __VA_ARGS__)

/* Adds ROW to the profile; returns its number there. */
typedef uint32_t row_adder(struct reading *reading, const struct row *row);

/* Counts the texts NAME and FILE, which ROW or a line of it has. */
static void
add_text(struct reading *reading, const struct row *row, uint32_t name,
         uint32_t file)
{
  const struct names *names = &reading->profile->names;
  if (!reading_add_text(reading, strlen(names_text(names, name)) +
                                     strlen(names_text(names, file))))
    row_fault(reading, row,
              "the names up to %s %zu are too long for a file of this "
              "size",
              row->what, row->index);
}

static uint32_t
add_function(struct reading *reading, const struct row *row)
{
  const uint64_t *f = row->f;
  const struct profile_function function = {
      .name = (uint32_t)f[PPROF_FUNCTION_NAME],
      .system_name = (uint32_t)f[PPROF_FUNCTION_SYSTEM_NAME],
      .file = (uint32_t)f[PPROF_FUNCTION_FILE],
      .start_line = (int64_t)f[PPROF_FUNCTION_START_LINE]};
  add_text(reading, row,
           function.name != 0 ? function.name : function.system_name,
           function.file);
  return profile_add_function(reading->profile, function);
}

static uint32_t
add_mapping(struct reading *reading, const struct row *row)
{
  const uint64_t *f = row->f;
  struct profile_mapping mapping = {.start = f[PPROF_MAPPING_START],
                                    .end = f[PPROF_MAPPING_END],
                                    .offset = f[PPROF_MAPPING_OFFSET],
                                    .file = (uint32_t)f[PPROF_MAPPING_FILE],
                                    .build_id =
                                        (uint32_t)f[PPROF_MAPPING_BUILD_ID]};
  for (unsigned i = PPROF_MAPPING_HAS_FUNCTIONS;
       i <= PPROF_MAPPING_HAS_INLINE_FRAMES; i++)
    mapping.flags |= f[i] != 0 ? 1u << (i - PPROF_MAPPING_HAS_FUNCTIONS) : 0;
  return profile_add_mapping(reading->profile, mapping);
}

/* Returns the number of ID, a WHAT, of the field KIND, to which the location
 * ROW refers; INDEX_NONE for the id 0, "not known". */
static uint32_t
resolve(const struct reading *reading, const struct row *row,
        enum pprof_profile_field kind, const char *what, uint64_t id)
{
  const uint32_t number =
      id == 0 ? INDEX_NONE : index_map_find(&reading->ids[kind], id);
  if (id != 0 && number == INDEX_NONE)
    row_fault(reading, row,
              "location %" PRIu64 " refers to %s %" PRIu64
              ", which is missing",
              row->f[PPROF_LOCATION_ID], what, id);
  return number;
}

/* Reads the line FIELD of the location ROW. */
static struct profile_line
read_line(struct reading *reading, const struct row *row,
          const struct wire_field *field)
{
  uint64_t f[MESSAGE_FIELDS];
  wire_read_message(reading, field, f);
  const uint32_t function = resolve(reading, row, PPROF_FUNCTION, "function",
                                    f[PPROF_LINE_FUNCTION]);
  if (function != INDEX_NONE)
    add_text(reading, row, reading->profile->functions[function].name,
             reading->profile->functions[function].file);
  return (struct profile_line){function, (int64_t)f[PPROF_LINE_NUMBER],
                               (int64_t)f[PPROF_LINE_COLUMN]};
}

static uint32_t
add_location(struct reading *reading, const struct row *row)
{
  const struct profile_location location = {
      .address = row->f[PPROF_LOCATION_ADDRESS],
      .mapping = resolve(reading, row, PPROF_MAPPING, "mapping",
                         row->f[PPROF_LOCATION_MAPPING]),
      .folded = row->f[PPROF_LOCATION_FOLDED] != 0};
  if (location.mapping != INDEX_NONE)
    add_text(reading, row, 0,
             reading->profile->mappings[location.mapping].file);
  struct wire_walk walk = wire_walk(reading, row->field);
  struct wire_field field;
  reading->line_count = 0;
  while (wire_next(&walk, &field))
    if (field.number == PPROF_LOCATION_LINE)
      ARRAY_ADD(reading, line, read_line(reading, row, &field));
  return profile_add_location(reading->profile, location, reading->lines,
                              reading->line_count);
}

/* Adds all messages of the field KIND, each a WHAT, and their ids. */
static void
read_each(struct reading *reading, enum pprof_profile_field kind,
          const char *what, row_adder *add)
{
  enum { ID = PPROF_FUNCTION_ID }; /* of all three */
  struct index_map *ids = &reading->ids[kind];
  struct row row = {.what = what};
  for (size_t i = 0; i < reading->field_count; i++) {
    row.field = &reading->fields[i];
    if (row.field->number != kind)
      continue;
    const bool good = wire_read_message(reading, row.field, row.f);
    const uint64_t id = row.f[ID];
    if (id == 0)
      row_fault(reading, &row, "%s %zu has the id 0", row.what, row.index);
    if (index_map_find(ids, id) != INDEX_NONE)
      row_fault(reading, &row, "the %s id %" PRIu64 " is used twice",
                row.what, id);
    if (!good)
      row_fault(reading, &row, "%s %" PRIu64 " refers to a missing string",
                row.what, id);
    index_map_add(ids, id, add(reading, &row));
    row.index++;
  }
}

void
reading_tables(struct reading *reading)
{
  read_each(reading, PPROF_FUNCTION, "function", add_function);
  read_each(reading, PPROF_MAPPING, "mapping", add_mapping);
  read_each(reading, PPROF_LOCATION, "location", add_location);
}
