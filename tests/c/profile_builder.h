/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Profiles written by hand, for the tests of the reducer.
 *
 * A profile gets samples, each with its chain of function names, the root
 * first.  A name that starts with "%" is a function of
 * the runtime (the "%" is dropped); one that ends in "@12" is called, or
 * allocates, on line 12; one that ends in "@0" has no address, as what is
 * interpreted.  builder_write stores it as the monitor would.
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

typedef Mprof__Pprof__Profile Pprof;

/* Makes the item the last one of an array. */
#define BUILDER_APPEND(array, count, item)                                   \
  ((array) = realloc((array), ((count) + 1) * sizeof *(array)),              \
   (array)[(count)++] = (item))

/* A function that makes an empty message: builder_new_NAME. */
#define BUILDER_MESSAGE(type, name)                                          \
  static inline Mprof__Pprof__##type *builder_new_##name(void)               \
  {                                                                          \
    Mprof__Pprof__##type *message = malloc(sizeof *message);                 \
    assert(message != NULL);                                                 \
    mprof__pprof__##name##__init(message);                                   \
    return message;                                                          \
  }
BUILDER_MESSAGE(Profile, profile)
BUILDER_MESSAGE(ValueType, value_type)
BUILDER_MESSAGE(Sample, sample)
BUILDER_MESSAGE(Label, label)
BUILDER_MESSAGE(Mapping, mapping)
BUILDER_MESSAGE(Location, location)
BUILDER_MESSAGE(Line, line)
BUILDER_MESSAGE(Function, function)

static inline int64_t
builder_string(Pprof *b, const char *text)
{
  for (size_t i = 0; i < b->n_string_table; i++)
    if (strcmp(b->string_table[i], text) == 0)
      return (int64_t)i;
  BUILDER_APPEND(b->string_table, b->n_string_table, strdup(text));
  return (int64_t)b->n_string_table - 1;
}

static inline void
builder_comment(Pprof *b, const char *text)
{
  BUILDER_APPEND(b->comment, b->n_comment, builder_string(b, text));
}

static inline Mprof__Pprof__ValueType *
builder_type(Pprof *b, const char *type, const char *unit)
{
  Mprof__Pprof__ValueType *made = builder_new_value_type();
  made->type = builder_string(b, type);
  made->unit = builder_string(b, unit);
  return made;
}

static inline void
builder_column(Pprof *b, const char *type, const char *unit)
{
  BUILDER_APPEND(b->sample_type, b->n_sample_type,
                 builder_type(b, type, unit));
}

/* A profile of LANGUAGE ("lisp", "c"; NULL: one that mprof did not write,
 * without comments).  Free with builder_free. */
static inline Pprof *
builder_new(const char *language)
{
  Pprof *b = builder_new_profile();
  builder_string(b, "");
  builder_column(b, "alloc_objects", "count");
  builder_column(b, "alloc_space", "bytes");
  builder_column(b, "inuse_objects", "count");
  builder_column(b, "inuse_space", "bytes");
  builder_column(b, "activations", "count");
  b->period_type = builder_type(b, "space", "bytes");
  b->period = 1;
  if (language != NULL) {
    char text[64];
    snprintf(text, sizeof text, "mprof.language=%s", language);
    builder_comment(b, "mprof.version=1");
    builder_comment(b, text);
  }
  return b;
}

static inline void
builder_free(Pprof *b)
{
  mprof__pprof__profile__free_unpacked(b, NULL);
}

/* The id of the function NAME, which begins on START_LINE of FILE. */
static inline uint64_t
builder_function(Pprof *b, const char *name, const char *file,
                 int64_t start_line)
{
  bool runtime = *name == '%';
  int64_t index = builder_string(b, name + runtime);
  int64_t file_index = builder_string(b, runtime ? "[runtime]" : file);
  for (size_t i = 0; i < b->n_function; i++)
    if (b->function[i]->name == index &&
        ((*file == '\0' && !runtime) ||
         b->function[i]->filename == file_index))
      return i + 1;
  Mprof__Pprof__Function *made = builder_new_function();
  made->id = b->n_function + 1;
  made->name = index;
  made->filename = file_index;
  made->start_line = start_line;
  BUILDER_APPEND(b->function, b->n_function, made);
  return made->id;
}

