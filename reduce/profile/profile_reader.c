/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Reads one file: bytes (input_file), their structure (wire_scan), the
 * message (protobuf-c), names for addresses (symbolize.c), its functions and
 * locations (here), its comments (profile_comments.c), its columns
 * (profile_columns.c), and its samples (profile_samples.c).
 *
 * Samples are nearly all of a profile and are decoded one at a time.  (A
 * profile of ECL's own tests has 1.3 million contexts: decoded at once, its
 * 217 million bytes took 2.1 GB.)
 *
 * A fault in the meaning of the message is reported with the offset of the
 * field at fault, which is looked up only then (wire_find), so that offsets
 * cost nothing while all is well.
 */

#include "profile/profile_reader.h"

#include "io/progress.h"
#include "profile/profile_samples.h"
#include "profile/wire_scan.h"
#include "symbols/symbolize.h"

#include <inttypes.h>
#include <stdio.h>
#include <string.h>

static bool
read_strings(struct reading *reading)
{
  const Mprof__Pprof__Profile *message = reading->message;
  if (message->n_string_table == 0)
    return reading_fault(reading, FIELD_STRING_TABLE, 0,
                         "is no profile: there is no string table");
  if (message->string_table[0][0] != '\0')
    return reading_fault(reading, FIELD_STRING_TABLE, 0,
                         "the first string is not empty");
  reading->strings =
      array_zeroed(message->n_string_table, sizeof *reading->strings);
  if (reading->strings == NULL)
    return mprof_error_memory(reading->error);
  for (size_t i = 0; i < message->n_string_table; i++) {
    reading->strings[i] =
        names_intern(&reading->profile->names, message->string_table[i]);
    if (reading->strings[i] == NAMES_NONE)
      return mprof_error_memory(reading->error);
  }
  return true;
}

/* Notes that ID is the INDEX-th of its kind; WHAT names the kind. */
static bool
add_id(struct reading *reading, struct index_map *ids, uint64_t id,
       size_t index, uint32_t field, const char *what)
{
  if (id == 0)
    return reading_fault(reading, field, index, "%s %zu has the id 0", what,
                         index);
  if (index_map_find(ids, id) != INDEX_NONE)
    return reading_fault(reading, field, index,
                         "the %s id %" PRIu64 " is used twice", what, id);
  if (index >= INDEX_NONE || !index_map_add(ids, id, (uint32_t)index))
    return mprof_error_memory(reading->error);
  return true;
}

static bool
read_functions(struct reading *reading)
{
  const Mprof__Pprof__Profile *message = reading->message;
  reading->functions =
      array_zeroed(message->n_function, sizeof *reading->functions);
  if (reading->functions == NULL)
    return mprof_error_memory(reading->error);
  for (size_t i = 0; i < message->n_function; i++) {
    const Mprof__Pprof__Function *function = message->function[i];
    uint32_t name;
    uint32_t system_name;
    uint32_t file;
    if (!add_id(reading, &reading->function_ids, function->id, i,
                FIELD_FUNCTION, "function"))
      return false;
    if (!reading_string(reading, function->name, &name) ||
        !reading_string(reading, function->system_name, &system_name) ||
        !reading_string(reading, function->filename, &file))
      return reading_fault(reading, FIELD_FUNCTION, i,
                           "function %" PRIu64 " refers to a missing string",
                           function->id);
    const char *file_name = names_text(&reading->profile->names, file);
    reading->functions[i] = profile_function(
        reading->profile, name != 0 ? name : system_name, file,
        function->start_line, strcmp(file_name, "[runtime]") == 0);
    if (reading->functions[i] == INDEX_NONE)
      return mprof_error_memory(reading->error);
    if (name != 0 && name == system_name)
      reading->profile->functions[reading->functions[i]].c = true;
  }
  return true;
}

/* What stands for the function at LOCATION, of which none is known: the file
 * that its code is in, such as "[libc.so.6]", or else its address, or else
 * "[unknown]"; a name id, NAMES_NONE when memory runs out. */
static uint32_t
name_location(struct reading *reading, const Mprof__Pprof__Location *location)
{
  char text[256];
  uint32_t file = 0;
  uint32_t mapping =
      index_map_find(&reading->mapping_ids, location->mapping_id);
  struct names *names = &reading->profile->names;
  if (mapping != INDEX_NONE &&
      reading_string(reading, reading->message->mapping[mapping]->filename,
                     &file) &&
      file != 0) {
    const char *path = names_text(names, file);
    const char *slash = strrchr(path, '/');
    snprintf(text, sizeof text, "[%.200s]", slash == NULL ? path : slash + 1);
  } else {
    snprintf(text, sizeof text,
             location->address == 0 ? "[unknown]" : "0x%" PRIx64,
             location->address);
  }
  return names_intern(names, text);
}

