/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * pprof_stream.c -- the wire format of protobuf: a number has seven bits a
 * byte, the lowest first, the highest bit says that more follow; a field is
 * its number and type, then a number, or a length and as many bytes.
 */
#include "recover/pprof_stream.h"

#include <errno.h>
#include <inttypes.h>
#include <stdio.h>
#include <string.h>
#include <time.h>


enum { HEAD_BYTES = 2 * PPROF_NUMBER_BYTES }; /* at most */

size_t
pprof_encode(uint8_t *to, uint64_t n)
{
  size_t length = 0;
  for (; n > 0x7F; n >>= 7)
    to[length++] = (uint8_t)(n | 0x80);
  to[length++] = (uint8_t)n;
  return length;
}

/* What stands before a number, or before `n' bytes. */
static size_t
encode_head(uint8_t *to, unsigned field, unsigned type, uint64_t n)
{
  const size_t length = pprof_encode(to, (uint64_t)field << 3 | type);
  return length + pprof_encode(to + length, n);
}

/* ---- messages ---- */

/* Where `n' bytes of the message can be added; NULL when there is no
 * memory. */
static inline uint8_t *
room_for(struct pprof_stream *p, size_t n)
{
  if (p->length + n > p->message.reserved_bytes &&
      arena_grow(&p->message, p->length + n) != 0) {
    octets_fail(p->output, errno);
    return NULL;
  }
  return (uint8_t *)p->message.base + p->length;
}

void
pprof_begin(struct pprof_stream *p)
{
  p->length = 0;
}

void
pprof_add(struct pprof_stream *p, uint64_t n)
{
  uint8_t *to = room_for(p, PPROF_NUMBER_BYTES);
  if (to != NULL)
    p->length += pprof_encode(to, n);
}

void
pprof_add_bytes(struct pprof_stream *p, const void *bytes, size_t n)
{
  uint8_t *to = room_for(p, n);
  if (to != NULL) {
    memcpy(to, bytes, n);
    p->length += n;
  }
}

void
pprof_add_field(struct pprof_stream *p, unsigned field, uint64_t n)
{
  uint8_t *to = n == 0 ? NULL : room_for(p, HEAD_BYTES);
  if (to != NULL)
    p->length += encode_head(to, field, PPROF_WIRE_VARINT, n);
}

void
pprof_nest(struct pprof_stream *p, unsigned field, size_t start)
{
  uint8_t head[HEAD_BYTES], *at;
  const size_t content = p->length - start;
  const size_t n = encode_head(head, field, PPROF_WIRE_BYTES, content);
  if (room_for(p, n) == NULL)
    return;
  at = (uint8_t *)p->message.base + start;
  memmove(at + n, at, content);
  memcpy(at, head, n);
  p->length += n;
}

void
pprof_add_label(struct pprof_stream *p, const char *key, const char *text)
{
  const size_t start = p->length;
  pprof_add_field(p, PPROF_LABEL_KEY, pprof_string(p, key));
  pprof_add_field(p, PPROF_LABEL_TEXT, pprof_string(p, text));
  pprof_nest(p, PPROF_SAMPLE_LABEL, start);
}

void
pprof_add_number_label(struct pprof_stream *p, const char *key, uint64_t n)
{
  const size_t start = p->length;
  const uint64_t name = pprof_string(p, key);
  pprof_add_field(p, PPROF_LABEL_KEY, name);
  pprof_add_field(p, PPROF_LABEL_NUMBER, n);
  pprof_add_field(p, PPROF_LABEL_UNIT, name);
  pprof_nest(p, PPROF_SAMPLE_LABEL, start);
}

/* ---- fields of the profile ---- */

static void
put_number(struct pprof_stream *p, unsigned field, uint64_t n)
{
  uint8_t head[HEAD_BYTES];
  size_t size = encode_head(head, field, PPROF_WIRE_VARINT, n);
  octets_put(p->output, head, size);
}

static void
put_bytes(struct pprof_stream *p, unsigned field, const void *bytes, size_t n)
{
  uint8_t head[HEAD_BYTES];
  size_t size = encode_head(head, field, PPROF_WIRE_BYTES, n);
  octets_put(p->output, head, size);
  octets_put(p->output, bytes, n);
}

void
pprof_end(struct pprof_stream *p, unsigned field)
{
  put_bytes(p, field, p->message.base, p->length);
}

uint64_t
pprof_string(struct pprof_stream *p, const char *text)
{
  const uint32_t known = p->strings.count;
  const uint32_t number = intern_text(&p->strings, text);
  if (number == 0) {
    octets_fail(p->output, ENOMEM);
    return 0;
  }
  if (number > known)
    put_bytes(p, PPROF_STRING, text, strlen(text));
  return number - 1;
}

