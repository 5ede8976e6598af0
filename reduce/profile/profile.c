/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* The profile model: arrays that grow, maps that keep functions, types and
 * threads unique, and the vocabulary of categories.  Nothing is computed here
 * beyond sums.
 */

#include "profile/profile.h"

#include "profile/array.h"

#include <string.h>

enum category_lisp { LISP_CONS, LISP_FLOAT, LISP_STRUCT, LISP_OTHER };

static const char *const lisp_categories[CATEGORY_COUNT] = {
    "cons", "float", "struct", "other"};
static const char *const c_categories[CATEGORY_COUNT] = {"small", "medium",
                                                         "large", "extra"};

const char *
profile_fact_key(enum profile_fact fact)
{
  static const char *const keys[FACT_COUNT] = {
      [FACT_ALLOCATIONS] = "mprof.allocations",
      [FACT_BYTES] = "mprof.bytes",
      [FACT_ROUNDED_BYTES] = "mprof.rounded_bytes",
      [FACT_COLLECTOR_BYTES] = "mprof.collector_bytes",
      [FACT_COLLECTOR_RECORD_BYTES] = "mprof.collector_record_bytes",
      [FACT_RESIDUAL_BYTES] = "mprof.residual_bytes",
      [FACT_UNATTRIBUTED_ALLOCATIONS] = "mprof.unattributed_allocations",
      [FACT_UNATTRIBUTED_BYTES] = "mprof.unattributed_bytes",
      [FACT_TRUNCATED_WALKS] = "mprof.truncated_walks",
      [FACT_DIFFERING_WALKS] = "mprof.differing_walks",
      [FACT_CONTEXTS] = "mprof.contexts",
      [FACT_THREADS] = "mprof.threads",
  };
  return keys[fact];
}

bool
profile_init(struct profile *profile)
{
  memset(profile, 0, sizeof *profile);
  index_map_init(&profile->function_ids);
  index_map_init(&profile->type_ids);
  index_map_init(&profile->thread_ids);
  index_map_init(&profile->region_ids);
  index_map_init(&profile->unknown_calls);
  return names_init(&profile->names);
}

void
profile_release(struct profile *profile)
{
  names_release(&profile->names);
  index_map_release(&profile->function_ids);
  index_map_release(&profile->type_ids);
  index_map_release(&profile->thread_ids);
  index_map_release(&profile->region_ids);
  index_map_release(&profile->unknown_calls);
  free(profile->functions);
  free(profile->frames);
  free(profile->chains);
  free(profile->samples);
  free(profile->types);
  free(profile->threads);
  free(profile->regions);
  free(profile->comments);
  memset(profile, 0, sizeof *profile);
}

uint32_t
profile_function(struct profile *profile, uint32_t name, uint32_t file,
                 int64_t start_line, bool runtime)
{
  uint64_t key = index_pair(name, runtime);
  uint32_t index = index_map_find(&profile->function_ids, key);
  if (index != INDEX_NONE) {
    struct profile_function *known = &profile->functions[index];
    if (known->file == 0) {
      known->file = file;
      known->start_line = start_line;
    }
    return index;
  }
  struct profile_function *functions =
      array_reserve(profile->functions, &profile->function_capacity,
                    profile->function_count + 1, sizeof *functions);
  if (functions == NULL)
    return INDEX_NONE;
  profile->functions = functions;
  index = (uint32_t)profile->function_count;
  if (!index_map_add(&profile->function_ids, key, index))
    return INDEX_NONE;
  functions[profile->function_count++] = (struct profile_function){
      .name = name,
      .file = file,
      .start_line = start_line,
      .runtime = runtime,
  };
  return index;
}

bool
profile_add_unknown_calls(struct profile *profile, uint32_t name)
{
  return index_map_find(&profile->unknown_calls, name) != INDEX_NONE ||
         index_map_add(&profile->unknown_calls, name, 0);
}

bool
profile_calls_known(const struct profile *profile, uint32_t function)
{
  return index_map_find(&profile->unknown_calls,
                        profile->functions[function].name) == INDEX_NONE;
}

