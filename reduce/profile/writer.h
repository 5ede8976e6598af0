/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A profile as a file, which the reader reads as what it was. */

#pragma once

#include "base/array.h"
#include "base/sink.h"
#include "profile/profile.h"

/* Writes PROFILE, compressed, to SINK; the owner of SINK flushes it and finds
 * failures.  With PLAIN all frames show to all programs; else those that are
 * hidden by default show only to mprof. */
void profile_write(const struct profile *profile, bool plain,
                   struct sink *sink);

/* ---- protobuf ---- */

/* A message under way: its owner hands it on as a field of the message around
 * it, or to a sink.  Numbers that are zero are not written, as proto3 has it.
 */
struct wire_buffer { /* all zero: empty */
  uint8_t *bytes;    /* in the pool in use */
  size_t count, capacity;
};

enum { VARINT_BYTES = 10 /* of 64 bits */ };

/* Writes NUMBER to TO, where there is room; returns where that ends. */
static inline uint8_t *
wire_varint(uint8_t *to, uint64_t number)
{
  for (; number >= 0x80; number >>= 7)
    *to++ = (uint8_t)(number | 0x80);
  *to++ = (uint8_t)number;
  return to;
}

/* Returns the id that the row INDEX has in the file; 0 for INDEX_NONE. */
static inline uint64_t
wire_id(uint32_t index)
{
  return index == INDEX_NONE ? 0 : (uint64_t)index + 1;
}

/* Append to BUFFER the field FIELD: a number, unless it is zero; COUNT bytes,
 * also none; COUNT numbers as one packed run, unless there are none; the
 * message MESSAGE, which becomes empty. */
void wire_put_number(struct wire_buffer *buffer, uint32_t field,
                     uint64_t number);
void wire_put_bytes(struct wire_buffer *buffer, uint32_t field,
                    const void *bytes, size_t count);
void wire_put_packed(struct wire_buffer *buffer, uint32_t field,
                     const uint64_t *numbers, size_t count);
void wire_put_message(struct wire_buffer *buffer, uint32_t field,
                      struct wire_buffer *message);
