/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Samples and comments of one file.  A sample is decoded, turned into what
 * the profile keeps of it, and forgotten.
 *
 * Columns are found by the names of the sample types, so that heap profiles
 * that other programs wrote can be read: alloc_objects and alloc_space, or
 * objects and space, or only inuse_objects and inuse_space.  Comments come
 * first, since they say which language the categories belong to; at the end
 * the sums over the samples are compared with those that the comments state.
 */

#include "profile/profile_samples.h"

#include "profile/wire_sample.h"
#include "profile/wire_scan.h"

#include <errno.h>
#include <inttypes.h>
#include <string.h>

enum profile_field {
  FIELD_SAMPLE_TYPE = 1,
  FIELD_SAMPLE = 2,
  FIELD_COMMENT = 13,
};

enum { NO_COLUMN = -1 };

/* Which value of a sample means what; NO_COLUMN when absent. */
struct columns {
  int allocs, bytes, kept_allocs, kept_bytes, activations;
};

/* What one file says, before it is added to the profile. */
struct file_sums {
  uint64_t allocs, bytes;
  enum language language;
  bool by_mprof;
  bool known[FACT_COUNT];
  int64_t facts[FACT_COUNT];
};

/* The labels that matter. */
struct labels {
  uint32_t type, class_name;
  uint32_t thread;
  const char *category;
  bool has_bytes;
  uint64_t bytes;
};

/* Adds VALUE to *SUM; false when the sum leaves 63 bits. */
static bool
add_value(uint64_t *sum, uint64_t value)
{
  if (value > (uint64_t)INT64_MAX - *sum)
    return false;
  *sum += value;
  return true;
}

static bool
parse_fact(const char *text, int64_t *value)
{
  if (*text == '\0' || strspn(text + (*text == '-'), "0123456789") !=
                           strlen(text + (*text == '-')))
    return false;
  errno = 0;
  *value = strtoll(text, NULL, 10);
  return errno == 0 && text[strlen(text) - 1] != '-';
}

/* Takes the comment TEXT, the INDEX-th, into SUMS when it states a fact. */
static bool
read_fact(struct reading *reading, struct file_sums *sums, size_t index,
          const char *text)
{
  for (int fact = 0; fact < FACT_COUNT; fact++) {
    const char *key = profile_fact_key((enum profile_fact)fact);
    size_t length = strlen(key);
    if (strncmp(text, key, length) != 0 || text[length] != '=')
      continue;
    if (sums->known[fact])
      return reading_fault(reading, FIELD_COMMENT, 0,
                           "comment %zu states %s again", index, key);
    if (!parse_fact(text + length + 1, &sums->facts[fact]) ||
        (sums->facts[fact] < 0 && fact != FACT_RESIDUAL_BYTES))
      return reading_fault(reading, FIELD_COMMENT, 0,
                           "comment %zu gives %s a value that is no count",
                           index, key);
    sums->known[fact] = true;
  }
  return true;
}

static bool
read_comments(struct reading *reading, struct file_sums *sums)
{
  const Mprof__Pprof__Profile *message = reading->message;
  for (size_t i = 0; i < message->n_comment; i++) {
    uint32_t name;
    if (!reading_string(reading, message->comment[i], &name))
      return reading_fault(reading, FIELD_COMMENT, 0,
                           "comment %zu refers to a missing string", i);
    if (!profile_add_comment(reading->profile, name))
      return mprof_error_memory(reading->error);
    const char *text = names_text(&reading->profile->names, name);
    if (strcmp(text, "mprof.language=lisp") == 0)
      sums->language = LANGUAGE_LISP;
    else if (strcmp(text, "mprof.language=c") == 0)
      sums->language = LANGUAGE_C;
    if (strncmp(text, "mprof.version=", 14) == 0)
      sums->by_mprof = true;
    if (!read_fact(reading, sums, i, text))
      return false;
  }
  return true;
}

/* The column whose sample type is called NAME. */
static int
find_column(struct reading *reading, const char *name)
{
  const Mprof__Pprof__Profile *message = reading->message;
  for (size_t i = 0; i < message->n_sample_type; i++)
    if (strcmp(message->string_table[message->sample_type[i]->type], name) ==
        0)
      return (int)i;
  return NO_COLUMN;
}

