/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A label is found by its key among few. */

#include "pprof/labels.h"

#include "base/array.h"
#include "common/pprof_format.h"
#include "pprof/profile.h"

#include <string.h>

static const char *const lisp_categories[CATEGORY_COUNT] = {
    "cons", "float", "struct", "other"};
static const char *const c_categories[CATEGORY_COUNT] = {
    "small", "medium", "large", "extra"};

/* The index of the type row, added when new. */
static uint32_t
type_of(struct profile *profile, unsigned category, uint32_t type,
        uint32_t class_name)
{
  /* Name ids stay below 2^31, so that the three fit into one key. */
  uint64_t key = (uint64_t)type << 33 | (uint64_t)class_name << 2 | category;
  uint32_t index = index_map_find(&profile->type_ids, key);
  if (index != INDEX_NONE)
    return index;
  struct profile_type *types =
      array_reserve(profile->types, &profile->type_capacity,
                    profile->type_count + 1, sizeof *types);
  if (types == NULL)
    return INDEX_NONE;
  profile->types = types;
  index = (uint32_t)profile->type_count;
  if (!index_map_add(&profile->type_ids, key, index))
    return INDEX_NONE;
  types[profile->type_count++] =
      (struct profile_type){category, type, class_name};
  return index;
}

/* The index in the list *NAMES, of which IDS is the map, of NAME, which is
 * added when new; INDEX_NONE when memory runs out. */
static uint32_t
label_index(uint32_t **names, size_t *count, size_t *capacity,
            struct index_map *ids, uint32_t name)
{
  uint32_t index = index_map_find(ids, name);
  if (index != INDEX_NONE)
    return index;
  uint32_t *room = array_reserve(*names, capacity, *count + 1, sizeof *room);
  if (room == NULL)
    return INDEX_NONE;
  *names = room;
  index = (uint32_t)*count;
  if (!index_map_add(ids, name, index))
    return INDEX_NONE;
  room[(*count)++] = name;
  return index;
}

/* The category of the label NAME in Lisp; the last one, "other", when that is
 * not known. */
static unsigned
category_of_label(const char *name)
{
  unsigned i = 0;
  while (i < CATEGORY_COUNT - 1 && strcmp(name, lisp_categories[i]) != 0)
    i++;
  return i;
}

/* The category of an object of BYTES bytes for C. */
static unsigned
category_of_size(uint64_t bytes)
{
  return bytes <= 32 ? 0 : bytes <= 256 ? 1 : bytes <= 2048 ? 2 : 3;
}

/* Takes one label: WORDS are its key, text, number and unit. */
static void
read_label(const struct profile *profile, const uint64_t *words,
           struct profile_labels *labels, uint32_t names[3])
{
  const char *key = names_text(&profile->names, (uint32_t)words[0]);
  uint32_t text = (uint32_t)words[1];
  if (strcmp(key, PPROF_LABEL_BYTES) == 0 && text == 0) {
    labels->has_bytes = true;
    labels->bytes = words[2];
  } else if (strcmp(key, PPROF_LABEL_THREAD) == 0) {
    names[0] = text;
  } else if (strcmp(key, PPROF_LABEL_REGION) == 0) {
    names[1] = text;
  } else if (strcmp(key, PPROF_LABEL_PHASE) == 0) {
    const char *word = names_text(&profile->names, text);
    labels->phase = phase_of_word(word, strlen(word));
  } else if (strcmp(key, PPROF_LABEL_TYPE) == 0) {
    labels->type = text;
  } else if (strcmp(key, PPROF_LABEL_CLASS) == 0) {
    labels->class_name = text;
  } else if (strcmp(key, PPROF_LABEL_CATEGORY) == 0) {
    names[2] = text;
  }
}

