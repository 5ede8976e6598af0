/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* From profile files to a checked profile, or to one line that says what is
 * wrong with a file and at which byte.
 *
 * Behind this stand gzip, protobuf and every rule of the format.  A profile
 * that this accepts holds the invariants of profile.h: references resolve,
 * no value is negative, sums do not overflow and agree with what the file
 * says of itself.
 *
 * Several files become one profile: equal mappings, functions, locations and
 * labels are one, and so are equal chains.  Comments stay, one after the
 * other; the time is that of the first run, the duration the sum.  Columns
 * stay where all files have the same; else those that mprof knows the meaning
 * of become columns of mprof's.
 */

#pragma once

#include "base/input_file.h"
#include "base/pool.h"
#include "profile/profile.h"

struct losses;
struct timeline;

struct reader_options {
  struct input_octets octets;      /* content; data NULL: the file is read */
  const struct losses *losses;     /* of an image's program, or NULL */
  const struct timeline *timeline; /* the same */
  /* for what writes the files anew: they must be of one kind, with the same
   * columns, authors, period and frames to drop, as one file has */
  bool lossless;
  const char *first_path; /* of the first file, to tell others from; NULL:
                             this is it */
};

/* Reads the file PATH and adds it to PROFILE, from profile_init.  After the
 * last file the caller calls profile_settle.  Fails for a file that is no
 * valid profile or cannot be added; PROFILE is then of no use. */
void profile_read(struct profile *profile, const char *path,
                  const struct reader_options *options);

/* Returns whether the gzip header of the file PATH says that mprof wrote it,
 * and, unless PROCESS is NULL, that this is its comment mprof.process. */
bool profile_file_is_of(const char *path, const char *process);