/* Checks the sample types and finds the columns. */
static bool
read_columns(struct reading *reading, struct columns *columns)
{
  const Mprof__Pprof__Profile *message = reading->message;
  for (size_t i = 0; i < message->n_sample_type; i++) {
    uint32_t type;
    uint32_t unit;
    if (i >= INT32_MAX ||
        !reading_string(reading, message->sample_type[i]->type, &type) ||
        !reading_string(reading, message->sample_type[i]->unit, &unit))
      return reading_fault(reading, FIELD_SAMPLE_TYPE, i,
                           "sample type %zu refers to a missing string", i);
    const char *name = names_text(&reading->profile->names, type);
    const char *unit_name = names_text(&reading->profile->names, unit);
    size_t length = strlen(name);
    if (length >= 5 && strcmp(name + length - 5, "space") == 0 &&
        strcmp(unit_name, "bytes") != 0)
      return reading_fault(reading, FIELD_SAMPLE_TYPE, i,
                           "%s is measured in '%s', not in bytes", name,
                           unit_name);
  }
  columns->kept_allocs = find_column(reading, "inuse_objects");
  columns->kept_bytes = find_column(reading, "inuse_space");
  columns->activations = find_column(reading, "activations");
  columns->allocs = find_column(reading, "alloc_objects");
  columns->bytes = find_column(reading, "alloc_space");
  if (columns->bytes == NO_COLUMN && columns->allocs == NO_COLUMN) {
    columns->allocs = find_column(reading, "objects");
    columns->bytes = find_column(reading, "space");
  }
  if (columns->bytes == NO_COLUMN && columns->allocs == NO_COLUMN) {
    columns->allocs = columns->kept_allocs;
    columns->bytes = columns->kept_bytes;
  }
  if (columns->bytes == NO_COLUMN)
    return reading_fault(
        reading, FIELD_SAMPLE_TYPE, 0,
        "is no heap profile: no sample type is alloc_space, space or "
        "inuse_space");
  return true;
}

/* Of SAMPLE, the INDEX-th. */
static bool
read_labels(struct reading *reading, const struct wire_sample *sample,
            size_t index, struct labels *labels)
{
  const struct names *names = &reading->profile->names;
  for (size_t i = 0; i < sample->label_count; i++) {
    const struct wire_label *label = &sample->labels[i];
    uint32_t key;
    uint32_t text;
    uint32_t unit;
    if (!reading_string(reading, label->key, &key) ||
        !reading_string(reading, label->text, &text) ||
        !reading_string(reading, label->unit, &unit))
      return reading_fault(reading, FIELD_SAMPLE, index,
                           "a label of sample %zu refers to a missing string",
                           index);
    const char *name = names_text(names, key);
    if (strcmp(name, "bytes") == 0 && text == 0) {
      if (label->number < 0)
        return reading_fault(reading, FIELD_SAMPLE, index,
                             "sample %zu has objects of %" PRId64 " bytes",
                             index, label->number);
      labels->has_bytes = true;
      labels->bytes = (uint64_t)label->number;
    } else if (strcmp(name, "thread") == 0) {
      labels->thread = text;
    } else if (strcmp(name, "type") == 0) {
      labels->type = text;
    } else if (strcmp(name, "class") == 0) {
      labels->class_name = text;
    } else if (strcmp(name, "category") == 0) {
      labels->category = names_text(names, text);
    }
  }
  return true;
}

/* The number of the location ID.  Most programs count locations from 1 in the
 * order in which they write them. */
static uint32_t
find_location(const struct reading *reading, uint64_t id)
{
  const Mprof__Pprof__Profile *message = reading->message;
  if (id - 1 < message->n_location && message->location[id - 1]->id == id)
    return (uint32_t)(id - 1);
  return index_map_find(&reading->location_ids, id);
}

/* Adds the frames of SAMPLE, the INDEX-th, to the chains, leaf first. */
static bool
read_chain(struct reading *reading, const struct wire_sample *sample,
           size_t index)
{
  struct profile *profile = reading->profile;
  for (size_t i = 0; i < sample->location_count; i++) {
    uint32_t location = find_location(reading, sample->locations[i]);
    if (location == INDEX_NONE)
      return reading_fault(reading, FIELD_SAMPLE, index,
                           "sample %zu refers to location %" PRIu64
                           ", which is missing",
                           index, sample->locations[i]);
    uint32_t end = reading->first_frames[location + 1];
    for (uint32_t f = reading->first_frames[location]; f < end; f++) {
      if (profile->chain_count >=
          reading->limits->decoded_bytes / sizeof *profile->chains)
        return reading_fault(reading, FIELD_SAMPLE, index,
                             "the chains up to sample %zu take more than "
                             "%" PRIu64 " bytes",
                             index, reading->limits->decoded_bytes);
      if (!profile_add_link(profile, f))
        return mprof_error_memory(reading->error);
    }
  }
  return true;
}

