/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Arrays that grow, and tables that keep rows unique.  Nothing is computed
 * here beyond sums.
 */

#include "pprof/profile.h"

#include "base/array.h"
#include "common/pprof_format.h"
#include "pprof/prune.h"

#include <string.h>

bool
profile_init(struct profile *profile)
{
  memset(profile, 0, sizeof *profile);
  for (int i = 0; i < COLUMN_USES; i++)
    profile->column_of[i] = (struct profile_column){NO_COLUMN, 1};
  return tree_init(&profile->tree) && names_init(&profile->names);
}

void
profile_release(struct profile *profile)
{
  names_release(&profile->names);
  index_map_release(&profile->type_ids);
  index_map_release(&profile->thread_ids);
  index_map_release(&profile->region_ids);
  index_map_release(&profile->unknown_calls);
  row_table_release(&profile->label_rows);
  row_table_release(&profile->mapping_rows);
  row_table_release(&profile->function_rows);
  row_table_release(&profile->location_rows);
  tree_release(&profile->tree);
  free(profile->mappings);
  free(profile->functions);
  free(profile->lines);
  free(profile->locations);
  free(profile->ends);
  free(profile->labels);
  free(profile->types);
  free(profile->threads);
  free(profile->regions);
  free(profile->samples);
  free(profile->values);
  free(profile->columns);
  free(profile->comments);
  memset(profile, 0, sizeof *profile);
}

/* ---- where ---- */

/* Appends ITEM to the array ITEMS and returns its number, INDEX_NONE when
 * memory runs out. */
#define APPEND(items, count, capacity, item)                                 \
  do {                                                                       \
    void *room = array_reserve(items, &capacity, count + 1, sizeof *items);  \
    if (room != NULL)                                                        \
      items = room;                                                          \
    if (room == NULL || count >= INDEX_NONE)                                 \
      return INDEX_NONE;                                                     \
    items[count] = item;                                                     \
    return (uint32_t)count++;                                                \
  } while (0)

/* The number of the row of COUNT WORDS; *NEW gets whether it is new. */
static uint32_t
row_of(struct row_table *rows, const uint64_t *words, size_t count, bool *new)
{
  size_t known = rows->row_count;
  uint32_t row = row_table_add(rows, words, count);
  *new = rows->row_count > known;
  return row == ROW_NONE ? INDEX_NONE : row;
}

uint32_t
profile_add_mapping(struct profile *profile, struct profile_mapping m)
{
  const uint64_t words[] = {m.start, m.end,      m.offset,
                            m.file,  m.build_id, m.flags};
  bool new;
  uint32_t row = row_of(&profile->mapping_rows, words, 6, &new);
  if (!new)
    return row;
  APPEND(profile->mappings, profile->mapping_count, profile->mapping_capacity,
         m);
}

uint32_t
profile_add_function(struct profile *profile, struct profile_function f)
{
  const uint64_t words[] = {f.name, f.system_name, f.file,
                            (uint64_t)f.start_line};
  bool new;
  uint32_t row = row_of(&profile->function_rows, words, 4, &new);
  if (!new)
    return row;
  APPEND(profile->functions, profile->function_count,
         profile->function_capacity, f);
}

static uint32_t
append_line(struct profile *profile, struct profile_line line)
{
  APPEND(profile->lines, profile->line_count, profile->line_capacity, line);
}

bool
profile_add_line(struct profile *profile, uint32_t location,
                 struct profile_line line)
{
  struct profile_location *l = &profile->locations[location];
  if (l->line_count == 0)
    l->first_line = profile->line_count;
  l->line_count++;
  return append_line(profile, line) != INDEX_NONE;
}

static uint32_t
append_location(struct profile *profile, struct profile_location location)
{
  APPEND(profile->locations, profile->location_count,
         profile->location_capacity, location);
}

uint32_t
profile_add_location(struct profile *profile,
                     struct profile_location location,
                     const struct profile_line *lines, size_t count)
{
  enum { HEAD_WORDS = 3, LINE_WORDS = 3 };
  uint64_t *words = array_zeroed(HEAD_WORDS + count * LINE_WORDS,
                                 sizeof *words);
  uint64_t *word = words;
  bool new;
  if (words == NULL)
    return INDEX_NONE;
  *word++ = location.mapping;
  *word++ = location.address;
  *word++ = location.folded;
  for (size_t i = 0; i < count; i++) {
    *word++ = lines[i].function;
    *word++ = (uint64_t)lines[i].line;
    *word++ = (uint64_t)lines[i].column;
  }
  uint32_t row = row_of(&profile->location_rows, words,
                        (size_t)(word - words), &new);
  free(words);
  if (!new)
    return row;
  location.line_count = 0;
  if (append_location(profile, location) == INDEX_NONE)
    return INDEX_NONE;
  for (size_t i = 0; i < count; i++)
    if (!profile_add_line(profile, row, lines[i]))
      return INDEX_NONE;
  return row;
}

