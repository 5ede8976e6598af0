/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A file while it is read: what the parts of the reader hand each other, and
 * how each says that something is wrong.  profile_reader.c owns it and
 * everything in it.
 */

#ifndef MPROF_PROFILE_READING_H
#define MPROF_PROFILE_READING_H

#include "io/input_file.h"
#include "io/mprof_error.h"
#include "profile/array.h"
#include "profile/call_sums.h"
#include "profile/index_map.h"
#include "profile/profile.h"
#include "profile/profile_columns.h"
#include "profile/profile_comments.h"
#include "profile/profile_prune.h"

#include "profile.pb-c.h"

/* Field numbers of Profile, to say where something is wrong. */
enum profile_field {
  FIELD_SAMPLE_TYPE = 1,
  FIELD_SAMPLE = 2,
  FIELD_MAPPING = 3,
  FIELD_LOCATION = 4,
  FIELD_FUNCTION = 5,
  FIELD_STRING_TABLE = 6,
  FIELD_DROP_FRAMES = 7,
  FIELD_PERIOD_TYPE = 11,
  FIELD_COMMENT = 13,
  FIELD_DEFAULT_SAMPLE_TYPE = 14,
};

/* One file being read. */
struct reading {
  struct profile *profile; /* receives the content */
  const char *path;
  const struct input_limits *limits;
  struct mprof_error *error;
  struct input_file file;
  size_t first_link;              /* of the chains, that is this file's */
  Mprof__Pprof__Profile *message; /* without its samples */
  uint32_t *strings;              /* string index -> name id */
  uint32_t *functions;           /* function number -> index in the profile */
  uint32_t *first_frames;        /* location number -> its first frame */
  struct index_map function_ids; /* id -> number, as for the next two */
  struct index_map location_ids;
  struct index_map mapping_ids;
  struct profile_columns columns;
  struct profile_claims claims;
  struct profile_prune prune;
  unsigned char *prune_marks; /* by location number: enum prune_mark */
  bool visited;               /* the file is to be handed on: */
  bool keeps_calls;           /* calls holds what it says of calls, ... */
  bool adds_calls;            /* ... and that is to be added up */
  struct call_sums calls;     /* by location number */
  uint64_t calls_stated;      /* by how many samples */
};

/* Reports a fault at the INDEX-th occurrence of FIELD of the message; gives
 * back false. */
bool reading_fault(struct reading *reading, uint32_t field, size_t index,
                   const char *format, ...)
    __attribute__((format(printf, 4, 5)));

/* Sets *NAME to the name id of the string INDEX; false when there is none. */
bool reading_string(const struct reading *reading, int64_t index,
                    uint32_t *name);

#endif