/* A frame for LOCATION, of which no function is known; LINE may be. */
static bool
add_nameless_frame(struct reading *reading,
                   const Mprof__Pprof__Location *location, int64_t line)
{
  uint32_t name = name_location(reading, location);
  uint32_t function =
      name == NAMES_NONE
          ? INDEX_NONE
          : profile_function(reading->profile, name, 0, 0, false);
  if (function == INDEX_NONE ||
      !profile_add_frame(
          reading->profile,
          (struct profile_frame){function, line, location->address}))
    return mprof_error_memory(reading->error);
  return true;
}

/* Adds a frame for the line I of LOCATION, the INDEX-th. */
static bool
read_line(struct reading *reading, const Mprof__Pprof__Location *location,
          size_t index, size_t i)
{
  const Mprof__Pprof__Line *line = location->line[i];
  if (line->function_id == 0)
    return add_nameless_frame(reading, location, line->line);
  uint32_t function =
      index_map_find(&reading->function_ids, line->function_id);
  if (function == INDEX_NONE)
    return reading_fault(reading, FIELD_LOCATION, index,
                         "location %" PRIu64 " refers to function %" PRIu64
                         ", which is missing",
                         location->id, line->function_id);
  return profile_add_frame(
             reading->profile,
             (struct profile_frame){reading->functions[function], line->line,
                                    location->address}) ||
         mprof_error_memory(reading->error);
}

/* How many of LOCATION's innermost lines, of which the functions are known to
 * exist, are to be cut off: see profile_prune.h. */
static size_t
count_pruned(const struct reading *reading,
             const Mprof__Pprof__Location *location)
{
  const Mprof__Pprof__Profile *message = reading->message;
  for (size_t i = location->n_line; i > 0; i--) {
    uint32_t function = index_map_find(&reading->function_ids,
                                       location->line[i - 1]->function_id);
    if (function != INDEX_NONE &&
        profile_prune_matches(
            &reading->prune,
            message->string_table[message->function[function]->name]))
      return i;
  }
  return 0;
}

static bool
read_location(struct reading *reading, size_t index)
{
  const Mprof__Pprof__Location *location = reading->message->location[index];
  if (!add_id(reading, &reading->location_ids, location->id, index,
              FIELD_LOCATION, "location"))
    return false;
  if (location->mapping_id != 0 &&
      index_map_find(&reading->mapping_ids, location->mapping_id) ==
          INDEX_NONE)
    return reading_fault(reading, FIELD_LOCATION, index,
                         "location %" PRIu64 " refers to mapping %" PRIu64
                         ", which is missing",
                         location->id, location->mapping_id);
  if (location->n_line == 0)
    return add_nameless_frame(reading, location, 0);
  size_t pruned = reading->prune.active ? count_pruned(reading, location) : 0;
  if (pruned > 0)
    reading->prune_marks[index] =
        pruned == location->n_line ? PRUNE_ALL : PRUNE_BENEATH;
  for (size_t i = pruned == location->n_line ? 0 : pruned;
       i < location->n_line; i++)
    if (!read_line(reading, location, index, i))
      return false;
  return true;
}

/* Prepares to cut off the frames that the file wants to be dropped. */
static bool
read_drop_frames(struct reading *reading)
{
  const Mprof__Pprof__Profile *message = reading->message;
  uint32_t drop;
  uint32_t keep;
  if (!reading_string(reading, message->drop_frames, &drop) ||
      !reading_string(reading, message->keep_frames, &keep))
    return reading_fault(reading, FIELD_DROP_FRAMES, 0,
                         "drop_frames or keep_frames refers to a missing "
                         "string");
  const struct names *names = &reading->profile->names;
  enum prune_outcome outcome = profile_prune_init(
      &reading->prune, names_text(names, drop), names_text(names, keep));
  if (outcome == PRUNE_NOT_READABLE)
    reading->profile->gaps.unread_drop++;
  return outcome != PRUNE_NO_MEMORY || mprof_error_memory(reading->error);
}

/* Whether the string INDEX exists. */
static bool
has_string(const struct reading *reading, int64_t index)
{
  uint32_t ignored;
  return reading_string(reading, index, &ignored);
}

static bool
read_mappings(struct reading *reading)
{
  const Mprof__Pprof__Profile *message = reading->message;
  for (size_t i = 0; i < message->n_mapping; i++) {
    const Mprof__Pprof__Mapping *mapping = message->mapping[i];
    if (!add_id(reading, &reading->mapping_ids, mapping->id, i, FIELD_MAPPING,
                "mapping"))
      return false;
    if (!has_string(reading, mapping->filename) ||
        !has_string(reading, mapping->build_id))
      return reading_fault(reading, FIELD_MAPPING, i,
                           "mapping %" PRIu64 " refers to a missing string",
                           mapping->id);
  }
  return true;
}

