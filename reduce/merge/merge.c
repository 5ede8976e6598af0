/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Adding a file: its ids become numbers of rows.  A row is
 *
 *   mapping   start, limit, offset, file, build id, flags
 *   function  name, system name, file, start line
 *   location  mapping, address, folded, then function, line and column of
 * each line sample    how many locations, these, kind and size, then key,
 * text, number and unit of each label
 *
 * with strings as name ids and references as row numbers from 1.
 *
 * Two samples that have all this in common are one, so the row of a sample
 * holds also what the reader concludes from its values: whether it counts
 * objects, bytes of bodies that grew, or calls alone; and, where another
 * program wrote it without a size, the mean size, which stands for it.
 */

#include "merge/merge.h"

#include "profile/array.h"
#include "profile/profile_reader.h"
#include "profile/profile_samples.h"
#include "profile/wire_sample.h"
#include "profile/wire_scan.h"

#include <inttypes.h>
#include <string.h>

/* One file being added. */
struct adding {
  struct merge *merge;
  struct reading *reading;
  uint64_t *functions, *locations, *mappings; /* number in the file -> row */
  size_t *columns;                            /* of the file -> ours */
  uint64_t *row;                              /* the one being made */
  size_t row_length, row_capacity;
};

enum sample_kind { KIND_CALLS, KIND_GROWTH, KIND_OBJECTS };

bool
merge_init(struct merge *merge)
{
  memset(merge, 0, sizeof *merge);
  return profile_init(&merge->profile);
}

void
merge_release(struct merge *merge)
{
  profile_release(&merge->profile);
  free(merge->first_path);
  free(merge->columns);
  row_table_release(&merge->mappings);
  row_table_release(&merge->functions);
  row_table_release(&merge->locations);
  row_table_release(&merge->samples);
  free(merge->values);
  call_sums_release(&merge->calls);
  memset(merge, 0, sizeof *merge);
}

static bool
out_of_memory(struct adding *adding)
{
  return mprof_error_memory(adding->reading->error);
}

static bool
push(struct adding *adding, uint64_t word)
{
  uint64_t *row = array_reserve(adding->row, &adding->row_capacity,
                                adding->row_length + 1, sizeof *row);
  if (row == NULL)
    return out_of_memory(adding);
  adding->row = row;
  row[adding->row_length++] = word;
  return true;
}

/* The name of the string INDEX of FIELD's INDEX-th message. */
static bool
push_string(struct adding *adding, int64_t string, uint32_t field,
            size_t index)
{
  uint32_t name;
  if (!reading_string(adding->reading, string, &name))
    return reading_fault(adding->reading, field, index,
                         "a reference to a missing string");
  return push(adding, name);
}

/* Ends the row; *NUMBER gets its number, from 1. */
static bool
end_row(struct adding *adding, struct row_table *table, uint64_t *number)
{
  uint32_t row = row_table_add(table, adding->row, adding->row_length);
  adding->row_length = 0;
  *number = (uint64_t)row + 1;
  return row != ROW_NONE || out_of_memory(adding);
}

/* An array of COUNT numbers for *NUMBERS. */
static bool
make_numbers(struct adding *adding, uint64_t **numbers, size_t count)
{
  *numbers = array_zeroed(count, sizeof **numbers);
  return *numbers != NULL || out_of_memory(adding);
}

static bool
add_mappings(struct adding *adding)
{
  const Mprof__Pprof__Profile *message = adding->reading->message;
  if (!make_numbers(adding, &adding->mappings, message->n_mapping))
    return false;
  for (size_t i = 0; i < message->n_mapping; i++) {
    const Mprof__Pprof__Mapping *mapping = message->mapping[i];
    unsigned flags = (mapping->has_functions ? 1u : 0) |
                     (mapping->has_filenames ? 2u : 0) |
                     (mapping->has_line_numbers ? 4u : 0) |
                     (mapping->has_inline_frames ? 8u : 0);
    if (!push(adding, mapping->memory_start) ||
        !push(adding, mapping->memory_limit) ||
        !push(adding, mapping->file_offset) ||
        !push_string(adding, mapping->filename, FIELD_MAPPING, i) ||
        !push_string(adding, mapping->build_id, FIELD_MAPPING, i) ||
        !push(adding, flags) ||
        !end_row(adding, &adding->merge->mappings, &adding->mappings[i]))
      return false;
  }
  return true;
}