static uint64_t
column_value(const struct wire_sample *sample, int column)
{
  return column == NO_COLUMN ? 0 : sample->values[column];
}

/* How large the objects of SAMPLE are, from LABELS.  Where another program
 * wrote no size, the mean stands for it. */
static void
find_size(struct profile_sample *sample, const struct labels *labels,
          bool by_mprof)
{
  sample->size_kind = SIZE_EXACT;
  sample->object_bytes = labels->bytes;
  if (sample->allocs == 0)
    sample->size_kind = SIZE_GROWTH;
  else if (!labels->has_bytes && by_mprof)
    sample->size_kind = SIZE_LARGE;
  else if (!labels->has_bytes)
    sample->object_bytes = sample->bytes / sample->allocs;
}

static unsigned
find_category(const struct profile_sample *sample,
              const struct labels *labels, enum language language)
{
  if (language == LANGUAGE_LISP)
    return category_of_label(labels->category);
  return sample->size_kind == SIZE_LARGE
             ? CATEGORY_COUNT - 1
             : category_of_size(sample->size_kind == SIZE_GROWTH &&
                                        !labels->has_bytes
                                    ? sample->bytes
                                    : sample->object_bytes);
}

/* Adds SAMPLE, the INDEX-th, to all sums; they must stay within 63 bits. */
static bool
add_to_totals(struct reading *reading, const struct profile_sample *sample,
              size_t index, struct file_sums *sums)
{
  struct figures *total = &reading->profile->total;
  if (add_value(&total->allocs, sample->allocs) &&
      add_value(&total->bytes, sample->bytes) &&
      add_value(&total->kept_allocs, sample->kept_allocs) &&
      add_value(&total->kept_bytes, sample->kept_bytes) &&
      add_value(&reading->profile->total_activations, sample->activations) &&
      add_value(&sums->allocs, sample->allocs) &&
      add_value(&sums->bytes, sample->bytes))
    return true;
  return reading_fault(reading, FIELD_SAMPLE, index,
                       "the sums overflow at sample %zu", index);
}

/* Adds READ, but for its type, which LABELS tell. */
static bool
add_sample(struct reading *reading, struct profile_sample *read,
           const struct labels *labels, size_t index, struct file_sums *sums)
{
  read->type = profile_type(reading->profile,
                            find_category(read, labels, sums->language),
                            labels->type, labels->class_name);
  if (read->type == INDEX_NONE ||
      !profile_add_sample(reading->profile, read))
    return mprof_error_memory(reading->error);
  return add_to_totals(reading, read, index, sums);
}

/* Reads one sample, the INDEX-th.  What counts both objects and calls becomes
 * two samples of one chain, so that calls can be told apart from the objects
 * that were the first of them. */
