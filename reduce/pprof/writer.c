/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Each row of the profile becomes a message: ids are numbers of rows, from 1,
 * strings the names of the profile in their order.
 */

#include "pprof/writer.h"

#include "base/array.h"
#include "base/gzip_sink.h"
#include "common/pprof_format.h"
#include "pprof/wire_write.h"

#include <errno.h>
#include <stdio.h>
#include <string.h>

/* Which calls are written: all, or those that are not the sum of what is
 * below. */
enum calls_form { CALLS_ALL, CALLS_NOT_SUMS };

/* A message and one within it, under way to SINK. */
struct writing {
  const struct profile *profile;
  bool plain;
  struct sink *sink;
  struct wire_buffer whole, message, part;
  uint64_t *chain; /* of the sample in hand */
  size_t chain_capacity;
  uint64_t *hidden; /* what of it does not show */
  size_t hidden_capacity;
  unsigned char *parts; /* by location: enum part; NULL: all show */
  /* where calls are stated by samples of their own: */
  bool has_calls;
  enum calls_form form;
  uint64_t *calls, *below; /* by node: its calls; the allocations below it */
  size_t stated; /* how many were written as CALLS_NOT_SUMS */
};

static void
send_message(struct writing *writing, enum pprof_profile_field field)
{
  wire_put_message(&writing->whole, field, &writing->message);
  wire_send(&writing->whole, writing->sink);
}

static void
send_number(struct writing *writing, enum pprof_profile_field field,
            uint64_t number)
{
  wire_put_number(&writing->whole, field, number);
  wire_send(&writing->whole, writing->sink);
}

static void
write_value_type(struct writing *writing, enum pprof_profile_field field,
                 struct profile_value_type type)
{
  wire_put_number(&writing->message, PPROF_VALUE_TYPE_NAME, type.type);
  wire_put_number(&writing->message, PPROF_VALUE_TYPE_UNIT, type.unit);
  send_message(writing, field);
}

/* What a location is to those who look at the profile, as the monitor has it
 * (sample_writer.h). */
enum part { PART_SHOWS, PART_HIDDEN, PART_ROOT };

/* What the function NUMBER is. */
static enum part
part_of_function(const struct profile *profile, uint32_t number)
{
  const struct profile_function *f = &profile->functions[number];
  if (strcmp(names_text(&profile->names, f->file), PPROF_RUNTIME_FILE) == 0)
    return PART_HIDDEN;
  const char *name = names_text(&profile->names, f->name);
  for (size_t i = 0; i < profile->comment_count; i++) {
    const char *root = profile_comment_value(profile, i, PPROF_COMMENT_ROOT);
    if (root != NULL && strcmp(root, name) == 0)
      return PART_ROOT;
  }
  return PART_SHOWS;
}

/* Finds the part of each location. */
static bool
find_parts(struct writing *writing)
{
  const struct profile *profile = writing->profile;
  if (writing->plain || !profile->by_mprof ||
      profile->language != LANGUAGE_LISP)
    return true;
  writing->parts = array_zeroed(profile->location_count, 1);
  unsigned char *of_function = array_zeroed(profile->function_count, 1);
  bool good = writing->parts != NULL && of_function != NULL;
  for (uint32_t i = 0; good && i < profile->function_count; i++)
    of_function[i] = (unsigned char)part_of_function(profile, i);
  for (size_t i = 0; good && i < profile->location_count; i++) {
    const struct profile_location *l = &profile->locations[i];
    uint32_t function =
        l->line_count == 0 ? INDEX_NONE : profile->lines[l->first_line].function;
    if (function != INDEX_NONE)
      writing->parts[i] = of_function[function];
  }
  free(of_function);
  return good;
}

/* Collects the locations of NODE's chain, the leaf first; their number. */
static size_t
collect_chain(struct writing *writing, uint32_t node)
{
  const struct tree_node *nodes = writing->profile->tree.nodes;
  size_t count = 0;
  for (; node != TREE_ROOT; node = nodes[node].parent) {
    uint64_t *chain = array_reserve(
        writing->chain, &writing->chain_capacity, count + 1, sizeof *chain);
    if (chain == NULL) {
      sink_fail(writing->sink, ENOMEM);
      return 0;
    }
    writing->chain = chain;
    chain[count++] = (uint64_t)nodes[node].item + 1;
  }
  return count;
}