/* Whether pprof shows the comments KEY: what tells a program that rewrites the
 * file, or us, whose it is. */
static bool
shows(const char *key)
{
  return strcmp(key, PPROF_COMMENT_VERSION) == 0 ||
         strcmp(key, PPROF_COMMENT_LANGUAGE) == 0;
}

void
pprof_put_comment(struct pprof_stream *p, const char *key, const char *text)
{
  pprof_begin(p);
  pprof_add_bytes(p, key, strlen(key));
  pprof_add_bytes(p, "=", 1);
  pprof_add_bytes(p, text, strlen(text) + 1);
  if (!pprof_failed(p))
    put_number(p, shows(key) ? PPROF_COMMENT : PPROF_OWN_COMMENT,
               pprof_string(p, p->message.base));
}

void
pprof_put_count(struct pprof_stream *p, const char *key, uint64_t n)
{
  char text[24];
  snprintf(text, sizeof text, "%" PRIu64, n);
  pprof_put_comment(p, key, text);
}

void
pprof_put_region(void *stream, const char *text)
{
  pprof_put_comment(stream, PPROF_COMMENT_REGION, text);
}

void
pprof_add_values(struct pprof_stream *p, const uint64_t *values)
{
  const size_t start = p->length;
  for (int i = 0; i < PPROF_COLUMNS; i++)
    if ((p->columns >> i & 1) != 0)
      pprof_add(p, values[i]);
  pprof_nest(p, PPROF_SAMPLE_VALUES, start);
}

/* ---- begin and end ---- */

static void
put_value_type(struct pprof_stream *p, unsigned field, const char *type,
               const char *unit)
{
  pprof_begin(p);
  pprof_add_field(p, PPROF_VALUE_TYPE_NAME, pprof_string(p, type));
  pprof_add_field(p, PPROF_VALUE_TYPE_UNIT, pprof_string(p, unit));
  pprof_end(p, field);
}

void
pprof_open(struct pprof_stream *p, uint64_t columns)
{
  struct timespec now;
  p->columns = columns;
  pprof_string(p, ""); /* must be the first */
  for (int i = 0; i < PPROF_COLUMNS; i++)
    if ((columns >> i & 1) != 0)
      put_value_type(p, PPROF_SAMPLE_TYPE, pprof_columns[i].type,
                     pprof_columns[i].unit);
  put_value_type(p, PPROF_PERIOD_TYPE, "space", "bytes");
  put_number(p, PPROF_PERIOD, 1);
  put_number(p, PPROF_DEFAULT_TYPE,
             pprof_string(p, pprof_columns[PPROF_BYTES].type));
  clock_gettime(CLOCK_REALTIME, &now);
  put_number(p, PPROF_TIME,
             (uint64_t)now.tv_sec * 1000000000u + (uint64_t)now.tv_nsec);
}

bool
pprof_reserve(struct pprof_stream *p, struct arena *arena, size_t bytes)
{
  if (!pprof_failed(p) && arena_reserve(arena, bytes) != 0)
    octets_fail(p->output, errno);
  return !pprof_failed(p);
}

void
pprof_close(struct pprof_stream *p)
{
  arena_release(&p->message);
  intern_table_release(&p->strings);
}

/* ---- functions and locations ---- */

void
pprof_put_function(struct pprof_stream *p, uint64_t id, const char *name,
                   const char *system_name, const char *file, int64_t line)
{
  pprof_begin(p);
  pprof_add_field(p, PPROF_FUNCTION_ID, id);
  pprof_add_field(p, PPROF_FUNCTION_NAME, pprof_string(p, name));
  pprof_add_field(p, PPROF_FUNCTION_SYSTEM_NAME, pprof_string(p, system_name));
  pprof_add_field(p, PPROF_FUNCTION_FILE,
                  pprof_string(p, file != NULL ? file : ""));
  pprof_add_field(p, PPROF_FUNCTION_START_LINE, (uint64_t)line);
  pprof_end(p, PPROF_FUNCTION);
}

void
pprof_put_location(struct pprof_stream *p, uint64_t id, uint64_t address,
                   uint64_t function, int64_t line)
{
  size_t start;
  pprof_begin(p);
  pprof_add_field(p, PPROF_LOCATION_ID, id);
  pprof_add_field(p, PPROF_LOCATION_ADDRESS, address);
  start = p->length;
  pprof_add_field(p, PPROF_LINE_FUNCTION, function);
  pprof_add_field(p, PPROF_LINE_NUMBER, (uint64_t)line);
  pprof_nest(p, PPROF_LOCATION_LINE, start);
  pprof_end(p, PPROF_LOCATION);
}
