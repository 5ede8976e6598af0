/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* One sample, decoded from its bytes into arrays that the next sample uses
 * again: reading a profile allocates nothing for the single sample.
 */

#ifndef MPROF_WIRE_SAMPLE_H
#define MPROF_WIRE_SAMPLE_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>

/* String indices, and a number. */
struct wire_label {
  int64_t key;
  int64_t text;
  int64_t number;
  int64_t unit;
};

/* All zero: nothing decoded yet. */
struct wire_sample {
  uint64_t *locations; /* ids, the leaf first */
  size_t location_count, location_capacity;
  uint64_t *values; /* as they stand there: negative ones are large */
  size_t value_count, value_capacity;
  struct wire_label *labels;
  size_t label_count, label_capacity;
};

/* Decodes SIZE bytes at DATA, a message that wire_scan accepts as a Sample,
 * into SAMPLE in place of what it held.  False when memory runs out. */
bool wire_sample_decode(struct wire_sample *sample, const uint8_t *data,
                        size_t size);

void wire_sample_release(struct wire_sample *sample);

#endif
