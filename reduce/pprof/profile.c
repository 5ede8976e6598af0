/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The profile model: arrays that grow, and maps that keep nodes, labels, types
 * and threads unique.  Nothing is computed here beyond sums.
 */

#include "pprof/profile.h"

#include "base/array.h"
#include "common/pprof_format.h"

#include <string.h>

enum category_lisp { LISP_CONS, LISP_FLOAT, LISP_STRUCT, LISP_OTHER };

static const char *const lisp_categories[CATEGORY_COUNT] = {
    "cons", "float", "struct", "other"};
static const char *const c_categories[CATEGORY_COUNT] = {"small", "medium",
                                                         "large", "extra"};

bool
profile_init(struct profile *profile)
{
  memset(profile, 0, sizeof *profile);
  index_map_init(&profile->type_ids);
  index_map_init(&profile->thread_ids);
  index_map_init(&profile->region_ids);
  index_map_init(&profile->unknown_calls);
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

static uint32_t
append_type(struct profile *profile, struct profile_type type)
{
  APPEND(profile->types, profile->type_count, profile->type_capacity, type);
}

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
  index = append_type(profile,
                      (struct profile_type){category, type, class_name});
  return index != INDEX_NONE &&
                 index_map_add(&profile->type_ids, key, index)
             ? index
             : INDEX_NONE;
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

/* The category of the category label NAME for Lisp; "other" when not known.
 */
static unsigned
category_of_label(const char *name)
{
  for (unsigned i = 0; i < CATEGORY_COUNT; i++)
    if (strcmp(name, lisp_categories[i]) == 0)
      return i;
  return LISP_OTHER;
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

/* Finds the type of SAMPLE's objects, which is the same in Lisp whatever
 * their size. */
static bool
settle_type(struct profile *profile, size_t sample,
            const struct sample_count *count)
{
  struct profile_labels *labels =
      &profile->labels[profile->samples[sample].labels];
  unsigned category = size_category(labels, count);
  if (labels->types[category] == INDEX_NONE)
    labels->types[category] =
        type_of(profile, category, labels->type, labels->class_name);
  return labels->types[category] != INDEX_NONE;
}

/* Finds where chains end of which frames are left out: below a first one that
 * stays, so that no chain becomes empty. */
static bool
find_ends(struct profile *profile)
{
  const struct tree *tree = &profile->tree;
  bool any = false;
  for (size_t i = 0; i < profile->location_count; i++)
    any = any || profile->locations[i].mark != PRUNE_NOTHING;
  if (!any)
    return true;
  uint32_t *ends = array_zeroed(tree->count, sizeof *ends);
  bool *cut = array_zeroed(tree->count, sizeof *cut);   /* below the node */
  bool *user = array_zeroed(tree->count, sizeof *user); /* on its chain */
  profile->ends = ends;
  bool good = ends != NULL && cut != NULL && user != NULL;
  for (size_t i = TREE_ROOT + 1; good && i < tree->count; i++) {
    uint32_t parent = tree->nodes[i].parent;
    enum prune_mark mark = profile->locations[tree->nodes[i].item].mark;
    bool prunes = mark != PRUNE_NOTHING && user[parent];
    ends[i] = cut[parent] || (prunes && mark == PRUNE_ALL) ? ends[parent]
                                                           : (uint32_t)i;
    cut[i] = cut[parent] || prunes;
    user[i] = user[parent] || mark == PRUNE_NOTHING;
  }
  free(cut);
  free(user);
  return good;
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
    if (!settle_type(profile, i, &count))
      return false;
  }
  return find_ends(profile);
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