static bool
add_functions(struct adding *adding)
{
  const Mprof__Pprof__Profile *message = adding->reading->message;
  if (!make_numbers(adding, &adding->functions, message->n_function))
    return false;
  for (size_t i = 0; i < message->n_function; i++) {
    const Mprof__Pprof__Function *function = message->function[i];
    if (!push_string(adding, function->name, FIELD_FUNCTION, i) ||
        !push_string(adding, function->system_name, FIELD_FUNCTION, i) ||
        !push_string(adding, function->filename, FIELD_FUNCTION, i) ||
        !push(adding, (uint64_t)function->start_line) ||
        !end_row(adding, &adding->merge->functions, &adding->functions[i]))
      return false;
  }
  return true;
}

/* The row of what has the id ID (0: nothing) in the file. */
static uint64_t
row_of(const struct index_map *ids, const uint64_t *rows, uint64_t id)
{
  return id == 0 ? 0 : rows[index_map_find(ids, id)];
}

static bool
add_locations(struct adding *adding)
{
  const struct reading *reading = adding->reading;
  const Mprof__Pprof__Profile *message = reading->message;
  if (!make_numbers(adding, &adding->locations, message->n_location))
    return false;
  for (size_t i = 0; i < message->n_location; i++) {
    const Mprof__Pprof__Location *location = message->location[i];
    bool good = push(adding, row_of(&reading->mapping_ids, adding->mappings,
                                    location->mapping_id)) &&
                push(adding, location->address) &&
                push(adding, location->is_folded != 0);
    for (size_t j = 0; good && j < location->n_line; j++) {
      const Mprof__Pprof__Line *line = location->line[j];
      good = push(adding, row_of(&reading->function_ids, adding->functions,
                                 line->function_id)) &&
             push(adding, (uint64_t)line->line) &&
             push(adding, (uint64_t)line->column);
    }
    if (!good ||
        !end_row(adding, &adding->merge->locations, &adding->locations[i]))
      return false;
  }
  return true;
}

/* What the column COLUMN of SAMPLE says, 0 when there is none. */
static uint64_t
value_of(const struct wire_sample *sample, struct profile_column column)
{
  return column.index == NO_COLUMN ? 0 : sample->values[column.index];
}

/* Pushes what the reader concludes from the values of SAMPLE. */
static bool
push_kind(struct adding *adding, const struct wire_sample *sample)
{
  const struct reading *reading = adding->reading;
  uint64_t allocs = value_of(sample, reading->columns.allocs);
  uint64_t bytes = value_of(sample, reading->columns.bytes);
  enum sample_kind kind = allocs > 0  ? KIND_OBJECTS
                          : bytes > 0 ? KIND_GROWTH
                                      : KIND_CALLS;
  bool mean = !reading->claims.by_mprof && allocs > 0;
  return push(adding, kind) &&
         push(adding,
              mean ? bytes * reading->columns.bytes.scale / allocs : 0);
}

/* Adds the values of SAMPLE, the INDEX-th, to those of its row, which may be
 * NEW. */
static bool
add_values(struct adding *adding, const struct wire_sample *sample,
           size_t index, size_t row, bool new)
{
  struct merge *merge = adding->merge;
  size_t first = row * merge->column_count;
  uint64_t *values =
      array_reserve(merge->values, &merge->value_capacity,
                    first + merge->column_count, sizeof *values);
  if (values == NULL)
    return out_of_memory(adding);
  merge->values = values;
  if (new)
    memset(values + first, 0, merge->column_count * sizeof *values);
  for (size_t i = 0; i < sample->value_count; i++) {
    uint64_t *sum = &values[first + adding->columns[i]];
    if (sample->values[i] > (uint64_t)INT64_MAX - *sum)
      return reading_fault(adding->reading, FIELD_SAMPLE, index,
                           "the sums overflow at sample %zu", index);
    *sum += sample->values[i];
  }
  return true;
}