static bool
read_sample(struct reading *reading, const struct wire_sample *sample,
            size_t index, const struct columns *columns,
            struct file_sums *sums)
{
  if (sample->value_count != reading->message->n_sample_type)
    return reading_fault(reading, FIELD_SAMPLE, index,
                         "sample %zu has %zu values where there are %zu "
                         "sample types",
                         index, sample->value_count,
                         reading->message->n_sample_type);
  for (size_t i = 0; i < sample->value_count; i++)
    if (sample->values[i] > INT64_MAX)
      return reading_fault(reading, FIELD_SAMPLE, index,
                           "sample %zu has the negative value %" PRId64,
                           index, (int64_t)sample->values[i]);
  struct profile_sample read = {
      .first_frame = reading->profile->chain_count,
      .allocs = column_value(sample, columns->allocs),
      .bytes = column_value(sample, columns->bytes),
      .kept_allocs = column_value(sample, columns->kept_allocs),
      .kept_bytes = column_value(sample, columns->kept_bytes),
      .activations = column_value(sample, columns->activations),
  };
  if (sums->by_mprof &&
      (read.kept_allocs > read.allocs || read.kept_bytes > read.bytes))
    return reading_fault(reading, FIELD_SAMPLE, index,
                         "sample %zu keeps more than it allocated", index);
  struct labels labels = {.category = ""};
  if (!read_labels(reading, sample, index, &labels) ||
      !read_chain(reading, sample, index))
    return false;
  read.frame_count = reading->profile->chain_count - read.first_frame;
  find_size(&read, &labels, sums->by_mprof);
  read.thread = profile_thread(reading->profile, labels.thread);
  if (read.thread == INDEX_NONE)
    return mprof_error_memory(reading->error);
  uint64_t activations = read.activations;
  bool objects = read.allocs != 0 || read.bytes != 0;
  if (activations == 0 || !objects)
    return add_sample(reading, &read, &labels, index, sums);
  read.activations = 0;
  struct profile_sample calls = {
      .first_frame = read.first_frame,
      .frame_count = read.frame_count,
      .activations = activations,
      .size_kind = SIZE_GROWTH,
      .thread = read.thread,
  };
  return add_sample(reading, &read, &labels, index, sums) &&
         add_sample(reading, &calls, &(struct labels){.category = ""}, index,
                    sums);
}

/* Decodes and reads the samples, one at a time. */
static bool
read_samples(struct reading *reading, const struct columns *columns,
             struct file_sums *sums)
{
  const struct input_file *file = &reading->file;
  const uint8_t *data;
  size_t at = 0;
  size_t size;
  struct wire_sample sample = {0};
  bool good = true;
  for (size_t i = 0;
       good && (data = wire_next(file->data, file->length, FIELD_SAMPLE, &at,
                                 &size)) != NULL;
       i++) {
    if (!wire_sample_decode(&sample, data, size))
      good = mprof_error_memory(reading->error);
    else
      good = read_sample(reading, &sample, i, columns, sums);
  }
  wire_sample_release(&sample);
  return good;
}

/* Compares the sums with what the comments state, and adds the facts. */
static bool
check_facts(struct reading *reading, const struct file_sums *sums)
{
  struct profile *profile = reading->profile;
  const uint64_t counted[] = {
      [FACT_ALLOCATIONS] = sums->allocs, [FACT_BYTES] = sums->bytes};
  for (int fact = 0; fact <= FACT_BYTES; fact++)
    if (sums->known[fact] && (uint64_t)sums->facts[fact] != counted[fact])
      return reading_fault(reading, FIELD_COMMENT, 0,
                           "%s is %" PRId64 ", but the samples add up to "
                           "%" PRIu64,
                           profile_fact_key((enum profile_fact)fact),
                           sums->facts[fact], counted[fact]);
  for (int fact = 0; fact < FACT_COUNT; fact++) {
    int64_t sum = profile->facts[fact];
    if (!sums->known[fact])
      continue;
    if (__builtin_add_overflow(sum, sums->facts[fact], &sum))
      return reading_fault(reading, FIELD_COMMENT, 0, "%s overflows",
                           profile_fact_key((enum profile_fact)fact));
    profile->facts[fact] = sum;
    profile->fact_files[fact]++;
  }
  return true;
}

static bool
settle_language(struct reading *reading, const struct file_sums *sums)
{
  struct profile *profile = reading->profile;
  enum language language =
      sums->language == LANGUAGE_LISP ? LANGUAGE_LISP : LANGUAGE_C;
  if (profile->language != LANGUAGE_UNKNOWN && profile->language != language)
    return reading_fault(reading, FIELD_COMMENT, 0,
                         "a profile of a Lisp program and one of a C program "
                         "cannot be read as one");
  profile->language = language;
  return true;
}

bool
profile_samples_read(struct reading *reading)
{
  struct file_sums sums = {.language = LANGUAGE_UNKNOWN};
  struct columns columns = {NO_COLUMN, NO_COLUMN, NO_COLUMN, NO_COLUMN,
                            NO_COLUMN};
  if (!read_comments(reading, &sums) || !settle_language(reading, &sums) ||
      !read_columns(reading, &columns))
    return false;
  if (!read_samples(reading, &columns, &sums))
    return false;
  if (columns.kept_bytes != NO_COLUMN)
    reading->profile->has_kept = true;
  if (columns.activations != NO_COLUMN)
    reading->profile->has_activations = true;
  return check_facts(reading, &sums);
}