/* ---- what ---- */

bool
profile_add_sample(struct profile *profile, struct profile_sample sample,
                   const uint64_t *values)
{
  size_t first = profile->sample_count * profile->column_count;
  struct profile_sample *samples =
      array_reserve(profile->samples, &profile->sample_capacity,
                    profile->sample_count + 1, sizeof *samples);
  if (samples == NULL)
    return false;
  profile->samples = samples;
  uint64_t *room =
      array_reserve(profile->values, &profile->value_capacity,
                    first + profile->column_count + 1, sizeof *room);
  if (room == NULL)
    return false;
  profile->values = room;
  samples[profile->sample_count++] = sample;
  memcpy(room + first, values, profile->column_count * sizeof *room);
  return true;
}

static uint32_t
append_comment(struct profile *profile, uint32_t text)
{
  APPEND(profile->comments, profile->comment_count, profile->comment_capacity,
         text);
}

bool
profile_add_comment(struct profile *profile, uint32_t text)
{
  return append_comment(profile, text) != INDEX_NONE;
}

bool
profile_add_unknown_calls(struct profile *profile, uint32_t name)
{
  return index_map_find(&profile->unknown_calls, name) != INDEX_NONE ||
         index_map_add(&profile->unknown_calls, name, 0);
}

bool
profile_calls_known(const struct profile *profile, uint32_t name)
{
  return index_map_find(&profile->unknown_calls, name) == INDEX_NONE;
}

bool
profile_settle(struct profile *profile)
{
  struct sample_count count;
  row_table_release(&profile->mapping_rows);
  row_table_release(&profile->function_rows);
  row_table_release(&profile->location_rows);
  memset(profile->total, 0, sizeof profile->total);
  for (size_t i = 0; i < profile->sample_count; i++) {
    profile_count(profile, i, &count);
    for (int m = 0; m < MEASURE_COUNT; m++)
      profile->total[m] += count.counts[m];
    profile->total[COLUMN_OF_CALLS] += count.calls;
    if (!profile_settle_type(profile, i, &count))
      return false;
  }
  return profile_find_ends(profile);
}

/* ---- about the whole ---- */

const char *
profile_fact_key(enum profile_fact fact)
{
  static const char *const keys[FACT_COUNT] = {
      [FACT_ALLOCATIONS] = PPROF_COMMENT_ALLOCATIONS,
      [FACT_BYTES] = PPROF_COMMENT_BYTES,
      [FACT_ROUNDED_BYTES] = PPROF_COMMENT_ROUNDED_BYTES,
      [FACT_COLLECTOR_BYTES] = PPROF_COMMENT_COLLECTOR_BYTES,
      [FACT_COLLECTOR_RECORD_BYTES] = PPROF_COMMENT_COLLECTOR_RECORD_BYTES,
      [FACT_RESIDUAL_BYTES] = PPROF_COMMENT_RESIDUAL_BYTES,
      [FACT_UNATTRIBUTED_ALLOCATIONS] =
          PPROF_COMMENT_UNATTRIBUTED_ALLOCATIONS,
      [FACT_UNATTRIBUTED_BYTES] = PPROF_COMMENT_UNATTRIBUTED_BYTES,
      [FACT_TRUNCATED_WALKS] = PPROF_COMMENT_TRUNCATED_WALKS,
      [FACT_DIFFERING_WALKS] = PPROF_COMMENT_DIFFERING_WALKS,
      [FACT_CONTEXTS] = PPROF_COMMENT_CONTEXTS,
      [FACT_THREADS] = PPROF_COMMENT_THREADS,
  };
  return keys[fact];
}

const char *
profile_comment_value(const struct profile *profile, size_t i,
                      const char *key)
{
  size_t length = strlen(key);
  const char *text = names_text(&profile->names, profile->comments[i]);
  return strncmp(text, key, length) == 0 && text[length] == '='
             ? text + length + 1
             : NULL;
}

const char *
profile_comment(const struct profile *profile, const char *key, size_t index)
{
  for (size_t i = 0; i < profile->comment_count; i++) {
    const char *value = profile_comment_value(profile, i, key);
    if (value != NULL && index-- == 0)
      return value;
  }
  return NULL;
}

bool
profile_knows(const struct profile *profile, enum profile_fact fact)
{
  return profile->file_count > 0 &&
         profile->fact_files[fact] == profile->file_count;
}

const char *
profile_thread_name(const struct profile *profile, size_t index)
{
  uint32_t name = profile->threads[index];
  return name == 0 ? "[unnamed]" : names_text(&profile->names, name);
}
