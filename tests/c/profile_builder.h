/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Profiles written by hand, for the tests of the reducer.
 *
 * A builder collects samples, each with its chain of function names, the root
 * first.  A name that starts with "%" is a function of
 * the runtime (the "%" is dropped); one that ends in "@12" is called, or
 * allocates, on line 12; one that ends in "@0" has no address, as what is
 * interpreted.  builder_write stores it as the monitor would.  Sizes are fixed
 * and generous; going beyond them fails an assert.
 */

#pragma once

#include "profile.pb-c.h"

#include <assert.h>
#include <stdbool.h>
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>
#include <zlib.h>

enum { BUILDER_MOST = 1024, BUILDER_CHAIN = 64, BUILDER_LABELS = 5 };
enum { BUILDER_COLUMNS = 5, BUILDER_MOST_COLUMNS = 12 };
enum { BUILDER_MAPPINGS = 8 };

struct builder {
  Mprof__Pprof__Profile profile;
  char *strings[1024];
  Mprof__Pprof__Mapping mappings[BUILDER_MAPPINGS];
  Mprof__Pprof__Mapping *mapping_pointers[BUILDER_MAPPINGS];
  Mprof__Pprof__Function functions[BUILDER_MOST];
  Mprof__Pprof__Location locations[BUILDER_MOST];
  Mprof__Pprof__Line lines[BUILDER_MOST];
  Mprof__Pprof__Line *line_pointers[BUILDER_MOST];
  Mprof__Pprof__Sample samples[BUILDER_MOST];
  Mprof__Pprof__Label labels[BUILDER_MOST][BUILDER_LABELS];
  Mprof__Pprof__Label *label_pointers[BUILDER_MOST][BUILDER_LABELS];
  uint64_t chains[BUILDER_MOST][BUILDER_CHAIN];
  int64_t values[BUILDER_MOST][BUILDER_MOST_COLUMNS];
  Mprof__Pprof__ValueType types[BUILDER_MOST_COLUMNS];
  Mprof__Pprof__ValueType period_type;
  int64_t comments[BUILDER_MOST];
  Mprof__Pprof__Function *function_pointers[BUILDER_MOST];
  Mprof__Pprof__Location *location_pointers[BUILDER_MOST];
  Mprof__Pprof__Sample *sample_pointers[BUILDER_MOST];
  Mprof__Pprof__ValueType *type_pointers[BUILDER_MOST_COLUMNS];
};

static inline int64_t
builder_string(struct builder *b, const char *text)
{
  for (size_t i = 0; i < b->profile.n_string_table; i++)
    if (strcmp(b->strings[i], text) == 0)
      return (int64_t)i;
  assert(b->profile.n_string_table < 1024);
  b->strings[b->profile.n_string_table] = strdup(text);
  return (int64_t)b->profile.n_string_table++;
}

static inline void
builder_comment(struct builder *b, const char *text)
{
  b->comments[b->profile.n_comment++] = builder_string(b, text);
}

static inline void
builder_column(struct builder *b, const char *type, const char *unit)
{
  size_t i = b->profile.n_sample_type++;
  mprof__pprof__value_type__init(&b->types[i]);
  b->types[i].type = builder_string(b, type);
  b->types[i].unit = builder_string(b, unit);
  b->type_pointers[i] = &b->types[i];
}

/* A builder for a profile of LANGUAGE ("lisp", "c"; NULL: one that mprof did
 * not write, without comments).  Free with builder_free. */
static inline struct builder *
builder_new(const char *language)
{
  static const char *const names[BUILDER_COLUMNS][2] = {
      {"alloc_objects", "count"},
      {"alloc_space", "bytes"},
      {"inuse_objects", "count"},
      {"inuse_space", "bytes"},
      {"activations", "count"}};
  struct builder *b = calloc(1, sizeof *b);
  assert(b != NULL);
  mprof__pprof__profile__init(&b->profile);
  b->profile.string_table = b->strings;
  b->profile.sample_type = b->type_pointers;
  b->profile.mapping = b->mapping_pointers;
  b->profile.function = b->function_pointers;
  b->profile.location = b->location_pointers;
  b->profile.sample = b->sample_pointers;
  b->profile.comment = b->comments;
  builder_string(b, "");
  for (size_t i = 0; i < BUILDER_COLUMNS; i++)
    builder_column(b, names[i][0], names[i][1]);
  mprof__pprof__value_type__init(&b->period_type);
  b->period_type.type = builder_string(b, "space");
  b->period_type.unit = builder_string(b, "bytes");
  b->profile.period_type = &b->period_type;
  b->profile.period = 1;
  if (language != NULL) {
    char text[64];
    snprintf(text, sizeof text, "mprof.language=%s", language);
    builder_comment(b, "mprof.version=1");
    builder_comment(b, text);
  }
  return b;
}

