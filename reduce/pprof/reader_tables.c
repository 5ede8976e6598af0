/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What chains are made of: strings, functions, mappings and locations.  In
 * the file they refer to each other by ids, or by their place in the table of
 * strings, and may come in any order.  Here each kind comes after those that
 * it refers to, which are then numbers of the profile; ids of locations are
 * kept for the samples. */

#include "pprof/reading.h"

#include "base/array.h"

#include <inttypes.h>
#include <string.h>

/* Reads the occurrence INDEX of a field, a message of SIZE bytes at DATA. */
typedef bool message_reader(struct reading *reading, size_t index,
                            const uint8_t *data, size_t size);

/* Calls READ for each occurrence of FIELD. */
static bool
read_each(struct reading *reading, uint32_t field, message_reader *read)
{
  size_t index = 0;
  for (size_t i = 0; i < reading->field_count; i++)
    if (reading->fields[i].number == field &&
        !read(reading, index++, reading->fields[i].bytes,
              reading->fields[i].size))
      return false;
  return true;
}

static bool
read_string(struct reading *reading, size_t index, const uint8_t *data,
            size_t size)
{
  if (index == 0 && size != 0)
    return reading_fault(reading, PPROF_STRING, 0,
                         "the first string is not empty");
  char *text = strndup((const char *)data, size);
  uint32_t name = text == NULL
                      ? NAMES_NONE
                      : names_intern(&reading->profile->names, text);
  free(text);
  reading->strings[index] = name;
  return name != NAMES_NONE || mprof_error_memory(reading->error);
}

static bool
read_strings(struct reading *reading)
{
  if (reading->string_count == 0)
    return reading_fault(reading, PPROF_STRING, 0,
                         "is no profile: there is no string table");
  reading->strings =
      array_zeroed(reading->string_count, sizeof *reading->strings);
  if (reading->strings == NULL)
    return mprof_error_memory(reading->error);
  return read_each(reading, PPROF_STRING, read_string);
}

/* Checks ID, of the INDEX-th of its kind; WHAT names the kind. */
static bool
check_id(struct reading *reading, const struct index_map *ids, uint64_t id,
         size_t index, uint32_t field, const char *what)
{
  if (id == 0)
    return reading_fault(reading, field, index, "%s %zu has the id 0", what,
                         index);
  return index_map_find(ids, id) == INDEX_NONE ||
         reading_fault(reading, field, index,
                       "the %s id %" PRIu64 " is used twice", what, id);
}

/* Notes that ID stands for NUMBER, of the profile; INDEX_NONE: there was no
 * memory for it. */
static bool
add_id(struct reading *reading, struct index_map *ids, uint64_t id,
       uint32_t number)
{
  return (number != INDEX_NONE && index_map_add(ids, id, number)) ||
         mprof_error_memory(reading->error);
}

static bool
read_function(struct reading *reading, size_t index, const uint8_t *data,
              size_t size)
{
  uint64_t f[PPROF_FUNCTION_START_LINE + 1];
  struct profile_function function;
  reading_numbers(data, size, f, sizeof f / sizeof f[0]);
  if (!check_id(reading, &reading->function_ids, f[PPROF_FUNCTION_ID], index,
                PPROF_FUNCTION, "function"))
    return false;
  if (!reading_string(reading, f[PPROF_FUNCTION_NAME], &function.name) ||
      !reading_string(reading, f[PPROF_FUNCTION_SYSTEM_NAME],
                      &function.system_name) ||
      !reading_string(reading, f[PPROF_FUNCTION_FILE], &function.file))
    return reading_fault(reading, PPROF_FUNCTION, index,
                         "function %" PRIu64 " refers to a missing string",
                         f[PPROF_FUNCTION_ID]);
  function.start_line = (int64_t)f[PPROF_FUNCTION_START_LINE];
  return add_id(reading, &reading->function_ids, f[PPROF_FUNCTION_ID],
                profile_add_function(reading->profile, function));
}

