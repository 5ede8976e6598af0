/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Rows become messages: ids are numbers of rows, strings the names of the
 * profile in their order.  Field numbers are those of profile.proto.
 */

#include "merge/merge.h"

#include "io/gzip_sink.h"
#include "profile/array.h"
#include "profile/wire_write.h"

#include <errno.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum profile_field {
  PROFILE_SAMPLE_TYPE = 1,
  PROFILE_SAMPLE = 2,
  PROFILE_MAPPING = 3,
  PROFILE_LOCATION = 4,
  PROFILE_FUNCTION = 5,
  PROFILE_STRING_TABLE = 6,
  PROFILE_DROP_FRAMES = 7,
  PROFILE_KEEP_FRAMES = 8,
  PROFILE_TIME_NANOS = 9,
  PROFILE_DURATION_NANOS = 10,
  PROFILE_PERIOD_TYPE = 11,
  PROFILE_PERIOD = 12,
  PROFILE_COMMENT = 13,
  PROFILE_DEFAULT_SAMPLE_TYPE = 14,
};

/* A message and one within it, under way to SINK. */
struct writing {
  const struct merge *merge;
  struct sink *sink;
  struct wire_buffer whole, message, part;
};

enum { OWN_COMMENTS = 2 };

/* The comments to be written. */
struct comments {
  uint64_t *strings; /* their numbers */
  size_t count;
  uint64_t next_string;
};

static void
send_message(struct writing *writing, enum profile_field field)
{
  wire_put_message(&writing->whole, field, &writing->message);
  wire_send(&writing->whole, writing->sink);
}

static void
send_number(struct writing *writing, enum profile_field field,
            uint64_t number)
{
  wire_put_number(&writing->whole, field, number);
  wire_send(&writing->whole, writing->sink);
}

static void
write_value_type(struct writing *writing, enum profile_field field,
                 struct merge_value_type type)
{
  wire_put_number(&writing->message, 1, type.type);
  wire_put_number(&writing->message, 2, type.unit);
  send_message(writing, field);
}

static void
write_sample(struct writing *writing, size_t row)
{
  enum { COUNT_WORDS = 1, KIND_WORDS = 2, LABEL_WORDS = 4 };
  const struct merge *merge = writing->merge;
  size_t count;
  const uint64_t *words = row_table_words(&merge->samples, row, &count);
  size_t locations = (size_t)words[0];
  wire_put_packed(&writing->message, 1, words + COUNT_WORDS, locations);
  wire_put_packed(&writing->message, 2,
                  merge->values + row * merge->column_count,
                  merge->column_count);
  for (size_t i = COUNT_WORDS + locations + KIND_WORDS; i < count;
       i += LABEL_WORDS) {
    for (size_t j = 0; j < LABEL_WORDS; j++)
      wire_put_number(&writing->part, (uint32_t)j + 1, words[i + j]);
    wire_put_message(&writing->message, 3, &writing->part);
  }
  send_message(writing, PROFILE_SAMPLE);
}

/* Which calls are written: all, or those that are not the sum of what is
 * below. */
enum calls_form { CALLS_ALL, CALLS_NOT_SUMS };

static bool
is_written(const struct call_node *node, enum calls_form form)
{
  return form == CALLS_ALL ? node->calls != 0 : node->calls != node->below;
}

/* The form that takes less. */
static enum calls_form
choose_form(const struct call_sums *calls)
{
  uint64_t all = 0;
  uint64_t not_sums = 0;
  for (size_t i = CALL_ROOT + 1; i < calls->count; i++) {
    const struct call_node *node = &calls->nodes[i];
    all += is_written(node, CALLS_ALL) ? node->length : 0;
    not_sums += is_written(node, CALLS_NOT_SUMS) ? node->length : 0;
  }
  return all < not_sums ? CALLS_ALL : CALLS_NOT_SUMS;
}

/* The samples that state calls; gives back how many. */
static size_t
write_calls(struct writing *writing, enum calls_form form)
{
  const struct merge *merge = writing->merge;
  const struct call_node *nodes = merge->calls.nodes;
  uint64_t *values = calloc(merge->column_count + 1, sizeof *values);
  uint64_t *chain = NULL;
  size_t capacity = 0;
  size_t written = 0;
  bool good = values != NULL;
  for (size_t i = CALL_ROOT + 1; good && i < merge->calls.count; i++) {
    size_t length = 0;
    if (!is_written(&nodes[i], form))
      continue;
    uint64_t *room =
        array_reserve(chain, &capacity, nodes[i].length, sizeof *chain);
    good = room != NULL;
    if (!good)
      break;
    chain = room;
    for (size_t j = i; j != CALL_ROOT; j = nodes[j].parent)
      chain[length++] = nodes[j].location;
    values[merge->calls_column] =
        nodes[i].calls + (form == CALLS_NOT_SUMS ? 1 : 0);
    wire_put_packed(&writing->message, 1, chain, length);
    wire_put_packed(&writing->message, 2, values, merge->column_count);
    send_message(writing, PROFILE_SAMPLE);
    written++;
  }
  if (!good)
    sink_fail(writing->sink, ENOMEM);
  free(values);
  free(chain);
  return written;
}