static inline void
builder_free(struct builder *b)
{
  for (size_t i = 0; i < b->profile.n_string_table; i++)
    free(b->strings[i]);
  free(b);
}

/* The id of the function NAME, which begins on START_LINE of FILE. */
static inline uint64_t
builder_function(struct builder *b, const char *name, const char *file,
                 int64_t start_line)
{
  bool runtime = *name == '%';
  int64_t index = builder_string(b, name + runtime);
  int64_t file_index = builder_string(b, runtime ? "[runtime]" : file);
  size_t count = b->profile.n_function;
  for (size_t i = 0; i < count; i++)
    if (b->functions[i].name == index &&
        (*file == '\0' && !runtime ? true
                                   : b->functions[i].filename == file_index))
      return i + 1;
  assert(count < BUILDER_MOST);
  mprof__pprof__function__init(&b->functions[count]);
  b->functions[count].id = count + 1;
  b->functions[count].name = index;
  b->functions[count].filename = file_index;
  b->functions[count].start_line = start_line;
  b->function_pointers[count] = &b->functions[count];
  b->profile.n_function = count + 1;
  return count + 1;
}

/* A new location at LINE of the function whose id is FUNCTION. */
static inline Mprof__Pprof__Location *
builder_new_location(struct builder *b, uint64_t function, int64_t line)
{
  size_t count = b->profile.n_location++;
  assert(count < BUILDER_MOST);
  mprof__pprof__line__init(&b->lines[count]);
  b->lines[count].function_id = function;
  b->lines[count].line = line;
  b->line_pointers[count] = &b->lines[count];
  mprof__pprof__location__init(&b->locations[count]);
  b->locations[count].id = count + 1;
  b->locations[count].address = 0x1000 + 16 * count;
  b->locations[count].n_line = 1;
  b->locations[count].line = &b->line_pointers[count];
  b->location_pointers[count] = &b->locations[count];
  return &b->locations[count];
}

/* The id of the mapping of FILE. */
static inline uint64_t
builder_mapping(struct builder *b, const char *file)
{
  int64_t name = builder_string(b, file);
  size_t count = b->profile.n_mapping;
  for (size_t i = 0; i < count; i++)
    if (b->mappings[i].filename == name)
      return i + 1;
  assert(count < BUILDER_MAPPINGS);
  mprof__pprof__mapping__init(&b->mappings[count]);
  b->mappings[count].id = count + 1;
  b->mappings[count].filename = name;
  b->mapping_pointers[count] = &b->mappings[count];
  b->profile.n_mapping = count + 1;
  return count + 1;
}

/* The id of the location NAME: a function, perhaps with a line; or what is
 * known of a place without one: "<>", its address; "<0>", nothing; "<->", a
 * line; "<FILE>", the file that is mapped there. */
static inline uint64_t
builder_location(struct builder *b, const char *name)
{
  char copy[256];
  size_t length = strlen(name);
  if (length > 1 && name[0] == '<' && name[length - 1] == '>') {
    Mprof__Pprof__Location *place = builder_new_location(b, 0, 0);
    snprintf(copy, sizeof copy, "%.*s", (int)length - 2, name + 1);
    place->n_line = strcmp(copy, "-") == 0;
    if (strcmp(copy, "0") == 0)
      place->address = 0;
    else if (*copy != '\0' && place->n_line == 0)
      place->mapping_id = builder_mapping(b, copy);
    return place->id;
  }
  const char *at = strrchr(name, '@');
  snprintf(copy, sizeof copy, "%.*s",
           at == NULL ? (int)length : (int)(at - name), name);
  int64_t line = at == NULL ? 0 : atoll(at + 1);
  uint64_t function = builder_function(b, copy, "", 0);
  for (size_t i = 0; i < b->profile.n_location; i++)
    if (b->lines[i].function_id == function && b->lines[i].line == line)
      return i + 1;
  Mprof__Pprof__Location *place = builder_new_location(b, function, line);
  if (at != NULL && line == 0)
    place->address = 0;
  return place->id;
}