static bool
read_mapping(struct reading *reading, size_t index, const uint8_t *data,
             size_t size)
{
  uint64_t f[PPROF_MAPPING_HAS_INLINE_FRAMES + 1];
  struct profile_mapping mapping = {0};
  reading_numbers(data, size, f, sizeof f / sizeof f[0]);
  if (!check_id(reading, &reading->mapping_ids, f[PPROF_MAPPING_ID], index,
                PPROF_MAPPING, "mapping"))
    return false;
  if (!reading_string(reading, f[PPROF_MAPPING_FILE], &mapping.file) ||
      !reading_string(reading, f[PPROF_MAPPING_BUILD_ID], &mapping.build_id))
    return reading_fault(reading, PPROF_MAPPING, index,
                         "mapping %" PRIu64 " refers to a missing string",
                         f[PPROF_MAPPING_ID]);
  mapping.start = f[PPROF_MAPPING_START];
  mapping.end = f[PPROF_MAPPING_END];
  mapping.offset = f[PPROF_MAPPING_OFFSET];
  for (unsigned i = PPROF_MAPPING_HAS_FUNCTIONS;
       i <= PPROF_MAPPING_HAS_INLINE_FRAMES; i++)
    mapping.flags |= f[i] != 0 ? 1u << (i - PPROF_MAPPING_HAS_FUNCTIONS) : 0;
  return add_id(reading, &reading->mapping_ids, f[PPROF_MAPPING_ID],
                profile_add_mapping(reading->profile, mapping));
}

/* Reads a line of the location INDEX, which has the id ID. */
static bool
read_line(struct reading *reading, size_t index, uint64_t id,
          const struct wire_field *field)
{
  uint64_t f[PPROF_LINE_COLUMN + 1];
  struct profile_line *lines =
      array_reserve(reading->lines, &reading->line_capacity,
                    reading->line_count + 1, sizeof *lines);
  if (lines == NULL)
    return mprof_error_memory(reading->error);
  reading->lines = lines;
  reading_numbers(field->bytes, field->size, f, sizeof f / sizeof f[0]);
  uint32_t function =
      f[PPROF_LINE_FUNCTION] == 0
          ? INDEX_NONE
          : index_map_find(&reading->function_ids, f[PPROF_LINE_FUNCTION]);
  if (f[PPROF_LINE_FUNCTION] != 0 && function == INDEX_NONE)
    return reading_fault(reading, PPROF_LOCATION, index,
                         "location %" PRIu64 " refers to function %" PRIu64
                         ", which is missing",
                         id, f[PPROF_LINE_FUNCTION]);
  lines[reading->line_count++] =
      (struct profile_line){function, (int64_t)f[PPROF_LINE_NUMBER],
                            (int64_t)f[PPROF_LINE_COLUMN]};
  return true;
}

/* Adds LOCATION, the INDEX-th, which has the id ID and the lines in hand. */
static bool
add_location(struct reading *reading, size_t index, uint64_t id,
             struct profile_location location)
{
  uint32_t *locations =
      array_reserve(reading->locations, &reading->location_capacity,
                    index + 1, sizeof *locations);
  if (locations == NULL)
    return mprof_error_memory(reading->error);
  reading->locations = locations;
  locations[index] = profile_add_location(
      reading->profile, location, reading->lines, reading->line_count);
  if (reading->locations_in_order == index && id == index + 1)
    reading->locations_in_order++;
  return add_id(reading, &reading->location_ids, id, locations[index]);
}

static bool
read_location(struct reading *reading, size_t index, const uint8_t *data,
              size_t size)
{
  uint64_t f[PPROF_LOCATION_FOLDED + 1];
  struct profile_location location = {.mapping = INDEX_NONE};
  struct wire_field field;
  reading_numbers(data, size, f, sizeof f / sizeof f[0]);
  uint64_t id = f[PPROF_LOCATION_ID];
  if (!check_id(reading, &reading->location_ids, id, index, PPROF_LOCATION,
                "location"))
    return false;
  if (f[PPROF_LOCATION_MAPPING] != 0) {
    location.mapping =
        index_map_find(&reading->mapping_ids, f[PPROF_LOCATION_MAPPING]);
    if (location.mapping == INDEX_NONE)
      return reading_fault(reading, PPROF_LOCATION, index,
                           "location %" PRIu64 " refers to mapping %" PRIu64
                           ", which is missing",
                           id, f[PPROF_LOCATION_MAPPING]);
  }
  location.address = f[PPROF_LOCATION_ADDRESS];
  location.folded = f[PPROF_LOCATION_FOLDED] != 0;
  reading->line_count = 0;
  for (size_t at = 0; at < size;) {
    wire_read_field(data, &at, &field);
    if (field.number == PPROF_LOCATION_LINE &&
        !read_line(reading, index, id, &field))
      return false;
  }
  return add_location(reading, index, id, location);
}

bool
reading_tables(struct reading *reading)
{
  return read_strings(reading) &&
         read_each(reading, PPROF_FUNCTION, read_function) &&
         read_each(reading, PPROF_MAPPING, read_mapping) &&
         read_each(reading, PPROF_LOCATION, read_location);
}
