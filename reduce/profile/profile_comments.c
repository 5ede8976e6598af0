/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Comments are strings "key=value"; those with an unknown key are kept as
 * they are.
 */

#include "profile/profile_comments.h"

#include "profile/profile_reading.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char files_key[] = "mprof.files=";
static const char calls_key[] = "mprof.stated_calls=";
static const char unknown_key[] = "mprof.calls_unknown=";

enum { MOST_FILES = 1000000000 }; /* that one file may stand for */

static bool
parse_number(const char *text, int64_t *value)
{
  if (*text == '\0' || strspn(text + (*text == '-'), "0123456789") !=
                           strlen(text + (*text == '-')))
    return false;
  errno = 0;
  *value = strtoll(text, NULL, 10);
  return errno == 0 && text[strlen(text) - 1] != '-';
}

/* The text of the comment with the number INDEX, of which the reference was
 * checked. */
static const char *
comment_text(const struct reading *reading, size_t index)
{
  const Mprof__Pprof__Profile *message = reading->message;
  return names_text(&reading->profile->names,
                    reading->strings[message->comment[index]]);
}

static bool
starts_with(const char *text, const char *key)
{
  return strncmp(text, key, strlen(key)) == 0;
}

/* Takes the number that TEXT, the comment INDEX, gives calls_key. */
static bool
read_stated_calls(struct reading *reading, const char *text, size_t index)
{
  struct profile_claims *claims = &reading->claims;
  if (claims->adds_calls)
    return reading_fault(reading, FIELD_COMMENT, 0,
                         "comment %zu states mprof.stated_calls again",
                         index);
  if (!parse_number(text + sizeof calls_key - 1, &claims->stated_calls) ||
      claims->stated_calls < 0)
    return reading_fault(reading, FIELD_COMMENT, 0,
                         "comment %zu gives mprof.stated_calls a value that "
                         "is no count",
                         index);
  claims->adds_calls = true;
  return true;
}

/* What has to be known before the facts are read. */
static bool
read_headings(struct reading *reading)
{
  const Mprof__Pprof__Profile *message = reading->message;
  struct profile_claims *claims = &reading->claims;
  claims->language = LANGUAGE_UNKNOWN;
  claims->files = 1;
  for (size_t i = 0; i < message->n_comment; i++) {
    uint32_t ignored;
    int64_t files = 1;
    if (!reading_string(reading, message->comment[i], &ignored))
      return reading_fault(reading, FIELD_COMMENT, 0,
                           "comment %zu refers to a missing string", i);
    const char *text = comment_text(reading, i);
    if (strcmp(text, "mprof.language=lisp") == 0)
      claims->language = LANGUAGE_LISP;
    else if (strcmp(text, "mprof.language=c") == 0)
      claims->language = LANGUAGE_C;
    else if (starts_with(text, "mprof.version="))
      claims->by_mprof = true;
    else if (starts_with(text, calls_key) &&
             !read_stated_calls(reading, text, i))
      return false;
    else if (starts_with(text, files_key) &&
             (!parse_number(text + sizeof files_key - 1, &files) ||
              files < 1 || files > MOST_FILES))
      return reading_fault(reading, FIELD_COMMENT, 0,
                           "comment %zu gives mprof.files a value that is "
                           "no number of files",
                           i);
    if (files > 1)
      claims->files = (uint64_t)files;
  }
  return true;
}

/* Takes the comment TEXT, the INDEX-th, into the claims when it states a
 * fact. */
static bool
read_fact(struct reading *reading, size_t index, const char *text)
{
  struct profile_claims *claims = &reading->claims;
  for (int fact = 0; fact < FACT_COUNT; fact++) {
    const char *key = profile_fact_key((enum profile_fact)fact);
    size_t length = strlen(key);
    int64_t value;
    if (strncmp(text, key, length) != 0 || text[length] != '=')
      continue;
    if (claims->stated[fact] == claims->files)
      return reading_fault(reading, FIELD_COMMENT, 0,
                           "comment %zu states %s again", index, key);
    if (!parse_number(text + length + 1, &value) ||
        (value < 0 && fact != FACT_RESIDUAL_BYTES))
      return reading_fault(reading, FIELD_COMMENT, 0,
                           "comment %zu gives %s a value that is no count",
                           index, key);
    if (__builtin_add_overflow(claims->facts[fact], value,
                               &claims->facts[fact]))
      return reading_fault(reading, FIELD_COMMENT, 0, "%s overflows", key);
    claims->stated[fact]++;
  }
  return true;
}

/* Takes the name in TEXT, which gives unknown_key.  Sets *NEW to whether it
 * is the first comment on that name. */
static bool
read_unknown_calls(struct reading *reading, const char *text, bool *new)
{
  struct profile *profile = reading->profile;
  size_t before = profile->unknown_calls.used;
  uint32_t name =
      names_intern(&profile->names, text + sizeof unknown_key - 1);
  if (name == NAMES_NONE || !profile_add_unknown_calls(profile, name))
    return mprof_error_memory(reading->error);
  *new = profile->unknown_calls.used > before;
  return true;
}

bool
profile_comments_read(struct reading *reading)
{
  if (!read_headings(reading))
    return false;
  for (size_t i = 0; i < reading->message->n_comment; i++) {
    const char *text = comment_text(reading, i);
    bool new = true;
    if (starts_with(text, files_key) || starts_with(text, calls_key))
      continue; /* they say how to read the others, and the samples */
    if (starts_with(text, unknown_key) &&
        !read_unknown_calls(reading, text, &new))
      return false;
    if (!new)
      continue;
    if (!profile_add_comment(reading->profile,
                             reading->strings[reading->message->comment[i]]))
      return mprof_error_memory(reading->error);
    if (!read_fact(reading, i, text))
      return false;
  }
  return true;
}

bool
profile_claims_check(struct reading *reading, uint64_t allocs, uint64_t bytes)
{
  const struct profile_claims *claims = &reading->claims;
  struct profile *profile = reading->profile;
  const uint64_t counted[] = {
      [FACT_ALLOCATIONS] = allocs, [FACT_BYTES] = bytes};
  for (int fact = 0; fact <= FACT_BYTES; fact++)
    if (claims->stated[fact] == claims->files &&
        (uint64_t)claims->facts[fact] != counted[fact])
      return reading_fault(reading, FIELD_COMMENT, 0,
                           "%s is %" PRId64 ", but the samples add up to "
                           "%" PRIu64,
                           profile_fact_key((enum profile_fact)fact),
                           claims->facts[fact], counted[fact]);
  for (int fact = 0; fact < FACT_COUNT; fact++) {
    if (__builtin_add_overflow(profile->facts[fact], claims->facts[fact],
                               &profile->facts[fact]))
      return reading_fault(reading, FIELD_COMMENT, 0, "%s overflows",
                           profile_fact_key((enum profile_fact)fact));
    profile->fact_files[fact] += (size_t)claims->stated[fact];
  }
  return true;
}
