/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * profile_output.h -- the fields of one profile on their way into a gzip
 * file, and the strings that they refer to by number.
 *
 * A profile is a sequence of fields, so each goes to the compressor when it
 * is complete.  One error path: the first failure is kept in `failed', and
 * everything after it does nothing.  Not inside the hook.
 */
#ifndef MPROF_PROFILE_OUTPUT_H
#define MPROF_PROFILE_OUTPUT_H

#include <stdbool.h>
#include <stddef.h>
#include <stdint.h>
#include <zlib.h>

#include <protobuf-c/protobuf-c.h>

#include "write/string_table.h"

/* A run of bytes that grows; all zero: none. */
struct byte_run {
  uint8_t *bytes;        /* owned */
  size_t count, room;
};

struct profile_output {  /* all zero: not open */
  gzFile out;
  int failed;            /* errno of the first failure, or 0 */
  struct string_table strings;
  struct byte_run packed; /* scratch: one message */
};

/* Write to a copy of the descriptor `file', which stays the caller's. */
void profile_output_open(struct profile_output *output, int file);

/* Compress and write what is left. */
void profile_output_close(struct profile_output *output);

/* Free the memory; `failed' stays. */
void profile_output_release(struct profile_output *output);

/* Something went wrong, `error' says errno what; 0: not known. */
void profile_output_fail(struct profile_output *output, int error);

/* The number of a string, which is copied when it is new. */
int64_t profile_output_string(struct profile_output *output, const char *s);

/* One field of the profile. */
void profile_output_number(struct profile_output *output, unsigned field,
                           uint64_t value);
void profile_output_bytes(struct profile_output *output, unsigned field,
                          const void *bytes, size_t n);
void profile_output_message(struct profile_output *output, unsigned field,
                            const ProtobufCMessage *message);

/* All strings, as `field'. */
void profile_output_strings(struct profile_output *output, unsigned field);

/* Write the bytes of `run' from `start' on as they are. */
void profile_output_raw(struct profile_output *output,
                        const struct byte_run *run, size_t start);

/* ---- runs of bytes
 * ------------------------------------------------------- */

enum { VARINT_BYTES = 10 }; /* at most */

/* Make room for `more' bytes.  False when there is no memory: then `output'
 * has failed. */
bool byte_run_reserve(struct byte_run *run, size_t more,
                      struct profile_output *output);
void byte_run_release(struct byte_run *run);

/* Put a number at `at', where VARINT_BYTES are free; gives back its end. */
static inline uint8_t *
put_varint(uint8_t *at, uint64_t v)
{
  for (; v > 0x7F; v >>= 7)
    *at++ = (uint8_t)(v | 0x80);
  *at++ = (uint8_t)v;
  return at;
}

#endif