/* Parts the COUNT locations of the chain: those that show stay, and how many
 * they are is the result; the others go to HIDDEN, which has room for 3 * COUNT
 * numbers, as PPROF_SAMPLE_HIDDEN says, *HIDDEN_COUNT in all. */
static size_t
part_chain(struct writing *writing, size_t count, uint64_t *hidden,
           size_t *hidden_count)
{
  uint64_t *chain = writing->chain;
  size_t end = count;
  size_t left = 0;
  size_t before = 0; /* of LEFT, at the run in hand */
  size_t n = 0;
  uint64_t *length = NULL; /* of that run; NULL: none is in hand */
  for (size_t i = 0; i < count; i++)
    if (writing->parts[chain[i] - 1] == PART_ROOT)
      end = i; /* the last one is the rootmost */
  for (size_t i = 0; i < count; i++) {
    if (i < end && writing->parts[chain[i] - 1] == PART_SHOWS) {
      chain[left++] = chain[i];
      length = NULL;
      continue;
    }
    if (length == NULL) {
      hidden[n++] = left - before;
      length = &hidden[n++];
      *length = 0;
      before = left;
    }
    hidden[n++] = chain[i];
    ++*length;
  }
  *hidden_count = n;
  return left;
}

/* Puts NODE's chain into the message.  A chain of which nothing shows is
 * written as if all did. */
static void
put_chain(struct writing *writing, uint32_t node)
{
  struct wire_buffer *to = &writing->message;
  size_t count = collect_chain(writing, node);
  if (writing->parts == NULL) {
    wire_put_packed(to, PPROF_SAMPLE_LOCATIONS, writing->chain, count);
    return;
  }
  uint64_t *hidden =
      array_reserve(writing->hidden, &writing->hidden_capacity, 3 * count + 1,
                    sizeof *hidden);
  size_t hidden_count;
  if (hidden == NULL) {
    sink_fail(writing->sink, ENOMEM);
    return;
  }
  writing->hidden = hidden;
  size_t left = part_chain(writing, count, hidden, &hidden_count);
  if (left == 0) {
    left = collect_chain(writing, node);
    hidden_count = 0;
  }
  wire_put_packed(to, PPROF_SAMPLE_LOCATIONS, writing->chain, left);
  wire_put_packed(to, PPROF_SAMPLE_HIDDEN, hidden, hidden_count);
}

static void
put_labels(struct writing *writing, uint32_t labels)
{
  size_t count;
  const uint64_t *words =
      row_table_words(&writing->profile->label_rows, labels, &count);
  for (size_t i = 1; i < count; i += LABEL_WORDS) {
    for (uint32_t j = 0; j < LABEL_WORDS; j++)
      wire_put_number(&writing->part, PPROF_LABEL_KEY + j, words[i + j]);
    wire_put_message(&writing->message, PPROF_SAMPLE_LABEL, &writing->part);
  }
}

static void
write_sample(struct writing *writing, struct profile_sample sample,
             const uint64_t *values)
{
  put_chain(writing, sample.node);
  wire_put_packed(&writing->message, PPROF_SAMPLE_VALUES, values,
                  writing->profile->column_count);
  put_labels(writing, sample.labels);
  send_message(writing, PPROF_SAMPLE);
}

/* ---- calls of C programs ---- */

/* Whether all that the sample I says is how many calls its chain has. */
static bool
states_calls(const struct profile *profile, size_t i)
{
  const struct profile_sample *sample = &profile->samples[i];
  const uint64_t *values = profile->values + i * profile->column_count;
  size_t words;
  row_table_words(&profile->label_rows, sample->labels, &words);
  if (sample->node == TREE_ROOT || words > 1)
    return false;
  for (size_t c = 0; c < profile->column_count; c++)
    if (values[c] != 0 &&
        c != (size_t)profile->column_of[COLUMN_OF_CALLS].index)
      return false;
  return true;
}

/* Adds up the calls of each node, and the allocations below it. */
static bool
sum_calls(struct writing *writing)
{
  const struct profile *profile = writing->profile;
  uint64_t *own = array_zeroed(profile->tree.count, sizeof *own);
  writing->calls = array_zeroed(profile->tree.count, sizeof *writing->calls);
  writing->below = array_zeroed(profile->tree.count, sizeof *writing->below);
  bool good = own != NULL && writing->calls != NULL && writing->below != NULL;
  for (size_t i = 0; good && i < profile->sample_count; i++) {
    uint32_t node = profile->samples[i].node;
    struct sample_count count;
    profile_count(profile, i, &count);
    own[node] += count.counts[MEASURE_ALLOCS];
    if (states_calls(profile, i))
      writing->calls[node] += count.calls;
  }
  for (size_t i = profile->tree.count; good && i-- > TREE_ROOT + 1;)
    writing->below[profile->tree.nodes[i].parent] += own[i] + writing->below[i];
  free(own);
  return good;
}