/* A new location; with a line of FUNCTION, whose id that is, if LINED. */
static inline Mprof__Pprof__Location *
builder_add_location(Pprof *b, bool lined, uint64_t function, int64_t line)
{
  Mprof__Pprof__Location *made = builder_new_location();
  made->id = b->n_location + 1;
  made->address = 0x1000 + 16 * b->n_location;
  if (lined) {
    BUILDER_APPEND(made->line, made->n_line, builder_new_line());
    made->line[0]->function_id = function;
    made->line[0]->line = line;
  }
  BUILDER_APPEND(b->location, b->n_location, made);
  return made;
}

/* The id of the mapping of FILE. */
static inline uint64_t
builder_mapping(Pprof *b, const char *file)
{
  int64_t name = builder_string(b, file);
  for (size_t i = 0; i < b->n_mapping; i++)
    if (b->mapping[i]->filename == name)
      return i + 1;
  Mprof__Pprof__Mapping *made = builder_new_mapping();
  made->id = b->n_mapping + 1;
  made->filename = name;
  BUILDER_APPEND(b->mapping, b->n_mapping, made);
  return made->id;
}

/* The id of the location NAME: a function, perhaps with a line; or what is
 * known of a place without one: "<>", its address; "<0>", nothing; "<->", a
 * line; "<FILE>", the file that is mapped there. */
static inline uint64_t
builder_location(Pprof *b, const char *name)
{
  char copy[256];
  size_t length = strlen(name);
  if (length > 1 && name[0] == '<' && name[length - 1] == '>') {
    snprintf(copy, sizeof copy, "%.*s", (int)length - 2, name + 1);
    const bool lined = strcmp(copy, "-") == 0;
    Mprof__Pprof__Location *place = builder_add_location(b, lined, 0, 0);
    if (strcmp(copy, "0") == 0)
      place->address = 0;
    else if (*copy != '\0' && !lined)
      place->mapping_id = builder_mapping(b, copy);
    return place->id;
  }
  const char *at = strrchr(name, '@');
  snprintf(copy, sizeof copy, "%.*s",
           at == NULL ? (int)length : (int)(at - name), name);
  int64_t line = at == NULL ? 0 : atoll(at + 1);
  uint64_t function = builder_function(b, copy, "", 0);
  for (size_t i = 0; i < b->n_location; i++)
    if (b->location[i]->n_line != 0 &&
        b->location[i]->line[0]->function_id == function &&
        b->location[i]->line[0]->line == line)
      return i + 1;
  Mprof__Pprof__Location *place =
      builder_add_location(b, true, function, line);
  if (at != NULL && line == 0)
    place->address = 0;
  return place->id;
}

/* A sample whose values are 0, without labels, below the chain CHAIN, whose
 * names have SEPARATOR between them. */
static inline Mprof__Pprof__Sample *
builder_sample_of(Pprof *b, const char *chain, const char *separator)
{
  Mprof__Pprof__Sample *made = builder_new_sample();
  char *copy = strdup(chain);
  char *rest = NULL;
  for (char *name = strtok_r(copy, separator, &rest); name != NULL;
       name = strtok_r(NULL, separator, &rest)) {
    BUILDER_APPEND(made->location_id, made->n_location_id, 0);
    memmove(made->location_id + 1, made->location_id,
            (made->n_location_id - 1) * sizeof *made->location_id);
    made->location_id[0] = builder_location(b, name);
  }
  free(copy);
  made->n_value = b->n_sample_type;
  made->value = calloc(made->n_value, sizeof *made->value);
  BUILDER_APPEND(b->sample, b->n_sample, made);
  return made;
}

static inline void
builder_label(Pprof *b, Mprof__Pprof__Sample *sample, const char *key,
              const char *text, int64_t number)
{
  Mprof__Pprof__Label *made = builder_new_label();
  made->key = builder_string(b, key);
  if (text != NULL)
    made->str = builder_string(b, text);
  else
    made->num_unit = builder_string(b, "bytes");
  made->num = number;
  BUILDER_APPEND(sample->label, sample->n_label, made);
}

/* The encoded profile; *LENGTH is its length; the caller frees it. */
static inline uint8_t *
builder_pack(const Pprof *b, size_t *length)
{
  *length = mprof__pprof__profile__get_packed_size(b);
  uint8_t *data = malloc(*length + 1);
  assert(data != NULL);
  mprof__pprof__profile__pack(b, data);
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
builder_write(const Pprof *b, const char *path)
{
  size_t length;
  size_t packed_length;
  uint8_t *data = builder_pack(b, &length);
  uint8_t *packed = builder_gzip(data, length, &packed_length);
  builder_write_bytes(path, packed, packed_length);
  free(packed);
  free(data);
}
