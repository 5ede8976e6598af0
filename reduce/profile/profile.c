/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Arrays that grow, and tables that keep rows unique.  Nothing is computed
 * here beyond sums.
 */

#include "profile/profile.h"

#include "common/pprof_format.h"

int
profile_file_column(int use)
{
  if (use < COLUMN_OF_CALLS)
    return measure_rows[use].column;
  if (use == COLUMN_OF_CALLS)
    return PPROF_CALLS;
  return use < COLUMN_OF_INDIRECT_ALLOCS
             ? PPROF_FREED_COUNT + use - COLUMN_OF_FREED_ALLOCS
             : PPROF_INDIRECT_COUNT + use - COLUMN_OF_INDIRECT_ALLOCS;
}

void
profile_init(struct profile *profile)
{
  memset(profile, 0, sizeof *profile);
  for (int i = 0; i < COLUMN_USES; i++)
    profile->column_of[i] = (struct profile_column){NO_COLUMN, 1};
  tree_init(&profile->tree);
  names_init(&profile->names);
}

/* ---- where ---- */

uint32_t
profile_add_mapping(struct profile *profile, struct profile_mapping m)
{
  const uint64_t words[] = {m.start, m.end,      m.offset,
                            m.file,  m.build_id, m.flags};
  uint32_t row = row_table_add(&profile->mapping_rows, words, 6);
  if (row == profile->mapping_count)
    ARRAY_ADD(profile, mapping, m);
  return row;
}

uint32_t
profile_add_function(struct profile *profile, struct profile_function f)
{
  const uint64_t words[] = {f.name, f.system_name, f.file,
                            (uint64_t)f.start_line};
  uint32_t row = row_table_add(&profile->function_rows, words, 4);
  if (row == profile->function_count)
    ARRAY_ADD(profile, function, f);
  return row;
}

void
profile_add_line(struct profile *profile, uint32_t location,
                 struct profile_line line)
{
  struct profile_location *l = &profile->locations[location];
  if (l->line_count++ == 0)
    l->first_line = profile->line_count;
  ARRAY_ADD(profile, line, line);
}

uint32_t
profile_add_location(struct profile *profile,
                     struct profile_location location,
                     const struct profile_line *lines, size_t count)
{
  struct numbers words = {0};
  numbers_push(&words, location.mapping);
  numbers_push(&words, location.address);
  numbers_push(&words, location.folded);
  for (size_t i = 0; i < count; i++) {
    numbers_push(&words, lines[i].function);
    numbers_push(&words, (uint64_t)lines[i].line);
    numbers_push(&words, (uint64_t)lines[i].column);
  }
  uint32_t row =
      row_table_add(&profile->location_rows, words.items, words.count);
  pool_free(words.items);
  if (row != profile->location_count)
    return row;
  location.line_count = 0;
  ARRAY_ADD(profile, location, location);
  for (size_t i = 0; i < count; i++)
    profile_add_line(profile, row, lines[i]);
  return row;
}

/* ---- what ---- */

uint64_t *
profile_add_sample(struct profile *profile, struct profile_sample sample)
{
  size_t first = profile->sample_count * profile->column_count;
  ARRAY_ROOM(profile->values, profile->value_capacity,
             first + profile->column_count);
  ARRAY_ADD(profile, sample, sample);
  return memset(profile->values + first, 0,
                profile->column_count * sizeof *profile->values);
}

void
profile_add_comment(struct profile *profile, uint32_t text)
{
  ARRAY_ADD(profile, comment, text);
}

void
profile_add_comment_once(struct profile *profile, uint32_t text)
{
  size_t known = profile->comments_once.used;
  index_map_number(&profile->comments_once, text);
  if (profile->comments_once.used > known)
    profile_add_comment(profile, text);
}

void
profile_settle(struct profile *profile)
{
  row_table_release(&profile->mapping_rows);
  row_table_release(&profile->function_rows);
  row_table_release(&profile->location_rows);
  for (int use = 0; use < COLUMN_USES; use++)
    if (!profile_has(profile, use))
      profile->total[use] = 0;
    else if (use < MEASURE_COUNT)
      profile->measures[profile->measure_count++] = (uint8_t)use;
  for (size_t i = 0; i < profile->sample_count; i++)
    profile_settle_type(profile, i);
}

/* ---- folding ---- */