static bool
add_sample(struct adding *adding, const struct wire_sample *sample,
           size_t index)
{
  const struct reading *reading = adding->reading;
  struct row_table *samples = &adding->merge->samples;
  bool good = push(adding, sample->location_count);
  for (size_t i = 0; good && i < sample->location_count; i++)
    good = push(adding, row_of(&reading->location_ids, adding->locations,
                               sample->locations[i]));
  good = good && push_kind(adding, sample);
  for (size_t i = 0; good && i < sample->label_count; i++) {
    const struct wire_label *label = &sample->labels[i];
    good = push_string(adding, label->key, FIELD_SAMPLE, index) &&
           push_string(adding, label->text, FIELD_SAMPLE, index) &&
           push(adding, (uint64_t)label->number) &&
           push_string(adding, label->unit, FIELD_SAMPLE, index);
  }
  uint64_t number;
  size_t before = samples->row_count;
  return good && end_row(adding, samples, &number) &&
         add_values(adding, sample, index, (size_t)number - 1,
                    number > before);
}

static bool
add_samples(struct adding *adding)
{
  const struct input_file *file = &adding->reading->file;
  struct wire_sample sample = {0};
  const uint8_t *data;
  size_t at = 0;
  size_t size;
  bool good = true;
  for (size_t i = 0;
       good && (data = wire_next(file->data, file->length, FIELD_SAMPLE, &at,
                                 &size)) != NULL;
       i++)
    good = !wire_sample_decode(&sample, data, size) ? out_of_memory(adding)
           : profile_sample_states_calls(adding->reading, &sample)
               ? true
               : add_sample(adding, &sample, i);
  wire_sample_release(&sample);
  return good;
}

/* Adds what the reader found out about calls. */
static bool
add_calls(struct adding *adding)
{
  struct merge *merge = adding->merge;
  const struct reading *reading = adding->reading;
  const struct call_sums *from = &reading->calls;
  if (!reading->keeps_calls)
    return true;
  uint32_t *to = array_zeroed(from->count, sizeof *to);
  bool good = to != NULL;
  merge->has_calls = true;
  merge->calls_column = adding->columns[reading->columns.activations.index];
  for (size_t i = CALL_ROOT + 1; good && i < from->count; i++) {
    const struct call_node *node = &from->nodes[i];
    uint64_t row = adding->locations[node->location];
    to[i] = call_sums_child(&merge->calls, to[node->parent], (uint32_t)row);
    good = to[i] != INDEX_NONE;
    if (!good)
      break;
    struct call_node *sum = &merge->calls.nodes[to[i]];
    sum->below += node->below;
    if (node->stated)
      sum->calls += node->calls;
    else if (reading->adds_calls)
      sum->calls += node->below;
  }
  free(to);
  return good || out_of_memory(adding);
}

static bool
same_value_type(struct merge_value_type a, struct merge_value_type b)
{
  return a.type == b.type && a.unit == b.unit;
}

/* The sample type I of the file. */
static struct merge_value_type
file_column(const struct adding *adding, size_t i)
{
  const struct reading *reading = adding->reading;
  const Mprof__Pprof__ValueType *type = reading->message->sample_type[i];
  return (struct merge_value_type){reading->strings[type->type],
                                   reading->strings[type->unit]};
}

/* Reports that the file cannot be merged with the first. */
static bool
refuse(struct adding *adding, uint32_t field, const char *what)
{
  return reading_fault(adding->reading, field, 0, "has other %s than '%s'",
                       what, adding->merge->first_path);
}

