/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A file while it is read: what the parts of the reader hand each other, and
 * how each says that something is wrong.  reader.c makes it, or for an image
 * images/building.c.
 */

#pragma once

#include "base/index_map.h"
#include "base/input_file.h"
#include "base/pool.h"
#include "common/pprof_format.h"
#include "profile/profile.h"
#include "profile/reader.h"

struct reading;

/* ---- the decoder: message.c ---- */

/* Messages are decoded one field after the other, at any place of a file.
 * All bounds are checked, and what is wrong fails with its offset in the
 * file. */

/* What a field holds.  A mark that is a digit is an index into the kinds of
 * message in message.c. */
enum wire_mark {
  WIRE_ANYTHING = '?', /* its number is not known */
  WIRE_NUMBER = '#',
  WIRE_NUMBERS = '*', /* repeated */
  WIRE_TEXT = '$',    /* the number of a string in the table of strings */
  WIRE_STRING = '"'
};

enum { MESSAGE_FIELDS = 16 }; /* at most, but for those of mprof's own */

/* One field of a message. */
struct wire_field {
  uint32_t number;
  char mark;
  size_t at;            /* offset of its tag in the file */
  uint64_t value;       /* of a varint; else 0, also of fixed numbers */
  const uint8_t *bytes; /* of a length-delimited value, SIZE of them; else
                           NULL */
  size_t size;
};

/* A walk over the fields of a message. */
struct wire_walk {
  const struct reading *reading;
  const struct wire_schema *schema; /* of the message */
  size_t at, end;                   /* offsets in the file */
};

/* Returns a walk over FIELD, whose mark is a digit; NULL: the whole file. */
struct wire_walk wire_walk(const struct reading *reading,
                           const struct wire_field *field);

/* Reads the next field of WALK.  Returns false at the end; fails if it is
 * damaged. */
bool wire_next(struct wire_walk *walk, struct wire_field *field);

/* Appends the numbers of FIELD, one or a packed run of them, to NUMBERS. */
void wire_read_numbers(const struct reading *reading,
                       const struct wire_field *field,
                       struct numbers *numbers);

/* Puts the numbers of the message FIELD into VALUES, by field, 0 where there
 * is none; the last of each counts, as protobuf has it.  Texts become name
 * ids.  Returns false if one refers to a missing string. */
bool wire_read_message(const struct reading *reading,
                       const struct wire_field *field,
                       uint64_t values[MESSAGE_FIELDS]);

/* Fails for the first damage of the file's messages, from what is not
 * forgotten on. */
void wire_check(const struct reading *reading);

/* ---- a file ---- */

struct reading {
  struct profile *profile; /* receives the content */
  const char *path;
  const struct reader_options *options;
  struct input_file file;
  struct wire_field *fields; /* all but strings, samples and comments */
  size_t field_count, field_capacity;
  uint32_t *strings; /* string index -> name id */
  size_t string_count, string_capacity;
  struct index_map ids[PPROF_FUNCTION + 1]; /* of functions, mappings and
                                               locations -> numbers */
  struct profile_line *lines;               /* of the location in hand */
  size_t line_count, line_capacity;
  struct profile heading;  /* what the file says of the whole: facts, too; no
                              arrays but columns */
  struct numbers comments; /* name ids; before reading_comments: indices of
                              strings */
  struct numbers comment_ats;       /* their offsets; none in an image */
  size_t fact_comments[FACT_COUNT]; /* index of the last comment on a fact, */
  size_t language_comment; /* and on the language; 0: none, or the first */
  int *sources; /* by column of the profile, the column of the file; NULL: go
                   by uses, as the profile has columns of mprof's, or as the
                   file's columns are others */
  bool failing; /* something is wrong with the file */
  bool is_text; /* it is no message, but a text: heap_text.c */
  uint64_t text_left;  /* bytes that names may still have, as often as
                          anything refers to them */
  size_t first_sample; /* of the file, a number in the profile */