/* Fills in what the COUNT words at ROW say. */
static bool
read_labels(struct profile *profile, const uint64_t *row, size_t count,
            struct profile_labels *labels)
{
  uint32_t names[3] = {0}; /* of thread, region and category */
  *labels = (struct profile_labels){
      .phase = PHASE_COUNT,
      .by_mprof = (row[0] & LABELS_BY_MPROF) != 0,
      .counts_objects = (row[0] & LABELS_COUNT_OBJECTS) != 0,
  };
  for (size_t i = 1; i < count; i += LABEL_WORDS)
    read_label(profile, row + i, labels, names);
  if (!labels->by_mprof)
    labels->phase = PHASE_COUNT;
  labels->thread =
      label_index(&profile->threads, &profile->thread_count,
                  &profile->thread_capacity, &profile->thread_ids, names[0]);
  labels->region =
      label_index(&profile->regions, &profile->region_count,
                  &profile->region_capacity, &profile->region_ids, names[1]);
  uint32_t type = INDEX_NONE;
  if ((row[0] & LABELS_OF_LISP) != 0) {
    const char *category = names_text(&profile->names, names[2]);
    type = type_of(profile, category_of_label(category), labels->type,
                   labels->class_name);
    if (type == INDEX_NONE)
      return false;
  }
  for (unsigned i = 0; i < CATEGORY_COUNT; i++)
    labels->types[i] = type;
  return labels->thread != INDEX_NONE && labels->region != INDEX_NONE;
}

uint32_t
profile_labels(struct profile *profile, const uint64_t *row, size_t count)
{
  size_t known = profile->label_rows.row_count;
  uint32_t index = row_table_add(&profile->label_rows, row, count);
  if (index == ROW_NONE || index < known)
    return index == ROW_NONE ? INDEX_NONE : index;
  struct profile_labels *labels =
      array_reserve(profile->labels, &profile->labels_capacity, known + 1,
                    sizeof *labels);
  if (labels == NULL)
    return INDEX_NONE;
  profile->labels = labels;
  return read_labels(profile, row, count, &labels[index]) ? index
                                                          : INDEX_NONE;
}

/* How large the objects of COUNT are.  Where another program wrote no size,
 * the mean stands for it. */
static void
find_size(const struct profile_labels *labels, struct sample_count *count)
{
  uint64_t allocs = count->counts[MEASURE_ALLOCS];
  count->size_kind = SIZE_EXACT;
  count->object_bytes = labels->bytes;
  if (!labels->counts_objects || !labels->by_mprof) {
    if (!labels->has_bytes && allocs > 0)
      count->object_bytes = count->counts[MEASURE_BYTES] / allocs;
    else if (!labels->has_bytes)
      count->size_kind = SIZE_UNKNOWN;
  } else if (allocs == 0) {
    count->size_kind = SIZE_GROWTH;
  } else if (!labels->has_bytes) {
    count->size_kind = SIZE_LARGE;
  }
}

/* The category of COUNT's objects in a C program. */
static unsigned
size_category(const struct profile_labels *labels,
              const struct sample_count *count)
{
  if (count->size_kind == SIZE_LARGE)
    return CATEGORY_COUNT - 1;
  return category_of_size(count->size_kind == SIZE_GROWTH &&
                                  !labels->has_bytes
                              ? count->counts[MEASURE_BYTES]
                              : count->object_bytes);
}

void
profile_count(const struct profile *profile, size_t i,
              struct sample_count *count)
{
  const struct profile_labels *labels =
      &profile->labels[profile->samples[i].labels];
  const uint64_t *values = profile->values + i * profile->column_count;
  const struct profile_column *columns = profile->column_of;
  for (int m = 0; m < MEASURE_COUNT; m++)
    count->counts[m] = columns[m].index == NO_COLUMN
                           ? 0
                           : values[columns[m].index] * columns[m].scale;
  count->calls = columns[COLUMN_OF_CALLS].index == NO_COLUMN
                     ? 0
                     : values[columns[COLUMN_OF_CALLS].index];
  find_size(labels, count);
  count->type = labels->types[size_category(labels, count)];
}

bool
profile_settle_type(struct profile *profile, size_t i,
                    const struct sample_count *count)
{
  struct profile_labels *labels =
      &profile->labels[profile->samples[i].labels];
  unsigned category = size_category(labels, count);
  if (labels->types[category] == INDEX_NONE)
    labels->types[category] =
        type_of(profile, category, labels->type, labels->class_name);
  return labels->types[category] != INDEX_NONE;
}

const char *
category_letter(enum language language, unsigned category)
{
  static const char *const lisp[CATEGORY_COUNT] = {"c", "f", "s", "o"};
  static const char *const c[CATEGORY_COUNT] = {"s", "m", "l", "x"};
  return language == LANGUAGE_LISP ? lisp[category] : c[category];
}

const char *
category_name(enum language language, unsigned category)
{
  return language == LANGUAGE_LISP ? lisp_categories[category]
                                   : c_categories[category];
}
