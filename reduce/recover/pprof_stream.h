/* SPDX-License-Identifier: LGPL-2.1-or-later
 *
 * pprof_stream.h -- the fields of one profile, encoded as in its file.
 *
 * A profile is a sequence of fields; each is written when it is complete.  A
 * field that is a message itself is put together in memory first:
 *
 *     pprof_begin(p);
 *     pprof_add_field(p, PPROF_FUNCTION_ID, 7);
 *     pprof_add_field(p, PPROF_FUNCTION_NAME, pprof_string(p, "CAR"));
 *     pprof_end(p, PPROF_FUNCTION);
 *
 * A string is written when it is first asked for, so that it may stand before
 * the message that refers to it, also while that is put together.
 *
 * Its numbers and names are in pprof_format.h; mprof-formats(5) says what
 * they mean.
 *
 * What fails is kept in the output (octets.h), and what comes after it does
 * nothing.
 */
#ifndef MPROF_PPROF_STREAM_H
#define MPROF_PPROF_STREAM_H

#include <stddef.h>
#include <stdint.h>

#include "common/pprof_format.h"
#include "tree/intern_table.h"
#include "recover/octets.h"

/* ---- the stream ---- */

struct pprof_stream { /* all zero but for the first */
  struct octets *output; /* the caller's */
  uint64_t columns; /* bit i: samples have that of enum pprof_column */
  struct arena message;
  size_t length; /* of the message in hand */
  struct intern_table strings;
};

/* Begin a profile of which each sample has those `columns': write what stands
 * before samples. */
void pprof_open(struct pprof_stream *p, uint64_t columns);

/* Give the memory back; the file is still open. */
void pprof_close(struct pprof_stream *p);

/* Whether anything failed. */
static inline bool
pprof_failed(const struct pprof_stream *p)
{
  return p->output->failed != 0;
}

/* Reserve memory as arena_reserve does.  False when anything failed, if only
 * this. */
bool pprof_reserve(struct pprof_stream *p, struct arena *arena, size_t bytes);

/* The number of a string; 0, that of the empty one, when anything failed. */
uint64_t pprof_string(struct pprof_stream *p, const char *text);

/* The comments KEY=TEXT and KEY=N. */
void pprof_put_comment(struct pprof_stream *p, const char *key,
                       const char *text);
void pprof_put_count(struct pprof_stream *p, const char *key, uint64_t n);

/* The comment mprof.region, for image_region_comments. */
void pprof_put_region(void *stream, const char *text);

/* The function ID of a Lisp program; FILE is NULL where it is not known. */
void pprof_put_function(struct pprof_stream *p, uint64_t id, const char *name,
                        const char *system_name, const char *file,
                        int64_t line);

/* The location ID, which is at one line of one function. */
void pprof_put_location(struct pprof_stream *p, uint64_t id, uint64_t address,
                        uint64_t function, int64_t line);

/* ---- messages ---- */

/* Write a number as it stands in a message; its length. */
enum { PPROF_NUMBER_BYTES = 10 }; /* at most */
size_t pprof_encode(uint8_t *to, uint64_t n);

void pprof_begin(struct pprof_stream *p);

/* Add the values of a sample, by enum pprof_column. */
void pprof_add_values(struct pprof_stream *p, const uint64_t *values);

/* Add a bare number, or a field that is a number (zero: none). */
void pprof_add(struct pprof_stream *p, uint64_t n);
void pprof_add_field(struct pprof_stream *p, unsigned field, uint64_t n);

/* Add numbers that are encoded. */
void pprof_add_bytes(struct pprof_stream *p, const void *bytes, size_t n);

/* What was added since the message was `start' bytes long is a message, or
 * numbers, that are a field of it. */
void pprof_nest(struct pprof_stream *p, unsigned field, size_t start);

/* Add the label KEY with a text, or with a number in the unit of the same
 * name. */
void pprof_add_label(struct pprof_stream *p, const char *key,
                     const char *text);
void pprof_add_number_label(struct pprof_stream *p, const char *key,
                            uint64_t n);

/* The message is a field of the profile. */
void pprof_end(struct pprof_stream *p, unsigned field);

#endif