/* Sets KEY to what samples that become one have in common. */
static void
make_fold_key(const struct profile *profile, size_t i, uint64_t key[3])
{
  enum { KIND_CALLS, KIND_GROWTH, KIND_OBJECTS, KIND_KEPT };
  const struct profile_sample *sample = &profile->samples[i];
  uint64_t allocs = profile_value(profile, i, MEASURE_ALLOCS);
  uint64_t bytes = profile_value(profile, i, MEASURE_BYTES);
  uint64_t kept = profile_value(profile, i, MEASURE_KEPT_ALLOCS);
  uint64_t kept_bytes = profile_value(profile, i, MEASURE_KEPT_BYTES);
  key[0] = index_pair(sample->node, sample->labels);
  key[1] = allocs > 0  ? KIND_OBJECTS
           : bytes > 0 ? KIND_GROWTH
           : kept > 0  ? KIND_KEPT
                       : KIND_CALLS;
  key[2] = profile->labels[sample->labels].source & LABELS_BY_MPROF ? 0
           : allocs > 0 ? bytes / allocs
           : kept > 0   ? kept_bytes / kept
                        : 0;
}

/* Adds COUNT values, which may be negative where no figure is made of them,
 * to SUMS.  Fails when one leaves 64 bits. */
static void
add_values(uint64_t *sums, const uint64_t *values, size_t count)
{
  for (size_t i = 0; i < count; i++) {
    int64_t sum;
    if (__builtin_add_overflow((int64_t)sums[i], (int64_t)values[i], &sum))
      fail_with(MPROF_BAD_PROFILE, "the sums of the files overflow");
    sums[i] = (uint64_t)sum;
  }
}

void
profile_fold_samples(struct profile *profile)
{
  struct row_table rows = {0};
  struct numbers firsts = {0}; /* by row */
  size_t width = profile->column_count;
  size_t count = 0;
  uint8_t *at_node = pool_zeroed(profile->tree.count, 1); /* 2: several */
  for (size_t i = 0; i < profile->sample_count; i++) {
    uint8_t *samples = &at_node[profile->samples[i].node];
    *samples = *samples == 0 ? 1 : 2;
  }
  for (size_t i = 0; i < profile->sample_count; i++) {
    uint64_t key[3];
    const uint64_t *values = profile->values + i * width;
    size_t row = count;
    if (at_node[profile->samples[i].node] > 1) {
      make_fold_key(profile, i, key);
      row = row_table_add(&rows, key, sizeof key / sizeof key[0]);
      if (row == firsts.count)
        numbers_push(&firsts, count);
      row = firsts.items[row];
    }
    if (row == count) {
      profile->samples[count] = profile->samples[i];
      memmove(profile->values + count * width, values,
              width * sizeof *values);
      count++;
    } else {
      add_values(profile->values + row * width, values, width);
    }
  }
  profile->sample_count = count;
  row_table_release(&rows);
  pool_free(firsts.items);
  pool_free(at_node);
}

/* ---- about the whole ---- */

const char *const profile_fact_keys[FACT_COUNT] = {
    [FACT_ALLOCATIONS] = PPROF_COMMENT_ALLOCATIONS,
    [FACT_BYTES] = PPROF_COMMENT_BYTES,
    [FACT_MALLOC_BYTES] = PPROF_COMMENT_MALLOC_BYTES,
    [FACT_ROUNDED_BYTES] = PPROF_COMMENT_ROUNDED_BYTES,
    [FACT_COLLECTOR_BYTES] = PPROF_COMMENT_COLLECTOR_BYTES,
    [FACT_COLLECTOR_RECORD_BYTES] = PPROF_COMMENT_COLLECTOR_RECORD_BYTES,
    [FACT_RESIDUAL_BYTES] = PPROF_COMMENT_RESIDUAL_BYTES,
    [FACT_UNATTRIBUTED_ALLOCATIONS] = PPROF_COMMENT_UNATTRIBUTED_ALLOCATIONS,
    [FACT_UNATTRIBUTED_BYTES] = PPROF_COMMENT_UNATTRIBUTED_BYTES,
    [FACT_CUT_ALLOCATIONS] = PPROF_COMMENT_CUT_ALLOCATIONS,
    [FACT_DIFFERING_WALKS] = PPROF_COMMENT_DIFFERING_WALKS,
    [FACT_CONTEXTS] = PPROF_COMMENT_CONTEXTS,
    [FACT_THREADS] = PPROF_COMMENT_THREADS,
    [FACT_CALLS] = PPROF_COMMENT_CALLS,
    [FACT_LIVE_COLLECTION] = PPROF_COMMENT_LIVE_COLLECTION,
};

const char *
comment_value(const char *text, const char *key)
{
  size_t length = strlen(key);
  return strncmp(text, key, length) == 0 && text[length] == '='
             ? text + length + 1
             : NULL;
}

const char *
profile_comment_value(const struct profile *profile, size_t i,
                      const char *key)
{
  return comment_value(profile_text(profile, profile->comments[i]), key);
}

const char *
profile_comment(const struct profile *profile, const char *key)
{
  for (size_t i = 0; i < profile->comment_count; i++) {
    const char *value = profile_comment_value(profile, i, key);
    if (value != NULL)
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
  return name == 0 ? "[unnamed]" : profile_text(profile, name);
}
