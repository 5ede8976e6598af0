/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* Samples of one file on their way into a profile: their values are checked,
 * summed up and put into the profile's columns, their labels become a set.
 * Where they come from, a pprof file or an image, makes no difference here.
 *
 * For each sample: sample_adder_begin, its values and labels,
 * sample_adder_check, sample_adder_add.
 */

#pragma once

#include "base/array.h"
#include "pprof/reading.h"

/* What is known of the labels of a sample. */
struct sample_labels {
  uint32_t set; /* of the profile; INDEX_NONE: that in hand, not found yet */
  uint32_t words; /* of its row */
};

struct sample_adder {
  struct reading *reading;
  size_t index;                 /* of the sample in hand; its parts: */
  struct numbers values;        /* in columns of the file */
  uint64_t by_use[COLUMN_USES]; /* the values, once they are checked */
  struct numbers labels; /* a row of label_rows, from the first word on */
  struct sample_labels known; /* of that row */
  uint64_t sums[COLUMN_USES]; /* of the file's samples */
  uint8_t uses[COLUMN_USES];  /* that the file has columns for */
  size_t use_count;
  bool *unsigned_columns; /* by column of the file: those that may not be
                             negative, as some figure is made of them */
  uint64_t *row;          /* values in the profile's columns */
};

/* Fails for the sample in hand. */
#define sample_fault(adder, ...)                                             \
  reading_fault_at((adder)->reading, (adder)->reading->sample_at, __VA_ARGS__)

/* Begins the samples of READING, whose columns are known. */
void sample_adder_init(struct sample_adder *adder, struct reading *reading);

/* Begins another sample, which has no value and no label yet. */
void sample_adder_begin(struct sample_adder *adder);

/* Adds a label to those in hand: key, text, number and unit. */
void sample_adder_label(struct sample_adder *adder,
                        const uint64_t label[LABEL_WORDS]);

/* Checks the values in hand, and adds them to all sums. */
void sample_adder_check(struct sample_adder *adder);

/* Adds the sample in hand, which is checked, and whose chain ends at NODE.
 * LABELS are those in hand, or what became of equal ones before; their set is
 * filled in when it is needed. */
void sample_adder_add(struct sample_adder *adder, uint32_t node,
                      struct sample_labels *labels);
