/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * deep_profile N: write to standard output a profile, as pprof and not
 * compressed, in which N functions call each other in one chain; then the
 * same in the other direction.  So all of them are one cycle, and whoever
 * follows calls by recursion is N deep.
 *
 * f1, ..., fN each have one location, of the same number.  The first sample
 * is of one cons that fN makes, the second of two conses that f1 makes.
 */
#include <stdint.h>
#include <stdio.h>
#include <stdlib.h>
#include <string.h>

struct bytes {
  unsigned char *at;
  size_t count, room;
};

static void
add(struct bytes *b, const void *bytes, size_t n)
{
  if (b->count + n > b->room) {
    b->room = 2 * (b->count + n);
    b->at = realloc(b->at, b->room);
    if (b->at == NULL)
      exit(1);
  }
  memcpy(b->at + b->count, bytes, n);
  b->count += n;
}

static void
add_number(struct bytes *b, uint64_t v)
{
  unsigned char byte;
  do {
    byte = (unsigned char)((v & 0x7F) | (v > 0x7F ? 0x80 : 0));
    add(b, &byte, 1);
    v >>= 7;
  } while (v != 0);
}

static void
number_field(struct bytes *b, unsigned field, uint64_t v)
{
  add_number(b, field << 3);
  add_number(b, v);
}

static void
bytes_field(struct bytes *b, unsigned field, const void *bytes, size_t n)
{
  add_number(b, field << 3 | 2);
  add_number(b, n);
  add(b, bytes, n);
}

/* Add `message' as a field, and empty it. */
static void
message_field(struct bytes *b, unsigned field, struct bytes *message)
{
  bytes_field(b, field, message->at, message->count);
  message->count = 0;
}

static void
text_field(struct bytes *b, const char *text)
{
  bytes_field(b, 6, text, strlen(text));
}

/* `conses' of them, by the chain of all functions, from 1 to N or back. */
static void
sample(struct bytes *b, uint64_t n, int back, uint64_t conses)
{
  struct bytes message = { 0 }, ids = { 0 };
  for (uint64_t i = 1; i <= n; i++)
    add_number(&ids, back ? i : n + 1 - i);
  message_field(&message, 1, &ids);
  number_field(&message, 2, conses);
  number_field(&message, 2, 16 * conses);
  message_field(b, 2, &message);
  free(ids.at);
  free(message.at);
}

static void
value_type(struct bytes *b, uint64_t type, uint64_t unit)
{
  struct bytes message = { 0 };
  number_field(&message, 1, type);
  number_field(&message, 2, unit);
  message_field(b, 1, &message);
  free(message.at);
}

enum { OBJECTS = 1, COUNT, SPACE, BYTES, VERSION, LANGUAGE, FIRST_NAME };

int
main(int argc, char **argv)
{
  struct bytes b = { 0 }, message = { 0 }, line = { 0 };
  uint64_t n = argc > 1 ? strtoull(argv[1], NULL, 10) : 0;
  value_type(&b, OBJECTS, COUNT);
  value_type(&b, SPACE, BYTES);
  number_field(&b, 13, VERSION);
  number_field(&b, 13, LANGUAGE);
  sample(&b, n, 0, 1);
  sample(&b, n, 1, 2);
  for (uint64_t i = 1; i <= n; i++) {
    number_field(&line, 1, i);
    number_field(&message, 1, i);
    message_field(&message, 4, &line);
    message_field(&b, 4, &message);
    number_field(&message, 1, i);
    number_field(&message, 2, FIRST_NAME + i - 1);
    message_field(&b, 5, &message);
  }
  text_field(&b, "");
  text_field(&b, "alloc_objects");
  text_field(&b, "count");
  text_field(&b, "alloc_space");
  text_field(&b, "bytes");
  text_field(&b, "mprof.version=1");
  text_field(&b, "mprof.language=lisp");
  for (uint64_t i = 1; i <= n; i++) {
    char name[32];
    snprintf(name, sizeof name, "f%llu", (unsigned long long)i);
    text_field(&b, name);
  }
  return fwrite(b.at, 1, b.count, stdout) == b.count && fflush(stdout) == 0
             ? 0
             : 1;
}
