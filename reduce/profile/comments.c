/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Comments are strings "key=value"; those with an unknown key are kept as
 * they are.  They say which language a program is in, how many files were
 * merged into this one, and facts, numbers to be compared with the samples.
 *
 * A file that was merged has the comments of all the files that went into
 * it, and mprof.files=N: a fact may stand there N times, and is their sum.
 * Of mprof.calls_unknown=NAME the profile keeps one for each name.
 */

#include "profile/reading.h"

#include <errno.h>
#include <inttypes.h>

enum { MOST_FILES = 1000000000 }; /* that one file may stand for */

size_t
reading_comment_at(const struct reading *reading, size_t index)
{
  return index < reading->comment_ats.count
             ? (size_t)reading->comment_ats.items[index]
             : reading->file.length;
}

/* Returns the number that TEXT, of the comment INDEX, gives KEY: from LEAST
 * to MOST. */
static int64_t
read_number(const struct reading *reading, size_t index, const char *key,
            const char *text, int64_t least, int64_t most)
{
  const char *digits = text + (*text == '-');
  const size_t length = strspn(digits, "0123456789");
  errno = 0;
  const int64_t value = strtoll(text, NULL, 10);
  if (length == 0 || digits[length] != '\0' || errno != 0 || value < least ||
      value > most)
    comment_fault(reading, index,
                  "comment %zu gives %s a value that is not a %s", index, key,
                  most == MOST_FILES ? "number of files" : "count");
  return value;
}

/* Adds VALUE, what a comment says of FACT, to SUMS. */
static void
add_fact(const struct reading *reading, int64_t *sums, int fact,
         int64_t value)
{
  int64_t *sum = &sums[fact];
  if (fact == FACT_LIVE_COLLECTION)
    *sum = value > *sum ? value : *sum;
  else if (__builtin_add_overflow(*sum, value, sum))
    comment_fault(reading, reading->fact_comments[fact], "%s overflows",
                  profile_fact_keys[fact]);
}

/* Takes the fact that TEXT, the comment INDEX, may state. */
static void
read_fact(struct reading *reading, const char *text, size_t index)
{
  struct profile *heading = &reading->heading;
  for (int fact = 0; fact < FACT_COUNT; fact++) {
    const char *key = profile_fact_keys[fact];
    const char *number = comment_value(text, key);
    if (number == NULL)
      continue;
    if (heading->fact_files[fact]++ == heading->file_count)
      comment_fault(reading, index, "comment %zu repeats %s", index, key);
    reading->fact_comments[fact] = index;
    add_fact(reading, heading->facts, fact,
             read_number(reading, index, key, number,
                         fact == FACT_RESIDUAL_BYTES ? INT64_MIN : 0,
                         INT64_MAX));
  }
}

void
reading_add_comments(struct reading *reading)
{
  struct profile *profile = reading->profile;
  for (size_t i = 0; i < reading->comments.count; i++) {
    const uint32_t name = (uint32_t)reading->comments.items[i];
    const char *text = profile_text(profile, name);
    const char *unknown = comment_value(text, PPROF_COMMENT_CALLS_UNKNOWN);
    if (comment_value(text, PPROF_COMMENT_FILES) != NULL)
      continue;
    if (unknown != NULL)
      index_map_number(&profile->unknown_calls,
                       names_intern(&profile->names, unknown));
    if (unknown != NULL ||
        comment_value(text, PPROF_COMMENT_SYMBOL_NOTE) != NULL ||
        comment_value(text, PPROF_COMMENT_ALLOCATOR_NOTE) != NULL)
      profile_add_comment_once(profile, name);
    else
      profile_add_comment(profile, name);
    read_fact(reading, text, i);
  }
}

/* Takes what TEXT, the comment INDEX, says of how to read the others. */
static void
read_heading(struct reading *reading, const char *text, size_t index)
{
  struct profile *heading = &reading->heading;
  const char *files = comment_value(text, PPROF_COMMENT_FILES);
  if (comment_value(text, PPROF_COMMENT_LANGUAGE) != NULL)
    reading->language_comment = index;
  if (strcmp(text, PPROF_COMMENT_LANGUAGE "=lisp") == 0)
    heading->language = LANGUAGE_LISP;
  else if (strcmp(text, PPROF_COMMENT_LANGUAGE "=c") == 0)
    heading->language = LANGUAGE_C;
  else if (comment_value(text, PPROF_COMMENT_VERSION) != NULL)
    heading->by_mprof = true;
  else if (files != NULL) {
    const int64_t count = read_number(reading, index, PPROF_COMMENT_FILES,
                                      files, 1, MOST_FILES);
    if (count > 1)
      heading->file_count = (size_t)count;
  }
}

void
reading_comments(struct reading *reading)
{
  const struct numbers *comments = &reading->comments;
  uint32_t name;
  reading->heading.file_count = 1;
  for (size_t i = 0; i < comments->count; i++) {
    if (!reading_string(reading, comments->items[i], &name))
      comment_fault(reading, i, "comment %zu refers to a missing string", i);
    comments->items[i] = name;
    const char *text = profile_text(reading->profile, name);
    if (!reading_add_text(reading, strlen(text)))
      comment_fault(reading, i,
                    "the text of %zu comments is too long for a file of this "
                    "size",
                    i + 1);
    read_heading(reading, text, i);
  }
  reading_add_comments(reading);
}

void
reading_check_facts(struct reading *reading)
{
  static const enum measure measures[] = {
      [FACT_ALLOCATIONS] = MEASURE_ALLOCS, [FACT_BYTES] = MEASURE_BYTES};
  const struct profile *heading = &reading->heading;
  const uint64_t *sums = reading->sums;
  for (int fact = 0; fact < FACT_COUNT; fact++) {
    const int64_t value = heading->facts[fact];
    if (fact <= FACT_BYTES &&
        profile_knows(heading, (enum profile_fact)fact) &&
        (uint64_t)value != sums[measures[fact]])
      comment_fault(reading, reading->fact_comments[fact],
                    "%s is %" PRId64 ", but the samples add up to %" PRIu64,
                    profile_fact_keys[fact], value, sums[measures[fact]]);
    add_fact(reading, reading->profile->facts, fact, value);
    reading->profile->fact_files[fact] += heading->fact_files[fact];
  }
}