/* A sample without values or labels, below the chain CHAIN, whose names have
 * SEPARATOR between them. */
static inline size_t
builder_sample_of(struct builder *b, const char *chain, const char *separator)
{
  size_t index = b->profile.n_sample;
  assert(index < BUILDER_MOST);
  Mprof__Pprof__Sample *sample = &b->samples[index];
  mprof__pprof__sample__init(sample);
  char copy[4096];
  assert(strlen(chain) < sizeof copy);
  strcpy(copy, chain);
  char *rest = NULL;
  for (char *name = strtok_r(copy, separator, &rest); name != NULL;
       name = strtok_r(NULL, separator, &rest)) {
    assert(sample->n_location_id < BUILDER_CHAIN);
    b->chains[index][sample->n_location_id++] = builder_location(b, name);
  }
  for (size_t i = 0; i < sample->n_location_id / 2; i++) {
    uint64_t swapped = b->chains[index][i];
    size_t other = sample->n_location_id - 1 - i;
    b->chains[index][i] = b->chains[index][other];
    b->chains[index][other] = swapped;
  }
  sample->location_id = b->chains[index];
  sample->value = b->values[index];
  sample->n_value = b->profile.n_sample_type;
  sample->label = b->label_pointers[index];
  b->sample_pointers[index] = sample;
  b->profile.n_sample++;
  return index;
}

static inline void
builder_label(struct builder *b, size_t index, const char *key,
              const char *text, int64_t number)
{
  Mprof__Pprof__Sample *sample = &b->samples[index];
  size_t count = sample->n_label++;
  assert(count < BUILDER_LABELS);
  Mprof__Pprof__Label *label = &b->labels[index][count];
  mprof__pprof__label__init(label);
  label->key = builder_string(b, key);
  if (text != NULL)
    label->str = builder_string(b, text);
  else
    label->num_unit = builder_string(b, "bytes");
  label->num = number;
  b->label_pointers[index][count] = label;
}

/* The encoded profile; *LENGTH is its length; the caller frees it. */
static inline uint8_t *
builder_pack(const struct builder *b, size_t *length)
{
  *length = mprof__pprof__profile__get_packed_size(&b->profile);
  uint8_t *data = malloc(*length + 1);
  assert(data != NULL);
  mprof__pprof__profile__pack(&b->profile, data);
  return data;
}

static inline void
builder_write_bytes(const char *path, const uint8_t *data, size_t length)
{
  FILE *file = fopen(path, "wb");
  assert(file != NULL);
  assert(fwrite(data, 1, length, file) == length);
  assert(fclose(file) == 0);
}

/* LENGTH bytes of DATA as a gzip file, without a name or a date in it; the
 * caller frees it. */
static inline uint8_t *
builder_gzip(const uint8_t *data, size_t length, size_t *packed_length)
{
  z_stream stream = {0};
  assert(deflateInit2(&stream, 9, Z_DEFLATED, 15 + 16, 8,
                      Z_DEFAULT_STRATEGY) == Z_OK);
  uLong room = deflateBound(&stream, (uLong)length);
  uint8_t *packed = malloc(room);
  assert(packed != NULL);
  stream.next_in = (Bytef *)(uintptr_t)data;
  stream.avail_in = (uInt)length;
  stream.next_out = packed;
  stream.avail_out = (uInt)room;
  assert(deflate(&stream, Z_FINISH) == Z_STREAM_END);
  *packed_length = stream.total_out;
  deflateEnd(&stream);
  return packed;
}

/* Writes the profile to PATH, gzip-compressed. */
static inline void
builder_write(const struct builder *b, const char *path)
{
  size_t length;
  size_t packed_length;
  uint8_t *data = builder_pack(b, &length);
  uint8_t *packed = builder_gzip(data, length, &packed_length);
  builder_write_bytes(path, packed, packed_length);
  free(packed);
  free(data);
}