uint32_t
profile_type(struct profile *profile, unsigned category, uint32_t type,
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

uint32_t
profile_thread(struct profile *profile, uint32_t name)
{
  return label_index(&profile->threads, &profile->thread_count,
                     &profile->thread_capacity, &profile->thread_ids, name);
}

uint32_t
profile_region(struct profile *profile, uint32_t name)
{
  return label_index(&profile->regions, &profile->region_count,
                     &profile->region_capacity, &profile->region_ids, name);
}

const char *
profile_thread_name(const struct profile *profile, size_t index)
{
  uint32_t name = profile->threads[index];
  return name == 0 ? "[unnamed]" : names_text(&profile->names, name);
}

bool
profile_add_frame(struct profile *profile, struct profile_frame frame)
{
  struct profile_frame *frames =
      array_reserve(profile->frames, &profile->frame_capacity,
                    profile->frame_count + 1, sizeof *frames);
  if (frames == NULL || profile->frame_count >= INDEX_NONE) {
    if (frames != NULL)
      profile->frames = frames;
    return false;
  }
  profile->frames = frames;
  frames[profile->frame_count++] = frame;
  struct profile_function *function = &profile->functions[frame.function];
  if (frame.address != 0 &&
      (function->low_address == 0 || frame.address < function->low_address))
    function->low_address = frame.address;
  return true;
}

bool
profile_add_link(struct profile *profile, uint32_t frame)
{
  uint32_t *chains = array_reserve(profile->chains, &profile->chain_capacity,
                                   profile->chain_count + 1, sizeof *chains);
  if (chains == NULL)
    return false;
  profile->chains = chains;
  chains[profile->chain_count++] = frame;
  return true;
}

bool
profile_add_sample(struct profile *profile,
                   const struct profile_sample *sample)
{
  struct profile_sample *samples =
      array_reserve(profile->samples, &profile->sample_capacity,
                    profile->sample_count + 1, sizeof *samples);
  if (samples == NULL)
    return false;
  profile->samples = samples;
  samples[profile->sample_count++] = *sample;
  return true;
}

bool
profile_add_comment(struct profile *profile, uint32_t text)
{
  uint32_t *comments =
      array_reserve(profile->comments, &profile->comment_capacity,
                    profile->comment_count + 1, sizeof *comments);
  if (comments == NULL)
    return false;
  profile->comments = comments;
  comments[profile->comment_count++] = text;
  return true;
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

unsigned
category_of_label(const char *name)
{
  for (unsigned i = 0; i < CATEGORY_COUNT; i++)
    if (strcmp(name, lisp_categories[i]) == 0)
      return i;
  return LISP_OTHER;
}

unsigned
category_of_size(uint64_t bytes)
{
  return bytes <= 32 ? 0 : bytes <= 256 ? 1 : bytes <= 2048 ? 2 : 3;
}

struct figures
figures_of_sample(const struct profile_sample *sample,
                  const struct profile_type *type)
{
  struct figures figures = {
      .allocs = sample->allocs,
      .bytes = sample->bytes,
      .kept_allocs = sample->kept_allocs,
      .kept_bytes = sample->kept_bytes,
      .peak_allocs = sample->peak_allocs,
      .peak_bytes = sample->peak_bytes,
      .temporary_allocs = sample->temporary_allocs,
  };
  if (sample->size_kind != SIZE_UNKNOWN) {
    figures.category_bytes[type->category] = sample->bytes;
    figures.category_kept[type->category] = sample->kept_bytes;
  }
  return figures;
}

void
figures_add(struct figures *sum, const struct figures *more)
{
  sum->allocs += more->allocs;
  sum->bytes += more->bytes;
  sum->kept_allocs += more->kept_allocs;
  sum->kept_bytes += more->kept_bytes;
  sum->peak_allocs += more->peak_allocs;
  sum->peak_bytes += more->peak_bytes;
  sum->temporary_allocs += more->temporary_allocs;
  for (unsigned i = 0; i < CATEGORY_COUNT; i++) {
    sum->category_bytes[i] += more->category_bytes[i];
    sum->category_kept[i] += more->category_kept[i];
  }
}
