/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Each row of the profile becomes a message: ids are numbers of rows, from 1,
 * strings the names of the profile in their order.
 */

#include "profile/writer.h"

#include "base/sink.h"
#include "common/pprof_format.h"
#include "profile/packed_chains.h"

/* ---- protobuf ---------------------------------------------------------- */

/* Appends the tag of FIELD and NUMBER, its value or how many bytes it has,
 * for MORE of which it makes room. */
static void
put_tag(struct wire_buffer *buffer, uint32_t field, unsigned type,
        uint64_t number, size_t more)
{
  ARRAY_ROOM(buffer->bytes, buffer->capacity,
             buffer->count + 2 * VARINT_BYTES + more);
  uint8_t *to = buffer->bytes + buffer->count;
  to = wire_varint(to, (uint64_t)field << 3 | type);
  buffer->count = (size_t)(wire_varint(to, number) - buffer->bytes);
}

void
wire_put_number(struct wire_buffer *buffer, uint32_t field, uint64_t number)
{
  if (number != 0)
    put_tag(buffer, field, PPROF_WIRE_VARINT, number, 0);
}

/* Appends COUNT numbers as the fields FIRST, FIRST + 1, ...; no zeros. */
static void
put_numbers(struct wire_buffer *buffer, uint32_t first,
            const uint64_t *numbers, uint32_t count)
{
  for (uint32_t i = 0; i < count; i++)
    wire_put_number(buffer, first + i, numbers[i]);
}

void
wire_put_bytes(struct wire_buffer *buffer, uint32_t field, const void *bytes,
               size_t count)
{
  put_tag(buffer, field, PPROF_WIRE_BYTES, count, count);
  if (count > 0)
    memcpy(buffer->bytes + buffer->count, bytes, count);
  buffer->count += count;
}

/* Writes the numbers behind where a tag can end, and moves them to that. */
void
wire_put_packed(struct wire_buffer *buffer, uint32_t field,
                const uint64_t *numbers, size_t count)
{
  if (count == 0)
    return;
  ARRAY_ROOM(buffer->bytes, buffer->capacity,
             buffer->count + (2 + count) * VARINT_BYTES);
  uint8_t *const from = buffer->bytes + buffer->count + 2 * VARINT_BYTES;
  uint8_t *to = from;
  for (size_t i = 0; i < count; i++)
    to = wire_varint(to, numbers[i]);
  put_tag(buffer, field, PPROF_WIRE_BYTES, (uint64_t)(to - from), 0);
  memmove(buffer->bytes + buffer->count, from, (size_t)(to - from));
  buffer->count += (size_t)(to - from);
}

void
wire_put_message(struct wire_buffer *buffer, uint32_t field,
                 struct wire_buffer *message)
{
  wire_put_bytes(buffer, field, message->bytes, message->count);
  message->count = 0;
}

/* ---- a profile --------------------------------------------------------- */

/* A message and one within it, under way to SINK. */
struct writing {
  const struct profile *profile;
  struct sink *sink;
  struct wire_buffer whole, message, part;
  struct packed_chains chains;
};

/* Writes the field in hand. */
static void
send(struct writing *writing)
{
  sink_bytes(writing->sink, (const char *)writing->whole.bytes,
             writing->whole.count);
  writing->whole.count = 0;
}

static void
send_message(struct writing *writing, enum pprof_profile_field field)
{
  wire_put_message(&writing->whole, field, &writing->message);
  send(writing);
}

static void
send_number(struct writing *writing, enum pprof_profile_field field,
            uint64_t number)
{
  wire_put_number(&writing->whole, field, number);
  send(writing);
}

/* Appends to BUFFER the numbers that follow, as fields from the first on. */
#define put_fields(buffer, ...)                                              \
  put_numbers(buffer, 1, (const uint64_t[]){__VA_ARGS__},                    \
              sizeof((const uint64_t[]){__VA_ARGS__}) / sizeof(uint64_t))

static void
write_value_type(struct writing *writing, enum pprof_profile_field field,
                 struct profile_value_type type)
{
  put_fields(&writing->message, type.type, type.unit);
  send_message(writing, field);
}

static void
write_sample(struct writing *writing, size_t row)
{
  const struct profile *profile = writing->profile;
  size_t count;
  const uint64_t *words = row_table_words(
      &profile->label_rows, profile->samples[row].labels, &count);
  packed_chains_put(&writing->chains, profile->samples[row].node,
                    &writing->message);
  wire_put_packed(&writing->message, PPROF_SAMPLE_VALUES,
                  profile->values + row * profile->column_count,
                  profile->column_count);
  for (size_t i = 1; i < count; i += LABEL_WORDS) {
    put_numbers(&writing->part, PPROF_LABEL_KEY, words + i, LABEL_WORDS);
    wire_put_message(&writing->message, PPROF_SAMPLE_LABEL, &writing->part);
  }
  send_message(writing, PPROF_SAMPLE);
}

