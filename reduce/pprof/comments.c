/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Comments are strings "key=value"; those with an unknown key are kept as
 * they are.  They say which language a program is in, how many files were
 * merged into this one, and facts, numbers to be compared with the samples.
 *
 * A file that was merged has the comments of all the files that went into
 * it, and mprof.files=N: a fact may stand there N times, and is their sum.
 * Of mprof.calls_unknown=NAME the profile keeps one for each name.
 */

#include "pprof/reading.h"

#include <errno.h>
#include <inttypes.h>
#include <stdlib.h>
#include <string.h>

static const char files_key[] = PPROF_COMMENT_FILES "=";
static const char calls_key[] = PPROF_COMMENT_STATED_CALLS "=";
static const char unknown_key[] = PPROF_COMMENT_CALLS_UNKNOWN "=";

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

static bool
starts_with(const char *text, const char *key)
{
  return strncmp(text, key, strlen(key)) == 0;
}

/* Takes the number that TEXT, the comment INDEX, gives calls_key. */
static bool
read_stated_calls(struct reading *reading, const char *text, size_t index)
{
  struct claims *claims = &reading->claims;
  if (claims->adds_calls)
    return reading_fault(reading, PPROF_COMMENT, 0,
                         "comment %zu states mprof.stated_calls again",
                         index);
  if (!parse_number(text + sizeof calls_key - 1, &claims->stated_calls) ||
      claims->stated_calls < 0)
    return reading_fault(reading, PPROF_COMMENT, 0,
                         "comment %zu gives mprof.stated_calls a value that "
                         "is no count",
                         index);
  claims->adds_calls = true;
  return true;
}

/* Takes what has to be known before the facts are read from TEXT, the comment
 * INDEX. */
static bool
read_heading(struct reading *reading, const char *text, size_t index)
{
  struct claims *claims = &reading->claims;
  int64_t files;
  if (strcmp(text, PPROF_COMMENT_LANGUAGE "=lisp") == 0)
    claims->language = LANGUAGE_LISP;
  else if (strcmp(text, PPROF_COMMENT_LANGUAGE "=c") == 0)
    claims->language = LANGUAGE_C;
  else if (starts_with(text, PPROF_COMMENT_VERSION "="))
    claims->by_mprof = true;
  else if (starts_with(text, calls_key))
    return read_stated_calls(reading, text, index);
  else if (starts_with(text, files_key)) {
    if (!parse_number(text + sizeof files_key - 1, &files) || files < 1 ||
        files > MOST_FILES)
      return reading_fault(reading, PPROF_COMMENT, 0,
                           "comment %zu gives mprof.files a value that is "
                           "no number of files",
                           index);
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
  struct claims *claims = &reading->claims;
  int64_t *facts = claims->facts;
  for (int fact = 0; fact < FACT_COUNT; fact++) {
    const char *key = profile_fact_key((enum profile_fact)fact);
    size_t length = strlen(key);
    int64_t value;
    if (strncmp(text, key, length) != 0 || text[length] != '=')
      continue;
    if (claims->stated[fact] == claims->files)
      return reading_fault(reading, PPROF_COMMENT, 0,
                           "comment %zu states %s again", index, key);
    if (!parse_number(text + length + 1, &value) ||
        (value < 0 && fact != FACT_RESIDUAL_BYTES))
      return reading_fault(reading, PPROF_COMMENT, 0,
                           "comment %zu gives %s a value that is no count",
                           index, key);
    if (__builtin_add_overflow(facts[fact], value, &facts[fact]))
      return reading_fault(reading, PPROF_COMMENT, 0, "%s overflows", key);
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

/* Takes TEXT, the comment INDEX, which is the string NAME. */
static bool
read_comment(struct reading *reading, const char *text, uint32_t name,
             size_t index)
{
  bool new = true;
  if (starts_with(text, files_key) || starts_with(text, calls_key))
    return true; /* they say how to read the others, and the samples */
  if (starts_with(text, unknown_key) &&
      !read_unknown_calls(reading, text, &new))
    return false;
  if (!new)
    return true;
  return (profile_add_comment(reading->profile, name) ||
          mprof_error_memory(reading->error)) &&
         read_fact(reading, index, text);
}

/* Calls for each comment read_heading, or with FACTS read_comment. */
static bool
read_each(struct reading *reading, bool facts)
{
  size_t index = 0;
  for (size_t i = 0; i < reading->field_count; i++) {
    const struct wire_field *field = &reading->fields[i];
    if (field->number != PPROF_COMMENT && field->number != PPROF_OWN_COMMENT)
      continue;
    size_t at = 0;
    do {
      uint32_t name;
      uint64_t string = field->bytes == NULL ? field->value
                        : at < field->size
                            ? wire_read_number(field->bytes, &at)
                            : 0;
      if (field->bytes != NULL && field->size == 0)
        break;
      if (!reading_string(reading, string, &name))
        return reading_fault(reading, PPROF_COMMENT, 0,
                             "comment %zu refers to a missing string", index);
      const char *text = names_text(&reading->profile->names, name);
      if (!(facts ? read_comment(reading, text, name, index)
                  : read_heading(reading, text, index)))
        return false;
      index++;
    } while (field->bytes != NULL && at < field->size);
  }
  return true;
}

bool
reading_comments(struct reading *reading)
{
  struct claims *claims = &reading->claims;
  claims->language = LANGUAGE_UNKNOWN;
  claims->files = 1;
  if (!read_each(reading, false) || !read_each(reading, true))
    return false;
  reading->heading.language =
      claims->language == LANGUAGE_LISP ? LANGUAGE_LISP : LANGUAGE_C;
  return true;
}

bool
reading_check_claims(struct reading *reading,
                     const uint64_t sums[COLUMN_USES])
{
  static const enum measure measures[] = {[FACT_ALLOCATIONS] = MEASURE_ALLOCS,
                                          [FACT_BYTES] = MEASURE_BYTES};
  const struct claims *claims = &reading->claims;
  const int64_t *facts = claims->facts;
  struct profile *profile = reading->profile;
  for (int fact = 0; fact <= FACT_BYTES; fact++)
    if (claims->stated[fact] == claims->files &&
        (uint64_t)facts[fact] != sums[measures[fact]])
      return reading_fault(reading, PPROF_COMMENT, 0,
                           "%s is %" PRId64 ", but the samples add up to "
                           "%" PRIu64,
                           profile_fact_key((enum profile_fact)fact),
                           facts[fact], sums[measures[fact]]);
  for (int fact = 0; fact < FACT_COUNT; fact++) {
    if (__builtin_add_overflow(profile->facts[fact], facts[fact],
                               &profile->facts[fact]))
      return reading_fault(reading, PPROF_COMMENT, 0, "%s overflows",
                           profile_fact_key((enum profile_fact)fact));
    profile->fact_files[fact] += (size_t)claims->stated[fact];
  }
  return true;
}