/* Checks what is said of the profile as a whole. */
static bool
check_heading(struct reading *reading)
{
  const Mprof__Pprof__Profile *message = reading->message;
  if (message->period_type != NULL &&
      (!has_string(reading, message->period_type->type) ||
       !has_string(reading, message->period_type->unit)))
    return reading_fault(reading, FIELD_PERIOD_TYPE, 0,
                         "the period's type refers to a missing string");
  return has_string(reading, message->default_sample_type) ||
         reading_fault(reading, FIELD_DEFAULT_SAMPLE_TYPE, 0,
                       "the default sample type is a missing string");
}

/* Location i becomes the frames from first_frames[i] to before
 * first_frames[i + 1], innermost first. */
static bool
read_locations(struct reading *reading)
{
  const Mprof__Pprof__Profile *message = reading->message;
  reading->first_frames =
      array_zeroed(message->n_location + 1, sizeof *reading->first_frames);
  reading->prune_marks =
      array_zeroed(message->n_location, sizeof *reading->prune_marks);
  if (reading->first_frames == NULL || reading->prune_marks == NULL)
    return mprof_error_memory(reading->error);
  for (size_t i = 0; i < message->n_location; i++) {
    reading->first_frames[i] = (uint32_t)reading->profile->frame_count;
    if (!read_location(reading, i))
      return false;
  }
  reading->first_frames[message->n_location] =
      (uint32_t)reading->profile->frame_count;
  return true;
}

/* Checks the bytes of the file and decodes them, but for the samples. */
static bool
decode(struct reading *reading, const struct input_limits *limits)
{
  struct wire_fault fault;
  const struct input_file *file = &reading->file;
  if (!wire_scan(&mprof__pprof__profile__descriptor, file->data, file->length,
                 FIELD_SAMPLE, input_file_decoded_limit(file, limits),
                 &fault))
    return mprof_error_set(
        reading->error, MPROF_BAD_PROFILE, (int64_t)fault.offset,
        "cannot read '%s': is no profile, or a damaged one: %s (offset %zu "
        "of the %s)",
        reading->path, fault.reason, fault.offset,
        file->compressed ? "inflated data" : "file");
  uint8_t *rest = array_zeroed(file->length, 1);
  if (rest == NULL)
    return mprof_error_memory(reading->error);
  size_t length =
      wire_copy_without(file->data, file->length, FIELD_SAMPLE, rest);
  reading->message = mprof__pprof__profile__unpack(NULL, length, rest);
  free(rest);
  return reading->message != NULL || mprof_error_memory(reading->error);
}

bool
profile_reader_visit(struct profile *profile, const struct input_name *input,
                     const struct input_limits *limits,
                     profile_visitor *visit, void *context,
                     struct mprof_error *error)
{
  struct reading reading = {.profile = profile,
                            .path = input->path,
                            .limits = limits,
                            .error = error,
                            .visited = visit != NULL,
                            .first_link = profile->chain_count};
  progress_tell(profile->progress, "reading", 0, 0);
  if (!(input->octets.data != NULL
            ? input_file_unpack(&reading.file, input->path, input->octets,
                                limits, error)
            : input_file_read(&reading.file, input->path, limits, error)))
    return false;
  bool good = decode(&reading, limits) &&
              symbolize(reading.message, &reading.file, error) &&
              read_strings(&reading) && check_heading(&reading) &&
              read_functions(&reading) && read_mappings(&reading) &&
              read_drop_frames(&reading) &&
              read_locations(&reading) && profile_samples_read(&reading) &&
              (visit == NULL || visit(context, &reading));
  if (reading.message != NULL)
    mprof__pprof__profile__free_unpacked(reading.message, NULL);
  free(reading.strings);
  free(reading.functions);
  free(reading.first_frames);
  free(reading.prune_marks);
  profile_prune_release(&reading.prune);
  call_sums_release(&reading.calls);
  index_map_release(&reading.function_ids);
  index_map_release(&reading.location_ids);
  index_map_release(&reading.mapping_ids);
  input_file_release(&reading.file);
  return good;
}

bool
profile_reader_add(struct profile *profile, const char *path,
                   const struct input_limits *limits,
                   struct mprof_error *error)
{
  const struct input_name input = {.path = (char *)path};
  return profile_reader_visit(profile, &input, limits, NULL, NULL, error);
}