static void
write_mapping(struct writing *writing, size_t row)
{
  enum { FLAGS = 5, FLAG_COUNT = 4, FIRST_FLAG_FIELD = 7 };
  size_t count;
  const uint64_t *words =
      row_table_words(&writing->merge->mappings, row, &count);
  wire_put_number(&writing->message, 1, row + 1);
  for (size_t i = 0; i < FLAGS; i++)
    wire_put_number(&writing->message, (uint32_t)i + 2, words[i]);
  for (uint32_t i = 0; i < FLAG_COUNT; i++)
    wire_put_number(&writing->message, FIRST_FLAG_FIELD + i,
                    words[FLAGS] >> i & 1);
  send_message(writing, PROFILE_MAPPING);
}

static void
write_location(struct writing *writing, size_t row)
{
  enum { HEAD_WORDS = 3, LINE_WORDS = 3 };
  size_t count;
  const uint64_t *words =
      row_table_words(&writing->merge->locations, row, &count);
  wire_put_number(&writing->message, 1, row + 1);
  wire_put_number(&writing->message, 2, words[0]);
  wire_put_number(&writing->message, 3, words[1]);
  for (size_t i = HEAD_WORDS; i < count; i += LINE_WORDS) {
    for (size_t j = 0; j < LINE_WORDS; j++)
      wire_put_number(&writing->part, (uint32_t)j + 1, words[i + j]);
    wire_put_message(&writing->message, 4, &writing->part);
  }
  wire_put_number(&writing->message, 5, words[2]);
  send_message(writing, PROFILE_LOCATION);
}

static void
write_function(struct writing *writing, size_t row)
{
  size_t count;
  const uint64_t *words =
      row_table_words(&writing->merge->functions, row, &count);
  wire_put_number(&writing->message, 1, row + 1);
  for (size_t i = 0; i < count; i++)
    wire_put_number(&writing->message, (uint32_t)i + 2, words[i]);
  send_message(writing, PROFILE_FUNCTION);
}

static void
write_string(struct writing *writing, const char *text)
{
  wire_put_bytes(&writing->whole, PROFILE_STRING_TABLE, text, strlen(text));
  wire_send(&writing->whole, writing->sink);
}

/* The comment KEY=NUMBER, of which the string is one more than there are. */
static void
add_comment(struct writing *writing, const char *key, size_t number,
            struct comments *comments)
{
  char text[64];
  snprintf(text, sizeof text, "%s=%zu", key, number);
  write_string(writing, text);
  comments->strings[comments->count++] = comments->next_string++;
}

/* Strings and comments: those of our own come last of both.  STATED calls
 * were written when FORM is not that of all. */
static void
write_texts(struct writing *writing, enum calls_form form, size_t stated)
{
  const struct profile *profile = &writing->merge->profile;
  for (size_t i = 0; i < profile->names.count; i++)
    write_string(writing, names_text(&profile->names, (uint32_t)i));
  struct comments comments = {
      .strings = calloc(profile->comment_count + OWN_COMMENTS,
                        sizeof *comments.strings),
      .next_string = profile->names.count,
  };
  if (comments.strings == NULL) {
    sink_fail(writing->sink, ENOMEM);
    return;
  }
  while (comments.count < profile->comment_count) {
    comments.strings[comments.count] = profile->comments[comments.count];
    comments.count++;
  }
  if (profile->file_count > 1)
    add_comment(writing, "mprof.files", profile->file_count, &comments);
  if (form == CALLS_NOT_SUMS)
    add_comment(writing, "mprof.stated_calls", stated, &comments);
  wire_put_packed(&writing->whole, PROFILE_COMMENT, comments.strings,
                  comments.count);
  wire_send(&writing->whole, writing->sink);
  free(comments.strings);
}

static void
write_profile(struct writing *writing)
{
  const struct merge *merge = writing->merge;
  enum calls_form form =
      merge->has_calls ? choose_form(&merge->calls) : CALLS_ALL;
  for (size_t i = 0; i < merge->column_count; i++)
    write_value_type(writing, PROFILE_SAMPLE_TYPE, merge->columns[i]);
  for (size_t i = 0; i < merge->samples.row_count; i++)
    write_sample(writing, i);
  size_t stated = write_calls(writing, form);
  for (size_t i = 0; i < merge->mappings.row_count; i++)
    write_mapping(writing, i);
  for (size_t i = 0; i < merge->locations.row_count; i++)
    write_location(writing, i);
  for (size_t i = 0; i < merge->functions.row_count; i++)
    write_function(writing, i);
  write_texts(writing, form, stated);
  send_number(writing, PROFILE_DROP_FRAMES, merge->drop_frames);
  send_number(writing, PROFILE_KEEP_FRAMES, merge->keep_frames);
  send_number(writing, PROFILE_TIME_NANOS, (uint64_t)merge->time_nanos);
  send_number(writing, PROFILE_DURATION_NANOS,
              (uint64_t)merge->duration_nanos);
  write_value_type(writing, PROFILE_PERIOD_TYPE, merge->period_type);
  send_number(writing, PROFILE_PERIOD, (uint64_t)merge->period);
  send_number(writing, PROFILE_DEFAULT_SAMPLE_TYPE, merge->default_type);
}

void
merge_write(const struct merge *merge, struct sink *sink)
{
  struct gzip_sink gzip;
  struct writing writing = {.merge = merge, .sink = &gzip.sink};
  gzip_sink_open(&gzip, sink);
  write_profile(&writing);
  gzip_sink_close(&gzip);
  wire_buffer_release(&writing.whole);
  wire_buffer_release(&writing.message);
  wire_buffer_release(&writing.part);
}