static bool
is_written(const struct writing *writing, size_t node, enum calls_form form)
{
  return form == CALLS_ALL ? writing->calls[node] != 0
                           : writing->calls[node] != writing->below[node];
}

/* Chooses the form that takes less. */
static bool
choose_form(struct writing *writing)
{
  const struct profile *profile = writing->profile;
  uint64_t all = 0;
  uint64_t not_sums = 0;
  uint32_t *length = array_zeroed(profile->tree.count, sizeof *length);
  if (length == NULL)
    return false;
  for (size_t i = TREE_ROOT + 1; i < profile->tree.count; i++) {
    length[i] = length[profile->tree.nodes[i].parent] + 1;
    all += is_written(writing, i, CALLS_ALL) ? length[i] : 0;
    not_sums += is_written(writing, i, CALLS_NOT_SUMS) ? length[i] : 0;
  }
  free(length);
  writing->form = all < not_sums ? CALLS_ALL : CALLS_NOT_SUMS;
  return true;
}

static bool
prepare_calls(struct writing *writing)
{
  const struct profile *profile = writing->profile;
  writing->has_calls = !writing->plain && profile->by_mprof &&
                       profile->language == LANGUAGE_C &&
                       profile_has(profile, COLUMN_OF_CALLS) &&
                       profile->drop_frames == 0;
  return !writing->has_calls || (sum_calls(writing) && choose_form(writing));
}

static void
write_calls(struct writing *writing)
{
  const struct profile *profile = writing->profile;
  uint64_t *values = array_zeroed(profile->column_count, sizeof *values);
  bool all = writing->form == CALLS_ALL;
  if (values == NULL)
    sink_fail(writing->sink, ENOMEM);
  for (size_t i = TREE_ROOT + 1;
       values != NULL && i < profile->tree.count; i++) {
    if (!is_written(writing, i, writing->form))
      continue;
    values[profile->column_of[COLUMN_OF_CALLS].index] =
        writing->calls[i] + (all ? 0 : 1);
    put_chain(writing, (uint32_t)i);
    wire_put_packed(&writing->message, PPROF_SAMPLE_VALUES, values,
                    profile->column_count);
    send_message(writing, PPROF_SAMPLE);
    writing->stated += !all;
  }
  free(values);
}

static void
write_samples(struct writing *writing)
{
  const struct profile *profile = writing->profile;
  for (size_t i = 0; i < profile->sample_count; i++)
    if (!writing->has_calls || !states_calls(profile, i))
      write_sample(writing, profile->samples[i],
                   profile->values + i * profile->column_count);
  if (writing->has_calls)
    write_calls(writing);
}

/* ---- the rest ---- */

static void
write_mapping(struct writing *writing, size_t row)
{
  const struct profile_mapping *m = &writing->profile->mappings[row];
  struct wire_buffer *to = &writing->message;
  wire_put_number(to, PPROF_MAPPING_ID, row + 1);
  wire_put_number(to, PPROF_MAPPING_START, m->start);
  wire_put_number(to, PPROF_MAPPING_END, m->end);
  wire_put_number(to, PPROF_MAPPING_OFFSET, m->offset);
  wire_put_number(to, PPROF_MAPPING_FILE, m->file);
  wire_put_number(to, PPROF_MAPPING_BUILD_ID, m->build_id);
  for (uint32_t f = PPROF_MAPPING_HAS_FUNCTIONS;
       f <= PPROF_MAPPING_HAS_INLINE_FRAMES; f++)
    wire_put_number(to, f, m->flags >> (f - PPROF_MAPPING_HAS_FUNCTIONS) & 1);
  send_message(writing, PPROF_MAPPING);
}