/* Finds each column of the file among ours, which the first file gives. */
static bool
match_columns(struct adding *adding)
{
  struct merge *merge = adding->merge;
  size_t count = adding->reading->message->n_sample_type;
  adding->columns = array_zeroed(count, sizeof *adding->columns);
  bool *taken = array_zeroed(count, sizeof *taken);
  bool good = adding->columns != NULL && taken != NULL;
  bool same = count == merge->column_count;
  for (size_t i = 0; good && same && i < count; i++) {
    size_t j = 0;
    while (j < count &&
           (taken[j] ||
            !same_value_type(merge->columns[j], file_column(adding, i))))
      j++;
    same = j < count;
    if (same)
      taken[adding->columns[i] = j] = true;
  }
  free(taken);
  if (!good)
    return out_of_memory(adding);
  return same || refuse(adding, FIELD_SAMPLE_TYPE, "sample types");
}

/* Takes over what all files must have in common from the first. */
static bool
take_heading(struct adding *adding, struct merge_value_type period_type,
             uint32_t drop, uint32_t keep, uint32_t default_type)
{
  struct merge *merge = adding->merge;
  const struct reading *reading = adding->reading;
  merge->first_path = strdup(reading->path);
  merge->column_count = reading->message->n_sample_type;
  merge->columns = array_zeroed(merge->column_count, sizeof *merge->columns);
  if (merge->first_path == NULL || merge->columns == NULL)
    return out_of_memory(adding);
  for (size_t i = 0; i < merge->column_count; i++)
    merge->columns[i] = file_column(adding, i);
  merge->by_mprof = reading->claims.by_mprof;
  merge->period_type = period_type;
  merge->drop_frames = drop;
  merge->keep_frames = keep;
  merge->default_type = default_type;
  return true;
}

/* Compares the file with the first, and adds up times. */
static bool
add_heading(struct adding *adding)
{
  struct merge *merge = adding->merge;
  const struct reading *reading = adding->reading;
  const Mprof__Pprof__Profile *message = reading->message;
  struct merge_value_type period = {0, 0};
  uint32_t default_type;
  if ((message->period_type != NULL &&
       (!reading_string(reading, message->period_type->type, &period.type) ||
        !reading_string(reading, message->period_type->unit,
                        &period.unit))) ||
      !reading_string(reading, message->default_sample_type, &default_type))
    return reading_fault(adding->reading, FIELD_SAMPLE_TYPE, 0,
                         "the period or the default sample type refers to a "
                         "missing string");
  uint32_t drop = reading->strings[message->drop_frames];
  uint32_t keep = reading->strings[message->keep_frames];
  if (merge->first_path == NULL &&
      !take_heading(adding, period, drop, keep, default_type))
    return false;
  if (merge->by_mprof != reading->claims.by_mprof)
    return refuse(adding, FIELD_COMMENT, "authors: only one is by mprof");
  if (!same_value_type(merge->period_type, period))
    return refuse(adding, FIELD_SAMPLE_TYPE, "units of sampling");
  if (merge->drop_frames != drop || merge->keep_frames != keep)
    return refuse(adding, FIELD_DROP_FRAMES, "frames to drop or to keep");
  if (merge->default_type != default_type)
    merge->default_type = 0;
  if (message->time_nanos > 0 &&
      (merge->time_nanos == 0 || message->time_nanos < merge->time_nanos))
    merge->time_nanos = message->time_nanos;
  if (message->duration_nanos > 0 &&
      __builtin_add_overflow(merge->duration_nanos, message->duration_nanos,
                             &merge->duration_nanos))
    merge->duration_nanos = INT64_MAX;
  if (message->period > merge->period)
    merge->period = message->period;
  return match_columns(adding);
}

/* Adds the file of READING, which is good. */
static bool
add_file(void *context, struct reading *reading)
{
  struct adding adding = {.merge = context, .reading = reading};
  bool good = add_heading(&adding) && add_mappings(&adding) &&
              add_functions(&adding) && add_locations(&adding) &&
              add_samples(&adding) && add_calls(&adding);
  free(adding.functions);
  free(adding.locations);
  free(adding.mappings);
  free(adding.columns);
  free(adding.row);
  return good;
}

bool
merge_add(struct merge *merge, const struct input_name *input,
          struct mprof_error *error)
{
  return profile_reader_visit(&merge->profile, input, &input_limits_default,
                              add_file, merge, error);
}
