/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* What chains are made of: strings, functions, mappings and locations.  In
 * the file they refer to each other by ids, or by their place in the table of
 * strings, and may come in any order.  Here each kind comes after those that
 * it refers to, which are then numbers of the profile; ids of locations are
 * kept for the samples. */

#include "pprof/reading.h"

#include <inttypes.h>
#include <string.h>

/* Returns the SIZE bytes at BYTES as a text.  Names end at a NUL here, so
 * each NUL becomes U+FFFD, the character for what cannot be shown. */
static char *
string_text(const char *bytes, size_t size)
{
  struct string_sink text;
  string_sink_init(&text);
  for (size_t at = 0; at < size;) {
    const char *nul = memchr(bytes + at, 0, size - at);
    size_t plain = nul == NULL ? size - at : (size_t)(nul - bytes) - at;
    sink_bytes(&text.sink, bytes + at, plain);
    if (nul != NULL)
      sink_text(&text.sink, "\xef\xbf\xbd");
    at += plain + (nul != NULL);
  }
  string_sink_text(&text);
  return text.text;
}

static void
read_string(struct reading *reading, size_t index,
            const struct wire_field *field)
{
  if (index == 0 && field->size != 0)
    reading_fault(reading, PPROF_STRING, 0, "the first string is not empty");
  const char *bytes = (const char *)field->bytes;
  char *text = memchr(bytes, 0, field->size) == NULL
                   ? pool_text_part(bytes, field->size)
                   : string_text(bytes, field->size);
  reading->strings[index] = names_intern(&reading->profile->names, text);
  pool_free(text);
}

static void
read_strings(struct reading *reading)
{
  size_t index = 0;
  if (reading->string_count == 0)
    reading_fault(reading, PPROF_STRING, 0,
                  "is not a profile: it has no string table");
  reading->strings =
      pool_zeroed(reading->string_count, sizeof *reading->strings);
  for (size_t i = 0; i < reading->field_count; i++)
    if (reading->fields[i].number == PPROF_STRING)
      read_string(reading, index++, &reading->fields[i]);
}

/* What is in FIELD, the INDEX-th of its kind, with the numbers F. */
struct message {
  const struct wire_field *field;
  size_t index;
  const uint64_t *f;
};

/* Adds MESSAGE to the profile; its number there. */
typedef uint32_t message_adder(struct reading *reading,
                               const struct message *message);

/* Counts the names of a function, or a location's file: NAME and FILE. */
static void
add_text(struct reading *reading, const struct message *message,
         enum pprof_profile_field field, uint32_t name, uint32_t file)
{
  const struct names *names = &reading->profile->names;
  if (!reading_add_text(reading, strlen(names_text(names, name)) +
                                     strlen(names_text(names, file))))
    reading_fault(reading, field, message->index,
                  "the names up to %s %zu are too long for a file of this "
                  "size",
                  profile_schema.fields[field].name, message->index);
}

static uint32_t
add_function(struct reading *reading, const struct message *message)
{
  const uint64_t *f = message->f;
  struct profile_function function = {
      .name = (uint32_t)f[PPROF_FUNCTION_NAME],
      .system_name = (uint32_t)f[PPROF_FUNCTION_SYSTEM_NAME],
      .file = (uint32_t)f[PPROF_FUNCTION_FILE],
      .start_line = (int64_t)f[PPROF_FUNCTION_START_LINE]};
  uint32_t name = function.name != 0 ? function.name : function.system_name;
  add_text(reading, message, PPROF_FUNCTION, name, function.file);
  return profile_add_function(reading->profile, function);
}

static uint32_t
add_mapping(struct reading *reading, const struct message *message)
{
  const uint64_t *f = message->f;
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

/* The number of ID, a WHAT to which the location MESSAGE refers; INDEX_NONE
 * for the id 0, "not known". */
static uint32_t
resolve(const struct reading *reading, const struct message *message,
        const struct index_map *ids, const char *what, uint64_t id)
{
  uint32_t number = id == 0 ? INDEX_NONE : index_map_find(ids, id);
  if (id != 0 && number == INDEX_NONE)
    reading_fault(reading, PPROF_LOCATION, message->index,
                  "location %" PRIu64 " refers to %s %" PRIu64
                  ", which is missing",
                  message->f[PPROF_LOCATION_ID], what, id);
  return number;
}

static void
read_line(struct reading *reading, const struct message *message,
          const struct wire_field *field)
{
  uint64_t f[PPROF_LINE_COLUMN + 1];
  reading_message(reading, &line_schema, field, f);
  struct profile_line line = {
      .function = resolve(reading, message, &reading->function_ids,
                          "function", f[PPROF_LINE_FUNCTION]),
      .line = (int64_t)f[PPROF_LINE_NUMBER],
      .column = (int64_t)f[PPROF_LINE_COLUMN]};
  if (line.function != INDEX_NONE) {
    const struct profile_function *function =
        &reading->profile->functions[line.function];
    add_text(reading, message, PPROF_LOCATION, function->name,
             function->file);
  }
  ARRAY_PUSH(reading->lines, reading->line_count, reading->line_capacity,
             line);
}

static uint32_t
add_location(struct reading *reading, const struct message *message)
{
  const uint64_t *f = message->f;
  struct profile_location location = {
      .address = f[PPROF_LOCATION_ADDRESS],
      .mapping = resolve(reading, message, &reading->mapping_ids, "mapping",
                         f[PPROF_LOCATION_MAPPING]),
      .folded = f[PPROF_LOCATION_FOLDED] != 0};
  if (location.mapping != INDEX_NONE)
    add_text(reading, message, PPROF_LOCATION, 0,
             reading->profile->mappings[location.mapping].file);
  reading->line_count = 0;
  for (size_t at = 0; at < message->field->size;) {
    struct wire_field field;
    wire_read_field(message->field->bytes, &at, &field);
    if (field.number == PPROF_LOCATION_LINE)
      read_line(reading, message, &field);
  }
  return profile_add_location(reading->profile, location, reading->lines,
                              reading->line_count);
}

/* Takes all messages FIELD of the profile and their ids, which are their
 * first fields. */
static void
read_each(struct reading *reading, uint32_t field, struct index_map *ids,
          message_adder *add)
{
  enum { ID = PPROF_FUNCTION_ID };
  const struct wire_schema *schema = profile_schema.fields[field].message;
  const char *what = profile_schema.fields[field].name;
  uint64_t f[PPROF_MAPPING_HAS_INLINE_FRAMES + 1];
  struct message message = {.f = f};
  for (size_t i = 0; i < reading->field_count; i++) {
    message.field = &reading->fields[i];
    if (message.field->number != field)
      continue;
    bool good = reading_message(reading, schema, message.field, f);
    if (f[ID] == 0)
      reading_fault(reading, field, message.index, "%s %zu has the id 0",
                    what, message.index);
    if (index_map_find(ids, f[ID]) != INDEX_NONE)
      reading_fault(reading, field, message.index,
                    "the %s id %" PRIu64 " is used twice", what, f[ID]);
    if (!good)
      reading_fault(reading, field, message.index,
                    "%s %" PRIu64 " refers to a missing string", what, f[ID]);
    index_map_add(ids, f[ID], add(reading, &message));
    message.index++;
  }
}

void
reading_tables(struct reading *reading)
{
  read_strings(reading);
  read_each(reading, PPROF_FUNCTION, &reading->function_ids, add_function);
  read_each(reading, PPROF_MAPPING, &reading->mapping_ids, add_mapping);
  read_each(reading, PPROF_LOCATION, &reading->location_ids, add_location);
}