static void
write_mapping(struct writing *writing, size_t row)
{
  const struct profile_mapping *m = &writing->profile->mappings[row];
  const unsigned flags = m->flags;
  put_fields(&writing->message, row + 1, m->start, m->end, m->offset, m->file,
             m->build_id, flags & 1, flags >> 1 & 1, flags >> 2 & 1,
             flags >> 3 & 1);
  send_message(writing, PPROF_MAPPING);
}

static void
write_location(struct writing *writing, size_t row)
{
  const struct profile_location *l = &writing->profile->locations[row];
  put_fields(&writing->message, row + 1, wire_id(l->mapping), l->address);
  for (size_t i = 0; i < l->line_count; i++) {
    const struct profile_line *line =
        &writing->profile->lines[l->first_line + i];
    put_fields(&writing->part, wire_id(line->function), (uint64_t)line->line,
               (uint64_t)line->column);
    wire_put_message(&writing->message, PPROF_LOCATION_LINE, &writing->part);
  }
  wire_put_number(&writing->message, PPROF_LOCATION_FOLDED, l->folded);
  send_message(writing, PPROF_LOCATION);
}

static void
write_function(struct writing *writing, size_t row)
{
  const struct profile_function *f = &writing->profile->functions[row];
  put_fields(&writing->message, row + 1, f->name, f->system_name, f->file,
             (uint64_t)f->start_line);
  send_message(writing, PPROF_FUNCTION);
}

static void
write_string(struct writing *writing, const char *text)
{
  wire_put_bytes(&writing->whole, PPROF_STRING, text, strlen(text));
  send(writing);
}

/* Writes strings and comments, of which that on files comes last. */
static void
write_texts(struct writing *writing)
{
  const struct profile *profile = writing->profile;
  for (size_t i = 0; i < profile->names.count; i++)
    write_string(writing, profile_text(profile, (uint32_t)i));
  for (size_t i = 0; i < profile->comment_count; i++) {
    const uint32_t comment = profile->comments[i];
    const char *text = profile_text(profile, comment);
    const bool own = strncmp(text, "mprof.", 6) == 0 &&
                     comment_value(text, PPROF_COMMENT_VERSION) == NULL &&
                     comment_value(text, PPROF_COMMENT_LANGUAGE) == NULL;
    send_number(writing, own ? PPROF_OWN_COMMENT : PPROF_COMMENT, comment);
  }
  if (profile->file_count > 1) {
    write_string(writing, pool_format(PPROF_COMMENT_FILES "=%zu",
                                      profile->file_count));
    send_number(writing, PPROF_OWN_COMMENT, profile->names.count);
  }
}

static void
write_all(struct writing *writing)
{
  const struct profile *profile = writing->profile;
  for (size_t i = 0; i < profile->column_count; i++)
    write_value_type(writing, PPROF_SAMPLE_TYPE, profile->columns[i]);
  for (size_t i = 0; i < profile->sample_count; i++)
    write_sample(writing, i);
  for (size_t i = 0; i < profile->mapping_count; i++)
    write_mapping(writing, i);
  for (size_t i = 0; i < profile->location_count; i++)
    write_location(writing, i);
  for (size_t i = 0; i < profile->function_count; i++)
    write_function(writing, i);
  write_texts(writing);
  send_number(writing, PPROF_DROP_FRAMES, profile->drop_frames);
  send_number(writing, PPROF_KEEP_FRAMES, profile->keep_frames);
  send_number(writing, PPROF_TIME, (uint64_t)profile->time_nanos);
  send_number(writing, PPROF_DURATION, (uint64_t)profile->duration_nanos);
  write_value_type(writing, PPROF_PERIOD_TYPE, profile->period_type);
  send_number(writing, PPROF_PERIOD, (uint64_t)profile->period);
  send_number(writing, PPROF_DEFAULT_TYPE, profile->default_type);
}

void
profile_write(const struct profile *profile, bool plain, struct sink *sink)
{
  const char *process = profile_comment(profile, PPROF_COMMENT_PROCESS);
  const char *comment =
      !profile->by_mprof ? NULL
      : process == NULL  ? PPROF_GZIP_COMMENT
                         : pool_format(PPROF_GZIP_COMMENT "%s", process);
  struct writing writing = {.profile = profile,
                            .sink = gzip_sink_open(sink, comment)};
  packed_chains_open(&writing.chains, profile, plain);
  write_all(&writing);
  gzip_sink_close(writing.sink);
}
