/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Reads one file: bytes (input_file.c), what chains are made of
 * (reader_tables.c), what is said of the whole (here), comments (comments.c),
 * sample types (columns.c), and samples (reader_samples.c); all by the
 * decoder of message.c.  A text is read by heap_text.c.
 *
 * Samples are nearly all of a profile.  The other fields are listed first,
 * since they may refer to each other in either direction.
 *
 * A fault in the meaning of the message is reported with the offset of the
 * field at fault.  Offsets are kept, since the samples are forgotten as they
 * are read, and forgotten bytes read as zeros.  After a fault the whole file
 * is searched once for damage, since the first wrong byte explains all faults
 * behind it.
 */

#include "profile/reader.h"

#include "base/pool.h"
#include "profile/reading.h"

#include <inttypes.h>
#include <stdio.h>

void
reading_fault_at(const struct reading *reading, size_t offset,
                 const char *format, ...)
{
  char reason[512];
  va_list arguments;
  struct reading failing = *reading;
  failing.failing = true;
  if (!reading->failing && !reading->is_text)
    wire_check(&failing);
  va_start(arguments, format);
  vsnprintf(reason, sizeof reason, format, arguments);
  va_end(arguments);
  fail_file(MPROF_BAD_PROFILE, (int64_t)offset, reading->path,
            "cannot read '%s': %s (offset %zu of the %s)", reading->path,
            reason, offset,
            reading->file.compressed ? "inflated data" : "file");
}

bool
reading_add_text(struct reading *reading, uint64_t length)
{
  bool good = length <= reading->text_left;
  reading->text_left -= good ? length : 0;
  return good;
}

/* Returns the text that FIELD holds.  Names end at a NUL here, so each NUL
 * becomes U+FFFD, the character for what cannot be shown. */
static char *
string_text(const struct wire_field *field)
{
  static const char unknown[] = "\xef\xbf\xbd";
  char *text = pool_alloc(sizeof unknown * field->size + 1), *to = text;
  for (size_t i = 0; i < field->size; i++)
    if (field->bytes[i] != 0)
      *to++ = (char)field->bytes[i];
    else
      to = stpcpy(to, unknown);
  *to = '\0';
  return text;
}

/* Adds the string FIELD to the table of strings. */
static void
add_string(struct reading *reading, const struct wire_field *field)
{
  if (reading->string_count == 0 && field->size != 0)
    reading_fault_at(reading, field->at, "the first string is not empty");
  char *text = string_text(field);
  ARRAY_ADD(reading, string, names_intern(&reading->profile->names, text));
  pool_free(text);
}

/* Reads the strings of the file, and lists the other fields but for samples
 * and comments.  Their decoded
 * size is bounded before any of it is made: two bytes of input can become a
 * hundred of structure.  The memory of chains is counted when they are read.
 */
static void
list_fields(struct reading *reading)
{
  enum { MOST_FOR_A_BYTE = 40, LEAST_FOR_A_SAMPLE = 48 };
  const uint64_t most = input_file_memory_limit(&reading->file);
  uint64_t taken = 0;
  struct wire_walk walk = wire_walk(reading, NULL);
  struct wire_field field;
  while (wire_next(&walk, &field)) {
    const uint64_t bytes =
        sizeof field + (uint64_t)field.size *
                           (field.mark == WIRE_STRING ? 1 : MOST_FOR_A_BYTE);
    if (taken + bytes > most)
      reading_damaged(reading, field.at,
                      "decodes to more than %" PRIu64 " bytes", most);
    taken += field.number == PPROF_SAMPLE ? LEAST_FOR_A_SAMPLE : bytes;
    if (field.number == PPROF_COMMENT || field.number == PPROF_OWN_COMMENT)
      wire_read_numbers(reading, &field, &reading->comments);
    else if (field.mark == WIRE_STRING)
      add_string(reading, &field);
    else if (field.number != PPROF_SAMPLE)
      ARRAY_ADD(reading, field, field);
    while (reading->comment_ats.count < reading->comments.count)
      numbers_push(&reading->comment_ats, field.at);
  }
  if (reading->string_count == 0)
    reading_fault_at(reading, reading->file.length,
                     "is not a profile: it has no string table");
}

bool
reading_value_type(const struct reading *reading,
                   const struct wire_field *field,
                   struct profile_value_type *type)
{
  uint64_t f[MESSAGE_FIELDS];
  const bool good = wire_read_message(reading, field, f);
  *type = (struct profile_value_type){(uint32_t)f[PPROF_VALUE_TYPE_NAME],
                                      (uint32_t)f[PPROF_VALUE_TYPE_UNIT]};
  return good;
}

