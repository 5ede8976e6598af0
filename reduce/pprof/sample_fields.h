/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* One sample of a file, taken apart into arrays that the next one uses again.
 * (protobuf-c's own decoder makes a block of memory for each array, message
 * and label: all of 1.3 million samples took 2.1 GB.)
 *
 * Nothing is looked up but strings: locations stay ids, values stay in the
 * columns of the file.
 */

#ifndef MPROF_SAMPLE_FIELDS_H
#define MPROF_SAMPLE_FIELDS_H

#include "base/array.h"
#include "pprof/reading.h"

struct sample_fields {
  uint64_t labels_source;   /* enum label_source, of the file */
  struct numbers locations; /* ids, the leaf first */
  struct numbers values;
  struct numbers labels; /* a row of label_rows */
  struct numbers hidden; /* what the locations left out: hidden.h */
  struct numbers whole;  /* locations with it, while they are put together */
};

/* Reads the SIZE bytes at DATA, the sample INDEX of the file.  False after a
 * fault. */
bool sample_fields_read(struct sample_fields *fields, struct reading *reading,
                        const uint8_t *data, size_t size, size_t index);

void sample_fields_release(struct sample_fields *fields);

#endif