static void
write_location(struct writing *writing, size_t row)
{
  const struct profile_location *l = &writing->profile->locations[row];
  struct wire_buffer *to = &writing->message;
  struct wire_buffer *part = &writing->part;
  wire_put_number(to, PPROF_LOCATION_ID, row + 1);
  wire_put_number(to, PPROF_LOCATION_MAPPING,
                  l->mapping == INDEX_NONE ? 0 : (uint64_t)l->mapping + 1);
  wire_put_number(to, PPROF_LOCATION_ADDRESS, l->address);
  for (size_t i = 0; i < l->line_count; i++) {
    const struct profile_line *line =
        &writing->profile->lines[l->first_line + i];
    wire_put_number(part, PPROF_LINE_FUNCTION,
                    line->function == INDEX_NONE
                        ? 0
                        : (uint64_t)line->function + 1);
    wire_put_number(part, PPROF_LINE_NUMBER, (uint64_t)line->line);
    wire_put_number(part, PPROF_LINE_COLUMN, (uint64_t)line->column);
    wire_put_message(to, PPROF_LOCATION_LINE, part);
  }
  wire_put_number(to, PPROF_LOCATION_FOLDED, l->folded);
  send_message(writing, PPROF_LOCATION);
}

static void
write_function(struct writing *writing, size_t row)
{
  const struct profile_function *f = &writing->profile->functions[row];
  struct wire_buffer *to = &writing->message;
  wire_put_number(to, PPROF_FUNCTION_ID, row + 1);
  wire_put_number(to, PPROF_FUNCTION_NAME, f->name);
  wire_put_number(to, PPROF_FUNCTION_SYSTEM_NAME, f->system_name);
  wire_put_number(to, PPROF_FUNCTION_FILE, f->file);
  wire_put_number(to, PPROF_FUNCTION_START_LINE, (uint64_t)f->start_line);
  send_message(writing, PPROF_FUNCTION);
}

static void
write_string(struct writing *writing, const char *text)
{
  wire_put_bytes(&writing->whole, PPROF_STRING, text, strlen(text));
  wire_send(&writing->whole, writing->sink);
}

/* Whether the comment TEXT is for mprof alone: see pprof_format.h. */
static bool
is_own_comment(const char *text)
{
  static const char version[] = PPROF_COMMENT_VERSION "=";
  static const char language[] = PPROF_COMMENT_LANGUAGE "=";
  return strncmp(text, "mprof.", 6) == 0 &&
         strncmp(text, version, sizeof version - 1) != 0 &&
         strncmp(text, language, sizeof language - 1) != 0;
}

/* Writes the string KEY=NUMBER, the next one, and the comment. */
static void
write_count(struct writing *writing, const char *key, size_t number,
            uint64_t *next_string)
{
  char text[64];
  snprintf(text, sizeof text, "%s=%zu", key, number);
  write_string(writing, text);
  send_number(writing, PPROF_OWN_COMMENT, (*next_string)++);
}

/* Strings and comments: those of our own come last of both. */
static void
write_texts(struct writing *writing)
{
  const struct profile *profile = writing->profile;
  uint64_t next = profile->names.count;
  for (size_t i = 0; i < profile->names.count; i++)
    write_string(writing, names_text(&profile->names, (uint32_t)i));
  for (size_t i = 0; i < profile->comment_count; i++) {
    uint32_t comment = profile->comments[i];
    bool own = is_own_comment(names_text(&profile->names, comment));
    send_number(writing, own ? PPROF_OWN_COMMENT : PPROF_COMMENT, comment);
  }
  if (profile->file_count > 1)
    write_count(writing, PPROF_COMMENT_FILES, profile->file_count, &next);
  if (writing->has_calls && writing->form == CALLS_NOT_SUMS)
    write_count(writing, PPROF_COMMENT_STATED_CALLS, writing->stated, &next);
}

static void
write_all(struct writing *writing)
{
  const struct profile *profile = writing->profile;
  for (size_t i = 0; i < profile->column_count; i++)
    write_value_type(writing, PPROF_SAMPLE_TYPE, profile->columns[i]);
  write_samples(writing);
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
  struct gzip_sink gzip;
  struct writing writing = {
      .profile = profile, .plain = plain, .sink = &gzip.sink};
  gzip_sink_open(&gzip, sink);
  if (find_parts(&writing) && prepare_calls(&writing))
    write_all(&writing);
  else
    sink_fail(&gzip.sink, ENOMEM);
  gzip_sink_close(&gzip);
  wire_buffer_release(&writing.whole);
  wire_buffer_release(&writing.message);
  wire_buffer_release(&writing.part);
  free(writing.chain);
  free(writing.hidden);
  free(writing.calls);
  free(writing.below);
  free(writing.parts);
}