  /* the sample in hand, the SAMPLE-th of the file; see sample_begin */
  size_t sample, sample_at;     /* its offset; 0 in an image */
  struct numbers values;        /* in columns of the file */
  struct numbers labels;        /* a row of label_rows */
  uint64_t by_use[COLUMN_USES]; /* the values, once they are checked */
  uint64_t sums[COLUMN_USES];   /* of all samples, in bytes or counts */
};

/* Fails for what is at OFFSET; but if the file is damaged, for that. */
_Noreturn void reading_fault_at(const struct reading *reading, size_t offset,
                                const char *format, ...)
    __attribute__((format(printf, 3, 4)));

#define reading_damaged(reading, offset, ...)                                \
  reading_fault_at(reading, offset,                                          \
                   "is not a profile, or is damaged: " __VA_ARGS__)

/* Fails for the comment INDEX, or for the sample in hand, whose number FORMAT
 * takes first. */
#define comment_fault(reading, index, ...)                                   \
  reading_fault_at(reading, reading_comment_at(reading, index), __VA_ARGS__)
#define sample_fault(reading, format, ...)                                   \
  reading_fault_at(reading, (reading)->sample_at, format, (reading)->sample, \
                   ##__VA_ARGS__)

/* Returns the offset of the comment INDEX, from zero; the length of the file
 * if it has fewer. */
size_t reading_comment_at(const struct reading *reading, size_t index);

/* Sets TYPE to what FIELD says.  Returns false if it refers to a missing
 * string. */
bool reading_value_type(const struct reading *reading,
                        const struct wire_field *field,
                        struct profile_value_type *type);

/* Sets *NAME to the name id of the string INDEX.  Returns false if there is
 * none. */
bool reading_string(const struct reading *reading, uint64_t index,
                    uint32_t *name);

/* Takes LENGTH bytes off text_left.  Returns false, and takes none, if these
 * are more than are left. */
bool reading_add_text(struct reading *reading, uint64_t length);

/* Returns whether READING's file is the first of the profile. */
static inline bool
reading_is_first(const struct reading *reading)
{
  return reading->profile->file_count == 0;
}

/* Read one part of the file each, to be called in this order: what chains are
 * made of, comments, sample types, samples.  Sample types come when all else
 * of the heading is known; they, too, are compared with the files before. */
void reading_tables(struct reading *reading);
void reading_comments(struct reading *reading);
void reading_columns(struct reading *reading);
void reading_samples(struct reading *reading);

/* Reads all of these parts of a text (input_is_heap_text). */
void heap_text_read(struct reading *reading);

/* Adds the comments to the profile, and takes the facts that they state; a
 * part of reading_comments, which takes what the samples need as well. */
void reading_add_comments(struct reading *reading);

/* Adds what the file says of the whole, when all else is in the profile:
 * compares its facts with the sums of its samples, and adds TEXT, the limit
 * of its text in bytes. */
void reading_take(struct reading *reading, uint64_t text);

/* Compares the facts that the comments state with the sums of the samples,
 * and adds them to the profile; a part of reading_take. */
void reading_check_facts(struct reading *reading);

/* ---- samples: sample_adder.c ---- */

/* Samples of one file on their way into a profile: their values are checked,
 * summed up and put into the profile's columns, their labels become a set.
 * Where they come from, a pprof file or an image, makes no difference here.
 *
 * For each sample: sample_begin, its values and labels, sample_check,
 * sample_add.
 */

/* Begins a sample, which has no value and no label yet. */
void sample_begin(struct reading *reading);

/* Adds a label to the sample in hand: key, text, number and unit. */
void sample_label(struct reading *reading, const uint64_t label[LABEL_WORDS]);

/* Checks the values in hand, and adds them to the sums of the file and the
 * totals of the profile.  Fails if they are wrong. */
void sample_check(struct reading *reading);

/* Adds the sample in hand, which is checked, and whose chain ends at NODE.
 * *LABELS is 1 + the number of its set of labels, or 0 if that is not known:
 * then the set of the labels in hand is found, and *LABELS is set. */
void sample_add(struct reading *reading, uint32_t node, uint32_t *labels);
