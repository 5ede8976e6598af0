/* SPDX-License-Identifier: LGPL-2.1-or-later */

/* A file that is written completely or not at all.
 *
 * Text goes to a temporary file beside the target, which is renamed over the
 * target at the end: a failure leaves the old file as it was and nothing
 * else behind.  What is no regular file (a device, a pipe) is written as it
 * is, since it must not be replaced.
 */

#ifndef MPROF_OUTPUT_FILE_H
#define MPROF_OUTPUT_FILE_H

#include "base/mprof_error.h"
#include "base/sink.h"

#include <stdbool.h>

struct output_file {
  const char *path; /* not owned: as the user gave it */
  char *target;     /* owned: what is replaced */
  char *temporary;  /* owned; NULL when the target is written directly */
  int descriptor;
  struct sink sink; /* write here */
  bool unsynced;    /* closing it does not wait until all is on disk */
};

/* Opens PATH for writing.  False: ERROR says why, nothing is left. */
bool output_file_open(struct output_file *file, const char *path,
                      struct mprof_error *error);

/* Completes the file when GOOD, drops it otherwise; releases FILE.  True
 * when GOOD and all is written. */
bool output_file_close(struct output_file *file, bool good,
                       struct mprof_error *error);

#endif
