/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A file while it is read: what the parts of the reader hand each other, and
 * how each says that something is wrong.  reader.c makes it, or for an image
 * recover/building.c.
 */

#ifndef MPROF_READING_H
#define MPROF_READING_H

#include "base/index_map.h"
#include "base/input_file.h"
#include "base/mprof_error.h"
#include "common/pprof_format.h"
#include "pprof/message.h"
#include "pprof/profile.h"
#include "pprof/reader.h"

/* One file being read. */
struct reading {
  struct profile *profile; /* receives the content */
  const char *path;
  const struct reader_options *options;
  struct mprof_error *error;
  struct input_file file;
  struct wire_field *fields; /* those of the profile but samples and comments
                              */
  size_t field_count, field_capacity;
  struct numbers comments; /* name ids; until they are read, strings */
  uint32_t *strings;       /* string index -> name id */
  size_t string_count;
  size_t comment_at; /* offset of the first comment; past the end: none */
  size_t sample_at;  /* offset of the sample in hand */
  struct index_map function_ids; /* id -> number, as for the next two */
  struct index_map location_ids;
  struct index_map mapping_ids;
  struct profile_line *lines; /* of the location in hand */
  size_t line_count, line_capacity;
  struct profile heading; /* what the file says of the whole: facts, too; no
                             arrays but columns */
  struct profile_column *sources; /* by column of the profile, where its
                                     values come from */
  uint64_t text_left; /* bytes that names may still have, as often as anything
                         refers to them */
  bool same_columns;  /* those of the file are the profile's */
  size_t first_sample; /* of the file */
};

/* Fails for what is at OFFSET. */
_Noreturn void reading_fault_at(const struct reading *reading, size_t offset,
                                const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#define reading_damaged(reading, offset, ...)                                \
  reading_fault_at(reading, offset,                                          \
                   "is not a profile, or is damaged: " __VA_ARGS__)

/* Returns the offset of the file's sample type INDEX, from zero; the length
 * of the file if it has fewer. */
size_t reading_column_at(const struct reading *reading, size_t index);

/* Fails for the comments. */
#define comment_fault(reading, ...)                                          \
  reading_fault_at(reading, (reading)->comment_at, __VA_ARGS__)

/* Sets *NAME to the name id of the string INDEX; false when there is none. */
bool reading_string(const struct reading *reading, uint64_t index,
                    uint32_t *name);

/* Counts LENGTH bytes of text; false when these are more than the file may
 * have. */
static inline bool
reading_add_text(struct reading *reading, uint64_t length)
{
  bool good = length <= reading->text_left;
  reading->text_left -= good ? length : 0;
  return good;
}

/* Whether READING's file is the first that the profile is made of. */
static inline bool
reading_is_first(const struct reading *reading)
{
  return reading->profile->file_count == 0;
}

/* The parts of the reader, in their order: what chains are made of, comments,
 * sample types, samples. */
void reading_tables(struct reading *reading);
void reading_comments(struct reading *reading);
void reading_columns(struct reading *reading);
void reading_samples(struct reading *reading);

/* Decides what the live figures of the file mean, whose columns are known:
 * they stand for what was allocated where nothing else says that, and
 * negative ones count nowhere. */
void reading_live(struct reading *reading);

/* Adds the comments to the profile, and takes the facts that they state; a
 * part of reading_comments, which takes what the samples need as well. */
void reading_add_comments(struct reading *reading);

/* Checks that what the file says of the whole goes together, and with the
 * files before; its columns are known. */
void reading_check_heading(struct reading *reading);

/* Adds what the file says of the whole, when all else is in the profile; it
 * may have so much TEXT. */
void reading_take(struct reading *reading, uint64_t text);

/* Fills a ROW of COUNT values with those that SOURCES finds in VALUES. */
void reading_convert(const struct profile_column *sources, size_t count,
                     const uint64_t *values, uint64_t *row);

/* Compares the facts that the comments state with SUMS over the samples of
 * the file, and adds them to the profile. */
void reading_check_facts(struct reading *reading,
                         const uint64_t sums[COLUMN_USES]);

#endif