/* Reads what is said of the profile as a whole. */
static void
read_heading(struct reading *reading)
{
  struct profile *heading = &reading->heading;
  uint64_t f[MESSAGE_FIELDS] = {0};
  size_t at[MESSAGE_FIELDS] = {0};
  for (size_t i = 0; i < reading->field_count; i++) {
    const struct wire_field *field = &reading->fields[i];
    if (field->number == PPROF_PERIOD_TYPE &&
        !reading_value_type(reading, field, &heading->period_type))
      reading_fault_at(reading, field->at,
                       "the period's type refers to a missing string");
    if (field->mark == WIRE_NUMBER || field->mark == WIRE_TEXT) {
      f[field->number] = field->value;
      at[field->number] = field->at;
    }
  }
  if (!reading_string(reading, f[PPROF_DEFAULT_TYPE], &heading->default_type))
    reading_fault_at(reading, at[PPROF_DEFAULT_TYPE],
                     "the default sample type is a missing string");
  bool drop =
      reading_string(reading, f[PPROF_DROP_FRAMES], &heading->drop_frames);
  if (!drop ||
      !reading_string(reading, f[PPROF_KEEP_FRAMES], &heading->keep_frames))
    reading_fault_at(reading,
                     at[drop ? PPROF_KEEP_FRAMES : PPROF_DROP_FRAMES],
                     "drop_frames or keep_frames refers to a missing string");
  heading->time_nanos = (int64_t)f[PPROF_TIME];
  heading->duration_nanos = (int64_t)f[PPROF_DURATION];
  heading->period = (int64_t)f[PPROF_PERIOD];
}

/* Notes what the file does not say. */
static void
note_gaps(const struct reading *reading)
{
  const struct profile *heading = &reading->heading;
  struct profile_gaps *gaps = &reading->profile->gaps;
  size_t files = heading->file_count;
  gaps->live += heading->gaps.live;
  gaps->apart += heading->gaps.apart;
  gaps->changes += heading->gaps.changes;
  if (!profile_has(heading, MEASURE_ALLOCS))
    gaps->countless += files;
  if (!heading->by_mprof && heading->period > 1 &&
      strcmp(profile_text(reading->profile, heading->period_type.unit),
             "bytes") == 0) {
    gaps->sampled += files;
    if (heading->period > gaps->period)
      gaps->period = heading->period;
  }
}

void
reading_take(struct reading *reading, uint64_t text)
{
  struct profile *profile = reading->profile;
  const struct profile *heading = &reading->heading;
  bool first = reading_is_first(reading);
  reading_check_facts(reading);
  profile->language = heading->language;
  profile->by_mprof = heading->by_mprof && (first || profile->by_mprof);
  profile->period_type = heading->period_type;
  if (first) {
    profile->default_type = heading->default_type;
    profile->drop_frames = heading->drop_frames;
    profile->keep_frames = heading->keep_frames;
  } else if (profile->default_type != heading->default_type) {
    profile->default_type = 0;
  }
  if (heading->time_nanos > 0 &&
      (profile->time_nanos == 0 || heading->time_nanos < profile->time_nanos))
    profile->time_nanos = heading->time_nanos;
  if (heading->duration_nanos > 0 &&
      __builtin_add_overflow(profile->duration_nanos, heading->duration_nanos,
                             &profile->duration_nanos))
    profile->duration_nanos = INT64_MAX;
  if (heading->period > profile->period)
    profile->period = heading->period;
  profile->file_count += heading->file_count;
  profile->text_limit += text;
  note_gaps(reading);
}

void
profile_read(struct profile *profile, const char *path,
             const struct reader_options *options)
{
  struct reading reading = {.profile = profile,
                            .path = path,
                            .options = options,
                            .first_sample = profile->sample_count};
  progress_tell("reading", 0, 0);
  input_file_read(&reading.file, path, options->octets);
  uint64_t text = input_file_text_limit(&reading.file);
  reading.text_left = text;
  reading.is_text = input_is_heap_text(
      (struct input_octets){reading.file.data, reading.file.length});
  if (reading.is_text) {
    heap_text_read(&reading);
  } else {
    list_fields(&reading);
    reading_tables(&reading);
    read_heading(&reading);
    reading_comments(&reading);
    reading_columns(&reading);
    reading_samples(&reading);
  }
  reading_take(&reading, text);
  pool_free(reading.file.data);
  pool_free(reading.fields);
  pool_free(reading.strings);
  for (int i = 0; i <= PPROF_FUNCTION; i++)
    index_map_release(&reading.ids[i]);
}

bool
profile_file_is_of(const char *path, const char *process)
{
  static const char magic[] = "\x1f\x8b\x08\x10"; /* the last: a comment */
  enum { HEADER_BYTES = 10 };
  char start[HEADER_BYTES + 300] = "";
  const char *comment = start + HEADER_BYTES;
  const size_t length = strlen(PPROF_GZIP_COMMENT);
  FILE *file = fopen(path, "re");
  if (file == NULL)
    return false;
  start[fread(start, 1, sizeof start - 1, file)] = '\0';
  fclose(file);
  return memcmp(start, magic, strlen(magic)) == 0 &&
         strncmp(comment, PPROF_GZIP_COMMENT, length) == 0 &&
         (process == NULL || strcmp(comment + length, process) == 0);
}
