/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * stress_files.h -- profiles of STRESS_BYTES bytes or so, nearly all of which
 * are one kind of thing: for each field of the format as many as there can
 * be, or one as long as it can be to which all others refer.
 */
#pragma once

#include "common/pprof_format.h"
#include "profile/writer.h"

#include <stdio.h>
#include <stdlib.h>
#include <string.h>

enum { STRESS_BYTES = 1 << 18 };

/* A file on its way: strings stand behind all else. */
struct stress {
  struct wire_buffer whole, part, inner, strings;
  uint64_t string_count;
  bool mprof; /* with calls */
};

/* The number of the string of LENGTH bytes at TEXT, which is added. */
static inline uint64_t
stress_bytes(struct stress *s, const char *text, size_t length)
{
  wire_put_bytes(&s->strings, PPROF_STRING, text, length);
  return s->string_count++;
}

static inline uint64_t
stress_text(struct stress *s, const char *text)
{
  return stress_bytes(s, text, strlen(text));
}

/* A string of its own for N. */
static inline uint64_t
stress_name(struct stress *s, uint64_t n)
{
  char text[24];
  return stress_bytes(s, text,
                      (size_t)sprintf(text, "%llx", (unsigned long long)n));
}

/* A string of COUNT times TEXT. */
static inline uint64_t
stress_long(struct stress *s, const char *text, size_t count)
{
  size_t length = strlen(text);
  char *whole = pool_alloc(count * length + 1);
  if (whole == NULL)
    abort();
  for (size_t i = 0; i < count; i++)
    memcpy(whole + i * length, text, length);
  uint64_t number = stress_bytes(s, whole, count * length);
  pool_free(whole);
  return number;
}

static inline void
stress_send(struct stress *s, uint32_t field)
{
  wire_put_message(&s->whole, field, &s->part);
}

static inline void
stress_type(struct stress *s, const char *type, const char *unit)
{
  wire_put_number(&s->part, PPROF_VALUE_TYPE_NAME, stress_text(s, type));
  wire_put_number(&s->part, PPROF_VALUE_TYPE_UNIT, stress_text(s, unit));
  stress_send(s, PPROF_SAMPLE_TYPE);
}

static inline void
stress_comment(struct stress *s, const char *text)
{
  wire_put_number(&s->whole, PPROF_COMMENT, stress_text(s, text));
}

/* Begins a file; LANGUAGE is "lisp", "c", or NULL for another program's. */
static inline void
stress_begin(struct stress *s, const char *language)
{
  char text[32];
  memset(s, 0, sizeof *s);
  stress_text(s, "");
  stress_type(s, "alloc_objects", "count");
  stress_type(s, "alloc_space", "bytes");
  s->mprof = language != NULL;
  if (!s->mprof)
    return;
  stress_type(s, "activations", "count");
  stress_comment(s, "mprof.version=3");
  snprintf(text, sizeof text, "mprof.language=%s", language);
  stress_comment(s, text);
}

/* Appends the strings: then WHOLE is the file. */
static inline void
stress_end(struct stress *s)
{
  struct wire_buffer *to = &s->whole;
  ARRAY_ROOM(to->bytes, to->capacity, to->count + s->strings.count);
  memcpy(to->bytes + to->count, s->strings.bytes, s->strings.count);
  to->count += s->strings.count;
}

static inline void
stress_release(struct stress *s)
{
  pool_free(s->whole.bytes);
  pool_free(s->part.bytes);
  pool_free(s->inner.bytes);
  pool_free(s->strings.bytes);
}

/* Whether less than a SHARE-th of the bytes are there. */
static inline bool
stress_room(const struct stress *s, size_t share)
{
  return s->whole.count + s->strings.count < STRESS_BYTES / share;
}

static inline void
stress_function(struct stress *s, uint64_t id, uint64_t name, uint64_t file)
{
  wire_put_number(&s->part, PPROF_FUNCTION_ID, id);
  wire_put_number(&s->part, PPROF_FUNCTION_NAME, name);
  wire_put_number(&s->part, PPROF_FUNCTION_FILE, file);
  stress_send(s, PPROF_FUNCTION);
}

/* A location of COUNT lines of FUNCTION, the first of which is LINE. */
static inline void
stress_location(struct stress *s, uint64_t id, uint64_t function,
                uint64_t line, size_t count)
{
  wire_put_number(&s->part, PPROF_LOCATION_ID, id);
  for (size_t i = 0; i < count; i++) {
    wire_put_number(&s->inner, PPROF_LINE_FUNCTION, function);
    wire_put_number(&s->inner, PPROF_LINE_NUMBER, line + i);
    wire_put_message(&s->part, PPROF_LOCATION_LINE, &s->inner);
  }
  stress_send(s, PPROF_LOCATION);
}

/* A function of that NAME and its location, both with the number ID. */
static inline void
stress_both(struct stress *s, uint64_t id, uint64_t name)
{
  stress_function(s, id, name, 0);
  stress_location(s, id, id, id, 1);
}

static inline void
stress_label(struct stress *s, uint64_t key, uint64_t text, uint64_t number)
{
  wire_put_number(&s->inner, PPROF_LABEL_KEY, key);
  wire_put_number(&s->inner, PPROF_LABEL_TEXT, text);
  wire_put_number(&s->inner, PPROF_LABEL_NUMBER, number);
  wire_put_message(&s->part, PPROF_SAMPLE_LABEL, &s->inner);
}

/* A sample of COUNT locations IDS with the labels that are there. */
static inline void
stress_sample(struct stress *s, const uint64_t *ids, size_t count)
{
  static const uint64_t values[] = {1, 16, 0};
  wire_put_packed(&s->part, PPROF_SAMPLE_LOCATIONS, ids, count);
  wire_put_packed(&s->part, PPROF_SAMPLE_VALUES, values, s->mprof ? 3 : 2);
  stress_send(s, PPROF_SAMPLE);
}

static inline void
stress_call(struct stress *s, uint64_t caller, uint64_t callee)
{
  stress_sample(s, (const uint64_t[]){callee, caller}, 2);
}

/* A sample of COUNT locations, 1 to PERIOD again and again. */
static inline void
stress_deep(struct stress *s, size_t count, uint64_t period)
{
  uint64_t *ids = pool_zeroed(count, sizeof *ids);
  if (ids == NULL)
    abort();
  for (size_t i = 0; i < count; i++)
    ids[i] = i % period + 1;
  stress_sample(s, ids, count);
  pool_free(ids);
}
