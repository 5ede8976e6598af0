/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Finds what type, size and phase the labels of a sample tell.  Those of a
 * set are read once, when it is new. */

#include "profile/labels.h"

#include "common/pprof_format.h"
#include "profile/profile.h"

const struct category category_rows[LANGUAGE_LISP + 1][CATEGORY_COUNT] = {
    {{"s", "small"}, {"m", "medium"}, {"l", "large"}, {"x", "extra"}},
    {{"c", "cons"}, {"f", "float"}, {"s", "struct"}, {"o", "other"}},
};

/* Returns the index of a type, which is added if it is new. */
static uint32_t
type_of(struct profile *profile, unsigned category, uint32_t type,
        uint32_t class_name)
{
  const uint64_t words[] = {category, type, class_name};
  uint32_t row = row_table_add(&profile->type_rows, words, 3);
  if (row == profile->type_count)
    ARRAY_ADD(profile, type,
              (struct profile_type){category, type, class_name});
  return row;
}

/* Fills in what the COUNT words at ROW say. */
static void
read_labels(struct profile *profile, const uint64_t *row, size_t count,
            struct profile_labels *labels)
{
  enum { THREAD, REGION, PHASE, TYPE, CLASS, CATEGORY, TEXT_LABELS };
  static const char *const keys[TEXT_LABELS] = {
      PPROF_LABEL_THREAD, PPROF_LABEL_REGION, PPROF_LABEL_PHASE,
      PPROF_LABEL_TYPE,   PPROF_LABEL_CLASS,  PPROF_LABEL_CATEGORY,
  };
  const struct names *names = &profile->names;
  uint32_t texts[TEXT_LABELS] = {0};
  const bool by_mprof = (row[0] & LABELS_BY_MPROF) != 0;
  *labels = (struct profile_labels){
      .source = row[0], .phase = PHASE_COUNT, .time = -1};
  for (size_t i = 1; i < count; i += LABEL_WORDS) {
    const char *key = names_text(names, (uint32_t)row[i]);
    const uint32_t text = (uint32_t)row[i + 1];
    if (text == 0 && strcmp(key, PPROF_LABEL_BYTES) == 0) {
      labels->has_bytes = true;
      labels->bytes = row[i + 2];
    }
    if (text == 0 && by_mprof && strcmp(key, PPROF_LABEL_TIME) == 0)
      labels->time = (int64_t)row[i + 2];
    labels->text += strlen(names_text(names, text));
    for (int k = 0; k < TEXT_LABELS; k++)
      if (strcmp(key, keys[k]) == 0)
        texts[k] = text;
  }
  const char *phase = names_text(names, texts[PHASE]);
  if (by_mprof)
    labels->phase = phase_of_word(phase, strlen(phase));
  labels->type = texts[TYPE];
  labels->class_name = texts[CLASS];
  labels->thread = index_map_number(&profile->thread_numbers, texts[THREAD]);
  if (labels->thread == profile->thread_count)
    ARRAY_ADD(profile, thread, texts[THREAD]);
  labels->region = index_map_number(&profile->region_numbers, texts[REGION]);
  if (labels->region == profile->region_count)
    ARRAY_ADD(profile, region, texts[REGION]);
  unsigned category = 0; /* in Lisp; the last, "other", if it is not known */
  while (category < CATEGORY_COUNT - 1 &&
         strcmp(names_text(names, texts[CATEGORY]),
                category_rows[LANGUAGE_LISP][category].name) != 0)
    category++;
  const uint32_t type =
      (row[0] & LABELS_OF_LISP) != 0
          ? type_of(profile, category, texts[TYPE], texts[CLASS])
          : INDEX_NONE;
  for (unsigned i = 0; i < CATEGORY_COUNT; i++)
    labels->types[i] = type;
}

uint32_t
profile_labels(struct profile *profile, const uint64_t *row, size_t count)
{
  size_t known = profile->label_rows.row_count;
  uint32_t index = row_table_add(&profile->label_rows, row, count);
  if (index == known) {
    ARRAY_ROOM(profile->labels, profile->labels_capacity, known + 1);
    read_labels(profile, row, count, &profile->labels[index]);
  }
  return index;
}

/* Finds how large the objects of COUNT are, which may only have been freed if
 * it FREES.  The mean stands for a size that another program did not write.
 */
static void
find_size(const struct profile_labels *labels, bool frees,
          struct sample_count *count)
{
  const uint64_t allocs = count->counts[MEASURE_ALLOCS];
  const uint64_t kept = count->counts[MEASURE_KEPT_ALLOCS];
  count->size_kind = SIZE_EXACT;
  count->object_bytes = labels->bytes;
  if ((~labels->source & (LABELS_COUNT_OBJECTS | LABELS_BY_MPROF)) == 0) {
    if (allocs == 0 && !frees)
      count->size_kind = SIZE_GROWTH;
    else if (!labels->has_bytes)
      count->size_kind = SIZE_LARGE;
  } else if (!labels->has_bytes) {
    if (allocs > 0)
      count->object_bytes = count->counts[MEASURE_BYTES] / allocs;
    else if (kept > 0)
      count->object_bytes = count->counts[MEASURE_KEPT_BYTES] / kept;
    else
      count->size_kind = SIZE_UNKNOWN;
  }
}

/* Returns the category of COUNT's objects in a C program. */
static unsigned
size_category(const struct profile_labels *labels,
              const struct sample_count *count)
{
  const uint64_t bytes =
      count->size_kind == SIZE_LARGE ? UINT64_MAX
      : count->size_kind == SIZE_GROWTH && !labels->has_bytes
          ? count->counts[MEASURE_BYTES]
          : count->object_bytes;
  return (bytes > 32 ? 1u : 0u) + (bytes > 256) + (bytes > 2048);
}

void
profile_count(const struct profile *profile, size_t i,
              struct sample_count *count)
{
  const struct profile_labels *labels =
      &profile->labels[profile->samples[i].labels];
  memset(count->counts, 0, sizeof count->counts);
  count->weight = MEASURE_BYTES;
  for (size_t j = 0; j < profile->measure_count; j++)
    count->counts[profile->measures[j]] =
        profile_value(profile, i, profile->measures[j]);
  count->calls = profile_value(profile, i, COLUMN_OF_CALLS);
  find_size(labels, profile_value(profile, i, COLUMN_OF_FREED_ALLOCS) != 0,
            count);
  count->type = labels->types[size_category(labels, count)];
}

void
profile_settle_type(struct profile *profile, size_t i)
{
  struct profile_labels *labels =
      &profile->labels[profile->samples[i].labels];
  struct sample_count count;
  if ((labels->source & LABELS_OF_LISP) != 0)
    return;
  profile_count(profile, i, &count);
  const unsigned category = size_category(labels, &count);
  if (labels->types[category] == INDEX_NONE)
    labels->types[category] =
        type_of(profile, category, labels->type, labels->class_name);
}
